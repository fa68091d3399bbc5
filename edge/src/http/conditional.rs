//! Conditional requests: an answer that the client already has is not sent again.

use axum::{extract::Request, middleware::Next, response::Response};
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_NONE_MATCH},
};
use muster_api::entity_tag;

use super::{answer::nothing, compress::is_among};

/// Answers 304 if the client already has this answer. `compressed` are the media types that may be compressed.
pub(super) async fn revalidate(
    request: Request,
    next: Next,
    compressed: &'static [&'static str],
) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let known: Vec<HeaderValue> = if reads {
        let tags = request.headers().get_all(IF_NONE_MATCH);
        tags.iter().cloned().collect()
    } else {
        Vec::new()
    };
    let mut response = next.run(request).await;
    if is_among(compressed, response.headers()) {
        // It may be compressed, so the bytes may differ and the tag must be weak.
        weaken(response.headers_mut());
    }
    let is_known = |tag: &HeaderValue| {
        let named = |tags: &HeaderValue| entity_tag::is_named(tags.as_bytes(), tag.as_bytes());
        known.iter().any(named)
    };
    if response.status() != StatusCode::OK || !response.headers().get(ETAG).is_some_and(is_known) {
        return response;
    }
    let mut response = response.map(|_body| nothing());
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    response.headers_mut().remove(CONTENT_TYPE);
    response.headers_mut().remove(CONTENT_LENGTH);
    response
}

fn weaken(headers: &mut HeaderMap) {
    if let Some(tag) = headers.get_mut(ETAG)
        && tag.as_bytes().starts_with(b"\"")
        && let Ok(weak) = HeaderValue::from_bytes(&[b"W/", tag.as_bytes()].concat())
    {
        *tag = weak;
    }
}
