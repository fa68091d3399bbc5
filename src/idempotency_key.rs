//! Idempotency keys as clients send them: names of their own making for single calls, which make it safe to repeat those.

use http::HeaderMap;

use crate::validation::Violation;

/// With a call: the HTTP header, and gRPC's metadata.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// In `_meta` of an MCP call.
pub const META: &str = "muster/idempotency-key";

/// The longest key, in characters.
const LONGEST: usize = 255;

/// The key that comes with a call, if there is one.
///
/// # Errors
/// When it is malformed, or there are several.
pub fn read(headers: &HeaderMap) -> Result<Option<&str>, Violation> {
    let mut keys = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(key) = keys.next() else {
        return Ok(None);
    };
    if keys.next().is_some() {
        return Err(violation("Idempotency-Key", "must be there once at most"));
    }
    // What is not visible ASCII is no text here either.
    let key = key.to_str().unwrap_or_default();
    check("Idempotency-Key", key).map(|()| Some(key))
}

/// Checks a key that comes in a field of that name.
///
/// # Errors
/// When it is malformed.
pub fn check(field: &str, key: &str) -> Result<(), Violation> {
    let is_key =
        (1..=LONGEST).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
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
