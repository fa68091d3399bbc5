//! The messages to programs that follow from a fact.

use super::{EventChange, Fact, MessageChange, RegistrationChange, audit::changed};
use crate::{
    event::Event,
    ids::AccountId,
    registration::{Registration, Status},
    webhook::{Subject, WebhookType},
};

/// What programs of an account learn of a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// The account.
    pub account: AccountId,
    /// What happened.
    pub kind: WebhookType,
    /// To what.
    pub subject: Subject,
}

impl Fact<'_> {
    /// The messages that follow from the fact: one, or one for each registration. That an event is cancelled is one message.
    #[expect(
        clippy::too_many_lines,
        reason = "one match over every fact, so that a new one must be decided on"
    )]
    pub fn outgoing(&self) -> Vec<Outgoing> {
        let one = match *self {
            Self::EventCreated { event, .. } => of_event(WebhookType::EventCreated, event),
            Self::EventDeleted { event } => of_event(WebhookType::EventDeleted, event),
            Self::EventChanged {
                change,
                before,
                after,
            } => event_changed(change, before, after),
            Self::CoverStored { event } | Self::OwnCover { event } => {
                event_updated(event, ["image_url"])
            }
            Self::EventTakenDown { event, .. } => event_updated(event, ["is_hidden"]),
            Self::WaitlistPromoted { event, promoted } => {
                let promoted = promoted.iter().map(|party| Outgoing {
                    account: event.account_id,
                    kind: WebhookType::RegistrationPromoted,
                    subject: Subject::registration(event.id, party.id)
                        .with_status(Status::Confirmed.name()),
                });
                return promoted.collect();
            }
            Self::RegistrationsLapsed {
                event,
                registrations,
            } => {
                let lapsed = registrations.iter().map(|&registration| Outgoing {
                    account: event.account_id,
                    kind: WebhookType::RegistrationLapsed,
                    subject: Subject::registration(event.id, registration)
                        .with_status(Status::Cancelled.name()),
                });
                return lapsed.collect();
            }
            Self::RegistrationMade {
                account,
                event,
                registration,
                status,
                ..
            } => Outgoing {
                account,
                kind: WebhookType::RegistrationCreated,
                subject: Subject::registration(event, registration).with_status(status.name()),
            },
            Self::RegistrationChanged {
                change,
                account,
                after,
                ..
            } => of_registration(registration_type(change), account, after),
            Self::DetailsChanged {
                account,
                before,
                after,
                ..
            } => {
                let updated = of_registration(WebhookType::RegistrationUpdated, account, after);
                Outgoing {
                    subject: updated.subject.with_changed(changed(before, after)),
                    ..updated
                }
            }
            Self::RegistrationErased {
                account,
                event,
                registration,
            } => Outgoing {
                account,
                kind: WebhookType::RegistrationErased,
                subject: Subject::registration(event, registration),
            },
            Self::MessageChanged {
                account,
                message,
                change: MessageChange::Begun { .. },
            } => Outgoing {
                account,
                kind: WebhookType::MessageSent,
                subject: Subject {
                    event_id: Some(message.event_id),
                    message_id: Some(message.id),
                    ..Subject::default()
                },
            },
            // Of others, a message that they cause says enough, or they are of no concern to programs.
            Self::EventMoved { .. }
            | Self::EventAnnounced { .. }
            | Self::EventWithdrawn { .. }
            | Self::ClocksSkipped { .. }
            | Self::RegistrationRepeated { .. }
            | Self::SeatsReleased { .. }
            | Self::MailSentAgain { .. }
            | Self::AddressLeft { .. }
            | Self::AccountCreated { .. }
            | Self::PlanSet { .. }
            | Self::AccountChanged { .. }
            | Self::KeyCreated { .. }
            | Self::KeyRevoked { .. }
            | Self::MemberInvited { .. }
            | Self::InvitationEnded { .. }
            | Self::MemberChanged { .. }
            | Self::AppConnected { .. }
            | Self::AppDisconnected { .. }
            | Self::PersonChanged { .. }
            | Self::Exported { .. }
            | Self::CodeMade { .. }
            | Self::OrganizerMailDue { .. }
            | Self::MailRetried { .. }
            | Self::MailChosen { .. }
            | Self::ReminderDue { .. }
            | Self::ReminderMissed { .. }
            | Self::MessageChanged { .. }
            | Self::MessageTested { .. }
            | Self::WebhookChanged { .. } => return Vec::new(),
        };
        vec![one]
    }
}

fn of_event(kind: WebhookType, event: &Event) -> Outgoing {
    Outgoing {
        account: event.account_id,
        kind,
        subject: Subject::event(event),
    }
}

fn event_updated<T: AsRef<str>>(event: &Event, names: impl IntoIterator<Item = T>) -> Outgoing {
    let updated = of_event(WebhookType::EventUpdated, event);
    Outgoing {
        subject: updated.subject.with_changed(names),
        ..updated
    }
}

fn event_changed(change: EventChange, before: &Event, after: &Event) -> Outgoing {
    match change {
        EventChange::Updated | EventChange::ClocksMoved => {
            event_updated(after, before.changed_fields(after))
        }
        EventChange::Published => of_event(WebhookType::EventPublished, after),
        EventChange::Unpublished => of_event(WebhookType::EventUnpublished, after),
        EventChange::Cancelled { .. } => of_event(WebhookType::EventCancelled, after),
    }
}

fn of_registration(kind: WebhookType, account: AccountId, after: &Registration) -> Outgoing {
    Outgoing {
        account,
        kind,
        subject: Subject::registration(after.event_id, after.id).with_status(after.status.name()),
    }
}

const fn registration_type(change: RegistrationChange) -> WebhookType {
    match change {
        RegistrationChange::Approved => WebhookType::RegistrationApproved,
        RegistrationChange::Confirmed => WebhookType::RegistrationConfirmed,
        RegistrationChange::Cancelled => WebhookType::RegistrationCancelled,
        RegistrationChange::Declined => WebhookType::RegistrationDeclined,
        RegistrationChange::Promoted => WebhookType::RegistrationPromoted,
        RegistrationChange::CheckedIn => WebhookType::RegistrationCheckedIn,
        RegistrationChange::CheckInUndone => WebhookType::RegistrationCheckInUndone,
    }
}
