//! Spans that core sends to a collector over TLS, as OpenTelemetry's variables say.

use std::{
    path::Path,
    process::Command,
    sync::{Arc, Mutex},
};

use muster_api::v1::ListUseCasesRequest;
use opentelemetry_proto::tonic::{
    collector::trace::v1::{
        ExportTraceServiceRequest, ExportTraceServiceResponse,
        trace_service_server::{TraceService, TraceServiceServer},
    },
    trace::v1::Span,
};
use test_postgres::Database;
use tokio::net::TcpListener;
use tonic::{
    Request, Response, Status,
    transport::{Identity, Server, ServerTlsConfig, server::TcpIncoming},
};

use super::{CatalogueServiceClient, Running, core, output};
use crate::fixtures::migrate;

/// A certificate for localhost, and the authority that signed it.
const CERTIFICATES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../crates/rpc-client/tests/it/tls"
);

/// A trace that a caller names and wants to be kept.
const TRACE: [u8; 16] = [0xab; 16];

#[derive(Clone, Default)]
struct Collector(Arc<Mutex<Vec<Span>>>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let resources = request.into_inner().resource_spans.into_iter();
        let scopes = resources.flat_map(|resource| resource.scope_spans);
        let spans = scopes.flat_map(|scope| scope.spans);
        self.0.lock().unwrap().extend(spans);
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Collector {
    /// Listens with the certificate, and answers its URL.
    async fn listen(&self) -> String {
        let read = |name: &str| std::fs::read(Path::new(CERTIFICATES).join(name)).unwrap();
        let identity = Identity::from_pem(read("core.pem"), read("core.key"));
        let tls = ServerTlsConfig::new().identity(identity);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let service = TraceServiceServer::new(self.clone());
        let server = Server::builder().tls_config(tls).unwrap();
        let server = { server }.add_service(service);
        tokio::spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
        format!("https://localhost:{port}")
    }
}

/// A core that exports its spans, by a sampler that keeps a trace only if its caller wants it.
fn exporting(endpoint: &str, authority: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_core-service"));
    command
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
        .env("OTEL_EXPORTER_OTLP_CERTIFICATE", authority)
        .env("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
        .env("OTEL_TRACES_SAMPLER_ARG", "0.0");
    command
}

async fn spans_go_to_a_collector_over_tls_if_the_sampler_keeps_them(database: Database) {
    let collector = Collector::default();
    let endpoint = collector.listen().await;
    let authority = format!("{CERTIFICATES}/ca.pem");
    let mut running = Running::start_by(exporting(&endpoint, &authority), database.url());
    let mut catalogue = CatalogueServiceClient::new(running.channel().await);
    catalogue
        .list_use_cases(ListUseCasesRequest {})
        .await
        .unwrap();
    let mut wanted = Request::new(ListUseCasesRequest {});
    let parent = format!("00-{}-00f067aa0ba902b7-01", "ab".repeat(16));
    let parent = parent.parse().unwrap();
    wanted.metadata_mut().insert("traceparent", parent);
    catalogue.list_use_cases(wanted).await.unwrap();

    // The last spans leave before it ends.
    running.terminate();
    let ended = tokio::task::spawn_blocking(move || running.ended()).await;
    assert!(ended.unwrap().success());
    let spans = collector.0.lock().unwrap();
    let names: Vec<&str> = spans.iter().map(|span| &*span.name).collect();
    let rpc = "muster.v1.CatalogueService/ListUseCases";
    let calls = names.iter().filter(|name| **name == rpc);
    assert_eq!(calls.count(), 1, "{names:?}");
    assert!(spans.iter().all(|span| span.trace_id == TRACE), "{spans:?}");
}

#[test]
fn an_authority_that_cannot_be_read_is_named() {
    let mut command = core(&["--database-url", "sqlite://none.db"]);
    command
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", "https://localhost:1")
        .env("OTEL_EXPORTER_OTLP_CERTIFICATE", "/nowhere/ca.pem");
    let ended = output(command);
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(!ended.status.success());
    let expected = "OTEL_EXPORTER_OTLP_CERTIFICATE: cannot read /nowhere/ca.pem";
    assert!(said.contains(expected), "{said}");
}

test_postgres::on_both_engines!(prepare: migrate;
    spans_go_to_a_collector_over_tls_if_the_sampler_keeps_them,
);
