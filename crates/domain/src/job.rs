//! Jobs: work that a committed change leaves to be done later.

mod as_text;
mod kind;
mod security;
mod task;

use std::{borrow::Cow, fmt, str::FromStr};

use uuid::Uuid;

pub use security::SecurityNotice;
pub use task::{InvalidPayload, JobKind, Task, UnknownJobKind};

use super::{
    ids::{EventId, RegistrationId, WebhookId},
    instant::Instant,
};

/// With what the names of webhooks' receivers begin. All others sort before it.
const WEBHOOK_PREFIX: &str = "webhook:";

/// Where a job's work goes. Jobs for one destination share its slots, and all of them wait while it does not work.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Destination(Cow<'static, str>);

impl Destination {
    /// The mail server.
    pub const MAIL: Self = Self(Cow::Borrowed("mail"));

    /// Work that needs the database alone.
    pub const DATABASE: Self = Self(Cow::Borrowed("database"));

    /// The provider of stock photographs.
    pub const COVERS: Self = Self(Cow::Borrowed("covers"));

    /// The receiver of a webhook.
    pub fn webhook(id: WebhookId) -> Self {
        Self(Cow::Owned(format!("{WEBHOOK_PREFIX}{id}")))
    }

    /// Whether it is the receiver of a webhook: one of many, each of a stranger.
    pub fn is_webhook(&self) -> bool {
        self.0.starts_with(WEBHOOK_PREFIX)
    }

    /// A destination by its name.
    pub const fn new(name: String) -> Self {
        Self(Cow::Owned(name))
    }

    /// Its name, as it is stored.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// A job to be scheduled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// What is to be done.
    pub task: Task,
    /// The subject: the registration of a mail, the event of a cover.
    pub subject_id: Uuid,
    /// Distinguishes repeated jobs of a kind for one subject. It has no other meaning.
    pub occasion: i32,
    /// Where the work goes.
    pub destination: Destination,
    /// What made it: the W3C `traceparent` of its command, if that is traced.
    pub trace_parent: Option<String>,
}

impl Job {
    /// A mail to a registrant.
    pub fn mail(task: Task, registration: RegistrationId) -> Self {
        Self {
            occasion: task.occasion(),
            task,
            subject_id: registration.uuid(),
            destination: Destination::MAIL,
            trace_parent: None,
        }
    }

    /// A mail to someone who signs in, of which there is one for each subject.
    pub fn person_mail(task: Task, subject_id: Uuid) -> Self {
        Self {
            task,
            subject_id,
            occasion: 0,
            destination: Destination::MAIL,
            trace_parent: None,
        }
    }

    /// The mail about a repeated registration, at most one per minute.
    pub fn registered_again_mail(registration: RegistrationId, now: Instant) -> Self {
        Self {
            occasion: minute(now),
            ..Self::mail(Task::RegisteredAgainMail, registration)
        }
    }

    /// The search for a photograph for an event, at most one per minute.
    pub fn stock_cover(event: EventId, now: Instant) -> Self {
        Self {
            task: Task::StockCover,
            subject_id: event.uuid(),
            occasion: minute(now),
            destination: Destination::COVERS,
            trace_parent: None,
        }
    }

    /// Its unique key.
    pub fn key(&self) -> JobKey {
        JobKey {
            kind: self.task.kind(),
            subject_id: self.subject_id,
            occasion: self.occasion,
        }
    }
}

/// When held jobs are due, so that no core claims them: 9999-12-31T23:59:59Z.
pub const HELD_UNTIL: Instant = Instant::from_micros(253_402_300_799_000_000);

/// The minute since the epoch, as an occasion.
pub fn minute(now: Instant) -> i32 {
    const MICROS_PER_MINUTE: i64 = 60_000_000;
    i32::try_from(now.micros() / MICROS_PER_MINUTE).unwrap_or(i32::MAX)
}

/// A job that a runner holds a lease on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedJob {
    /// Which job.
    pub key: JobKey,
    /// The stored payload of its kind: see [`ClaimedJob::task`].
    pub payload: Option<String>,
    /// How many times it was started, including this time. Identifies this lease.
    pub attempt: i32,
    /// How many of those count, including this time. Tries that failed because of the destination do not count.
    pub tries: i32,
    /// Until when no other runner may claim it.
    pub leased_until: Instant,
    /// What made it, if that was traced: see [`Job::trace_parent`].
    pub trace_parent: Option<String>,
}

impl ClaimedJob {
    /// What is to be done.
    ///
    /// # Errors
    /// When the payload is not one of the job's kind: a newer version wrote it.
    pub fn task(&self) -> Result<Task, InvalidPayload> {
        Task::read(self.key.kind, self.payload.as_deref())
    }
}

/// The unique key of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
