//! Idempotency keys: a client chooses a key for a call, so that it can repeat the call safely.

use http::HeaderMap;

use crate::violation::Violation;

/// The HTTP header and gRPC metadata of a call.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// The entry in `_meta` of an MCP call.
pub const META: &str = "muster/idempotency-key";

/// The longest key, in characters.
const MAX_LENGTH: usize = 255;

/// The key of a call, if any.
///
/// # Errors
/// When it is malformed, or there are several.
pub fn read(headers: &HeaderMap) -> Result<Option<&str>, Violation> {
    let mut keys = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(key) = keys.next() else {
        return Ok(None);
    };
    if keys.next().is_some() {
        return Err(violation("Idempotency-Key", "must be sent at most once"));
    }
    // Values that are not visible ASCII are no text here either.
    let key = key.to_str().unwrap_or_default();
    check("Idempotency-Key", key).map(|()| Some(key))
}

/// Checks a key in a field of this name.
///
/// # Errors
/// When it is malformed.
pub fn check(field: &str, key: &str) -> Result<(), Violation> {
    let is_key =
        (1..=MAX_LENGTH).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
    if is_key {
        return Ok(());
    }
    Err(violation(
        field,
        "must be 1 to 255 visible ASCII characters long",
    ))
}

fn violation(field: &str, message: &str) -> Violation {
    Violation {
        field: field.to_owned(),
        message: message.to_owned(),
    }
}
