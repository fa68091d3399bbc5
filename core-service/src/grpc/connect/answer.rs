//! Answers of gRPC as answers of Connect.

use std::{
    collections::BTreeMap,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::{Buf as _, Bytes, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue, Response, header::CONTENT_TYPE};
use http_body::Frame;
use http_body_util::{BodyExt as _, Full};
use serde::Serialize;
use tonic::{Code, Status, body::Body};

use super::{
    error::{ConnectError, Refusal},
    head::{Call, Codec},
    message::framed,
    schema::{Schema, write_json},
};
use crate::grpc::message::PREFIX;

/// The flag of the message that ends a stream.
const END: u8 = 2;

/// What the headers that only gRPC has begin with.
const OF_GRPC: &str = "grpc-";

/// The answer to a unary call.
pub(super) async fn whole(schema: &Schema, call: &Call, answer: Response<Body>) -> Response<Body> {
    let (head, body) = answer.into_parts();
    let mut headers = without_grpc(&head.headers);
    let message = match body.collect().await {
        Err(broken) => Err(broken),
        Ok(body) => {
            let none = HeaderMap::new();
            let trailers = body.trailers().unwrap_or(&none);
            let status = Status::from_header_map(&head.headers);
            let status = status.or_else(|| Status::from_header_map(trailers));
            headers.extend(as_headers(trailers));
            succeeded(status).and_then(|()| message(call, &body.to_bytes()))
        }
    };
    match message {
        Err(refusal) => Refusal::of(refusal).under(headers).answer(schema),
        Ok(message) => {
            let mut answer = Response::new(Body::new(Full::new(message)));
            *answer.headers_mut() = headers;
            let content_type = HeaderValue::from_static(call.content_type());
            answer.headers_mut().insert(CONTENT_TYPE, content_type);
            answer
        }
    }
}

fn succeeded(status: Option<Status>) -> Result<(), Status> {
    match status {
        Some(status) if status.code() == Code::Ok => Ok(()),
        Some(status) => Err(status),
        None => Err(Status::unknown("the answer ended without a status")),
    }
}

/// The one message of an answer.
fn message(call: &Call, framed: &Bytes) -> Result<Bytes, Status> {
    if framed.len() < PREFIX {
        return Err(Status::internal("the answer has no message"));
    }
    let message = framed.slice(PREFIX..);
    match call.codec {
        Codec::Binary => Ok(message),
        Codec::Json => write_json(call.rpc.output(), &message).map(Bytes::from),
    }
}

/// The headers that are not gRPC's own.
fn without_grpc(headers: &HeaderMap) -> HeaderMap {
    let kept = headers
        .iter()
        .filter(|(name, _)| !name.as_str().starts_with(OF_GRPC) && **name != CONTENT_TYPE);
    kept.map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Trailers as the headers of a unary answer.
fn as_headers(trailers: &HeaderMap) -> HeaderMap {
    let kept = without_grpc(trailers);
    let named = kept.iter().filter_map(|(name, value)| {
        let name = HeaderName::try_from(format!("trailer-{name}")).ok()?;
        Some((name, value.clone()))
    });
    named.collect()
}

/// The answer to a call with a stream. It is a success in any case: how the call ended is in its last message.
pub(super) fn stream(schema: Schema, call: Call, answer: Response<Body>) -> Response<Body> {
    let (head, body) = answer.into_parts();
    let mut headers = without_grpc(&head.headers);
    let content_type = HeaderValue::from_static(call.content_type());
    headers.insert(CONTENT_TYPE, content_type);
    let answers = Answers {
        status: Status::from_header_map(&head.headers),
        pending: BytesMut::new(),
        has_ended: false,
        schema,
        call,
        body,
    };
    let mut answer = Response::new(Body::new(answers));
    *answer.headers_mut() = headers;
    answer
}

/// The messages of a stream, and the one that ends it.
struct Answers {
    schema: Schema,
    call: Call,
    body: Body,
    /// The status of a call that ended at once.
    status: Option<Status>,
    /// The beginning of a message that is to be JSON.
    pending: BytesMut,
    has_ended: bool,
}

impl http_body::Body for Answers {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        loop {
            if self.has_ended {
                return Poll::Ready(None);
            }
            let polled = match self.status.take() {
                Some(status) => return Poll::Ready(Some(Ok(self.end(Some(status), None)))),
                None => ready!(Pin::new(&mut self.body).poll_frame(context)),
            };
            let frame = match polled.map(|frame| frame.map(Frame::into_data)) {
                None => self.end(None, None),
                Some(Err(broken)) => self.end(Some(broken), None),
                Some(Ok(Ok(data))) => match self.messages(data) {
                    Ok(data) if data.is_empty() => continue,
                    Ok(data) => Frame::data(data),
                    Err(broken) => self.end(Some(broken), None),
                },
                Some(Ok(Err(trailers))) => {
                    let trailers = trailers.into_trailers().unwrap_or_default();
                    let status = Status::from_header_map(&trailers);
                    self.end(status, Some(&trailers))
                }
            };
            return Poll::Ready(Some(Ok(frame)));
        }
    }
}

impl Answers {
    /// The messages that are complete, in the codec of the call.
    fn messages(&mut self, data: Bytes) -> Result<Bytes, Status> {
        if self.call.codec == Codec::Binary {
            return Ok(data);
        }
        self.pending.extend_from_slice(&data);
        let mut written = BytesMut::new();
        while let Some(message) = self.next_message() {
            let json = write_json(self.call.rpc.output(), &message)?;
            written.extend_from_slice(&framed(0, &json));
        }
        Ok(written.freeze())
    }

    fn next_message(&mut self) -> Option<BytesMut> {
        let [_, a, b, c, d] = *self.pending.first_chunk::<PREFIX>()?;
        let length = usize::try_from(u32::from_be_bytes([a, b, c, d])).ok()?;
        if self.pending.len() - PREFIX < length {
            return None;
        }
        self.pending.advance(PREFIX);
        Some(self.pending.split_to(length))
    }

    fn end(&mut self, status: Option<Status>, trailers: Option<&HeaderMap>) -> Frame<Bytes> {
        self.has_ended = true;
        let refusal = succeeded(status).err();
        let mut metadata = BTreeMap::<String, Vec<String>>::new();
        for (name, value) in &trailers.map(without_grpc).unwrap_or_default() {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            metadata.entry(name.to_string()).or_default().push(value);
        }
        let end = End {
            error: refusal
                .as_ref()
                .map(|status| ConnectError::of(&self.schema, status)),
            metadata,
        };
        let json = serde_json::to_vec(&end).unwrap_or_else(|error| {
            tracing::error!(%error, "cannot write the end of a stream as JSON");
            b"{\"error\":{\"code\":\"internal\"}}".to_vec()
        });
        Frame::data(framed(END, &json))
    }
}

/// How a stream ended.
#[derive(Debug, Serialize)]
struct End<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ConnectError<'a>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metadata: BTreeMap<String, Vec<String>>,
}
