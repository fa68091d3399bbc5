//! Entries of the audit log, as the changes in facts make them.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    account::ApiKey,
    event::Event,
    fact::{
        AccountChange, EventChange, Export, KeyOrigin, KnownAs, MemberChange, PersonChange,
        WebhookChange,
    },
    ids::{AccountId, PersonId},
    person::Position,
    registration::Registration,
    webhook::Webhook,
};

/// An action and its subject, without actor and time.
pub(super) struct Entry {
    pub(super) action: &'static str,
    pub(super) account: Option<AccountId>,
    pub(super) subject: Uuid,
    pub(super) before: Option<Value>,
    pub(super) after: Option<Value>,
    pub(super) reason: Option<String>,
}

impl Entry {
    pub(super) fn new(action: &'static str, account: AccountId, subject: Uuid) -> Self {
        Self {
            account: Some(account),
            ..Self::of_person(action, subject)
        }
    }

    /// An entry about a person, which is on all their accounts, too.
    pub(super) fn of_person(action: &'static str, subject: Uuid) -> Self {
        Self {
            action,
            account: None,
            subject,
            before: None,
            after: None,
            reason: None,
        }
    }

    pub(super) fn after(self, after: Value) -> Self {
        Self {
            after: Some(after),
            ..self
        }
    }
}

pub(super) fn taken_down(event: &Event, reason: Option<&str>) -> Entry {
    let action = if event.is_hidden {
        "event.hide"
    } else {
        "event.show"
    };
    Entry {
        reason: reason.map(str::to_owned),
        ..Entry::new(action, event.account_id, event.id.uuid())
    }
}

pub(super) fn account_changed(account: AccountId, change: AccountChange<'_>) -> Entry {
    let (action, reason) = match change {
        AccountChange::Updated => ("account.update", None),
        AccountChange::HandleChanged => ("account.change_handle", None),
        AccountChange::Suspended(reason) => ("account.suspend", reason),
        AccountChange::Resumed => ("account.resume", None),
        AccountChange::MailHeld => ("account.hold_mail", None),
        AccountChange::MailReleased => ("account.release_mail", None),
        AccountChange::MailDropped(_) => ("account.drop_mail", None),
        AccountChange::Trusted => ("account.trust", None),
        AccountChange::Removed(_) => ("account.remove", None),
        AccountChange::Erased => ("account.erase", None),
    };
    let dropped = match change {
        AccountChange::MailDropped(mails) => Some(json!({ "dropped": mails })),
        _ => None,
    };
    Entry {
        after: dropped,
        reason: reason.map(str::to_owned),
        ..Entry::new(action, account, account.uuid())
    }
}

pub(super) fn member_changed(account: AccountId, person: Uuid, change: MemberChange<'_>) -> Entry {
    match change {
        MemberChange::Joined(joined) => {
            Entry::new("member.join", account, person).after(position(joined))
        }
        MemberChange::Moved { before, after } => Entry {
            before: Some(position(before)),
            ..Entry::new("member.change_role", account, person).after(position(after))
        },
        MemberChange::Left => Entry::new("member.leave", account, person),
        MemberChange::Removed => Entry::new("member.remove", account, person),
    }
}

/// The role, and the events that it is for, if not for all.
pub(super) fn position(Position { role, events }: Position<'_>) -> Value {
    match events {
        None => json!({ "role": role.name() }),
        Some(events) => {
            let ids: Vec<_> = events.iter().map(ToString::to_string).collect();
            json!({ "role": role.name(), "events": ids })
        }
    }
}

pub(super) fn person_changed(person: PersonId, change: PersonChange<'_>) -> Entry {
    let entry = |action| Entry::of_person(action, person.uuid());
    match change {
        PersonChange::SignedIn { session, browser } => {
            let mut after = json!({ "device": session.device, "network": session.network });
            if browser == KnownAs::New {
                after["new_browser"] = true.into();
            }
            entry("person.sign_in").after(after)
        }
        PersonChange::SteppedUp => entry("person.step_up"),
        PersonChange::WrongCode => entry("person.wrong_code"),
        PersonChange::EndedSessions { count, device } => {
            entry("person.end_sessions").after(json!({ "sessions": count, "device": device }))
        }
        PersonChange::ChangedEmail => entry("person.change_email"),
        PersonChange::TookBackEmail => entry("person.take_back_email"),
    }
}

pub(super) fn exported(account: AccountId, what: Export) -> Entry {
    match what {
        Export::Registrations(event) => {
            Entry::new("event.export_registrations", account, event.uuid())
        }
        Export::Activity => Entry::new("account.export_activity", account, account.uuid()),
        Export::Account => Entry::new("account.export", account, account.uuid()),
    }
}

pub(super) fn key_created(key: &ApiKey, origin: KeyOrigin) -> Entry {
    let (action, replaced) = match origin {
        KeyOrigin::Made | KeyOrigin::Demo => ("key.create", None),
        KeyOrigin::Replaces(old) => ("key.replace", Some(old)),
        KeyOrigin::TakesOver(old) => ("key.take_over", Some(old)),
    };
    let mut after = json!({ "label": key.label });
    if let Some(scopes) = key.scopes.stored() {
        after["scopes"] = scopes.into();
    }
    if let Some(end) = key.expires_at {
        after["expires_at"] = end.to_string().into();
    }
    if let Some(old) = replaced {
        after["replaces"] = old.to_string().into();
    }
    Entry::new(action, key.account_id, key.id.uuid()).after(after)
}

/// Its URL is not recorded but for the host: the rest may hold a secret.
pub(super) fn webhook_changed(webhook: &Webhook, change: WebhookChange) -> Option<Entry> {
    let entry = Entry::new(change.action()?, webhook.account_id, webhook.id.uuid());
    Some(match change {
        WebhookChange::Replayed(count) => entry.after(json!({ "replayed": count })),
        WebhookChange::Deleted | WebhookChange::SecretRotated => entry,
        _ => Entry {
            reason: webhook.disabled_reason.map(|why| why.name().to_owned()),
            ..entry.after(json!({
                "state": webhook.state.name(),
                "host": webhook.host(),
                "content": webhook.content.name(),
            }))
        },
    })
}

pub(super) fn event_changed(change: EventChange, before: &Event, after: &Event) -> Entry {
    let changes = before.changes_to(after);
    let (before, fields) = changes.map_or((None, None), |changes| {
        (changes.before, Some(changes.after))
    });
    let is_cancelled = matches!(change, EventChange::Cancelled { .. });
    Entry {
        before,
        after: fields,
        reason: after.cancel_reason.clone().filter(|_| is_cancelled),
        ..Entry::new(change.action(), after.account_id, after.id.uuid())
    }
}

/// The fields that changed, without their values, which are personal data.
pub(in crate::fact) fn changed(before: &Registration, after: &Registration) -> Vec<&'static str> {
    let name = (before.name != after.name).then_some("name");
    let email = (before.email != after.email).then_some("email");
    let answers = (before.answers != after.answers).then_some("answers");
    let (party, then) = (&before.party, &after.party);
    let size = (party.size != then.size).then_some("party_size");
    let companions = (party.companions != then.companions).then_some("companions");
    let changed = [name, email, answers, size, companions];
    changed.into_iter().flatten().collect()
}

/// Contains no personal data.
pub(super) fn state(registration: &Registration) -> Value {
    json!({
        "status": registration.status.name(),
        "checked_in": registration.checked_in_at.is_some(),
    })
}
