//! What security mails say, and others to members about what they did not do.

use serde::{Deserialize, Serialize};

use super::as_text;
use crate::{
    ids::{AccountId, EventId, GrantId, KeyId, PersonId, WebhookId},
    person::Role,
};

/// What a security mail says. Names are read when it is written, unless they may be gone by then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecurityNotice {
    /// The recipient signed in with a browser that was new to them.
    SignedIn {
        /// What they recognize it by.
        device: String,
    },
    /// A key was made.
    KeyMade {
        /// The account.
        #[serde(with = "as_text")]
        account: AccountId,
        /// The key.
        #[serde(with = "as_text")]
        key: KeyId,
    },
    /// A key was replaced by a new one.
    KeyReplaced {
        /// The account.
        #[serde(with = "as_text")]
        account: AccountId,
        /// The new key.
        #[serde(with = "as_text")]
        key: KeyId,
    },
    /// A key of a member who was removed was replaced by one of who removed them.
    KeyTakenOver {
        /// The account.
        #[serde(with = "as_text")]
        account: AccountId,
        /// The new key.
        #[serde(with = "as_text")]
        key: KeyId,
    },
    /// A member connected an app.
    AppConnected {
        /// The account.
        #[serde(with = "as_text")]
        account: AccountId,
        /// What the member agreed to.
        #[serde(with = "as_text")]
        grant: GrantId,
    },
    /// An account has another owner.
    OwnerAdded {
        /// The account.
        #[serde(with = "as_text")]
        account: AccountId,
        /// The new owner.
        #[serde(with = "as_text")]
        member: PersonId,
    },
    /// A member has another role.
    RoleChanged {
        /// The account.
        #[serde(with = "as_text")]
        account: AccountId,
        /// The member.
        #[serde(with = "as_text")]
        member: PersonId,
        /// The old role.
        #[serde(with = "as_text")]
        before: Role,
        /// The new role.
        #[serde(with = "as_text")]
        after: Role,
        /// The number of events that the old one was for; absent for all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        events_before: Option<usize>,
        /// The number of events that the new one is for; absent for all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        events_after: Option<usize>,
    },
    /// A member was removed.
    MemberRemoved {
        /// The account.
        #[serde(with = "as_text")]
        account: AccountId,
        /// Who is a member no longer.
        #[serde(with = "as_text")]
        member: PersonId,
    },
    /// The recipient signs in with another address.
    EmailChanged,
    /// A newer time zone database changes the clocks at an event.
    ClocksChanged {
        /// The event.
        #[serde(with = "as_text")]
        event: EventId,
        /// Whether they skip its time.
        is_skipped: bool,
    },
    /// An account was removed.
    AccountRemoved {
        /// Its name.
        name: String,
    },
    /// Someone created a webhook, gave one another URL, or made one `full`, or someone who is no owner, a key or an app enabled one after it was
    /// disabled.
    WebhookMade {
        /// The account.
        #[serde(with = "as_text")]
        account: AccountId,
        /// The webhook.
        #[serde(with = "as_text")]
        webhook: WebhookId,
        /// Where it posted to then: it may be elsewhere by the time the mail is read.
        /// `None` if its messages are only pulled.
        host: Option<String>,
    },
    /// Nothing got through to a webhook for a day.
    WebhookFailing {
        /// The account.
        #[serde(with = "as_text")]
        account: AccountId,
        /// The webhook.
        #[serde(with = "as_text")]
        webhook: WebhookId,
    },
    /// A webhook was disabled: what is to be sent waits.
    WebhookDisabled {
        /// The account.
        #[serde(with = "as_text")]
        account: AccountId,
        /// The webhook.
        #[serde(with = "as_text")]
        webhook: WebhookId,
    },
    /// A message of theirs waits for the mails of the next day.
    MessageDelayed {
        /// The event.
        #[serde(with = "as_text")]
        event: EventId,
        /// Its number.
        number: i32,
    },
}
