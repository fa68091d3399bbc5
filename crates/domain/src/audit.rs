//! Entries of the audit log.

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::{
    ids::{AccountId, EventId, GrantId, KeyId, PersonId},
    instant::Instant,
};

/// Who makes a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    /// The holder of a key.
    Key(KeyId),
    /// A person who has signed in.
    Person(PersonId),
    /// An app, on behalf of the person who agreed to it.
    App(GrantId, PersonId),
    /// An administrator, by a command.
    Admin,
    /// A person who registers or has a private link.
    Attendee,
    /// Muster itself.
    System,
}

impl Actor {
    /// What kind of actor it is, as stored.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Key(_) => "key",
            Self::Person(_) => "person",
            Self::App(..) => "app",
            Self::Admin => "admin",
            Self::Attendee => "attendee",
            Self::System => "system",
        }
    }

    /// The key, when there is one.
    pub const fn key_id(self) -> Option<KeyId> {
        match self {
            Self::Key(key) => Some(key),
            Self::Person(_) | Self::App(..) | Self::Admin | Self::Attendee | Self::System => None,
        }
    }

    /// The person, when one has signed in or an app acts for them.
    pub const fn person_id(self) -> Option<PersonId> {
        match self {
            Self::Person(person) | Self::App(_, person) => Some(person),
            Self::Key(_) | Self::Admin | Self::Attendee | Self::System => None,
        }
    }

    /// The person or the key.
    pub fn id(self) -> Option<Uuid> {
        let key = self.key_id().map(KeyId::uuid);
        key.or_else(|| self.person_id().map(PersonId::uuid))
    }

    /// The key or the grant by which it is done, or the person who does it themselves.
    pub fn credential(self) -> Option<Uuid> {
        let grant = self.grant_id().map(GrantId::uuid);
        grant.or_else(|| self.id())
    }

    /// What the person agreed to, when an app acts for them.
    pub const fn grant_id(self) -> Option<GrantId> {
        match self {
            Self::App(grant, _) => Some(grant),
            Self::Key(_) | Self::Person(_) | Self::Admin | Self::Attendee | Self::System => None,
        }
    }
}

/// One append-only row, written in the transaction of the change.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditEntry {
    /// UUIDv7.
    pub id: Uuid,
    /// When.
    pub at: Instant,
    /// On whose account.
    pub account_id: Option<AccountId>,
    /// Who: `key`, `person`, `app`, `admin`, `attendee` or `system`.
    pub actor: &'static str,
    /// By which key, when by a key.
    pub key_id: Option<KeyId>,
    /// By whom, when by a person who has signed in; for whom, when by an app.
    pub person_id: Option<PersonId>,
    /// By which app, when by an app.
    pub grant_id: Option<GrantId>,
    /// What, for example `event.cancel`.
    pub action: &'static str,
    /// To what: an event, a key, an account.
    pub subject_id: Uuid,
    /// The event that it is about, if any.
    pub event_id: Option<EventId>,
    /// The changed fields before, as a JSON object.
    pub before: Option<serde_json::Value>,
    /// The changed fields after, as a JSON object.
    pub after: Option<serde_json::Value>,
    /// Why, in the actor's words.
    pub reason: Option<String>,
    /// Whether all entries of its kind on one day are one, which is counted: its id is then the same all day.
    pub is_counted: bool,
}

impl AuditEntry {
    /// The entry of the day for its kind, its subject and its account.
    #[must_use]
    pub fn counted_by_day(self) -> Self {
        const DAY_MICROS: i64 = 86_400_000_000;
        let day = self.at.micros().div_euclid(DAY_MICROS);
        let mut hash = Sha256::new();
        hash.update(self.action);
        hash.update(self.subject_id);
        hash.update(self.account_id.map_or(Uuid::nil(), AccountId::uuid));
        let hash: [u8; 32] = hash.finalize().into();
        let random: [u8; 10] = hash.first_chunk().copied().unwrap_or_default();
        let millis = u64::try_from(day * (DAY_MICROS / 1_000)).unwrap_or(0);
        Self {
            id: uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid(),
            is_counted: true,
            ..self
        }
    }

    /// The same entry on an account.
    #[must_use]
    pub fn on(self, id: Uuid, account: AccountId) -> Self {
        let is_counted = self.is_counted;
        let entry = Self {
            id,
            account_id: Some(account),
            ..self
        };
        if is_counted {
            entry.counted_by_day()
        } else {
            entry
        }
    }
}
