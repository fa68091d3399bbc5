//! What strangers can hold of core's port: connections, calls and memory, each within a bound.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use core_service::grpc::port::TlsSettings;
use domain::plan::Plan;
use http::Method;
use muster_api::{
    Reason,
    http_body::HttpBody,
    v1::{
        ListEventsRequest, PutCoverRequest, RegisterAttendeeRequest,
        catalogue_service_client::CatalogueServiceClient,
    },
};
use serde_json::json;
use server::{
    CancellationToken,
    serve::{Address, Limits, Listener},
};
use tests::TestApp;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tonic::{Code, Request, transport::Endpoint};
use tonic_types::StatusExt as _;

use super::transports::shared;

/// Far more than anything here takes on a busy machine.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);

/// A limit of time under test.
pub(super) const SHORT: Duration = Duration::from_millis(200);

const LONG: Duration = Duration::from_mins(5);

/// How a client over HTTP/2 begins: the preface, and an empty frame of settings.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/// No limit of time that could end a connection before a test does.
pub(super) fn patient() -> Limits {
    Limits {
        first_header: LONG,
        body_idle: LONG,
        age: None,
        ..Limits::grpc()
    }
}

/// One more port of the core.
pub(super) async fn port(app: &TestApp, tls: TlsSettings, limits: Limits) -> SocketAddr {
    let any_port = Address::Tcp(([127, 0, 0, 1], 0).into());
    let listener = Listener::bind(&any_port).await.unwrap();
    let Address::Tcp(address) = listener.address().unwrap() else {
        unreachable!("a TCP address was asked for")
    };
    let core = app.core.clone().with_port_limits(limits);
    tokio::spawn(async move { core.serve(listener, &tls, CancellationToken::new()).await });
    address
}

async fn connect(address: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    stream
}

/// Everything that the port says until it closes the connection.
pub(super) async fn until_closed(stream: &mut TcpStream) -> Vec<u8> {
    let mut said = Vec::new();
    let read = tokio::time::timeout(TIMEOUT, stream.read_to_end(&mut said)).await;
    // A connection that the port resets is closed as well.
    let _reset = read.expect("the port closes the connection");
    said
}

/// Waits until the connection has said this.
pub(super) async fn until_said(stream: &mut TcpStream, text: &str) -> String {
    let mut said = Vec::new();
    let read = async {
        while !String::from_utf8_lossy(&said).contains(text) {
            assert_ne!(stream.read_buf(&mut said).await.unwrap(), 0, "{said:?}");
        }
    };
    tokio::time::timeout(TIMEOUT, read).await.expect(text);
    String::from_utf8_lossy(&said).into_owned()
}

async fn lists_events(address: SocketAddr) -> bool {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    let mut catalogue = CatalogueServiceClient::new(endpoint.connect_lazy());
    let request = ListEventsRequest::default();
    catalogue.list_events(request).await.is_ok()
}

/// The header of a call over gRPC-web, with a message of that length to follow.
pub(super) fn header(path: &str, key: &str, length: usize) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: core\r\nContent-Type: application/grpc-web+proto\r\nAuthorization: Bearer {key}\r\n\
         Content-Length: {length}\r\n\r\n"
    )
}

async fn who_does_not_say_what_they_want_is_disconnected(app: Arc<TestApp>) {
    let limits = Limits {
        first_header: SHORT,
        ..patient()
    };
    let plain = port(&app, TlsSettings::default(), limits.clone()).await;
    for beginning in [
        &b""[..],
        b"PRI * HTTP/2.0\r\n\r\nSM",
        &PREFACE[..24],
        b"POST / HTTP/1.1\r\nHost: a-core-with-a-name\r\n",
    ] {
        until_closed(&mut connect(plain, beginning).await).await;
    }
    let tls = TlsSettings {
        tls_cert: Some(shared("core.pem")),
        tls_key: Some(shared("core.key")),
        tls_client_ca: None,
    };
    let secure = port(&app, tls, limits).await;
    // The beginning of a handshake record.
    for beginning in [&b""[..], b"\x16\x03\x01\x02\x00"] {
        until_closed(&mut connect(secure, beginning).await).await;
    }
    // Who said it stays, also without a call.
    let mut settled = connect(plain, PREFACE).await;
    let mut silence = [0; 1024];
    let read = async { while settled.read(&mut silence).await.unwrap() > 0 {} };
    assert!(tokio::time::timeout(3 * SHORT, read).await.is_err());
}

async fn silent_connections_keep_nobody_out(app: Arc<TestApp>) {
    for limits in [
        Limits {
            local: 3,
            ..patient()
        },
        Limits {
            connections: 3,
            ..patient()
        },
    ] {
        let address = port(&app, TlsSettings::default(), limits).await;
        let mut silent = Vec::new();
        for _ in 0..3 {
            silent.push(connect(address, PREFACE).await);
        }
        assert!(lists_events(address).await);
        // The first of them had to go.
        until_closed(&mut silent[0]).await;
    }
}

async fn a_connection_may_have_a_hundred_calls(app: Arc<TestApp>) {
    const MAX_CONCURRENT_STREAMS: [u8; 2] = [0, 3];
    let mut stream = connect(app.grpc.address(), PREFACE).await;
    let mut header = [0; 9];
    stream.read_exact(&mut header).await.unwrap();
    assert_eq!(header[3], 4, "the first frame has settings");
    let mut settings = vec![0; header[2].into()];
    stream.read_exact(&mut settings).await.unwrap();
    let setting = settings
        .chunks(6)
        .find(|setting| setting[..2] == MAX_CONCURRENT_STREAMS);
    assert_eq!(setting.unwrap()[2..], 100_u32.to_be_bytes());
}

async fn a_message_that_stops_coming_is_cut(app: Arc<TestApp>) {
    const PATH: &str = "/muster.v1.CatalogueService/ListEvents";
    let limits = Limits {
        body_idle: SHORT,
        ..patient()
    };
    let address = port(&app, TlsSettings::default(), limits).await;
    let half = [header(PATH, "", 10).as_bytes(), &[0, 0, 0, 0, 5, 8]].concat();
    let mut stream = connect(address, &half).await;
    let code = format!("grpc-status:{}", i32::from(Code::DeadlineExceeded));
    let said = until_said(&mut stream, "did%20not%20arrive%20in%20time").await;
    assert!(said.replace(": ", ":").contains(&code), "{said}");
}

/// Each message announces a mebibyte and stops after its first byte.
async fn unfinished_messages_of_a_client_hold_no_more_than_sixteen_mebibytes(app: Arc<TestApp>) {
    const PATH: &str = "/muster.v1.EventService/CreateEvent";
    let key = app.account(Plan::Free).await.key;
    let address = port(&app, TlsSettings::default(), patient()).await;
    let announced: u32 = 1 << 20;
    let half = [
        header(PATH, &key, 5 + (1 << 20)).as_bytes(),
        &[0],
        &announced.to_be_bytes(),
        &[8],
    ]
    .concat();
    let mut held = Vec::new();
    // When the budget is used up, the next one is refused; until then none is.
    let refused = loop {
        let mut stream = connect(address, &half).await;
        let mut said = [0; 1];
        match tokio::time::timeout(SHORT, stream.read(&mut said)).await {
            Ok(_) => break until_said(&mut stream, "too%20many%20messages").await,
            Err(_elapsed) => held.push(stream),
        }
        assert!(held.len() <= 16, "{}", held.len());
    };
    let code = format!("grpc-status:{}", i32::from(Code::Unavailable));
    assert!(refused.replace(": ", ":").contains(&code), "{refused}");
    assert_eq!(held.len(), 16);
    drop(held);
    let freed = async { while !lists_events(address).await {} };
    tokio::time::timeout(TIMEOUT, freed).await.unwrap();
}

async fn a_public_call_has_64_kibibytes_and_one_with_a_key_a_mebibyte(app: Arc<TestApp>) {
    const PUBLIC: usize = 64 << 10;
    const MEBIBYTE: usize = 1 << 20;
    let register = async |name: usize| {
        let request = Request::new(RegisterAttendeeRequest {
            name: Some("x".repeat(name)),
            ..RegisterAttendeeRequest::default()
        });
        let mut registrations = app.grpc.registrations("");
        registrations.register_attendee(request).await.unwrap_err()
    };
    // There is no such event, which is said first.
    assert_eq!(register(PUBLIC - 100).await.code(), Code::NotFound);
    let refused = register(PUBLIC + 1).await;
    assert_eq!(refused.code(), Code::OutOfRange, "{refused:?}");
    let details = refused.get_error_details();
    let reason = details.error_info().unwrap().reason.clone();
    assert_eq!(reason, Reason::PayloadTooLarge.code());

    let over_http = json!({"name": "x".repeat(PUBLIC), "email": "grace@example.org"});
    let request = app.http.post("/events/nowhere/registrations");
    let answer = request.json(&over_http).send().await;
    assert_eq!(answer.status, 413, "{answer:?}");
    assert_eq!(answer.refusal().reason, Reason::PayloadTooLarge);

    let key = app.account(Plan::Free).await.key;
    let create = async |description: usize| {
        let event = muster_api::v1::CreateEventRequest {
            description: Some("x".repeat(description)),
            ..super::event()
        };
        let refused = app.grpc.events(&key).create_event(event).await;
        refused.unwrap_err().code()
    };
    assert_eq!(create(MEBIBYTE - 1_000).await, Code::InvalidArgument);
    assert_eq!(create(MEBIBYTE + 1).await, Code::OutOfRange);
}

async fn a_file_has_as_much_as_the_proto_says_and_its_message_a_little_more(app: Arc<TestApp>) {
    const MEBIBYTE: usize = 1 << 20;
    let account = app.account(Plan::Free).await;
    let owner = app.over(tests::Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let path = format!("/me/events/{}", event.id);
    let cover = app
        .http
        .request(Method::PUT, &format!("/api/v1{path}/cover"));
    let cover = cover
        .bearer(&account.key)
        .header("content-type", "image/png");
    let cover = cover.body(vec![0; 10 * MEBIBYTE]).send().await;
    // All of it came: it is refused as no picture.
    cover.refusal().blames(&["file"]);

    let list = app.http.post(&format!("{path}/registrations/import"));
    let list = list.bearer(&account.key).header("content-type", "text/csv");
    let list = list.body(vec![b'x'; MEBIBYTE]).send().await;
    list.refusal().blames(&["file"]);

    let put = async |bytes: usize| {
        let file = PutCoverRequest {
            id: event.id.clone(),
            file: Some(HttpBody {
                content_type: "image/png".to_owned(),
                data: vec![0; bytes].into(),
            }),
        };
        let refused = app.grpc.covers(&account.key).put_cover(file).await;
        refused.unwrap_err().code()
    };
    assert_eq!(put(10 * MEBIBYTE).await, Code::InvalidArgument);
    assert_eq!(put(11 * MEBIBYTE).await, Code::OutOfRange);
}

tests::on_both_engines!(
    who_does_not_say_what_they_want_is_disconnected,
    silent_connections_keep_nobody_out,
    a_connection_may_have_a_hundred_calls,
    a_message_that_stops_coming_is_cut,
    unfinished_messages_of_a_client_hold_no_more_than_sixteen_mebibytes,
    a_public_call_has_64_kibibytes_and_one_with_a_key_a_mebibyte,
    a_file_has_as_much_as_the_proto_says_and_its_message_a_little_more,
);
