//! Messages: what programs learn of a change. They hold ids and names of fields, so that nothing personal is stored.

use uuid::Uuid;

use super::WebhookType;
use crate::{
    event::Event,
    ids::{AccountId, EventId, MessageId, RegistrationId},
    instant::Instant,
};

/// A message about a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookMessage {
    /// Its identifier, the `webhook-id`.
    pub id: Uuid,
    /// Whose event it is about.
    pub account_id: AccountId,
    /// Its number within the account, in the order of commits.
    pub seq: i32,
    /// What happened.
    pub kind: WebhookType,
    /// When.
    pub at: Instant,
    /// To what.
    pub subject: Subject,
    /// Who did it: the name of an [`Actor`](crate::audit::Actor).
    pub actor: String,
}

/// What a message is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Subject {
    /// The event.
    pub event_id: Option<EventId>,
    /// The registration.
    pub registration_id: Option<RegistrationId>,
    /// The message to guests.
    pub message_id: Option<MessageId>,
    /// The status after the change.
    pub status: Option<String>,
    /// The names of the fields that changed, separated by spaces.
    pub changed: String,
}

impl Subject {
    /// An event, as it is after the change.
    pub fn event(event: &Event) -> Self {
        let status = if event.is_cancelled {
            "cancelled"
        } else if event.is_published {
            "published"
        } else {
            "draft"
        };
        Self {
            event_id: Some(event.id),
            status: Some(status.to_owned()),
            ..Self::default()
        }
    }

    /// A registration for an event.
    pub fn registration(event: EventId, registration: RegistrationId) -> Self {
        Self {
            event_id: Some(event),
            registration_id: Some(registration),
            ..Self::default()
        }
    }

    /// The same, whose status is this now.
    #[must_use]
    pub fn with_status(self, status: &str) -> Self {
        Self {
            status: Some(status.to_owned()),
            ..self
        }
    }

    /// The same, of which these fields changed.
    #[must_use]
    pub fn with_changed<T: AsRef<str>>(self, names: impl IntoIterator<Item = T>) -> Self {
        let names: Vec<_> = names
            .into_iter()
            .map(|name| name.as_ref().to_owned())
            .collect();
        Self {
            changed: names.join(" "),
            ..self
        }
    }
}
