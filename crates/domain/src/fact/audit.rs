//! The audit log's entry for a fact.

mod entries;

use serde_json::json;
use uuid::Uuid;

pub(super) use entries::changed;
use entries::{
    Entry, account_changed, event_changed, exported, key_created, member_changed, person_changed,
    position, state, taken_down, webhook_changed,
};

use super::{Export, Fact, MessageChange, PersonChange};
use crate::{
    audit::{Actor, AuditEntry},
    ids::{EventId, PersonId, RegistrationId},
    instant::Instant,
    person::Position,
};

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
            | Self::MailChosen { event, .. }
            | Self::Exported {
                what: Export::Registrations(event),
                ..
            } => Some(event),
            Self::RegistrationChanged { after, .. } | Self::DetailsChanged { after, .. } => {
                Some(after.event_id)
            }
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
            Self::DetailsChanged {
                change,
                account,
                before,
                after,
            } => Entry::new(change.action(), account, after.id.uuid())
                .after(json!({ "changed": changed(before, after) })),
            Self::MailSentAgain {
                account,
                registration,
            } => Entry::new(
                "registration.send_mail_again",
                account,
                registration.id.uuid(),
            ),
            Self::RegistrationErased {
                account,
                registration,
                ..
            } => Entry::new("registration.erase", account, registration.uuid()),
            Self::MailChosen {
                choice,
                account,
                event,
                registration,
            } => Entry::new(
                choice.action(),
                account,
                registration.map_or(event.uuid(), RegistrationId::uuid),
            ),
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
