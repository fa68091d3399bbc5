//! Core's answer as an HTTP answer: body, caching, validators.

use std::convert::Infallible;

use axum::{body::Body, response::Response};
use bytes::Bytes;
use edge::{File, Problem};
use futures_util::{Stream, TryStreamExt};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, StatusCode,
    header::{
        CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, ETAG, IF_NONE_MATCH, LAST_MODIFIED,
        RETRY_AFTER,
    },
    request::Parts,
};
use muster_api::{
    Reason,
    binding::Binding,
    metadata::{PROVISIONAL, RATE_LIMIT, RATE_LIMIT_POLICY},
};
use tonic::{Status, metadata::MetadataMap};

use crate::caching::cache_control;

/// The media type of almost every answer.
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// What core's metadata may set in an answer; all else is gRPC's.
const FORWARDED: [HeaderName; 6] = [
    CONTENT_DISPOSITION,
    ETAG,
    LAST_MODIFIED,
    RETRY_AFTER,
    HeaderName::from_static(RATE_LIMIT),
    HeaderName::from_static(RATE_LIMIT_POLICY),
];

/// One message as JSON.
pub(crate) fn json<B: Binding>(
    answer: &B::Response,
    metadata: MetadataMap,
    parts: &Parts,
) -> Result<Response, Problem> {
    let json = B::to_json(answer).map_err(|error| {
        Problem::new(Reason::Internal, "Muster failed")
            .caused_by(format!("cannot write the answer: {error}"))
    })?;
    let mut response = Response::new(Body::from(json));
    *response.headers_mut() = forwarded::<B>(metadata);
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    // It may go out compressed, which is not the same bytes any more.
    weaken(response.headers_mut());
    Ok(unless_known(response, parts))
}

/// A file, as it comes.
pub(crate) fn file<B, S>(file: File<S>, parts: &Parts) -> Response
where
    B: Binding,
    S: Stream<Item = Result<Bytes, Status>> + Send + 'static,
{
    // The status has gone out, so that breaking off is all that can be done; the log has the reason.
    let pieces = file.pieces.inspect_err(|status| {
        tracing::error!(code = ?status.code(), error = status.message(), "a file broke off");
    });
    let mut response = Response::new(Body::from_stream(pieces));
    *response.headers_mut() = forwarded::<B>(file.metadata);
    let unknown = HeaderValue::from_static("application/octet-stream");
    let media_type = HeaderValue::try_from(file.content_type)
        .ok()
        .filter(|value| !value.is_empty());
    response
        .headers_mut()
        .insert(CONTENT_TYPE, media_type.unwrap_or(unknown));
    unless_known(response, parts)
}

/// JSON that says how things are at this moment.
pub(crate) fn uncached_json(json: &'static str) -> Response {
    let mut response = Response::new(Body::from(json));
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response.headers_mut().insert(CACHE_CONTROL, NO_STORE);
    response
}

/// 304 when the client has this very answer already.
pub(crate) fn unless_known(response: Response, parts: &Parts) -> Response {
    let reads = matches!(parts.method, Method::GET | Method::HEAD);
    let known = |tag: &HeaderValue| {
        parts
            .headers
            .get_all(IF_NONE_MATCH)
            .iter()
            .any(|tags| names(tags, tag))
    };
    if !reads || !response.headers().get(ETAG).is_some_and(known) {
        return response;
    }
    let mut response = response.map(|_body| nothing());
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    response.headers_mut().remove(CONTENT_TYPE);
    response
}

/// No body. One that is merely empty would be said to have the length 0, which the answer that it stands for has not.
pub(crate) fn nothing() -> Body {
    Body::from_stream(futures_util::stream::empty::<Result<Bytes, Infallible>>())
}

fn forwarded<B: Binding>(metadata: MetadataMap) -> HeaderMap {
    let mut metadata = metadata.into_headers();
    let is_provisional = metadata.contains_key(PROVISIONAL);
    let kept = FORWARDED
        .into_iter()
        .filter_map(|name| metadata.remove(&name).map(|value| (name, value)));
    let mut headers: HeaderMap = kept.collect();
    headers.insert(CACHE_CONTROL, cache_control::<B>(is_provisional));
    headers
}

fn weaken(headers: &mut HeaderMap) {
    if let Some(tag) = headers.get_mut(ETAG)
        && tag.as_bytes().starts_with(b"\"")
        && let Ok(weak) = HeaderValue::from_bytes(&[b"W/", tag.as_bytes()].concat())
    {
        *tag = weak;
    }
}

/// Whether an `If-None-Match` names the tag, by weak comparison.
fn names(tags: &HeaderValue, tag: &HeaderValue) -> bool {
    let opaque = |tag: &[u8]| tag.strip_prefix(b"W/").unwrap_or(tag).to_vec();
    let wanted = opaque(tag.as_bytes());
    tags.as_bytes()
        .split(|byte| *byte == b',')
        .map(<[u8]>::trim_ascii)
        .any(|tag| tag == b"*" || opaque(tag) == wanted)
}
