//! The audit log's entry for a fact.

use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    AccountChange, EventChange, Export, Fact, KeyOrigin, KnownAs, MemberChange, MessageChange,
    PersonChange, RegistrationChange, WebhookChange,
};
use crate::{
    account::ApiKey,
    audit::{Actor, AuditEntry},
    event::Event,
    ids::{AccountId, EventId, PersonId, RegistrationId},
    instant::Instant,
    person::Position,
    registration::Registration,
    webhook::Webhook,
};

/// An action and its subject, without actor and time.
struct Entry {
    action: &'static str,
    account: Option<AccountId>,
    subject: Uuid,
    before: Option<Value>,
    after: Option<Value>,
    reason: Option<String>,
}

impl Entry {
    fn new(action: &'static str, account: AccountId, subject: Uuid) -> Self {
        Self {
            account: Some(account),
            ..Self::of_person(action, subject)
        }
    }

    /// An entry about a person, which is on all their accounts, too.
    fn of_person(action: &'static str, subject: Uuid) -> Self {
        Self {
            action,
            account: None,
            subject,
            before: None,
            after: None,
            reason: None,
        }
    }

    fn after(self, after: Value) -> Self {
        Self {
            after: Some(after),
            ..self
        }
    }
}

impl Fact<'_> {
    /// The fact's row in the audit log; `None` for facts that nobody decided.
    pub fn audit(&self, id: Uuid, at: Instant, actor: Actor) -> Option<AuditEntry> {
        let entry = self.entry()?;
        let is_counted = self.is_counted();
        let entry = AuditEntry {
            id,
            at,
            account_id: entry.account,
            actor: actor.name(),
            key_id: actor.key_id(),
            person_id: actor.person_id(),
            grant_id: actor.grant_id(),
            action: entry.action,
            subject_id: entry.subject,
            event_id: self.event(),
            before: entry.before,
            after: entry.after,
            reason: entry.reason,
            is_counted,
        };
        Some(if is_counted {
            entry.counted_by_day()
        } else {
            entry
        })
    }

    /// The person to whom it happened, if it is about no account: their accounts have the entry, too.
    pub const fn person(&self) -> Option<PersonId> {
        match *self {
            Self::PersonChanged { person, .. } => Some(person),
            _ => None,
        }
    }

    /// Whether strangers can cause it, so that there is one entry a day.
    const fn is_counted(&self) -> bool {
        matches!(
            self,
            Self::PersonChanged {
                change: PersonChange::WrongCode,
                ..
            }
        )
    }

    /// The event that it is about.
    fn event(&self) -> Option<EventId> {
        match *self {
            Self::EventCreated { event, .. }
            | Self::EventDeleted { event }
            | Self::WaitlistPromoted { event, .. }
            | Self::SeatsReleased { event, .. }
            | Self::RegistrationsLapsed { event, .. }
            | Self::EventAnnounced { event }
            | Self::EventTakenDown { event, .. }
            | Self::ClocksSkipped { event }
            | Self::ReminderDue { event, .. }
            | Self::ReminderMissed { event, .. }
            | Self::CoverStored { event }
            | Self::OwnCover { event } => Some(event.id),
            Self::EventChanged { after, .. } | Self::EventMoved { after, .. } => Some(after.id),
            Self::RegistrationMade { event, .. }
            | Self::RegistrationRepeated { event, .. }
            | Self::RegistrationErased { event, .. }
            | Self::MailRefused { event, .. }
            | Self::RemindersRefused { event, .. }
            | Self::MessagesRefused { event, .. }
            | Self::Exported {
                what: Export::Registrations(event),
                ..
            } => Some(event),
            Self::RegistrationChanged { after, .. }
            | Self::RegistrationEdited { after, .. }
            | Self::AnswersChanged { after, .. }
            | Self::DetailsTakenOver { after, .. } => Some(after.event_id),
            Self::MailSentAgain { registration, .. } => Some(registration.event_id),
            Self::MessageChanged { message, .. } => Some(message.event_id),
            Self::WebhookChanged { webhook, .. } => webhook.event_id,
            _ => None,
        }
    }

    #[expect(
        clippy::too_many_lines,
        reason = "one match over every fact, so that a new one must be decided on"
    )]
    fn entry(&self) -> Option<Entry> {
        Some(match *self {
            Self::RegistrationMade {
                account,
                event,
                registration,
                status,
                ..
            } => Entry::new("registration.create", account, registration.uuid())
                .after(json!({ "event_id": event.to_string(), "status": status.name() })),
            Self::RegistrationRepeated {
                account,
                event,
                registration,
            } => Entry::new("registration.repeat", account, registration.uuid())
                .after(json!({ "event_id": event.to_string() })),
            Self::RegistrationChanged {
                change,
                account,
                before,
                after,
            } => Entry {
                before: Some(state(before)),
                ..Entry::new(change.action(), account, after.id.uuid()).after(state(after))
            },
            Self::RegistrationEdited {
                account,
                before,
                after,
            } => Entry::new("registration.update", account, after.id.uuid())
                .after(json!({ "changed": changed(before, after) })),
            Self::MailSentAgain {
                account,
                registration,
            } => Entry::new(
                "registration.send_mail_again",
                account,
                registration.id.uuid(),
            ),
            Self::AnswersChanged {
                account,
                before,
                after,
            } => Entry::new("registration.change_answers", account, after.id.uuid())
                .after(json!({ "changed": changed(before, after) })),
            Self::DetailsTakenOver {
                account,
                before,
                after,
            } => Entry::new("registration.take_over_details", account, after.id.uuid())
                .after(json!({ "changed": changed(before, after) })),
            Self::RegistrationErased {
                account,
                registration,
                ..
            } => Entry::new("registration.erase", account, registration.uuid()),
            Self::MailRefused {
                account,
                event,
                registration,
            } => Entry::new(
                "registration.refuse_mail",
                account,
                registration_or(registration, event),
            ),
            Self::RemindersRefused {
                account,
                registration,
                ..
            } => Entry::new(
                "registration.refuse_reminders",
                account,
                registration.uuid(),
            ),
            Self::MessagesRefused {
                account,
                event,
                registration,
                again,
            } => {
                let action = if again {
                    "registration.resume_messages"
                } else {
                    "registration.stop_messages"
                };
                Entry::new(action, account, registration_or(registration, event))
            }
            // Its text is of no concern to the log.
            Self::MessageChanged {
                account,
                message,
                change,
            } => Entry {
                reason: message.stop_reason.map(|why| why.words().to_owned()),
                ..Entry::new(change.action(), account, message.id.uuid()).after(match change {
                    MessageChange::Begun { .. } => {
                        json!({ "number": message.number, "recipients": message.recipients })
                    }
                    _ => json!({ "number": message.number }),
                })
            },
            Self::WebhookChanged { webhook, change } => webhook_changed(webhook, change)?,
            Self::EventCreated { .. }
            | Self::EventDeleted { .. }
            | Self::EventChanged { .. }
            | Self::ClocksSkipped { .. }
            | Self::WaitlistPromoted { .. }
            | Self::SeatsReleased { .. }
            | Self::RegistrationsLapsed { .. }
            | Self::ReminderDue { .. }
            | Self::ReminderMissed { .. }
            | Self::OwnCover { .. }
            | Self::EventTakenDown { .. } => return self.of_event(),
            Self::AccountCreated { .. }
            | Self::PlanSet { .. }
            | Self::AccountChanged { .. }
            | Self::KeyCreated { .. }
            | Self::KeyRevoked { .. }
            | Self::AppConnected { .. }
            | Self::AppDisconnected { .. } => return self.of_account(),
            Self::MemberInvited { .. }
            | Self::InvitationEnded { .. }
            | Self::MemberChanged { .. } => return self.of_members(),
            Self::PersonChanged { person, change } => person_changed(person, change),
            Self::Exported { account, what } => exported(account, what),
            Self::MailRetried { account, job } => {
                Entry::new("mail.retry", account?, job.subject_id)
                    .after(json!({ "kind": job.kind.name() }))
            }
            // The change itself has a row.
            Self::EventMoved { .. }
            | Self::EventAnnounced { .. }
            | Self::EventWithdrawn { .. }
            | Self::CoverStored { .. }
            | Self::CodeMade { .. }
            | Self::AddressLeft { .. }
            | Self::MessageTested { .. }
            | Self::OrganizerMailDue { .. } => return None,
        })
    }

    /// The entry of a fact about an event.
    fn of_event(&self) -> Option<Entry> {
        Some(match *self {
            Self::EventCreated { event, is_copy } => {
                let action = if is_copy {
                    "event.copy"
                } else {
                    "event.create"
                };
                Entry::new(action, event.account_id, event.id.uuid()).after(event.creation().after)
            }
            Self::EventDeleted { event } => Entry {
                before: Some(event.creation().after),
                ..Entry::new("event.delete", event.account_id, event.id.uuid())
            },
            Self::EventChanged {
                change,
                before,
                after,
            } => event_changed(change, before, after),
            Self::ClocksSkipped { event } => {
                let zone = json!({ "timezone": event.schedule.timezone });
                Entry::new("event.skip_clocks", event.account_id, event.id.uuid()).after(zone)
            }
            Self::WaitlistPromoted { event, promoted } => {
                let subject = event.id.uuid();
                Entry::new("event.promote_waitlist", event.account_id, subject)
                    .after(json!({ "promoted": promoted.len() }))
            }
            Self::SeatsReleased { event, count } => {
                let subject = event.id.uuid();
                Entry::new("event.release_seats", event.account_id, subject)
                    .after(json!({ "released": count }))
            }
            Self::RegistrationsLapsed {
                event,
                registrations,
            } => {
                let subject = event.id.uuid();
                Entry::new("event.lapse_registrations", event.account_id, subject)
                    .after(json!({ "lapsed": registrations.len() }))
            }
            Self::EventTakenDown { event, reason } => taken_down(event, reason),
            Self::ReminderDue {
                event,
                reminder,
                count,
            } => Entry::new("event.remind", event.account_id, event.id.uuid())
                .after(json!({ "hours": reminder.hours, "reminded": count })),
            Self::ReminderMissed { event, reminder } => {
                Entry::new("event.miss_reminder", event.account_id, event.id.uuid())
                    .after(json!({ "hours": reminder.hours }))
            }
            Self::OwnCover { event } => {
                let action = if event.has_own_cover {
                    "event.put_cover"
                } else {
                    "event.delete_cover"
                };
                Entry::new(action, event.account_id, event.id.uuid())
            }
            _ => return None,
        })
    }

    /// The entry of a fact about an account or a key.
    fn of_account(&self) -> Option<Entry> {
        Some(match *self {
            Self::AccountCreated { account } => {
                Entry::new("account.create", account.id, account.id.uuid())
                    .after(json!({ "plan": account.plan.name() }))
            }
            Self::PlanSet {
                account,
                before,
                after,
            } => Entry {
                before: Some(json!({ "plan": before.name() })),
                ..Entry::new("account.set_plan", account, account.uuid())
                    .after(json!({ "plan": after.name() }))
            },
            Self::AccountChanged { account, change } => account_changed(account, change),
            Self::KeyCreated { key, origin } => key_created(key, origin),
            Self::KeyRevoked { account, key } => Entry::new("key.revoke", account, key.uuid()),
            Self::AppConnected { grant } => {
                Entry::new("app.connect", grant.account_id, grant.id.uuid())
                    .after(json!({ "scopes": grant.scopes.joined(" ") }))
            }
            Self::AppDisconnected { grant, why } => {
                Entry::new("app.disconnect", grant.account_id, grant.id.uuid())
                    .after(json!({ "why": why.name() }))
            }
            _ => return None,
        })
    }

    /// The entry of a fact about members.
    fn of_members(&self) -> Option<Entry> {
        Some(match *self {
            Self::MemberInvited { invitation, events } => {
                let (account, id) = (invitation.account_id, invitation.id.uuid());
                let role = invitation.rights.role;
                Entry::new("member.invite", account, id).after(position(Position { role, events }))
            }
            Self::InvitationEnded {
                account,
                invitation,
            } => Entry::new("member.end_invitation", account, invitation.uuid()),
            Self::MemberChanged {
                account,
                person,
                change,
            } => member_changed(account, person.uuid(), change),
            _ => return None,
        })
    }
}

/// What an entry is about: a registration, or the event if the registration is someone else's by now.
fn registration_or(registration: Option<RegistrationId>, event: EventId) -> Uuid {
    registration.map_or_else(|| event.uuid(), RegistrationId::uuid)
}

fn taken_down(event: &Event, reason: Option<&str>) -> Entry {
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

fn account_changed(account: AccountId, change: AccountChange<'_>) -> Entry {
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

fn member_changed(account: AccountId, person: Uuid, change: MemberChange<'_>) -> Entry {
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
fn position(Position { role, events }: Position<'_>) -> Value {
    match events {
        None => json!({ "role": role.name() }),
        Some(events) => {
            let ids: Vec<_> = events.iter().map(ToString::to_string).collect();
            json!({ "role": role.name(), "events": ids })
        }
    }
}

fn person_changed(person: PersonId, change: PersonChange<'_>) -> Entry {
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

fn exported(account: AccountId, what: Export) -> Entry {
    match what {
        Export::Registrations(event) => {
            Entry::new("event.export_registrations", account, event.uuid())
        }
        Export::Activity => Entry::new("account.export_activity", account, account.uuid()),
        Export::Account => Entry::new("account.export", account, account.uuid()),
    }
}

fn key_created(key: &ApiKey, origin: KeyOrigin) -> Entry {
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
fn webhook_changed(webhook: &Webhook, change: WebhookChange) -> Option<Entry> {
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

fn event_changed(change: EventChange, before: &Event, after: &Event) -> Entry {
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
pub(super) fn changed(before: &Registration, after: &Registration) -> Vec<&'static str> {
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
fn state(registration: &Registration) -> Value {
    json!({
        "status": registration.status.name(),
        "checked_in": registration.checked_in_at.is_some(),
    })
}

impl EventChange {
    const fn action(self) -> &'static str {
        match self {
            Self::Updated => "event.update",
            Self::ClocksMoved => "event.move_clocks",
            Self::Published => "event.publish",
            Self::Unpublished => "event.unpublish",
            Self::Cancelled { .. } => "event.cancel",
        }
    }
}

impl RegistrationChange {
    const fn action(self) -> &'static str {
        match self {
            Self::Approved => "registration.approve",
            Self::Confirmed => "registration.confirm",
            Self::Cancelled => "registration.cancel",
            Self::Declined => "registration.decline",
            Self::Promoted => "registration.promote",
            Self::CheckedIn => "registration.check_in",
            Self::CheckInUndone => "registration.undo_check_in",
        }
    }
}
