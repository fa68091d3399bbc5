//! How core is reached: over TCP as everywhere else here, over a Unix socket, with TLS, and with TLS on both sides.

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use core_service::grpc::port::TlsSettings;
use domain::plan::Plan;
use http::uri::PathAndQuery;
use muster_api::v1::{ListUseCasesRequest, catalogue_service_client::CatalogueServiceClient};
use rpc_client::CoreSettings;
use serde_json::json;
use server::serve::Address;
use tests::{Http, TestApp, core_at};
use tonic::{
    Code, Request, Response, Status,
    transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity},
};
use tonic_prost::ProstCodec;

/// See the certificates' own words in crates/rpc-client/tests/it/tls.rs.
pub(super) fn shared(file: &str) -> PathBuf {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../crates/rpc-client/tests/it/tls"
    );
    PathBuf::from(folder).join(file)
}

/// A certificate that another authority has signed.
fn stranger(file: &str) -> PathBuf {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/core_port/tls");
    PathBuf::from(folder).join(file)
}

/// Serves core with TLS as well, and says at which URL.
async fn with_tls(app: &TestApp, client_authority: Option<PathBuf>) -> String {
    let tls = TlsSettings {
        tls_cert: Some(shared("core.pem")),
        tls_key: Some(shared("core.key")),
        tls_client_ca: client_authority,
    };
    let any_port = Address::Tcp(SocketAddr::from(([127, 0, 0, 1], 0)));
    let Address::Tcp(address) = app.serve_core(&any_port, tls).await else {
        unreachable!("a TCP address was asked for")
    };
    format!("https://localhost:{}", address.port())
}

/// A client that trusts this authority and shows this certificate.
fn client(url: &str, authority: PathBuf, identity: Option<[PathBuf; 2]>) -> Channel {
    let pem = |path: PathBuf| std::fs::read(path).unwrap();
    let mut tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem(authority)));
    if let Some([certificate, key]) = identity {
        tls = tls.identity(Identity::from_pem(pem(certificate), pem(key)));
    }
    let endpoint = Endpoint::from_shared(url.to_owned()).unwrap();
    endpoint.tls_config(tls).unwrap().connect_lazy()
}

async fn answers(channel: Channel) -> bool {
    let mut catalogue = CatalogueServiceClient::new(channel);
    catalogue
        .list_use_cases(ListUseCasesRequest {})
        .await
        .is_ok()
}

/// What edges, and they alone, are told when they ask about no credential: that there is none.
async fn calls_internal(channel: Channel) -> Code {
    let mut client = tonic::client::Grpc::new(channel);
    client.ready().await.unwrap();
    let path = PathAndQuery::from_static("/muster.internal.v1.EdgeService/CheckCredential");
    let codec = ProstCodec::<(), ()>::default();
    let answer: Result<Response<()>, Status> = client.unary(Request::new(()), path, codec).await;
    answer.unwrap_err().code()
}

/// Creates an event through a gateway and reads it again.
async fn works(app: &TestApp, gateway: &Http) {
    let key = app.account(Plan::Free).await.key;
    let event = json!({
        "title": "Rust Meetup", "description": "Talks.", "location": "Hall", "start_date": "2030-05-01T18:00:00Z",
    });
    let created = gateway
        .post("/events")
        .bearer(&key)
        .json(&event)
        .send()
        .await
        .ok();
    let id = created["id"].as_str().unwrap();
    let read = gateway
        .get(&format!("/me/events/{id}"))
        .bearer(&key)
        .send()
        .await
        .ok();
    assert_eq!(read["title"], "Rust Meetup");
}

async fn a_unix_socket_serves_clients_and_gateways(app: Arc<TestApp>) {
    let folder = tempfile::tempdir().unwrap();
    let address = Address::Unix(folder.path().join("core.sock"));
    app.serve_core(&address, TlsSettings::default()).await;
    let url = address.to_string();
    assert!(answers(Endpoint::from_shared(url.clone()).unwrap().connect_lazy()).await);
    works(&app, &app.serve_gateway(&core_at(&url)).await).await;
}

async fn with_tls_only_those_who_trust_core_are_answered(app: Arc<TestApp>) {
    let url = with_tls(&app, None).await;
    assert!(answers(client(&url, shared("ca.pem"), None)).await);
    assert!(!answers(client(&url, stranger("stranger.pem"), None)).await);
    let plain = url.replace("https:", "http:");
    assert!(!answers(Endpoint::from_shared(plain).unwrap().connect_lazy()).await);
    // What went wrong with others does not matter to who comes next.
    assert!(answers(client(&url, shared("ca.pem"), None)).await);
}

async fn with_mutual_tls_core_answers_only_those_whom_it_trusts(app: Arc<TestApp>) {
    let url = with_tls(&app, Some(shared("ca.pem"))).await;
    let edge = [shared("edge.pem"), shared("edge.key")];
    let unknown = [stranger("stranger.pem"), stranger("stranger.key")];
    assert!(answers(client(&url, shared("ca.pem"), Some(edge.clone()))).await);
    assert!(!answers(client(&url, shared("ca.pem"), None)).await);
    assert!(!answers(client(&url, shared("ca.pem"), Some(unknown.clone()))).await);
    let certified = client(&url, shared("ca.pem"), Some(edge.clone()));
    assert_eq!(calls_internal(certified).await, Code::Unauthenticated);
    // Without an authority for clients a certificate is none, whoever has signed it.
    let open = with_tls(&app, None).await;
    let uncertified = client(&open, shared("ca.pem"), Some(edge.clone()));
    assert_eq!(calls_internal(uncertified).await, Code::PermissionDenied);

    let gateway_with = |[certificate, key]: [PathBuf; 2]| CoreSettings {
        core_ca: Some(shared("ca.pem")),
        core_cert: Some(certificate),
        core_key: Some(key),
        // The certificate is the proof.
        edge_token: None,
        ..core_at(&url)
    };
    works(&app, &app.serve_gateway(&gateway_with(edge)).await).await;
    let refused = app.serve_gateway(&gateway_with(unknown)).await;
    let answer = refused.get("/events").send().await;
    assert_eq!(answer.status, 503, "{answer:?}");
}

tests::on_both_engines!(
    a_unix_socket_serves_clients_and_gateways,
    with_tls_only_those_who_trust_core_are_answered,
    with_mutual_tls_core_answers_only_those_whom_it_trusts,
);
