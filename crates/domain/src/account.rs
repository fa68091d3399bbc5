//! Accounts and their keys as they are stored.

use muster_api::validation::breaks_a_line;

use super::{
    ids::{AccountId, KeyId, PersonId},
    instant::Instant,
    plan::{Plan, Plans},
    scope::Scopes,
    violation::Violations,
};

/// The same limit as for names of registrants.
const MAX_NAME_CHARACTERS: usize = 200;

/// The owner of events, and what its members share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its identifier.
    pub id: AccountId,
    /// The address of its first owner; empty if it has none.
    pub email: String,
    /// Its name.
    pub name: String,
    /// The plan.
    pub plan: Plan,
    /// IANA time zone of new events that name none; the instance's default if absent.
    pub timezone: Option<String>,
    /// Whether the operator has suspended it; so is one that is being removed.
    pub is_suspended: bool,
    /// Whether it may mail people who did not register themselves as often as its plan allows.
    pub is_trusted: bool,
    /// When it was created.
    pub created_at: Instant,
}

impl Account {
    /// The name of an account that was named after a person who was erased.
    pub const ERASED_NAME: &str = "erased";

    /// How many people who did not register themselves it may mail a day; `None` if only its plan limits that.
    pub fn stranger_mails(&self, plans: &Plans) -> Option<u32> {
        plans.new_account_mails.filter(|_| !self.is_trusted)
    }
}

/// What goes with an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountContents {
    /// Events in any state.
    pub events: i64,
    /// Registrations in any status.
    pub registrations: i64,
    /// Members.
    pub members: i64,
    /// Keys that are not revoked.
    pub keys: i64,
    /// Events that are neither cancelled nor ended and for which people are registered.
    pub awaited_events: i64,
    /// Mails about cancelled events that are not sent yet.
    pub waiting_mails: i64,
}

/// An API key as it is stored: never the key, only its SHA-256.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// Its identifier, which `key revoke` takes.
    pub id: KeyId,
    /// Its account.
    pub account_id: AccountId,
    /// For whom it acts: it is worth no more than their role. Nobody once that person is erased; then it is invalid.
    pub person_id: Option<PersonId>,
    /// Its name in lists.
    pub label: String,
    /// SHA-256 of the whole key.
    pub hash: [u8; 32],
    /// What it may be used for.
    pub scopes: Scopes,
    /// When it was created.
    pub created_at: Instant,
    /// When it was last used, approximately: it is written with a delay.
    pub last_used_at: Option<Instant>,
    /// When it expires.
    pub expires_at: Option<Instant>,
    /// When it was revoked.
    pub revoked_at: Option<Instant>,
}

/// Whether a text is one line, without marks that reorder it.
pub fn is_line(text: &str) -> bool {
    !text.chars().any(breaks_a_line)
}

/// Checks the name of an account or the label of a key. Administrators enter them, so the proto's limits do not apply.
pub fn check_name(field: &str, name: &str, violations: &mut Violations) {
    if name.trim().is_empty() {
        violations.add(field, "must not be blank");
    }
    if !is_line(name) {
        violations.add(
            field,
            "must not have control characters, line breaks or marks that reorder text",
        );
    }
    if name.chars().count() > MAX_NAME_CHARACTERS {
        violations.add(
            field,
            format!("must have at most {MAX_NAME_CHARACTERS} characters"),
        );
    }
}
