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
    /// Its present name in the address of its public page; without one it has no such page.
    pub handle: Option<String>,
    /// What that page says of it, in Markdown.
    pub about: Option<String>,
    /// Its website.
    pub website: Option<String>,
    /// When it was created.
    pub created_at: Instant,
}

/// An account as the public sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Organizer {
    /// The account.
    pub id: AccountId,
    /// Its present handle.
    pub handle: String,
    /// Its name.
    pub name: String,
    /// What it says of itself, in Markdown.
    pub about: Option<String>,
    /// Its website.
    pub website: Option<String>,
}

/// What events say of the account that organizes them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OrganizerName {
    /// The account's name.
    pub name: String,
    /// Its handle, if it has a public page.
    pub handle: Option<String>,
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

/// Why a text is not the address of a website.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a web address that begins with https://")]
pub struct InvalidWebsite;

/// Reads the address of a website. Pages link to it, so it leads nowhere but to a site, and shows where.
///
/// # Errors
/// When it is anything else.
pub fn website(text: &str) -> Result<String, InvalidWebsite> {
    let url = url::Url::parse(text).map_err(|_| InvalidWebsite)?;
    let is_plain = url.username().is_empty() && url.password().is_none();
    let has_name = url.domain().is_some_and(|domain| domain.contains('.'));
    if url.scheme() == "https" && is_plain && has_name {
        Ok(url.into())
    } else {
        Err(InvalidWebsite)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_website_is_an_https_address_of_a_host_with_a_name() {
        for (text, url) in [
            ("https://rust.berlin", "https://rust.berlin/"),
            ("HTTPS://Rust.Berlin/a?b#c", "https://rust.berlin/a?b#c"),
            ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ] {
            assert_eq!(website(text).as_deref(), Ok(url));
        }
        for text in [
            "rust.berlin",
            "http://rust.berlin",
            "javascript:alert(1)",
            "https://ada:secret@rust.berlin",
            "https://ada@rust.berlin",
            "https://localhost",
            "https://127.0.0.1",
            "https://[::1]/",
            "https://",
        ] {
            assert_eq!(website(text), Err(InvalidWebsite), "{text}");
        }
    }
}
