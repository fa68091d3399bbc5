//! CORS for the origins in the settings.

use std::time::Duration;

use http::{HeaderMap, Method, header::ORIGIN};
use http_kit::{Origin, cors::EXPOSED};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

/// How long a browser may cache the result of a preflight request.
const PREFLIGHT_AGE: Duration = Duration::from_hours(1);

/// Whether the request comes from one of these origins.
pub(super) fn is_from(origins: &[Origin], headers: &HeaderMap) -> bool {
    let from = headers.get(ORIGIN);
    from.is_some_and(|from| origins.iter().any(|origin| origin.written() == from))
}

/// Answers preflight requests, which have no key, and adds CORS headers to other answers. Only for requests that [`is_from`]
/// has accepted.
pub(super) fn layer() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(AllowOrigin::mirror_request())
        .allow_methods([Method::POST])
        // All headers are allowed: the protocol adds headers with each revision, and none of them gives access.
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(EXPOSED)
        .max_age(PREFLIGHT_AGE)
}
