//! Which answers may be stored in the cache, and what others say of what is stored.

use axum::response::Response;
use http::{
    StatusCode,
    header::{CACHE_CONTROL, CONTENT_ENCODING, SET_COOKIE, VARY},
};
use http_body::Body as _;

/// The largest body that is stored, in bytes.
const MAX_BODY_BYTES: u64 = 1 << 20;

/// Whether an answer says that it is the same for everyone, and is small.
pub(super) fn is_cacheable(response: &Response) -> bool {
    let headers = response.headers();
    let is_public = headers
        .get(CACHE_CONTROL)
        .is_some_and(|directives| directives.as_bytes().starts_with(b"public"));
    let is_one_of_several = [SET_COOKIE, VARY, CONTENT_ENCODING]
        .iter()
        .any(|name| headers.contains_key(name));
    // A stream has no exact size.
    let size = response.body().size_hint().exact();
    response.status() == StatusCode::OK
        && is_public
        && !is_one_of_several
        && size.is_some_and(|size| size <= MAX_BODY_BYTES)
}

/// Whether an answer says that there is nothing to show any more. That a client asks too often says nothing of what it asks for.
pub(super) fn is_gone(status: StatusCode) -> bool {
    status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS
}

/// Whether an answer says that core cannot be reached, or has too much to do.
pub(super) fn is_unreachable(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT
    )
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use http::{HeaderName, HeaderValue};

    use super::*;

    /// A small public answer with one more header.
    fn answer(name: HeaderName, value: &'static str) -> Response {
        let mut response = Response::new(Body::from("x"));
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=1"));
        headers.insert(name, HeaderValue::from_static(value));
        response
    }

    #[test]
    fn only_small_public_answers_that_are_the_same_for_everyone_are_stored() {
        let public = || answer(CACHE_CONTROL, "public, no-cache");
        assert!(is_cacheable(&public()));
        for (name, value) in [
            (CACHE_CONTROL, "no-store"),
            (CACHE_CONTROL, "private, max-age=1"),
            (SET_COOKIE, "a=b"),
            (VARY, "origin"),
            (CONTENT_ENCODING, "gzip"),
        ] {
            assert!(!is_cacheable(&answer(name, value)), "{value}");
        }
        let large = public().map(|_| Body::from(vec![0; (1 << 20) + 1]));
        assert!(!is_cacheable(&large));
        let stream = public().map(|_| {
            let pieces = futures_util::stream::iter([Ok::<_, std::io::Error>("x")]);
            Body::from_stream(pieces)
        });
        assert!(!is_cacheable(&stream));
        let mut missing = public();
        *missing.status_mut() = StatusCode::NOT_FOUND;
        assert!(!is_cacheable(&missing));
    }
}
