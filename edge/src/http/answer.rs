//! Answers that a surface makes itself: JSON, problems and empty ones.

use std::convert::Infallible;

use axum::{body::Body, response::Response};
use bytes::Bytes;
use http::{
    HeaderValue, StatusCode,
    header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE},
};
use process::observe::{Cause, RequestId};

use crate::Problem;

/// The media type of almost every answer.
pub const JSON: HeaderValue = HeaderValue::from_static("application/json");

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// JSON.
pub fn json(status: StatusCode, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, JSON);
    headers.insert(CACHE_CONTROL, NO_STORE);
    response
}

/// No body. An empty one would add `Content-Length: 0`, which is wrong for `HEAD` and 304.
pub(super) fn nothing() -> Body {
    Body::from_stream(futures_util::stream::empty::<Result<Bytes, Infallible>>())
}

impl Problem {
    /// The problem as an HTTP answer.
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
            headers.insert(WWW_AUTHENTICATE, challenge.header());
        }
        if matches!(self.http_status, 408 | 413) {
            // The client is still sending the body; the server does not wait for it.
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(cause) = self.cause {
            response.extensions_mut().insert(Cause(cause.into()));
        }
        response
    }
}
