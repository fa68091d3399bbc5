//! The jobs that follow from a fact.

use super::{DetailsChange, EventChange, Fact, MessageChange, RegistrationChange};
use crate::{
    announcement::Announcement,
    audit::Actor,
    email,
    event::{ByAudience, Event, Reminder, ReminderPlan, TimeAndPlace, WhenAndWhere},
    ids::{AccountId, EventId, MessageId, RegistrationId},
    instant::Instant,
    job::{self, Job, Task},
    message::{self, Message},
    registration::{Awaits, Registration, Status},
};

/// Mails to many registrants of an event. Each kind is scheduled by one statement, whatever the number of registrants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mailing {
    /// To every active registrant: the event is cancelled.
    Cancellation {
        /// The event.
        event: EventId,
        /// How many of those whom an organizer added get one at most; `None`: all of them.
        max_added: Option<i32>,
    },
    /// Not yet: registrants know the time and place before a change, and are told later.
    Change {
        /// The event.
        event: EventId,
        /// What they know, unless they were last told something else.
        known: ByAudience<TimeAndPlace>,
        /// The same in words, for the mails.
        former: Box<ByAudience<WhenAndWhere>>,
        /// When they are told; `None` if nobody can be.
        announcement: Option<Announcement>,
    },
    /// To every active registrant who knows another time or place.
    Announcement {
        /// The event.
        event: EventId,
        /// The time and place that they are told.
        current: ByAudience<TimeAndPlace>,
        /// The event's `sequence`.
        sequence: i32,
    },
    /// To those of the waitlist who get seats.
    Promotion {
        /// Their registrations.
        registrations: Vec<RegistrationId>,
    },
    /// To everyone with a seat, but for those who registered just before or want no reminders.
    Reminder {
        /// The event.
        event: EventId,
        /// Which of its reminders.
        reminder: Reminder,
        /// The event's `sequence`.
        sequence: i32,
    },
    /// Not yet: a message begins at its time.
    Message {
        /// The message.
        message: MessageId,
        /// When.
        due_at: Instant,
    },
    /// To everyone in the audience of a message.
    MessageMails {
        /// The event.
        event: EventId,
        /// The message's number.
        number: i32,
        /// Who gets it.
        audience: message::Audience,
        /// How many of those whom an organizer added get one at most; `None`: all of them.
        max_added: Option<i32>,
    },
    /// None any more: a message is over. Those that wait are withdrawn.
    MessageEnd {
        /// The message.
        message: MessageId,
        /// The event.
        event: EventId,
        /// The message's number.
        number: i32,
    },
}

impl Fact<'_> {
    /// The single job that follows from the fact. `fetches_covers` says whether there is a provider of photographs.
    #[expect(
        clippy::too_many_lines,
        reason = "one match over every fact, so that a new one must be decided on"
    )]
    pub fn job(&self, now: Instant, fetches_covers: bool) -> Option<Job> {
        match *self {
            Self::EventCreated { event, .. } => cover(event, now, fetches_covers),
            Self::EventChanged { before, after, .. } if before.image_query != after.image_query => {
                cover(after, now, fetches_covers)
            }
            Self::RegistrationMade {
                registration,
                status,
                awaits_confirmation,
                is_mailed,
                ..
            } => is_mailed.then(|| {
                let task = if awaits_confirmation {
                    Task::ConfirmationMail
                } else {
                    first_mail(status)
                };
                Job::mail(task, registration)
            }),
            Self::RegistrationRepeated { registration, .. } => {
                Some(Job::registered_again_mail(registration, now))
            }
            Self::RegistrationChanged {
                change,
                before,
                after,
                ..
            } => match change {
                RegistrationChange::Approved => Some(Job::mail(Task::ApprovedMail, after.id)),
                RegistrationChange::Confirmed => {
                    Some(Job::mail(first_mail(after.status), after.id))
                }
                RegistrationChange::Cancelled => {
                    let held_a_seat = before.status == Status::Confirmed;
                    let task = Task::RegistrationCancelledMail { held_a_seat };
                    Some(Job::mail(task, after.id))
                }
                RegistrationChange::Declined => Some(Job::mail(Task::DeclinedMail, after.id)),
                RegistrationChange::Promoted => Some(Job::mail(Task::PromotedMail, after.id)),
                RegistrationChange::CheckedIn | RegistrationChange::CheckInUndone => None,
            },
            Self::DetailsChanged {
                change: DetailsChange::Edited,
                before,
                after,
                ..
            } if after.is_moved_from(before) => Some(sent_again(after, now)),
            Self::MailSentAgain { registration, .. } => Some(sent_again(registration, now)),
            Self::AddressLeft {
                registration,
                address,
            } => {
                let task = Task::AddressCorrectedMail {
                    address: address.to_owned(),
                };
                // Of several addresses within a minute, each is told.
                let [one, two, three, ..] = email::mailbox_hash(address);
                let address = i32::from_be_bytes([0, one, two, three]);
                Some(Job {
                    occasion: job::minute(now) ^ address,
                    ..Job::mail(task, registration)
                })
            }
            Self::MemberInvited { invitation, .. } => {
                Some(Job::person_mail(Task::InvitationMail, invitation.id.uuid()))
            }
            Self::AppDisconnected { grant, why } => why
                .is_suspicious()
                .then(|| Job::person_mail(Task::AppMail, grant.id.uuid())),
            Self::CodeMade { code } => Some(Job::person_mail(Task::CodeMail, code.uuid())),
            Self::OrganizerMailDue { id, mail } => {
                let task = Task::OrganizerMail {
                    account: mail.account,
                    person: mail.person,
                    since: mail.span.since.micros(),
                    until: mail.span.until.micros(),
                };
                Some(Job::person_mail(task, id))
            }
            Self::MessageTested {
                id,
                account,
                person,
                message,
            } => {
                let task = Task::MessageTestMail {
                    account,
                    event: message.event_id,
                    person,
                    subject: message.subject.clone(),
                    text: message.text.clone(),
                };
                Some(Job::person_mail(task, id))
            }
            Self::EventDeleted { .. }
            | Self::EventChanged { .. }
            | Self::EventMoved { .. }
            | Self::EventAnnounced { .. }
            | Self::CoverStored { .. }
            | Self::OwnCover { .. }
            | Self::ClocksSkipped { .. }
            | Self::WaitlistPromoted { .. }
            | Self::DetailsChanged { .. }
            | Self::SeatsReleased { .. }
            | Self::RegistrationsLapsed { .. }
            | Self::RegistrationErased { .. }
            | Self::AccountCreated { .. }
            | Self::PlanSet { .. }
            | Self::AccountChanged { .. }
            | Self::EventTakenDown { .. }
            | Self::EventWithdrawn { .. }
            | Self::InvitationEnded { .. }
            | Self::MemberChanged { .. }
            | Self::KeyCreated { .. }
            | Self::KeyRevoked { .. }
            | Self::AppConnected { .. }
            | Self::PersonChanged { .. }
            | Self::Exported { .. }
            | Self::MailRetried { .. }
            | Self::MailChosen { .. }
            | Self::MessageChanged { .. }
            | Self::WebhookChanged { .. }
            | Self::ReminderDue { .. }
            | Self::ReminderMissed { .. } => None,
        }
    }

    /// What the reminders of an event are to be from now on, if they may be others than before. A draft that is deleted has none.
    pub fn reminders(&self) -> Option<ReminderPlan> {
        match *self {
            Self::EventCreated { event, .. } => {
                let plan = ReminderPlan::of(event);
                (!plan.reminders.is_empty()).then_some(plan)
            }
            Self::EventChanged { before, after, .. } => {
                let plan = ReminderPlan::of(after);
                (plan.reminders != before.planned_reminders()).then_some(plan)
            }
            Self::EventTakenDown { event, .. } | Self::EventWithdrawn { event } => {
                Some(ReminderPlan::of(event))
            }
            _ => None,
        }
    }

    /// The account whose members may want to know of it: someone has registered, and has nothing left to confirm, or changed their answers.
    pub fn updates_for_organizers(&self, actor: Actor) -> Option<AccountId> {
        match *self {
            Self::RegistrationMade {
                account,
                awaits_confirmation: false,
                ..
            }
            | Self::RegistrationChanged {
                account,
                change: RegistrationChange::Confirmed,
                ..
            }
            | Self::DetailsChanged {
                change: DetailsChange::AnswersChanged,
                account,
                ..
            } => (actor == Actor::Attendee).then_some(account),
            _ => None,
        }
    }

    /// The mails to many registrants that follow from the fact. There are none about an event that has ended.
    pub fn mailing(&self, now: Instant) -> Option<Mailing> {
        match *self {
            Self::EventChanged {
                change: EventChange::Cancelled { max_added },
                after,
                ..
            } if !after.has_ended(now) => Some(Mailing::Cancellation {
                event: after.id,
                max_added,
            }),
            Self::EventMoved {
                before,
                after,
                announcement,
            } => Some(Mailing::Change {
                event: after.id,
                known: before.audiences(),
                former: Box::new(ByAudience {
                    guests: before.when_and_where(),
                    others: before.for_public().when_and_where(),
                }),
                announcement,
            }),
            Self::EventAnnounced { event } => event.is_ahead(now).then(|| Mailing::Announcement {
                event: event.id,
                current: event.audiences(),
                sequence: event.sequence,
            }),
            Self::WaitlistPromoted { promoted, .. } => Some(Mailing::Promotion {
                registrations: promoted.iter().map(|party| party.id).collect(),
            }),
            Self::ReminderDue {
                event, reminder, ..
            } => Some(Mailing::Reminder {
                event: event.id,
                reminder,
                sequence: event.sequence,
            }),
            Self::MessageChanged {
                message, change, ..
            } => Some(of_message(message, change)),
            Self::EventCreated { .. }
            | Self::EventDeleted { .. }
            | Self::EventChanged { .. }
            | Self::CoverStored { .. }
            | Self::OwnCover { .. }
            | Self::ClocksSkipped { .. }
            | Self::RegistrationMade { .. }
            | Self::RegistrationRepeated { .. }
            | Self::RegistrationChanged { .. }
            | Self::MailSentAgain { .. }
            | Self::AddressLeft { .. }
            | Self::DetailsChanged { .. }
            | Self::SeatsReleased { .. }
            | Self::RegistrationsLapsed { .. }
            | Self::RegistrationErased { .. }
            | Self::AccountCreated { .. }
            | Self::PlanSet { .. }
            | Self::AccountChanged { .. }
            | Self::EventTakenDown { .. }
            | Self::EventWithdrawn { .. }
            | Self::CodeMade { .. }
            | Self::MemberInvited { .. }
            | Self::InvitationEnded { .. }
            | Self::MemberChanged { .. }
            | Self::OrganizerMailDue { .. }
            | Self::KeyCreated { .. }
            | Self::KeyRevoked { .. }
            | Self::AppConnected { .. }
            | Self::AppDisconnected { .. }
            | Self::PersonChanged { .. }
            | Self::Exported { .. }
            | Self::MailRetried { .. }
            | Self::MailChosen { .. }
            | Self::MessageTested { .. }
            | Self::WebhookChanged { .. }
            | Self::ReminderMissed { .. } => None,
        }
    }
}

fn of_message(message: &Message, change: MessageChange) -> Mailing {
    let (id, event, number) = (message.id, message.event_id, message.number);
    match change {
        MessageChange::Written | MessageChange::Edited | MessageChange::Delayed => {
            Mailing::Message {
                message: id,
                due_at: message.due_at,
            }
        }
        MessageChange::Begun { max_added } => Mailing::MessageMails {
            event,
            number,
            audience: message.audience.clone(),
            max_added,
        },
        MessageChange::Cancelled | MessageChange::Stopped => Mailing::MessageEnd {
            message: id,
            event,
            number,
        },
    }
}

fn cover(event: &Event, now: Instant, fetches_covers: bool) -> Option<Job> {
    let wants = fetches_covers && event.image_query.is_some();
    wants.then(|| Job::stock_cover(event.id, now))
}

/// The mail that says what applies to a registration now. Who schedules it removes an unsent one first.
fn sent_again(registration: &Registration, now: Instant) -> Job {
    let task = match registration.awaits() {
        Some(Awaits::Confirmation) => Task::ConfirmationMail,
        Some(Awaits::Approval) | None => first_mail(registration.status),
    };
    Job {
        occasion: job::minute(now),
        ..Job::mail(task, registration.id)
    }
}

const fn first_mail(status: Status) -> Task {
    match status {
        Status::Pending => Task::PendingMail,
        Status::Waitlisted => Task::WaitlistedMail,
        Status::Confirmed | Status::Cancelled => Task::RegisteredMail,
    }
}
