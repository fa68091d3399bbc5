//! Which client a call is counted for: only edges that prove what they are are believed when they say so, and gateways believe only
//! trusted proxies.

use std::{sync::Arc, time::Duration};

use core_service::grpc::port::TlsSettings;
use http::uri::PathAndQuery;
use muster_api::{
    Reason,
    metadata::{CLIENT_ADDRESS, EDGE_TOKEN, RATE_LIMIT, RATE_LIMIT_POLICY, SURFACE},
    v1::{RegisterAttendeeRequest, registration_service_client::RegistrationServiceClient},
};
use rpc_client::CoreSettings;
use server::{
    CancellationToken,
    serve::{Address, Listener},
};
use tests::{Http, TestApp, core_at};
use tonic::{Code, Request, Status, transport::Channel};
use tonic_prost::ProstCodec;
use tonic_types::StatusExt as _;

/// How many registrations an address may send at once.
const ALLOWED: usize = 60;

/// A secret that takes the place of [`TestApp::EDGE_TOKEN`].
const NEXT_TOKEN: &str = "the-secret-that-comes-after-that-one";

/// Asks for an event that there is not, which is counted like any other, and says to be an edge that calls for a client.
async fn ask(channel: &Channel, token: Option<&str>, client: &str, number: usize) -> Status {
    let mut request = Request::new(RegisterAttendeeRequest {
        slug: "nowhere".to_owned(),
        name: Some("Grace".to_owned()),
        email: Some(format!("grace-{number}@example.org")),
        answers: Vec::new(),
        ..RegisterAttendeeRequest::default()
    });
    let metadata = request.metadata_mut();
    metadata.insert(CLIENT_ADDRESS, client.parse().unwrap());
    metadata.insert(SURFACE, "api".parse().unwrap());
    if let Some(token) = token {
        metadata.insert(EDGE_TOKEN, token.parse().unwrap());
    }
    let mut service = RegistrationServiceClient::new(channel.clone());
    service.register_attendee(request).await.unwrap_err()
}

fn told<'a>(status: &'a Status, name: &str) -> Option<&'a str> {
    status.metadata().get(name)?.to_str().ok()
}

/// One more port of the core, which knows edges by these secrets.
async fn port(app: &TestApp, tokens: &str) -> String {
    let any_port = Address::Tcp(([127, 0, 0, 1], 0).into());
    let listener = Listener::bind(&any_port).await.unwrap();
    let url = format!("http://{}", listener.address().unwrap());
    let core = app.core.clone().with_edge_tokens(tokens.parse().unwrap());
    let (tls, stop) = (TlsSettings::default(), CancellationToken::new());
    tokio::spawn(async move { core.serve(listener, &tls, stop).await });
    url
}

fn channel(url: String) -> Channel {
    Channel::from_shared(url).unwrap().connect_lazy()
}

async fn an_edge_says_for_whom_it_calls_and_each_client_has_its_own_limit(app: Arc<TestApp>) {
    let (edge, token) = (app.grpc.channel(), Some(TestApp::EDGE_TOKEN));
    for number in 0..ALLOWED {
        let answer = ask(&edge, token, "192.0.2.1", number).await;
        assert_eq!(answer.code(), Code::NotFound);
    }
    let refused = ask(&edge, token, "192.0.2.1", ALLOWED).await;
    assert_eq!(refused.code(), Code::ResourceExhausted);
    let details = refused.get_error_details();
    assert_eq!(
        details.error_info().unwrap().reason,
        Reason::RateLimited.code()
    );
    let wait = details.retry_info().unwrap().retry_delay;
    assert_eq!(wait, Some(Duration::from_secs(1)));
    assert_eq!(told(&refused, RATE_LIMIT), Some("\"address\";r=0;t=1"));
    assert_eq!(
        told(&refused, RATE_LIMIT_POLICY),
        Some("\"address\";q=60;w=60")
    );
    let other = ask(&edge, token, "192.0.2.2", ALLOWED).await;
    assert_eq!(other.code(), Code::NotFound);
}

async fn whoever_proves_nothing_cannot_say_that_they_are_someone_else(app: Arc<TestApp>) {
    let stranger = app.grpc.channel();
    for number in 0..ALLOWED {
        let answer = ask(&stranger, None, &format!("192.0.2.{number}"), number).await;
        assert_eq!(answer.code(), Code::NotFound);
    }
    let refused = ask(&stranger, None, "192.0.2.100", ALLOWED).await;
    assert_eq!(refused.code(), Code::ResourceExhausted);
}

async fn a_wrong_token_is_refused_in_words_and_not_passed_over(app: Arc<TestApp>) {
    let refused = ask(&app.grpc.channel(), Some(NEXT_TOKEN), "192.0.2.1", 0).await;
    assert_eq!(refused.code(), Code::PermissionDenied);
    assert!(refused.message().contains("MUSTER_EDGE_TOKEN"), "{refused}");
    assert!(!refused.message().contains(NEXT_TOKEN), "{refused}");

    // Clients of an edge whose setting is wrong are told that it is out of order, not that their key is.
    let url = format!("http://{}", app.grpc.address());
    let misled = CoreSettings {
        edge_token: Some(NEXT_TOKEN.into()),
        ..core_at(&url)
    };
    let gateway = app.serve_gateway(&misled).await;
    for path in ["/events", "/me"] {
        let answer = gateway.get(path).bearer("mus_live_any").send().await;
        assert_eq!(answer.status, 503, "{answer:?}");
        assert_eq!(answer.refusal().reason, Reason::Unavailable);
        assert!(
            !String::from_utf8_lossy(&answer.body).contains("TOKEN"),
            "{answer:?}"
        );
    }
    let ready = gateway.request(http::Method::GET, "/readyz").send().await;
    assert_eq!(ready.status, 503, "{ready:?}");
}

async fn two_tokens_are_accepted_while_edges_change_from_one_to_the_other(app: Arc<TestApp>) {
    let both = format!("{},{NEXT_TOKEN}", TestApp::EDGE_TOKEN);
    let before = Some(TestApp::EDGE_TOKEN);
    let after = Some(NEXT_TOKEN);
    let changing = channel(port(&app, &both).await);
    for token in [before, after] {
        let answer = ask(&changing, token, "192.0.2.1", 0).await;
        assert_eq!(answer.code(), Code::NotFound);
    }
    let changed = channel(port(&app, NEXT_TOKEN).await);
    let refused = ask(&changed, before, "192.0.2.1", 0).await;
    assert_eq!(refused.code(), Code::PermissionDenied);
    let answer = ask(&changed, after, "192.0.2.1", 0).await;
    assert_eq!(answer.code(), Code::NotFound);
}

async fn only_edges_may_call_the_internal_package(app: Arc<TestApp>) {
    let call = async |token: Option<&str>| {
        let mut client = tonic::client::Grpc::new(app.grpc.channel());
        client.ready().await.unwrap();
        let mut request = Request::new(());
        if let Some(token) = token {
            let metadata = request.metadata_mut();
            metadata.insert(EDGE_TOKEN, token.parse().unwrap());
        }
        let path = PathAndQuery::from_static("/muster.internal.v1.EdgeService/CheckCredential");
        let codec = ProstCodec::<(), ()>::default();
        let answer: Result<_, Status> = client.unary(request, path, codec).await;
        answer.unwrap_err().code()
    };
    assert_eq!(call(None).await, Code::PermissionDenied);
    // It may ask, and has shown no credential to ask about.
    assert_eq!(call(Some(TestApp::EDGE_TOKEN)).await, Code::Unauthenticated);
}

async fn register(http: &Http, forwarded: &str, number: usize) -> Reason {
    let email = format!("grace-{number}@example.org");
    let body = serde_json::json!({"name": "Grace", "email": email});
    let request = http.post("/events/nowhere/registrations").json(&body);
    let answer = request.header("x-forwarded-for", forwarded).send().await;
    answer.refusal().reason
}

async fn a_made_up_forwarded_address_evades_no_limit(app: Arc<TestApp>) {
    let behind_a_proxy = app.serve_gateway_behind("127.0.0.1").await;
    for (gateway, client) in [(&app.http, ""), (&behind_a_proxy, ", 192.0.2.9")] {
        let forwarded = |number: usize| format!("198.51.100.{number}{client}");
        for number in 0..ALLOWED {
            let answer = register(gateway, &forwarded(number), number).await;
            assert_eq!(answer, Reason::NotFound, "{number}");
        }
        let refused = register(gateway, &forwarded(100), 100).await;
        assert_eq!(refused, Reason::RateLimited);
    }
    // Others behind the same proxy have what is theirs.
    let other = register(&behind_a_proxy, "198.51.100.1, 192.0.2.10", 101).await;
    assert_eq!(other, Reason::NotFound);
}

tests::on_both_engines!(
    an_edge_says_for_whom_it_calls_and_each_client_has_its_own_limit,
    whoever_proves_nothing_cannot_say_that_they_are_someone_else,
    a_wrong_token_is_refused_in_words_and_not_passed_over,
    two_tokens_are_accepted_while_edges_change_from_one_to_the_other,
    only_edges_may_call_the_internal_package,
    a_made_up_forwarded_address_evades_no_limit,
);
