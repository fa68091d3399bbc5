//! The key of a job.

use std::{fmt, str::FromStr};

use uuid::Uuid;

use super::JobKind;

/// The unique key of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct JobKey {
    /// Its kind.
    pub kind: JobKind,
    /// Its subject, for example a registration.
    pub subject_id: Uuid,
    /// Distinguishes repeated jobs of a kind for one subject.
    pub occasion: i32,
}

/// The text is no key of a job.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be a kind, a subject's id and an occasion, joined by dots")]
pub struct InvalidJobKey;

impl fmt::Display for JobKey {
    /// `cancellation_mail.0198….0`, with which a mail's Message-ID begins.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}.{}", self.kind, self.subject_id, self.occasion)
    }
}

impl FromStr for JobKey {
    type Err = InvalidJobKey;

    fn from_str(text: &str) -> Result<Self, InvalidJobKey> {
        let mut parts = text.splitn(3, '.');
        let mut part = || parts.next().ok_or(InvalidJobKey);
        Ok(Self {
            kind: part()?.parse().map_err(|_| InvalidJobKey)?,
            subject_id: part()?.parse().map_err(|_| InvalidJobKey)?,
            occasion: part()?.parse().map_err(|_| InvalidJobKey)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_is_written() {
        let key = JobKey {
            kind: JobKind::CancellationMail,
            subject_id: Uuid::from_u128(7),
            occasion: 2,
        };
        let text = "cancellation_mail.00000000-0000-0000-0000-000000000007.2";
        assert_eq!(key.to_string(), text);
        assert_eq!(text.parse(), Ok(key));
        for wrong in [
            "",
            "cancellation_mail",
            "cancellation_mail.b.0",
            "unknown_mail.00000000-0000-0000-0000-000000000007.2",
            "cancellation_mail.00000000-0000-0000-0000-000000000007.x",
        ] {
            assert_eq!(wrong.parse::<JobKey>(), Err(InvalidJobKey));
        }
    }
}
