//! What the audit log says of a change.

use uuid::Uuid;

use super::{
    ids::{AccountId, KeyId},
    instant::Instant,
};

/// One append-only row, written in the transaction of the change it tells of.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditEntry {
    /// UUIDv7.
    pub id: Uuid,
    /// When.
    pub at: Instant,
    /// On whose account.
    pub account_id: Option<AccountId>,
    /// Who: `key`, `admin` or `system`.
    pub actor: &'static str,
    /// By which key, when by a key.
    pub key_id: Option<KeyId>,
    /// What, for example `event.cancel`.
    pub action: &'static str,
    /// To what: an event, a key, an account.
    pub subject_id: Uuid,
    /// The changed fields before, as a JSON object.
    pub before: Option<serde_json::Value>,
    /// The changed fields after, as a JSON object.
    pub after: Option<serde_json::Value>,
    /// Why, in the words of whoever did it.
    pub reason: Option<String>,
}
