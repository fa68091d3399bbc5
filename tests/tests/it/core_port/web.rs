//! gRPC-web over HTTP/1.1, byte for byte as browsers send it.

use std::sync::Arc;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Buf as _;
use domain::plan::Plan;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use muster_api::{
    metadata::{CLIENT_ADDRESS, EDGE_TOKEN, SURFACE},
    v1::{CreatedEvent, EventList, GetEventRequest, ListEventsRequest, RegisterAttendeeRequest},
};
use prost::Message;
use tests::{Http, Reply, Request, TestApp};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use super::event;

pub(super) const BINARY: &str = "application/grpc-web+proto";
const TEXT: &str = "application/grpc-web-text+proto";

const ORIGIN: &str = "https://site.example";

/// The bit of a frame's first byte that says that trailers follow, not a message.
const TRAILERS: u8 = 0x80;

/// A message in its frame: no compression, length, bytes.
pub(super) fn framed(message: &impl Message) -> Vec<u8> {
    let message = message.encode_to_vec();
    let length = u32::try_from(message.len()).unwrap();
    [&[0], &length.to_be_bytes()[..], &message].concat()
}

/// A call as a browser makes it, to be sent.
pub(crate) fn call(app: &TestApp, rpc: &str, message: &impl Message) -> Request {
    Http::new(app.grpc.address())
        .request(Method::POST, rpc)
        .header("content-type", BINARY)
        .header("x-grpc-web", "1")
        .header("origin", ORIGIN)
        .body(framed(message))
}

/// The messages and the status of a gRPC-web answer's body. The status of a call that has no message may stand in the headers.
pub(super) fn read(answer: &Reply) -> (Vec<Vec<u8>>, Status) {
    read_body(&answer.headers, &answer.body)
}

fn read_body(headers: &HeaderMap, mut body: &[u8]) -> (Vec<Vec<u8>>, Status) {
    let mut messages = Vec::new();
    let mut status = Status::from_header_map(headers);
    while body.has_remaining() {
        let kind = body.get_u8();
        let length = usize::try_from(body.get_u32()).unwrap();
        let (frame, rest) = body.split_at(length);
        body = rest;
        if kind == TRAILERS {
            assert!(rest.is_empty(), "trailers are the end");
            status = Status::from_header_map(&trailers(frame));
        } else {
            assert_eq!(kind, 0, "an uncompressed message");
            messages.push(frame.to_vec());
        }
    }
    (messages, status.expect("a status, in headers or trailers"))
}

fn trailers(frame: &[u8]) -> HeaderMap {
    let lines = std::str::from_utf8(frame).unwrap().split_terminator("\r\n");
    let pairs = lines.map(|line| {
        let (name, value) = line.split_once(':').unwrap();
        let name: HeaderName = name.parse().unwrap();
        (name, HeaderValue::from_str(value.trim()).unwrap())
    });
    pairs.collect()
}

async fn a_browser_may_call_from_any_page_with_a_key(app: Arc<TestApp>) {
    let preflight = Http::new(app.grpc.address())
        .request(Method::OPTIONS, "/muster.v1.EventService/CreateEvent")
        .header("origin", ORIGIN)
        .header("access-control-request-method", "POST")
        .header(
            "access-control-request-headers",
            "authorization,content-type,grpc-timeout,x-grpc-web,x-user-agent",
        );
    let answer = preflight.send().await;
    assert!(answer.status.is_success(), "{answer:?}");
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    let methods = answer.header("access-control-allow-methods");
    assert_eq!(methods, Some("POST"));
    let allowed = answer.header("access-control-allow-headers").unwrap();
    for header in [
        "authorization",
        "content-type",
        "grpc-timeout",
        "x-grpc-web",
    ] {
        assert!(
            allowed.split(',').any(|one| one.trim() == header),
            "{allowed}"
        );
    }
    assert!(answer.header("access-control-max-age").is_some());
    // A page's own cookies have no part in it.
    assert_eq!(answer.header("access-control-allow-credentials"), None);
}

async fn browsers_are_told_to_use_https_alone(app: Arc<TestApp>) {
    let message = GetEventRequest {
        slug: "nowhere".to_owned(),
    };
    let found = call(&app, "/muster.v1.CatalogueService/GetEvent", &message);
    let preflight = Http::new(app.grpc.address())
        .request(Method::OPTIONS, "/muster.v1.EventService/CreateEvent")
        .header("origin", ORIGIN)
        .header("access-control-request-method", "POST");
    for request in [found, preflight] {
        let answer = request.send().await;
        let told = answer.header("strict-transport-security");
        assert_eq!(told, Some("max-age=31536000"), "{answer:?}");
    }
}

/// Registering acts for a visitor, so it is for pages that the operator names.
async fn a_page_registers_nobody_unless_the_operator_named_its_origin(app: Arc<TestApp>) {
    let named = app.another_core_for_pages_of(ORIGIN).await;
    for (core, allowed) in [(Http::new(app.grpc.address()), None), (named, Some(ORIGIN))] {
        let path = "/muster.v1.RegistrationService/RegisterAttendee";
        let preflight = core.request(Method::OPTIONS, path).header("origin", ORIGIN);
        let preflight = preflight.header("access-control-request-method", "POST");
        let answer = preflight.send().await;
        let origin = answer.header("access-control-allow-origin");
        assert_eq!((answer.status.as_u16(), origin), (204, allowed));
    }
}

async fn a_browser_cannot_claim_to_be_an_edge(app: Arc<TestApp>) {
    let claims = [CLIENT_ADDRESS, SURFACE, EDGE_TOKEN];
    let preflight = Http::new(app.grpc.address())
        .request(Method::OPTIONS, "/muster.v1.EventService/CreateEvent")
        .header("origin", ORIGIN)
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", claims.join(","));
    let answer = preflight.send().await;
    let allowed = answer.header("access-control-allow-headers").unwrap();
    for claim in claims.into_iter().chain(["*"]) {
        assert!(!allowed.contains(claim), "{allowed}");
    }

    let path = "/muster.v1.RegistrationService/RegisterAttendee";
    let register = async |number: usize| {
        let message = RegisterAttendeeRequest {
            slug: "nowhere".to_owned(),
            name: Some("Grace".to_owned()),
            email: Some(format!("grace-{number}@example.org")),
            answers: Vec::new(),
            ..RegisterAttendeeRequest::default()
        };
        let request = call(&app, path, &message).header(SURFACE, "api");
        let request = request.header(CLIENT_ADDRESS, format!("192.0.2.{number}"));
        read(&request.send().await).1.code()
    };
    for number in 0..60 {
        assert_eq!(register(number).await, Code::NotFound);
    }
    assert_eq!(register(60).await, Code::ResourceExhausted);
}

async fn a_browser_creates_and_reads(app: Arc<TestApp>) {
    let key = app.account(Plan::Free).await.key;
    let create = call(&app, "/muster.v1.EventService/CreateEvent", &event());
    let answer = create.bearer(&key).send().await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some(BINARY));
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    let (messages, status) = read(&answer);
    assert_eq!(status.code(), Code::Ok, "{status:?}");
    let created = CreatedEvent::decode(&*messages[0]).unwrap();
    assert_eq!((messages.len(), &*created.slug), (1, "rust-meetup"));

    let list = ListEventsRequest::default();
    let answer = call(&app, "/muster.v1.CatalogueService/ListEvents", &list)
        .send()
        .await;
    let (messages, _) = read(&answer);
    assert_eq!(EventList::decode(&*messages[0]).unwrap().count, 1);
}

async fn a_browser_that_takes_only_text_is_answered_in_base64(app: Arc<TestApp>) {
    let list = framed(&ListEventsRequest::default());
    let answer = Http::new(app.grpc.address())
        .request(Method::POST, "/muster.v1.CatalogueService/ListEvents")
        .header("content-type", TEXT)
        .header("accept", TEXT)
        .header("x-grpc-web", "1")
        .header("origin", ORIGIN)
        .body(BASE64_STANDARD.encode(list))
        .send()
        .await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some(TEXT));
    // Each piece is encoded by itself, so that padding may stand in the middle.
    let groups = answer.body.chunks(4);
    let body: Vec<u8> = groups
        .flat_map(|group| BASE64_STANDARD.decode(group).unwrap())
        .collect();
    let (messages, status) = read_body(&answer.headers, &body);
    assert_eq!(status.code(), Code::Ok);
    assert_eq!(EventList::decode(&*messages[0]).unwrap().limit, 50);
}

async fn a_browser_learns_why_it_was_refused(app: Arc<TestApp>) {
    let slug = "nothing".to_owned();
    let get = GetEventRequest { slug };
    let refused = [
        (
            call(&app, "/muster.v1.CatalogueService/GetEvent", &get),
            Code::NotFound,
            "NOT_FOUND",
        ),
        (
            call(&app, "/muster.v1.EventService/CreateEvent", &event()),
            Code::Unauthenticated,
            "UNAUTHORIZED",
        ),
    ];
    for (request, code, reason) in refused {
        let answer = request.send().await;
        let (messages, status) = read(&answer);
        assert_eq!((messages.len(), status.code()), (0, code));
        assert_eq!(
            status.get_error_details().error_info().unwrap().reason,
            reason
        );
        // Where the status stands in headers, a page may read them only when it is told so.
        let exposed = answer.header("access-control-expose-headers").unwrap();
        for header in ["grpc-status", "grpc-message", "grpc-status-details-bin"] {
            assert!(exposed.contains(header), "{exposed}");
        }
    }
}

tests::on_both_engines!(
    a_browser_may_call_from_any_page_with_a_key,
    browsers_are_told_to_use_https_alone,
    a_browser_cannot_claim_to_be_an_edge,
    a_page_registers_nobody_unless_the_operator_named_its_origin,
    a_browser_creates_and_reads,
    a_browser_that_takes_only_text_is_answered_in_base64,
    a_browser_learns_why_it_was_refused,
);
