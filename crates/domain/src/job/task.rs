//! Tasks of jobs, with their payloads.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{JobKind, SecurityNotice, as_text};
use crate::ids::{AccountId, EventId, PersonId};

/// The task of a job. Stored as its kind and, for some kinds, a payload in JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "payload", rename_all = "snake_case")]
pub enum Task {
    /// See [`JobKind::RegisteredMail`].
    RegisteredMail,
    /// See [`JobKind::WaitlistedMail`].
    WaitlistedMail,
    /// See [`JobKind::PendingMail`].
    PendingMail,
    /// See [`JobKind::ConfirmationMail`].
    ConfirmationMail,
    /// See [`JobKind::RegisteredAgainMail`].
    RegisteredAgainMail,
    /// See [`JobKind::PromotedMail`].
    PromotedMail,
    /// See [`JobKind::ApprovedMail`]; the registration has its status.
    ApprovedMail,
    /// See [`JobKind::RegistrationCancelledMail`].
    RegistrationCancelledMail {
        /// Whether they held a seat, and so have the event in their calendar.
        held_a_seat: bool,
    },
    /// See [`JobKind::DeclinedMail`]; the registration has the reason.
    DeclinedMail,
    /// See [`JobKind::CancellationMail`].
    CancellationMail,
    /// See [`JobKind::EventChangedMail`].
    EventChangedMail {
        /// The event's `sequence` after the change: a later change makes this mail obsolete.
        sequence: i32,
    },
    /// See [`JobKind::AddressCorrectedMail`].
    AddressCorrectedMail {
        /// The address that the registration had.
        address: String,
    },
    /// See [`JobKind::CodeMail`].
    CodeMail,
    /// See [`JobKind::InvitationMail`].
    InvitationMail,
    /// See [`JobKind::AppMail`].
    AppMail,
    /// See [`JobKind::SecurityMail`].
    SecurityMail {
        /// The recipient.
        #[serde(with = "as_text")]
        person: PersonId,
        /// When it happened, in microseconds since the epoch.
        at: i64,
        /// What.
        notice: SecurityNotice,
    },
    /// See [`JobKind::OrganizerMail`].
    OrganizerMail {
        /// The account.
        #[serde(with = "as_text")]
        account: AccountId,
        /// The member.
        #[serde(with = "as_text")]
        person: PersonId,
        /// After when the registrations were made, in microseconds since the epoch.
        since: i64,
        /// Until when.
        until: i64,
    },
    /// See [`JobKind::OrganizerNews`].
    OrganizerNews {
        /// After when registrations are still to be told, in microseconds since the epoch.
        since: i64,
    },
    /// See [`JobKind::EventAnnouncement`].
    EventAnnouncement {
        /// How many mails were counted against the owner's daily quota.
        mails: i32,
        /// The day of that count, from 1970-01-01.
        day: i32,
        /// Those of the mails that go to people whom an organizer added, if their number is limited.
        #[serde(default)]
        strangers: i32,
    },
    /// See [`JobKind::StockCover`].
    StockCover,
    /// See [`JobKind::EventReminder`].
    EventReminder {
        /// When it was planned for, in microseconds since the epoch.
        due_at: i64,
    },
    /// See [`JobKind::ReminderMail`].
    ReminderMail {
        /// How many hours before the start.
        hours: i32,
        /// The event's `sequence` when it was scheduled: another time or place makes this mail obsolete.
        sequence: i32,
    },
    /// See [`JobKind::Message`].
    Message,
    /// See [`JobKind::MessageMail`].
    MessageMail,
    /// See [`JobKind::MessageTestMail`].
    MessageTestMail {
        /// The account of the event.
        #[serde(with = "as_text")]
        account: AccountId,
        /// The event.
        #[serde(with = "as_text")]
        event: EventId,
        /// Who gets it.
        #[serde(with = "as_text")]
        person: PersonId,
        /// The subject of the message.
        subject: String,
        /// Its text.
        text: String,
    },
    /// [`JobKind::WebhookDelivery`].
    WebhookDelivery,
}

/// A payload that does not fit its job's kind.
#[derive(Debug, thiserror::Error)]
#[error("the payload of {kind} cannot be read: {error}")]
pub struct InvalidPayload {
    kind: JobKind,
    error: serde_json::Error,
}

impl Task {
    /// Its kind.
    pub const fn kind(&self) -> JobKind {
        match self {
            Self::RegisteredMail => JobKind::RegisteredMail,
            Self::WaitlistedMail => JobKind::WaitlistedMail,
            Self::PendingMail => JobKind::PendingMail,
            Self::ConfirmationMail => JobKind::ConfirmationMail,
            Self::RegisteredAgainMail => JobKind::RegisteredAgainMail,
            Self::PromotedMail => JobKind::PromotedMail,
            Self::ApprovedMail => JobKind::ApprovedMail,
            Self::RegistrationCancelledMail { .. } => JobKind::RegistrationCancelledMail,
            Self::DeclinedMail => JobKind::DeclinedMail,
            Self::CancellationMail => JobKind::CancellationMail,
            Self::EventChangedMail { .. } => JobKind::EventChangedMail,
            Self::AddressCorrectedMail { .. } => JobKind::AddressCorrectedMail,
            Self::CodeMail => JobKind::CodeMail,
            Self::InvitationMail => JobKind::InvitationMail,
            Self::AppMail => JobKind::AppMail,
            Self::SecurityMail { .. } => JobKind::SecurityMail,
            Self::OrganizerMail { .. } => JobKind::OrganizerMail,
            Self::OrganizerNews { .. } => JobKind::OrganizerNews,
            Self::EventAnnouncement { .. } => JobKind::EventAnnouncement,
            Self::StockCover => JobKind::StockCover,
            Self::EventReminder { .. } => JobKind::EventReminder,
            Self::ReminderMail { .. } => JobKind::ReminderMail,
            Self::Message => JobKind::Message,
            Self::MessageMail => JobKind::MessageMail,
            Self::MessageTestMail { .. } => JobKind::MessageTestMail,
            Self::WebhookDelivery => JobKind::WebhookDelivery,
        }
    }

    /// The occasion of tasks that have one: each change of an event has mails of its own, and so has each of its reminders.
    pub const fn occasion(&self) -> i32 {
        match self {
            Self::EventChangedMail { sequence } => *sequence,
            Self::ReminderMail { hours, sequence } => {
                sequence.saturating_mul(256).saturating_add(*hours)
            }
            _ => 0,
        }
    }

    /// The stored payload; most kinds have none.
    pub fn payload(&self) -> Option<String> {
        let mut stored = serde_json::to_value(self).ok()?;
        let payload = stored.get_mut("payload")?.take();
        Some(payload.to_string())
    }

    /// The task of a kind with its stored payload.
    ///
    /// # Errors
    /// When the payload does not fit the kind.
    pub fn read(kind: JobKind, payload: Option<&str>) -> Result<Self, InvalidPayload> {
        let read = || {
            let mut stored = Map::new();
            stored.insert("kind".to_owned(), Value::from(kind.name()));
            if let Some(payload) = payload {
                stored.insert("payload".to_owned(), serde_json::from_str(payload)?);
            }
            serde_json::from_value(Value::Object(stored))
        };
        read().map_err(|error| InvalidPayload { kind, error })
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::person::Role;

    #[test]
    fn what_is_stored_is_read_as_it_was() {
        let tasks = [
            (Task::RegisteredMail, None),
            (Task::WaitlistedMail, None),
            (Task::PendingMail, None),
            (Task::ConfirmationMail, None),
            (Task::RegisteredAgainMail, None),
            (Task::PromotedMail, None),
            (Task::ApprovedMail, None),
            (
                Task::RegistrationCancelledMail { held_a_seat: true },
                Some(r#"{"held_a_seat":true}"#),
            ),
            (Task::DeclinedMail, None),
            (Task::CancellationMail, None),
            (
                Task::EventChangedMail { sequence: 3 },
                Some(r#"{"sequence":3}"#),
            ),
            (
                Task::EventAnnouncement {
                    mails: 40,
                    day: 9,
                    strangers: 2,
                },
                Some(r#"{"mails":40,"day":9,"strangers":2}"#),
            ),
            (
                Task::AddressCorrectedMail {
                    address: "a@example.org".to_owned(),
                },
                Some(r#"{"address":"a@example.org"}"#),
            ),
            (Task::CodeMail, None),
            (Task::InvitationMail, None),
            (Task::AppMail, None),
            (
                Task::SecurityMail {
                    person: PersonId::new(Uuid::from_u128(2)),
                    at: 3,
                    notice: SecurityNotice::RoleChanged {
                        account: AccountId::new(Uuid::from_u128(1)),
                        member: PersonId::new(Uuid::from_u128(4)),
                        before: Role::Door,
                        after: Role::Owner,
                        events_before: None,
                        events_after: None,
                    },
                },
                Some(
                    r#"{"person":"00000000-0000-0000-0000-000000000002","at":3,"notice":{"role_changed":{"account":"00000000-0000-0000-0000-000000000001","member":"00000000-0000-0000-0000-000000000004","before":"door","after":"owner"}}}"#,
                ),
            ),
            (
                Task::OrganizerMail {
                    account: AccountId::new(Uuid::from_u128(1)),
                    person: PersonId::new(Uuid::from_u128(2)),
                    since: 3,
                    until: 4,
                },
                Some(
                    r#"{"account":"00000000-0000-0000-0000-000000000001","person":"00000000-0000-0000-0000-000000000002","since":3,"until":4}"#,
                ),
            ),
            (Task::OrganizerNews { since: 5 }, Some(r#"{"since":5}"#)),
            (Task::StockCover, None),
            (Task::EventReminder { due_at: 6 }, Some(r#"{"due_at":6}"#)),
            (
                Task::ReminderMail {
                    hours: 24,
                    sequence: 3,
                },
                Some(r#"{"hours":24,"sequence":3}"#),
            ),
            (Task::Message, None),
            (Task::MessageMail, None),
            (Task::WebhookDelivery, None),
            (
                Task::MessageTestMail {
                    account: AccountId::new(Uuid::from_u128(3)),
                    event: EventId::new(Uuid::from_u128(1)),
                    person: PersonId::new(Uuid::from_u128(2)),
                    subject: "Hello".to_owned(),
                    text: "all".to_owned(),
                },
                Some(
                    r#"{"account":"00000000-0000-0000-0000-000000000003","event":"00000000-0000-0000-0000-000000000001","person":"00000000-0000-0000-0000-000000000002","subject":"Hello","text":"all"}"#,
                ),
            ),
        ];
        for (task, payload) in tasks {
            assert_eq!(task.payload().as_deref(), payload);
            assert_eq!(Task::read(task.kind(), payload).unwrap(), task);
            assert_eq!(task.kind().name().parse(), Ok(task.kind()));
        }
    }

    #[test]
    fn an_announcement_of_an_earlier_version_is_read() {
        let payload = Some(r#"{"mails":40,"day":9}"#);
        let task = Task::read(JobKind::EventAnnouncement, payload);
        let expected = Task::EventAnnouncement {
            mails: 40,
            day: 9,
            strangers: 0,
        };
        assert_eq!(task.unwrap(), expected);
    }

    #[test]
    fn a_payload_of_another_kind_is_refused_by_name() {
        for payload in [
            None,
            Some("{}"),
            Some("no JSON"),
            Some(r#"{"sequence":"1"}"#),
        ] {
            let error = Task::read(JobKind::EventChangedMail, payload).unwrap_err();
            let text = error.to_string();
            assert!(
                text.starts_with("the payload of event_changed_mail cannot be read"),
                "{text}"
            );
        }
    }
}
