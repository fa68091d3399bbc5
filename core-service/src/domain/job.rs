//! Work that a committed change leaves to be done outside its transaction.

use std::{fmt, str::FromStr};

use uuid::Uuid;

use super::instant::Instant;

/// Tells a registrant that they hold a seat. The subject of every mail is the registration.
pub const REGISTERED_MAIL: &str = "registered_mail";

/// Tells a registrant that they wait for a seat.
pub const WAITLISTED_MAIL: &str = "waitlisted_mail";

/// Tells a registrant that the organizer has to approve them.
pub const PENDING_MAIL: &str = "pending_mail";

/// Tells somebody who registered again where their registration stands. The generation is the minute since the epoch, so
/// that mails in different minutes have ids of their own, and more in one minute are one.
pub const REGISTERED_AGAIN_MAIL: &str = "registered_again_mail";

/// Tells a registrant that a seat came free for them.
pub const PROMOTED_MAIL: &str = "promoted_mail";

/// Tells a registrant that the organizer approved them; where they stand is in the registration.
pub const APPROVED_MAIL: &str = "approved_mail";

/// Tells a registrant that their registration is cancelled. The generation is [`HELD_A_SEAT`] or 0.
pub const REGISTRATION_CANCELLED_MAIL: &str = "registration_cancelled_mail";

/// The generation of a [`REGISTRATION_CANCELLED_MAIL`] to somebody who held a seat, and so has the event in their calendar.
pub const HELD_A_SEAT: i32 = 1;

/// Tells a registrant that the event is cancelled.
pub const CANCELLATION_MAIL: &str = "cancellation_mail";

/// Tells a registrant that the event takes place at another time or place. The generation is the event's `sequence`.
pub const EVENT_CHANGED_MAIL: &str = "event_changed_mail";

/// Fetches a stock picture for an event's words. The subject is the event, the generation the minute since the epoch.
pub const STOCK_COVER: &str = "stock_cover";

/// Every kind whose subject is a registration.
pub const REGISTRATION_MAILS: [&str; 9] = [
    REGISTERED_MAIL,
    WAITLISTED_MAIL,
    PENDING_MAIL,
    REGISTERED_AGAIN_MAIL,
    PROMOTED_MAIL,
    APPROVED_MAIL,
    REGISTRATION_CANCELLED_MAIL,
    CANCELLATION_MAIL,
    EVENT_CHANGED_MAIL,
];

/// Which job: at most one of a kind for a subject and generation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct JobKey {
    /// What is to be done, for example `cancellation_mail`.
    pub kind: String,
    /// What it is done to, for example a registration.
    pub subject_id: Uuid,
    /// Tells repeated jobs of a kind for one subject apart, from 0.
    pub generation: i32,
}

/// A text that is no key of a job.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be a kind, a subject's id and a generation, joined by dots")]
pub struct InvalidJobKey;

impl fmt::Display for JobKey {
    /// `cancellation_mail.0198….0`: what a mail's Message-ID begins with.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}.{}", self.kind, self.subject_id, self.generation)
    }
}

impl FromStr for JobKey {
    type Err = InvalidJobKey;

    fn from_str(text: &str) -> Result<Self, InvalidJobKey> {
        let mut parts = text.splitn(3, '.');
        let mut part = || parts.next().ok_or(InvalidJobKey);
        Ok(Self {
            kind: part()?.to_owned(),
            subject_id: part()?.parse().map_err(|_| InvalidJobKey)?,
            generation: part()?.parse().map_err(|_| InvalidJobKey)?,
        })
    }
}

impl JobKey {
    /// A job for which others of the same minute stand: more changes in one minute leave one.
    pub fn of_minute(kind: &str, subject_id: Uuid, now: Instant) -> Self {
        const MICROS_PER_MINUTE: i64 = 60_000_000;
        Self {
            kind: kind.to_owned(),
            subject_id,
            generation: i32::try_from(now.micros() / MICROS_PER_MINUTE).unwrap_or(i32::MAX),
        }
    }
}

/// A job that a runner holds a lease on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedJob {
    /// Which job.
    pub key: JobKey,
    /// How many times it was started, this time included. Tells this lease from every other.
    pub attempt: i32,
    /// How many of those count against it, this time included: not those that failed by no fault of its own.
    pub tries: i32,
    /// Until when it is nobody else's.
    pub leased_until: Instant,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_is_written() {
        let key = JobKey {
            kind: CANCELLATION_MAIL.to_owned(),
            subject_id: Uuid::from_u128(7),
            generation: 2,
        };
        let text = "cancellation_mail.00000000-0000-0000-0000-000000000007.2";
        assert_eq!(key.to_string(), text);
        assert_eq!(text.parse(), Ok(key));
        for wrong in [
            "",
            "cancellation_mail",
            "a.b.0",
            "a.00000000-0000-0000-0000-000000000007.x",
        ] {
            assert_eq!(wrong.parse::<JobKey>(), Err(InvalidJobKey));
        }
    }
}
