//! Reading a request's body within limits of size and time.

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, header::CONTENT_LENGTH};
use http_body_util::BodyExt;
use muster_api::{Reason, violation::Violation};
use process::serve::is_stalled;
use tokio::time::{Instant, timeout_at};

use crate::Problem;

/// The largest body. The largest event, with twenty custom fields of fifty options, is far smaller.
pub const MOST_BYTES: usize = 1 << 20;

/// Reads the whole body before the deadline.
///
/// # Errors
/// A problem: 413 if it is too large, 408 if it is too slow, 400 if it is incomplete.
pub async fn read(headers: &HeaderMap, body: Body, deadline: Instant) -> Result<Bytes, Problem> {
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

/// A problem with the whole body.
pub fn invalid(message: &str) -> Problem {
    Problem::invalid(&[Violation {
        field: "body".to_owned(),
        message: message.to_owned(),
    }])
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
    Problem::new(Reason::InvalidRequest, message).answered(408)
}

fn broken(error: &axum::Error) -> Problem {
    if is_stalled(error) {
        too_slow()
    } else {
        invalid("broke off").caused_by(error.to_string())
    }
}
