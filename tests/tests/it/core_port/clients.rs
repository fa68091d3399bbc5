//! Which client a call is counted for: only edges are believed when they say so, and gateways only what trusted proxies say.

use std::{sync::Arc, time::Duration};

use core_service::grpc::server::{Address, Listener, TlsSettings};
use muster_api::{
    Reason,
    metadata::{CLIENT_ADDRESS, RATE_LIMIT, RATE_LIMIT_POLICY},
    v1::{RegisterAttendeeRequest, registration_service_client::RegistrationServiceClient},
};
use process::{CancellationToken, networks::Networks};
use tests::{Http, TestApp};
use tonic::{Code, Request, Status, transport::Channel};
use tonic_types::StatusExt as _;

/// How many registrations an address may send at once.
const ALLOWED: usize = 60;

/// Asks for an event that there is not, which is counted like any other.
async fn ask(channel: &Channel, client: &str, number: usize) -> Status {
    let mut request = Request::new(RegisterAttendeeRequest {
        slug: "nowhere".to_owned(),
        name: Some("Grace".to_owned()),
        email: Some(format!("grace-{number}@example.org")),
        answers: Vec::new(),
    });
    let metadata = request.metadata_mut();
    metadata.insert(CLIENT_ADDRESS, client.parse().unwrap());
    let mut service = RegistrationServiceClient::new(channel.clone());
    service.register_attendee(request).await.unwrap_err()
}

fn told<'a>(status: &'a Status, name: &str) -> Option<&'a str> {
    status.metadata().get(name)?.to_str().ok()
}

/// One more port of the core, which believes callers from there.
async fn port_that_trusts(app: &TestApp, edges: Networks) -> Channel {
    let any_port = Address::Tcp(([127, 0, 0, 1], 0).into());
    let listener = Listener::bind(&any_port).await.unwrap();
    let url = format!("http://{}", listener.address().unwrap());
    let core = app.core.clone().with_trusted_edges(edges);
    let (tls, stop) = (TlsSettings::default(), CancellationToken::new());
    tokio::spawn(async move { core.serve(listener, &tls, stop).await });
    Channel::from_shared(url).unwrap().connect_lazy()
}

async fn an_edge_says_for_whom_it_calls_and_each_client_has_its_own_limit(app: Arc<TestApp>) {
    let edge = port_that_trusts(&app, "127.0.0.1".parse().unwrap()).await;
    for number in 0..ALLOWED {
        let answer = ask(&edge, "192.0.2.1", number).await;
        assert_eq!(answer.code(), Code::NotFound);
    }
    let refused = ask(&edge, "192.0.2.1", ALLOWED).await;
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
    let other = ask(&edge, "192.0.2.2", ALLOWED).await;
    assert_eq!(other.code(), Code::NotFound);
}

async fn whoever_is_no_edge_cannot_say_that_they_are_somebody_else(app: Arc<TestApp>) {
    let stranger = port_that_trusts(&app, Networks::default()).await;
    for number in 0..ALLOWED {
        let answer = ask(&stranger, &format!("192.0.2.{number}"), number).await;
        assert_eq!(answer.code(), Code::NotFound);
    }
    let refused = ask(&stranger, "192.0.2.100", ALLOWED).await;
    assert_eq!(refused.code(), Code::ResourceExhausted);
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
    whoever_is_no_edge_cannot_say_that_they_are_somebody_else,
    a_made_up_forwarded_address_evades_no_limit,
);
