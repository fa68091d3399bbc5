//! A collector of OpenTelemetry, to which this process exports its spans.

use std::{
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use opentelemetry_proto::tonic::{
    collector::trace::v1::{
        ExportTraceServiceRequest, ExportTraceServiceResponse,
        trace_service_server::{TraceService, TraceServiceServer},
    },
    trace::v1::Span,
};
use server::traces::{self, TraceSettings};
use tokio::{net::TcpListener, runtime::Runtime};
use tonic::{
    Request, Response, Status,
    transport::{Server, server::TcpIncoming},
};
use tracing_subscriber::{Layer, Registry};

use super::TIMEOUT;

/// How often it is looked at whether a span has arrived.
const POLL: Duration = Duration::from_millis(10);

/// What has arrived: all of it as text, and the spans.
#[derive(Default)]
pub(crate) struct Arrived {
    text: String,
    spans: Vec<Span>,
}

static ARRIVED: LazyLock<Mutex<Arrived>> = LazyLock::new(Mutex::default);

/// It lives as long as the process: tests come and go, each with a runtime of its own.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let mut threads = tokio::runtime::Builder::new_multi_thread();
    threads.worker_threads(1).enable_all().build().unwrap()
});

fn arrived() -> MutexGuard<'static, Arrived> {
    ARRIVED.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Collector;

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        // The metadata, too: what the process says of itself.
        let text = format!("{request:?}\n");
        let mut arrived = arrived();
        arrived.text.push_str(&text);
        let scopes = request.into_inner().resource_spans.into_iter();
        let scopes = scopes.flat_map(|resource| resource.scope_spans);
        arrived.spans.extend(scopes.flat_map(|scope| scope.spans));
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

/// Starts the collector, and begins to export to it.
pub(crate) fn listen() -> impl Layer<Registry> + Send + Sync {
    // Tests call this in a runtime of their own, in which nobody may wait for another one.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    RUNTIME.spawn(async {
        let listener = TcpListener::from_std(listener).unwrap();
        let service = Server::builder().add_service(TraceServiceServer::new(Collector));
        let incoming = TcpIncoming::from(listener);
        service.serve_with_incoming(incoming).await.unwrap();
    });
    let otlp_endpoint = Some(format!("http://{address}"));
    let _in_it = RUNTIME.enter();
    let layer = traces::begin(&TraceSettings { otlp_endpoint }, "tests");
    layer.unwrap().expect("an endpoint is set")
}

/// All that has been exported, as text.
pub(crate) async fn text() -> String {
    flush().await;
    arrived().text.clone()
}

/// The spans of a trace, once the one is among them that a caller began with this: it ends after the answer was sent.
pub(crate) async fn spans_of(trace: &[u8], caller: &[u8]) -> Vec<Span> {
    let until = Instant::now() + TIMEOUT;
    loop {
        flush().await;
        let spans: Vec<Span> = {
            let arrived = arrived();
            let spans = arrived.spans.iter();
            spans
                .filter(|span| span.trace_id == trace)
                .cloned()
                .collect()
        };
        if spans.iter().any(|span| span.parent_span_id == caller) {
            return spans;
        }
        assert!(Instant::now() < until, "{spans:#?}");
        tokio::time::sleep(POLL).await;
    }
}

/// The spans with this name that have arrived.
pub(crate) fn named(name: &str) -> Vec<Span> {
    let arrived = arrived();
    let spans = arrived.spans.iter();
    spans.filter(|span| span.name == name).cloned().collect()
}

async fn flush() {
    tokio::task::spawn_blocking(traces::flush).await.unwrap();
}
