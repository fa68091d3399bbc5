//! Web pages of other origins. A browser lets them call, and read the answer, where the answer itself says so; it does to those
//! that the settings name, and to no other.

use std::time::Duration;

use edge::http::cors::EXPOSED;
use http::{HeaderMap, Method, header::ORIGIN};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

use crate::Origin;

/// How long a browser may remember what a preflight allowed.
const PREFLIGHT_AGE: Duration = Duration::from_hours(1);

/// Whether the request comes from a page of one of these origins.
pub(super) fn is_from(origins: &[Origin], headers: &HeaderMap) -> bool {
    let from = headers.get(ORIGIN);
    from.is_some_and(|from| origins.iter().any(|origin| origin.written() == from))
}

/// Answers preflights, which bring no key, and says in other answers that the page may read them. For requests that [`is_from`]
/// has found to come from a page that may.
pub(super) fn layer() -> CorsLayer {
    CorsLayer::new()
        .allow_origin(AllowOrigin::mirror_request())
        .allow_methods([Method::POST])
        // Those of the protocol grow in number with its revisions, and none of them lets anybody in.
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(EXPOSED)
        .max_age(PREFLIGHT_AGE)
}
