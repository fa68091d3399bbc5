//! Answers that a surface makes itself: JSON, problems and empty ones.

use std::{
    convert::Infallible,
    hash::{DefaultHasher, Hash, Hasher},
    pin::Pin,
    task::{Context, Poll},
};

use axum::{body::Body, response::Response};
use bytes::Bytes;
use futures_util::TryStreamExt as _;
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{
        CACHE_CONTROL, CONNECTION, CONTENT_TYPE, ETAG, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE,
    },
};
use http_body::Frame;
use rpc_client::File;
use server::observe::{Cause, RequestId};

use crate::Problem;

/// The media type of almost every answer.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json");

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// JSON, and the end of its line, after which a terminal shows its prompt.
pub fn json(status: StatusCode, text: impl Into<Vec<u8>>) -> Response {
    let mut text = text.into();
    text.push(b'\n');
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, JSON);
    headers.insert(CACHE_CONTROL, NO_STORE);
    response
}

/// A document with a tag that names its bytes, so that clients need not load again what they have.
pub fn document(
    bytes: impl Into<Bytes>,
    media_type: &'static str,
    caching: &'static str,
) -> Response {
    let bytes = bytes.into();
    let tag = entity_tag(&bytes);
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(caching));
    if let Some(tag) = tag {
        headers.insert(ETAG, tag);
    }
    response
}

/// A file from core, piece by piece, and core's metadata about it.
pub fn file(file: File) -> (Response, HeaderMap) {
    // The status is already sent, so the answer can only be truncated. The cause is logged.
    let pieces = file.pieces.inspect_err(|status| {
        tracing::error!(code = ?status.code(), error = status.message(), "a file was truncated");
    });
    let mut response = Response::new(Body::from_stream(pieces));
    let unknown = HeaderValue::from_static("application/octet-stream");
    let media_type = HeaderValue::try_from(file.content_type).ok();
    let media_type = media_type.filter(|value| !value.is_empty());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, media_type.unwrap_or(unknown));
    (response, file.metadata.into_headers())
}

/// Sends the client to a path of the same surface, for good and with the same method (308).
pub fn moved(path: &str) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::PERMANENT_REDIRECT;
    if let Ok(location) = HeaderValue::try_from(path) {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

/// The tag that names these bytes, the same on every replica of a release; `Some` for all.
pub fn entity_tag(bytes: &[u8]) -> Option<HeaderValue> {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    HeaderValue::try_from(format!("\"{:016x}\"", hasher.finish())).ok()
}

/// No body. An empty one would add `Content-Length: 0`, which is wrong for `HEAD` and 304.
pub(super) fn nothing() -> Body {
    Body::new(Nothing)
}

/// A body that has ended and does not say how long it is.
struct Nothing;

impl http_body::Body for Nothing {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(None)
    }

    fn is_end_stream(&self) -> bool {
        true
    }
}

impl Problem {
    /// The problem as an HTTP answer in JSON. It carries the problem itself as an extension, so that a surface for people can show it
    /// as a page.
    pub fn into_response(self, id: &RequestId) -> Response {
        let status =
            StatusCode::from_u16(self.http_status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = json(status, self.document(id));
        let headers = response.headers_mut();
        if let Some(seconds) = self.retry_after_seconds {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        if let Some(limit) = &self.rate_limit {
            limit.write(headers);
        }
        if let Some(challenge) = self.challenge {
            headers.insert(
                WWW_AUTHENTICATE,
                challenge.header(&self.message, self.token_source(), self.granted()),
            );
        }
        if matches!(self.http_status, 408 | 413) {
            // The client is still sending the body; the server does not wait for it.
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(cause) = &self.cause {
            response.extensions_mut().insert(Cause(cause.to_string()));
        }
        response.extensions_mut().insert(self);
        response
    }
}
