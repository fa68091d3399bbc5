//! Requests that are no proper calls: too large, unknown, garbled. The connection outlives them.

use std::sync::Arc;

use bytes::{Buf as _, BufMut as _, Bytes};
use http::uri::PathAndQuery;
use muster_api::v1::ListEventsRequest;
use tests::TestApp;
use tonic::{
    Code, Request, Status,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
};

/// Sends bytes as they are, and takes no heed of what is answered.
#[derive(Debug, Clone, Copy)]
struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = ();
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, bytes: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put(bytes);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = ();
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<()>, Status> {
        buffer.advance(buffer.remaining());
        Ok(Some(()))
    }
}

/// Calls with these bytes as the message.
async fn call(app: &TestApp, path: &'static str, bytes: &'static [u8]) -> Code {
    let mut client = tonic::client::Grpc::new(app.grpc.channel());
    client.ready().await.unwrap();
    let request = Request::new(Bytes::from_static(bytes));
    let answer = client
        .unary(request, PathAndQuery::from_static(path), Raw)
        .await;
    answer.map_or_else(|status| status.code(), |_| Code::Ok)
}

async fn what_core_does_not_have_is_unimplemented(app: Arc<TestApp>) {
    for path in [
        "/muster.v1.EventService/ArchiveEvent",
        "/muster.v2.EventService/CreateEvent",
        "/",
        "/muster.v1.EventService",
    ] {
        assert_eq!(call(&app, path, b"").await, Code::Unimplemented, "{path}");
    }
}

async fn garbage_is_refused_and_does_not_break_the_connection(app: Arc<TestApp>) {
    const LIST: &str = "/muster.v1.CatalogueService/ListEvents";
    const GET: &str = "/muster.v1.CatalogueService/GetEvent";
    for (path, bytes) in [
        // A field cut short, a length without its bytes, a group that never ends, a text that is no UTF-8.
        (LIST, &b"\x08"[..]),
        (GET, b"\x0a\x7fx"),
        (LIST, b"\x0b"),
        (GET, b"\x0a\x02\xc3\x28"),
    ] {
        let code = call(&app, path, bytes).await;
        assert_eq!(code, Code::Internal, "{bytes:?}");
    }
    // Fields of a later version are passed over.
    assert_eq!(call(&app, LIST, b"\xf8\x7f\x01").await, Code::Ok);
    let request = ListEventsRequest::default();
    assert!(app.grpc.catalogue().list_events(request).await.is_ok());
}

async fn metadata_that_nobody_understands_is_passed_over(app: Arc<TestApp>) {
    let mut request = Request::new(ListEventsRequest::default());
    let metadata = request.metadata_mut();
    metadata.insert("x-request-id", "\"; drop table events".parse().unwrap());
    metadata.insert("traceparent", "00-nonsense".parse().unwrap());
    metadata.insert_bin(
        "x-bin",
        tonic::metadata::MetadataValue::from_bytes(&[0, 255, 10]),
    );
    for number in 0..50 {
        let name: tonic::metadata::AsciiMetadataKey = format!("x-{number}").parse().unwrap();
        metadata.insert(name, "y".repeat(50).parse().unwrap());
    }
    assert!(app.grpc.catalogue().list_events(request).await.is_ok());
}

async fn a_call_is_named_by_its_id_or_by_a_new_one(app: Arc<TestApp>) {
    let answered = async |given: Option<&'static str>, limit: i32| {
        let mut request = Request::new(ListEventsRequest {
            limit: Some(limit),
            ..ListEventsRequest::default()
        });
        if let Some(given) = given {
            let metadata = request.metadata_mut();
            metadata.insert("x-request-id", given.parse().unwrap());
        }
        let answer = app.grpc.catalogue().list_events(request).await;
        let metadata = answer.map_or_else(
            |status| status.metadata().clone(),
            |answer| answer.metadata().clone(),
        );
        metadata
            .get("x-request-id")
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned()
    };
    // A page, and what is refused.
    for limit in [1, -1] {
        assert_eq!(answered(Some("abc-1_2.3"), limit).await, "abc-1_2.3");
        let (one, other) = (answered(None, limit).await, answered(None, limit).await);
        assert_eq!(one.len(), 36, "{one}");
        assert_ne!(one, other);
        assert_eq!(answered(Some("no id"), limit).await.len(), 36);
    }
}

tests::on_both_engines!(
    a_call_is_named_by_its_id_or_by_a_new_one,
    what_core_does_not_have_is_unimplemented,
    garbage_is_refused_and_does_not_break_the_connection,
    metadata_that_nobody_understands_is_passed_over,
);
