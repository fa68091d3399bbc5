//! Core's answer as an HTTP answer: its body and the headers from core.

use axum::{body::Body, response::Response};
use futures_util::TryStreamExt as _;
use http::{
    HeaderMap, HeaderName, HeaderValue, Uri,
    header::{
        CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, ETAG, LAST_MODIFIED, LINK, RETRY_AFTER,
    },
};
use http_kit::{JSON, Problem, entity_tag, rate_limit};
use muster_api::metadata::PROVISIONAL;
use rpc_client::File;
use tonic::metadata::MetadataMap;

use crate::{
    caching::cache_control,
    paging,
    route::{Json, Route},
};

/// The metadata of core that become headers; all others belong to gRPC.
const FORWARDED: [HeaderName; 6] = [
    CONTENT_DISPOSITION,
    ETAG,
    LAST_MODIFIED,
    RETRY_AFTER,
    rate_limit::LEFT,
    rate_limit::POLICY,
];

/// Room for these and for those that are set here and around it, so that it need not be found while they are.
const MAX_HEADERS: usize = 12;

/// One message as JSON, with a tag if it was read, and a link to the next page if there is one.
pub(crate) fn json(
    route: &Route,
    asked: &Uri,
    message: &[u8],
    metadata: MetadataMap,
) -> Result<Response, Problem> {
    let Json { text, next_page } = (route.json)(message)?;
    let mut headers = forwarded(route, metadata);
    headers.insert(CONTENT_TYPE, JSON);
    if route.is_read
        && let Some(tag) = entity_tag(&text)
    {
        headers.entry(ETAG).or_insert(tag);
    }
    if let Some((parameter, value)) = next_page
        && let Some(link) = paging::next(asked, parameter, &value)
    {
        headers.insert(LINK, link);
    }
    let mut response = Response::new(Body::from(text));
    *response.headers_mut() = headers;
    Ok(response)
}

/// A file, as a stream.
pub(crate) fn file(route: &Route, file: File) -> Response {
    // The status is already sent, so the answer can only be truncated. The cause is logged.
    let pieces = file.pieces.inspect_err(|status| {
        tracing::error!(code = ?status.code(), error = status.message(), "a file was truncated");
    });
    let mut response = Response::new(Body::from_stream(pieces));
    *response.headers_mut() = forwarded(route, file.metadata);
    let unknown = HeaderValue::from_static("application/octet-stream");
    let media_type = HeaderValue::try_from(file.content_type)
        .ok()
        .filter(|value| !value.is_empty());
    response
        .headers_mut()
        .insert(CONTENT_TYPE, media_type.unwrap_or(unknown));
    response
}

fn forwarded(route: &Route, metadata: MetadataMap) -> HeaderMap {
    let mut metadata = metadata.into_headers();
    let is_provisional = metadata.contains_key(PROVISIONAL);
    let kept = FORWARDED
        .into_iter()
        .filter_map(|name| metadata.remove(&name).map(|value| (name, value)));
    let mut headers = HeaderMap::with_capacity(MAX_HEADERS);
    headers.extend(kept);
    headers.insert(CACHE_CONTROL, cache_control(route, is_provisional));
    headers
}
