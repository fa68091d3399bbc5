//! Gzip for answers that gain from it.

use http::{Extensions, HeaderMap, StatusCode, Version, header::CONTENT_TYPE};
use tower_http::compression::{
    CompressionLayer,
    predicate::{Predicate, SizeAbove},
};

/// Below this an answer fits into one packet anyway.
const WORTH_BYTES: u64 = 1024;

/// Compresses large text; images are compressed already.
pub(crate) fn layer() -> CompressionLayer<impl Predicate> {
    CompressionLayer::new()
        .gzip(true)
        .compress_when(SizeAbove::new(WORTH_BYTES).and(is_text))
}

fn is_text(_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions) -> bool {
    let media_type = headers
        .get(CONTENT_TYPE)
        .map(http::HeaderValue::as_bytes)
        .unwrap_or_default();
    media_type.starts_with(b"text/") || media_type.starts_with(b"application/json")
}
