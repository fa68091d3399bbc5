//! What holds for every request and every answer, whatever the path.

use axum::{extract::Request, middleware::Next, response::Response};
use edge::Problem;
use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS},
};
use muster_api::Reason;
use process::observe::RequestId;

use crate::error;

/// The longest path and query: far above any real one. Hyper itself stops at 64 KiB, with an empty 414.
const URI_BYTES: usize = 8 << 10;

/// All headers together: room for a large token. Hyper itself stops at 64 KiB, with an empty 431.
const HEADERS_BYTES: usize = 32 << 10;

/// Answers are data: nothing in them is to be run or embedded, should a browser ever show one. `/docs` says otherwise.
const DATA_ONLY: HeaderValue =
    HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

const DEFAULTS: [(HeaderName, HeaderValue); 3] = [
    (CONTENT_SECURITY_POLICY, DATA_ONLY),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
];

/// Refuses what is too large to look at, and makes answers safe to look at.
pub(crate) async fn guard(request: Request, next: Next) -> Response {
    let mut response = match oversized(&request) {
        Some(problem) => error::response(problem, &request_id(&request)),
        None => next.run(request).await,
    };
    for (name, value) in DEFAULTS {
        response.headers_mut().entry(name).or_insert(value);
    }
    response
}

/// The request's id, which serving gave it.
pub(crate) fn request_id(request: &Request) -> RequestId {
    request
        .extensions()
        .get()
        .cloned()
        .unwrap_or_else(RequestId::fresh)
}

fn oversized(request: &Request) -> Option<Problem> {
    let refuse = |http_status, message: String| {
        Some(Problem {
            http_status,
            ..Problem::new(Reason::InvalidRequest, message)
        })
    };
    if request
        .uri()
        .path_and_query()
        .is_some_and(|path| path.as_str().len() > URI_BYTES)
    {
        return refuse(
            414,
            format!("the path and query are longer than {URI_BYTES} bytes"),
        );
    }
    if size(request.headers()) > HEADERS_BYTES {
        return refuse(
            431,
            format!("the headers are larger than {HEADERS_BYTES} bytes"),
        );
    }
    None
}

fn size(headers: &HeaderMap) -> usize {
    headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len())
        .sum()
}
