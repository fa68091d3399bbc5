//! The Connect protocol, byte for byte as plain curl and Connect's clients send it.

use std::sync::Arc;

use base64::{
    Engine as _,
    prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD},
};
use bytes::Buf as _;
use core_service::domain::plan::Plan;
use http::Method;
use muster_api::v1::{EventList, GetEventRequest, ListEventsRequest};
use prost::Message as _;
use serde_json::{Value, json};
use tests::{Http, Reply, Request, TestApp};
use tokio::{io::AsyncWriteExt as _, net::TcpStream};

use super::{
    bounds::{SHORT, patient, port, until_said},
    event, hold, web,
};
use core_service::grpc::server::{Limits, TlsSettings};

const JSON: &str = "application/json";
const BINARY: &str = "application/proto";
const STREAM_JSON: &str = "application/connect+json";
const STREAM_BINARY: &str = "application/connect+proto";

const LIST: &str = "/muster.v1.CatalogueService/ListEvents";
const GET: &str = "/muster.v1.CatalogueService/GetEvent";
const COVER: &str = "/muster.v1.CatalogueService/GetCover";
const CREATE: &str = "/muster.v1.EventService/CreateEvent";
const UPDATE: &str = "/muster.v1.EventService/UpdateEvent";

fn call(app: &TestApp, rpc: &str, content_type: &str, body: impl Into<Vec<u8>>) -> Request {
    Http::new(app.grpc.address())
        .request(Method::POST, rpc)
        .header("content-type", content_type)
        .body(body.into())
}

fn get(app: &TestApp, path: &str) -> Request {
    Http::new(app.grpc.address()).request(Method::GET, path)
}

/// What a refusal says, which has this HTTP status and this code.
#[track_caller]
fn refused(answer: &Reply, http_status: u16, code: &str) -> Value {
    assert_eq!(answer.status.as_u16(), http_status, "{answer:?}");
    let error = answer.json();
    assert_eq!(error["code"], code, "{error}");
    error
}

fn new_event() -> Value {
    json!({
        "title": "Rust Meetup",
        "description": "Talks.",
        "location": "Hall",
        "startDate": "2030-05-01T18:00:00Z",
        "isPublic": true,
        "maxCapacity": "40",
        "customFields": [{"label": "Diet", "fieldType": "text", "required": true}],
    })
}

async fn create(app: &TestApp) -> (String, Value) {
    let key = app.account(Plan::Pro).await.key;
    let create = call(app, CREATE, JSON, new_event().to_string());
    let answer = create.bearer(&key).send().await;
    assert_eq!(answer.status, 200, "{answer:?}");
    (key, answer.json())
}

async fn a_call_in_json_is_answered_in_canonical_json(app: Arc<TestApp>) {
    let (key, created) = create(&app).await;
    assert_eq!(created["slug"], "rust-meetup");
    assert!(created["eventUrl"].is_string(), "{created}");

    // Names of the proto file are read as well, and a charset may be named.
    let one = call(
        &app,
        GET,
        "application/json; charset=utf-8",
        r#"{"slug":"rust-meetup"}"#,
    );
    let read = one.send().await.json();
    assert_eq!(
        (&read["capacity"], &read["startDate"]),
        (&json!(40), &json!("2030-05-01T18:00:00Z"))
    );
    assert_eq!(read.get("city"), None, "what is not there is left out");
    let asked = json!({"limit": 1, "offset": null}).to_string();
    let list = call(&app, LIST, JSON, asked).send().await.json();
    assert_eq!((&list["count"], &list["limit"]), (&json!(1), &json!(1)));

    // A mask has the names of JSON.
    let id = &created["id"];
    let change = json!({"id": id, "city": "Bern", "title": "Unread", "update_mask": "city"});
    let update = call(&app, UPDATE, JSON, change.to_string());
    let changed = update.bearer(&key).send().await.json();
    assert_eq!(
        (&changed["city"], &changed["title"]),
        (&json!("Bern"), &json!("Rust Meetup"))
    );
}

async fn a_call_in_protobuf_is_answered_in_protobuf(app: Arc<TestApp>) {
    create(&app).await;
    let list = ListEventsRequest::default().encode_to_vec();
    let answer = call(&app, LIST, BINARY, list).send().await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("content-type")),
        (200, Some(BINARY))
    );
    let events = EventList::decode(&*answer.body).unwrap();
    assert_eq!((events.count, &*events.items[0].slug), (1, "rust-meetup"));
    assert_eq!(answer.header("grpc-status"), None);
}

async fn a_refusal_has_its_code_its_status_and_the_details_of_grpc(app: Arc<TestApp>) {
    let answer = call(&app, GET, JSON, r#"{"slug":"none"}"#).send().await;
    let error = refused(&answer, 404, "not_found");
    let detail = &error["details"][0];
    assert_eq!(detail["type"], "google.rpc.ErrorInfo");
    assert_eq!(
        detail["debug"],
        json!({"reason": "NOT_FOUND", "domain": "muster"})
    );
    let bytes = BASE64_STANDARD_NO_PAD
        .decode(detail["value"].as_str().unwrap())
        .unwrap();
    let info = tonic_types::pb::ErrorInfo::decode(&*bytes).unwrap();
    assert_eq!(info.reason, "NOT_FOUND");

    // Errors are JSON in any codec.
    let none = GetEventRequest {
        slug: "none".to_owned(),
    }
    .encode_to_vec();
    refused(
        &call(&app, GET, BINARY, none).send().await,
        404,
        "not_found",
    );

    let create = call(&app, CREATE, JSON, new_event().to_string());
    refused(&create.clone().send().await, 401, "unauthenticated");
    refused(
        &create.bearer("mus_live_wrong").send().await,
        401,
        "unauthenticated",
    );

    let key = app.account(Plan::Free).await.key;
    let invalid = call(&app, CREATE, JSON, r#"{"title":"ab"}"#).bearer(&key);
    let error = refused(&invalid.send().await, 400, "invalid_argument");
    let violations = error["details"].as_array().unwrap().iter();
    let violations = violations.filter(|one| one["type"] == "google.rpc.BadRequest");
    let fields: Vec<_> = violations
        .flat_map(|one| one["debug"]["fieldViolations"].as_array().unwrap())
        .map(|one| one["field"].as_str().unwrap())
        .collect();
    assert!(
        fields.contains(&"title") && fields.contains(&"location"),
        "{error}"
    );
}

async fn a_call_past_its_deadline_leaves_nothing_behind(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let create = || call(&app, CREATE, JSON, new_event().to_string()).bearer(&account.key);
    let held = hold(&app, &account).await;
    for millis in ["0", "1", "150"] {
        let answer = create().header("connect-timeout-ms", millis).send().await;
        let error = refused(&answer, 504, "deadline_exceeded");
        assert_eq!(error["details"][0]["debug"]["reason"], "UNAVAILABLE");
    }
    held.commit().await.unwrap();
    for millis in ["", "soon", "-1", "+1", "1.5", "12345678901"] {
        let answer = create().header("connect-timeout-ms", millis).send().await;
        refused(&answer, 400, "invalid_argument");
    }
    let answer = create()
        .header("connect-timeout-ms", "9999999999")
        .send()
        .await;
    assert_eq!(answer.json()["slug"], "rust-meetup");
}

async fn what_reads_may_be_called_with_get(app: Arc<TestApp>) {
    create(&app).await;
    let json = get(
        &app,
        &format!("{LIST}?connect=v1&encoding=json&message=%7B%22limit%22:+1%7D"),
    );
    assert_eq!(json.send().await.json()["limit"], 1);
    let message = GetEventRequest {
        slug: "rust-meetup".to_owned(),
    }
    .encode_to_vec();
    let message = BASE64_URL_SAFE_NO_PAD.encode(message);
    let path = format!("{GET}?message={message}&base64=1&encoding=proto");
    let answer = get(&app, &path).send().await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("content-type")),
        (200, Some(BINARY))
    );

    for query in [
        "",
        "?encoding=json",
        "?encoding=json&message=%7B%7D&connect=v2",
        "?encoding=xml&message=%7B%7D",
        "?encoding=json&message=%7B%7D&compression=gzip",
        "?encoding=proto&message=!&base64=1",
        "?encoding=json&message=%FF",
    ] {
        let answer = get(&app, &format!("{LIST}{query}")).send().await;
        refused(&answer, 400, "invalid_argument");
    }
    let answer = get(&app, &format!("{CREATE}?encoding=json&message=%7B%7D"))
        .send()
        .await;
    refused(&answer, 405, "unimplemented");
    assert_eq!(answer.header("allow"), Some("POST"));
}

async fn what_is_no_call_is_refused_in_words(app: Arc<TestApp>) {
    for path in [
        "/",
        "/events",
        "/muster.v1.CatalogueService/ListNothing",
        "/muster.v1.CatalogueService/ListEvents/",
        "/muster.internal.v1.EdgeService/CheckCredential",
    ] {
        let answer = call(&app, path, JSON, "{}").send().await;
        let error = refused(&answer, 404, "unimplemented");
        assert_eq!(error["message"], format!("there is no rpc {path}"));
        refused(&get(&app, path).send().await, 404, "unimplemented");
    }
    for content_type in [
        "text/plain",
        "application/xml",
        "application/jsonp",
        "",
        STREAM_JSON,
    ] {
        let answer = call(&app, LIST, content_type, "{}").send().await;
        refused(&answer, 415, "unimplemented");
        assert_eq!(
            answer.header("accept-post"),
            Some("application/json, application/proto")
        );
    }
    let answer = call(&app, COVER, JSON, "{}").send().await;
    refused(&answer, 415, "unimplemented");
    assert_eq!(
        answer.header("accept-post"),
        Some("application/connect+json, application/connect+proto")
    );
    let put = Http::new(app.grpc.address()).request(Method::PUT, LIST);
    let answer = put.send().await;
    refused(&answer, 405, "unimplemented");
    assert_eq!(answer.header("allow"), Some("GET, POST"));

    let list = || call(&app, LIST, JSON, "{}");
    let answer = list().header("connect-protocol-version", "2").send().await;
    refused(&answer, 400, "invalid_argument");
    let answer = list().header("content-encoding", "gzip").send().await;
    refused(&answer, 501, "unimplemented");
    let answer = list()
        .header("connect-protocol-version", "1")
        .header("content-encoding", "identity")
        .header("accept-encoding", "gzip, br")
        .send()
        .await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-encoding"), None);
}

async fn hostile_json_is_refused_and_named(app: Arc<TestApp>) {
    let nested = "[".repeat(60_000);
    for (body, named) in [
        ("", "body"),
        ("null", "body"),
        ("[]", "body"),
        ("{", "body"),
        ("{} {}", "body"),
        (&nested, "body"),
        (r#"{"limit":1,"limit":2}"#, "body"),
        (r#"{"limit":1e99}"#, "limit"),
        (r#"{"limit":2147483648}"#, "limit"),
        (r#"{"limit":"many"}"#, "limit"),
        (r#"{"limit":true}"#, "limit"),
        (r#"{"q":7}"#, "q"),
        (r#"{"nothing":1}"#, "nothing is not known here"),
    ] {
        let answer = call(&app, LIST, JSON, body).send().await;
        let error = refused(&answer, 400, "invalid_argument");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with(named), "{message}");
        assert!(message.len() < 1000, "{message}");
    }
    for body in [&b"\xFF"[..], b"{\"q\":\"\xC3\"}", br#"{"q":"\ud800"}"#] {
        let answer = call(&app, LIST, JSON, body).send().await;
        refused(&answer, 400, "invalid_argument");
    }
    // A broken message in protobuf.
    let answer = call(&app, LIST, BINARY, &b"\xFF\xFF\xFF"[..]).send().await;
    assert!(answer.status.is_client_error() || answer.status.is_server_error());
}

async fn a_message_has_the_bounds_of_grpc(app: Arc<TestApp>) {
    let large = |bytes: usize| json!({"q": "x".repeat(bytes)}).to_string();
    let answer = call(&app, LIST, JSON, large(60 << 10)).send().await;
    refused(&answer, 400, "invalid_argument");
    let answer = call(&app, LIST, JSON, large(64 << 10)).send().await;
    let error = refused(&answer, 400, "out_of_range");
    assert_eq!(error["details"][0]["debug"]["reason"], "PAYLOAD_TOO_LARGE");

    let limits = Limits {
        message_idle: SHORT,
        ..patient()
    };
    let address = port(&app, TlsSettings::default(), limits).await;
    let head = |rpc: &str| {
        format!(
            "POST {rpc} HTTP/1.1\r\nHost: core\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{"
        )
    };
    let mut stalled = TcpStream::connect(address).await.unwrap();
    stalled.write_all(head(LIST).as_bytes()).await.unwrap();
    let said = until_said(&mut stalled, "did not arrive in time").await;
    assert!(
        said.starts_with("HTTP/1.1 504") && said.contains("deadline_exceeded"),
        "{said}"
    );
}

/// The rest of the message would come too late.
async fn a_caller_is_known_before_the_message_is_read(app: Arc<TestApp>) {
    let address = port(&app, TlsSettings::default(), patient()).await;
    let head = format!(
        "POST {CREATE} HTTP/1.1\r\nHost: core\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{"
    );
    let mut stranger = TcpStream::connect(address).await.unwrap();
    stranger.write_all(head.as_bytes()).await.unwrap();
    let said = until_said(&mut stranger, "unauthenticated").await;
    assert!(said.starts_with("HTTP/1.1 401"), "{said}");
}

/// The messages of a stream, each with its flags.
fn messages(mut body: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut messages = Vec::new();
    while body.has_remaining() {
        let flags = body.get_u8();
        let length = usize::try_from(body.get_u32()).unwrap();
        messages.push((flags, body[..length].to_vec()));
        body.advance(length);
    }
    messages
}

fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap();
    [&[0], &length.to_be_bytes()[..], message].concat()
}

async fn a_stream_of_answers_ends_with_how_it_ended(app: Arc<TestApp>) {
    create(&app).await;
    let asked = framed(br#"{"slug":"rust-meetup"}"#);
    let answer = call(&app, COVER, STREAM_JSON, asked).send().await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("content-type")),
        (200, Some(STREAM_JSON))
    );
    let mut all = messages(&answer.body);
    assert_eq!(all.pop(), Some((2, b"{}".to_vec())));
    let first: Value = serde_json::from_slice(&all[0].1).unwrap();
    assert_eq!(first["contentType"], "image/png");
    let bytes = all.iter().flat_map(|(flags, message)| {
        assert_eq!(*flags, 0);
        let message: Value = serde_json::from_slice(message).unwrap();
        let data = message["data"].as_str().unwrap();
        base64::prelude::BASE64_STANDARD.decode(data).unwrap()
    });
    let picture: Vec<u8> = bytes.collect();
    assert!(picture.starts_with(b"\x89PNG"));

    let asked = muster_api::v1::GetCoverRequest {
        slug: "rust-meetup".to_owned(),
    };
    let asked = web::framed(&asked);
    let answer = call(&app, COVER, STREAM_BINARY, asked).send().await;
    let mut all = messages(&answer.body);
    assert_eq!(all.pop(), Some((2, b"{}".to_vec())));
    let bytes = all.iter().flat_map(|(_, message)| {
        muster_api::http_body::HttpBody::decode(&**message)
            .unwrap()
            .data
    });
    assert!(bytes.eq(picture));

    for (body, code) in [
        (framed(br#"{"slug":"none"}"#), "not_found"),
        (framed(b"{"), "invalid_argument"),
        (framed(b"{}")[..6].to_vec(), "invalid_argument"),
        ([framed(b"{}"), framed(b"{}")].concat(), "invalid_argument"),
        (vec![1, 0, 0, 0, 2, b'{', b'}'], "invalid_argument"),
        (Vec::new(), "invalid_argument"),
    ] {
        let answer = call(&app, COVER, STREAM_JSON, body).send().await;
        assert_eq!(answer.status, 200);
        let all = messages(&answer.body);
        let [(2, end)] = &all[..] else {
            panic!("{all:?}")
        };
        let end: Value = serde_json::from_slice(end).unwrap();
        assert_eq!(end["error"]["code"], code, "{end}");
    }
}

async fn the_port_says_by_json_whether_it_serves(app: Arc<TestApp>) {
    let check = call(&app, "/grpc.health.v1.Health/Check", JSON, "{}");
    assert_eq!(check.send().await.json(), json!({"status": "SERVING"}));
}

async fn grpc_and_connect_answer_the_same(app: Arc<TestApp>) {
    let key = app.account(Plan::Free).await.key;
    let over_grpc = app.grpc.events(&key).create_event(event()).await.unwrap();
    let slug = over_grpc.into_inner().slug;
    let asked = GetEventRequest { slug };
    let answer = call(&app, GET, BINARY, asked.encode_to_vec()).send().await;
    let event = app.grpc.catalogue().get_event(asked).await.unwrap();
    assert_eq!(answer.body, event.into_inner().encode_to_vec());
}

tests::on_both_engines!(
    a_call_in_json_is_answered_in_canonical_json,
    a_call_in_protobuf_is_answered_in_protobuf,
    a_refusal_has_its_code_its_status_and_the_details_of_grpc,
    a_call_past_its_deadline_leaves_nothing_behind,
    what_reads_may_be_called_with_get,
    what_is_no_call_is_refused_in_words,
    hostile_json_is_refused_and_named,
    a_message_has_the_bounds_of_grpc,
    a_caller_is_known_before_the_message_is_read,
    a_stream_of_answers_ends_with_how_it_ended,
    the_port_says_by_json_whether_it_serves,
    grpc_and_connect_answer_the_same,
);
