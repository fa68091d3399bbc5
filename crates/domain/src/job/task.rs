//! Tasks of jobs, with their payloads.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{SecurityNotice, as_text};
use crate::{
    ids::{AccountId, EventId, PersonId},
    names::names,
};

/// Declares the kinds of jobs, and the tasks of each.
macro_rules! tasks {
    ($($(#[$meta:meta])+ $kind:ident = $name:literal $({ $($payload:tt)+ })?,)+) => {
        names! {
            /// A kind of job. The subject of a mail to a registrant is the registration.
            #[derive(Hash, PartialOrd, Ord)]
            JobKind / UnknownJobKind: "is no kind of job" { $($(#[$meta])+ $kind = $name,)+ }
        }

        /// The task of a job. Stored as its kind and, for some kinds, a payload in JSON.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(tag = "kind", content = "payload", rename_all = "snake_case")]
        pub enum Task { $($(#[$meta])+ $kind $({ $($payload)+ })?,)+ }

        impl Task {
            /// Its kind.
            pub const fn kind(&self) -> JobKind {
                match self { $(Self::$kind { .. } => JobKind::$kind,)+ }
            }
        }
    };
}

tasks! {
    /// Tells a registrant that they hold a seat.
    RegisteredMail = "registered_mail",
    /// Tells a registrant that they are on the waitlist.
    WaitlistedMail = "waitlisted_mail",
    /// Tells a registrant that the organizer must approve the registration.
    PendingMail = "pending_mail",
    /// Asks a registrant to confirm the registration.
    ConfirmationMail = "confirmation_mail",
    /// Tells a registrant who registered again the status of their registration.
    RegisteredAgainMail = "registered_again_mail",
    /// Tells a registrant that they got a seat from the waitlist.
    PromotedMail = "promoted_mail",
    /// Tells a registrant that the organizer approved the registration; the registration has its status.
    ApprovedMail = "approved_mail",
    /// Tells a registrant that their registration is cancelled.
    RegistrationCancelledMail = "registration_cancelled_mail" {
        /// Whether they held a seat, and so have the event in their calendar.
        held_a_seat: bool,
    },
    /// Tells a registrant that the organizer declined the registration, and why; the registration has the reason.
    DeclinedMail = "declined_mail",
    /// Tells a registrant that the event is cancelled.
    CancellationMail = "cancellation_mail",
    /// Tells a registrant that the event has a new time or place.
    EventChangedMail = "event_changed_mail" {
        /// The event's `sequence` after the change: a later change makes this mail obsolete.
        sequence: i32,
    },
    /// Tells an address that its registration has another one now.
    AddressCorrectedMail = "address_corrected_mail" {
        /// The address that the registration had.
        address: String,
    },
    /// Sends a person who signs in a code, or the notice that their address was changed. The subject is the code.
    CodeMail = "code_mail",
    /// Invites someone to an account. The subject is the invitation.
    InvitationMail = "invitation_mail",
    /// Tells a person that an app was disconnected, since someone may have stolen what it had. The subject is the grant.
    AppMail = "app_mail",
    /// Tells a person of what was done in their name or on their account, so that they notice. The subject is the mail.
    SecurityMail = "security_mail" {
        /// The recipient.
        #[serde(with = "as_text")]
        person: PersonId,
        /// When it happened, in microseconds since the epoch.
        at: i64,
        /// What.
        notice: SecurityNotice,
    },
    /// Tells a member of an account of new registrations. The subject is the mail.
    OrganizerMail = "organizer_mail" {
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
    /// Schedules the mails to members about new registrations. The subject is the account.
    OrganizerNews = "organizer_news" {
        /// After when registrations are still to be told, in microseconds since the epoch.
        since: i64,
    },
    /// Schedules the mails about an event's new time or place. The subject is the event.
    EventAnnouncement = "event_announcement" {
        /// How many mails were counted against the owner's daily quota.
        mails: i32,
        /// The day of that count, from 1970-01-01.
        day: i32,
        /// Those of the mails that go to people whom an organizer added, if their number is limited.
        #[serde(default)]
        strangers: i32,
    },
    /// Fetches a stock photograph for an event's cover. The subject is the event.
    StockCover = "stock_cover",
    /// Schedules the mails of a reminder. The subject is the event, the occasion the hours before its start.
    EventReminder = "event_reminder" {
        /// When it was planned for, in microseconds since the epoch.
        due_at: i64,
    },
    /// Reminds a registrant of the event.
    ReminderMail = "reminder_mail" {
        /// How many hours before the start.
        hours: i32,
        /// The event's `sequence` when it was scheduled: another time or place makes this mail obsolete.
        sequence: i32,
    },
    /// Begins a message to the people who registered for an event: schedules its mails. The subject is the message.
    Message = "message",
    /// Is a message of the organizer to a registrant; the occasion is its number.
    MessageMail = "message_mail",
    /// Shows a message to the person who writes it. The subject is the mail.
    MessageTestMail = "message_test_mail" {
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
    /// Posts a message to a webhook. The subject is the message, the occasion the number of the webhook.
    WebhookDelivery = "webhook_delivery",
}

/// A payload that does not fit its job's kind.
#[derive(Debug, thiserror::Error)]
#[error("the payload of {kind} cannot be read: {error}")]
pub struct InvalidPayload {
    kind: JobKind,
    error: serde_json::Error,
}

impl Task {
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
