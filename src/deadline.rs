//! How long a call may take, as the gRPC protocol writes it.

use std::time::Duration;

/// The HTTP header and gRPC metadata.
pub const HEADER: &str = "grpc-timeout";

/// The protocol allows no more digits.
const MAX_DIGITS: usize = 8;

/// Parses `TimeoutValue TimeoutUnit`: at most eight digits, and one of H, M, S, m, u, n. `None` for any other text.
pub fn parse(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.len() > MAX_DIGITS || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let count: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(count * 3600)),
        "M" => Some(Duration::from_secs(count * 60)),
        "S" => Some(Duration::from_secs(count)),
        "m" => Some(Duration::from_millis(count)),
        "u" => Some(Duration::from_micros(count)),
        "n" => Some(Duration::from_nanos(count)),
        _ => None,
    }
}
