//! A request's body as bytes, and whether it claims to be JSON.

use axum::body::Body;
use bytes::Bytes;
use edge::Problem;
use http::{
    HeaderMap, HeaderValue,
    header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE},
};
use http_body_util::BodyExt;
use muster_api::{Reason, validation::Violation};
use process::serve::is_stalled;
use tokio::time::{Instant, timeout_at};

/// The largest body. The largest event, with twenty custom fields of fifty options, is well below.
const MOST_BYTES: usize = 1 << 20;

/// Reads the whole body.
pub(super) async fn read(
    headers: &HeaderMap,
    body: Body,
    deadline: Instant,
) -> Result<Bytes, Problem> {
    let declared = headers
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    let declared = declared.unwrap_or_default();
    if declared > MOST_BYTES {
        return Err(too_large());
    }
    let read = timeout_at(deadline, collect(body, declared)).await;
    read.unwrap_or_else(|_elapsed| Err(too_slow()))
}

async fn collect(mut body: Body, expected: usize) -> Result<Bytes, Problem> {
    let mut bytes = Vec::with_capacity(expected);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|error| broken(&error))?.into_data() else {
            continue;
        };
        if bytes.len() + data.len() > MOST_BYTES {
            return Err(too_large());
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes.into())
}

fn too_large() -> Problem {
    Problem::new(
        Reason::PayloadTooLarge,
        format!("the body is larger than {MOST_BYTES} bytes"),
    )
}

fn too_slow() -> Problem {
    let message = "the body did not arrive in time";
    Problem {
        http_status: 408,
        ..Problem::new(Reason::InvalidRequest, message)
    }
}

fn broken(error: &axum::Error) -> Problem {
    if is_stalled(error) {
        too_slow()
    } else {
        invalid("broke off").caused_by(error.to_string())
    }
}

/// Refuses a body where there is none to be, except for the empty object that some clients always send.
pub(super) fn refuse(bytes: &[u8]) -> Result<(), Problem> {
    match bytes.trim_ascii() {
        b"" | b"{}" => Ok(()),
        _ => Err(invalid("must be empty here")),
    }
}

/// Checks that there is a body and that its headers call it JSON.
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

fn invalid(message: &str) -> Problem {
    Problem::invalid(&[Violation {
        field: "body".to_owned(),
        message: message.to_owned(),
    }])
}
