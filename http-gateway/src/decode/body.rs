//! Checks of a request's body before it is read: its presence and its content type.

use http::{
    HeaderMap, HeaderValue,
    header::{CONTENT_ENCODING, CONTENT_TYPE},
};
use http_kit::{Problem, body::invalid};
use muster_api::Reason;

/// Refuses a body where none is allowed, except the empty object that some clients always send.
pub(super) fn refuse(bytes: &[u8]) -> Result<(), Problem> {
    match bytes.trim_ascii() {
        b"" | b"{}" => Ok(()),
        _ => Err(invalid("must be empty here")),
    }
}

/// Checks that there is a body and that its content type is JSON.
pub(super) fn require_json(headers: &HeaderMap, bytes: &[u8]) -> Result<(), Problem> {
    if bytes.is_empty() {
        return Err(invalid("is required, as JSON"));
    }
    let unsupported = |message: &str| Err(Problem::new(Reason::UnsupportedMediaType, message));
    let encoding = headers.get(CONTENT_ENCODING).map(HeaderValue::as_bytes);
    if encoding.is_some_and(|encoding| !encoding.eq_ignore_ascii_case(b"identity")) {
        return unsupported("send the body without Content-Encoding");
    }
    match headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes) {
        Some(media_type) if is_json(media_type) => Ok(()),
        Some(_) => unsupported("the Content-Type must be application/json, in UTF-8"),
        None => unsupported("the body needs the header Content-Type: application/json"),
    }
}

/// `application/json`, whose `charset`, if any, is UTF-8.
fn is_json(media_type: &[u8]) -> bool {
    let lower = media_type.to_ascii_lowercase();
    let mut parts = lower.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
    let is_utf8 = |parameter: &[u8]| match parameter.strip_prefix(b"charset=") {
        Some(charset) => matches!(charset, b"utf-8" | b"\"utf-8\"" | b"utf8"),
        None => true,
    };
    parts.next() == Some(b"application/json") && parts.all(is_utf8)
}
