//! When an endpoint wants to be asked again.

use std::{
    str::FromStr,
    time::{Duration, SystemTime},
};

/// The value of a header `Retry-After`. It may be far in the future: limits are the caller's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryAfter {
    /// So long after the answer.
    Delay(Duration),
    /// At this time by the endpoint's clock.
    Time(SystemTime),
}

/// A text that is neither a number of seconds nor a date of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a number of seconds or a date such as Sun, 06 Nov 1994 08:49:37 GMT")]
pub struct InvalidRetryAfter;

impl RetryAfter {
    /// How long it is until then, if it is `now`. Zero if it is over.
    pub fn delay(self, now: SystemTime) -> Duration {
        match self {
            Self::Delay(delay) => delay,
            Self::Time(time) => time.duration_since(now).unwrap_or_default(),
        }
    }
}

impl FromStr for RetryAfter {
    type Err = InvalidRetryAfter;

    fn from_str(text: &str) -> Result<Self, InvalidRetryAfter> {
        let text = text.trim();
        if text.bytes().all(|byte| byte.is_ascii_digit())
            && let Ok(seconds) = text.parse()
        {
            return Ok(Self::Delay(Duration::from_secs(seconds)));
        }
        let time = httpdate::parse_http_date(text);
        time.map(Self::Time).map_err(|_| InvalidRetryAfter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_is_seconds_or_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        for (text, seconds) in [
            ("0", Some(0)),
            (" 120 ", Some(120)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", Some(60)),
            ("Sun, 06 Nov 1994 08:49:30 GMT", Some(0)),
            ("", None),
            ("-1", None),
            ("+1", None),
            ("1.5", None),
            ("soon", None),
            ("99999999999999999999", None),
        ] {
            let read = text.parse::<RetryAfter>().ok();
            let delay = read.map(|read| read.delay(now).as_secs());
            assert_eq!(delay, seconds, "{text}");
        }
    }
}
