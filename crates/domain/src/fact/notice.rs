//! The security mails that follow from a fact, so that people notice what is done in their name.

use super::{
    AccountChange, EventChange, Fact, KeyOrigin, KnownAs, MemberChange, MessageChange,
    PersonChange, WebhookChange,
};
use crate::{
    event::Event,
    ids::{AccountId, EventId, PersonId},
    job::SecurityNotice,
    person::{Position, Role},
    webhook::Webhook,
};

/// A security mail to each of its audience.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Who gets one.
    pub to: Audience,
    /// What it says.
    pub what: SecurityNotice,
}

/// Who gets a security mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// One person.
    Person(PersonId),
    /// The owners of an account, and the person concerned.
    Owners(AccountId, Option<PersonId>),
    /// All members of an account.
    Members(AccountId),
    /// Who organizes an event of an account.
    Organizers(AccountId, EventId),
}

impl Fact<'_> {
    /// The security mails that follow from the fact.
    pub fn notice(&self) -> Option<Notice> {
        let (to, what) = match *self {
            Self::PersonChanged { person, change } => {
                (Audience::Person(person), to_person(change)?)
            }
            Self::KeyCreated { key, origin } => {
                let (account, key_id) = (key.account_id, key.id);
                let what = match origin {
                    KeyOrigin::Demo => return None,
                    KeyOrigin::Made => SecurityNotice::KeyMade {
                        account,
                        key: key_id,
                    },
                    KeyOrigin::Replaces(_) => SecurityNotice::KeyReplaced {
                        account,
                        key: key_id,
                    },
                    KeyOrigin::TakesOver(_) => SecurityNotice::KeyTakenOver {
                        account,
                        key: key_id,
                    },
                };
                (Audience::Owners(account, key.person_id), what)
            }
            Self::AppConnected { grant } => {
                let (account, person) = (grant.account_id, grant.person_id);
                let what = SecurityNotice::AppConnected {
                    account,
                    grant: grant.id,
                };
                (Audience::Owners(account, Some(person)), what)
            }
            Self::MemberChanged {
                account,
                person,
                change,
            } => {
                let what = about_member(account, person, change)?;
                (Audience::Owners(account, Some(person)), what)
            }
            Self::AccountChanged {
                account,
                change: AccountChange::Removed(name),
            } => {
                let name = name.to_owned();
                let what = SecurityNotice::AccountRemoved { name };
                (Audience::Members(account), what)
            }
            Self::EventChanged {
                change: EventChange::ClocksMoved,
                before,
                after: event,
            } if before.schedule != event.schedule => about_clocks(event, false),
            Self::ClocksSkipped { event } => about_clocks(event, true),
            Self::MessageChanged {
                account,
                message,
                change: MessageChange::Delayed,
            } => {
                let what = SecurityNotice::MessageDelayed {
                    event: message.event_id,
                    number: message.number,
                };
                let author = message.author_person.map(Audience::Person);
                // Of one who left, someone else has to know.
                let organizers = Audience::Organizers(account, message.event_id);
                (author.unwrap_or(organizers), what)
            }
            Self::WebhookChanged { webhook, change } => {
                let what = about_webhook(webhook, change)?;
                (Audience::Owners(webhook.account_id, None), what)
            }
            _ => return None,
        };
        Some(Notice { to, what })
    }
}

fn about_clocks(event: &Event, is_skipped: bool) -> (Audience, SecurityNotice) {
    let what = SecurityNotice::ClocksChanged {
        event: event.id,
        is_skipped,
    };
    (Audience::Organizers(event.account_id, event.id), what)
}

fn about_webhook(webhook: &Webhook, change: WebhookChange) -> Option<SecurityNotice> {
    let host = webhook.host();
    let (account, webhook) = (webhook.account_id, webhook.id);
    match change {
        WebhookChange::Created { is_announced: true }
        | WebhookChange::Updated { is_announced: true } => Some(SecurityNotice::WebhookMade {
            account,
            webhook,
            host,
        }),
        WebhookChange::Failing => Some(SecurityNotice::WebhookFailing { account, webhook }),
        WebhookChange::Disabled => Some(SecurityNotice::WebhookDisabled { account, webhook }),
        WebhookChange::Created { .. }
        | WebhookChange::Updated { .. }
        | WebhookChange::SecretRotated
        | WebhookChange::Deleted
        | WebhookChange::Replayed(_) => None,
    }
}

fn to_person(change: PersonChange<'_>) -> Option<SecurityNotice> {
    match change {
        PersonChange::SignedIn {
            session,
            browser: KnownAs::New,
        } => Some(SecurityNotice::SignedIn {
            device: session.device.clone(),
        }),
        PersonChange::ChangedEmail | PersonChange::TookBackEmail => {
            Some(SecurityNotice::EmailChanged)
        }
        PersonChange::SignedIn { .. }
        | PersonChange::SteppedUp
        | PersonChange::WrongCode
        | PersonChange::EndedSessions { .. } => None,
    }
}

fn about_member(
    account: AccountId,
    member: PersonId,
    change: MemberChange<'_>,
) -> Option<SecurityNotice> {
    match change {
        MemberChange::Joined(Position {
            role: Role::Owner, ..
        }) => Some(SecurityNotice::OwnerAdded { account, member }),
        MemberChange::Moved { before, after } => Some(SecurityNotice::RoleChanged {
            account,
            member,
            before: before.role,
            after: after.role,
            events_before: before.events.map(<[_]>::len),
            events_after: after.events.map(<[_]>::len),
        }),
        MemberChange::Removed => Some(SecurityNotice::MemberRemoved { account, member }),
        MemberChange::Joined(_) | MemberChange::Left => None,
    }
}
