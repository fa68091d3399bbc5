//! The handler of all mails to registrants.

use domain::{
    budget::Cause,
    event::Event,
    ids::{AccountId, RegistrationId},
    instant::Instant,
    job::{ClaimedJob, JobKind, Task},
    mail::BounceToken,
    message::Message,
    registration::{Notification, Registrant},
};

use super::{Attempt, AttemptError, Delivery, Done, Handler, Post};
use crate::{
    email::{self, Addressing, MessageAddressing, Written},
    service::{Charge, Outgoing, OwnRegistrations, Refusable},
};

/// Sends mails to registrants.
#[derive(Debug, Clone)]
pub struct RegistrationMail {
    post: Post,
    own_registrations: OwnRegistrations,
}

impl RegistrationMail {
    /// A handler that sends with `post`.
    pub const fn new(post: Post, own_registrations: OwnRegistrations) -> Self {
        Self {
            post,
            own_registrations,
        }
    }

    async fn send(&self, job: &ClaimedJob) -> Result<Done, AttemptError> {
        let (id, now) = (RegistrationId::new(job.key.subject_id), self.post.now());
        let found = self.own_registrations.registrant(id).await?;
        // The person was erased meanwhile.
        let Some(registrant) = found else {
            return Ok(Done::Plainly);
        };
        let task = job.task()?;
        let registrant = addressed(registrant, &task);
        let message = match task {
            Task::MessageMail => self.message(job, &registrant).await?,
            _ => None,
        };
        let is_true = task != Task::MessageMail || message.is_some();
        let notification = registrant.notification(task, now);
        let Some(notification) = notification.filter(|_| is_true) else {
            return Ok(out_of_date(job, registrant.email));
        };
        let offers_details = match notification {
            Notification::RegisteredAgain(_) => {
                self.offers_details(job, &registrant.event, now).await?
            }
            _ => false,
        };
        let is_active = notification.active_status().is_some();
        // Who had the address before must not get to the registration of someone else.
        let is_theirs = notification != Notification::AddressCorrected;
        let leads_there = is_active || (registrant.is_added && is_theirs);
        let occasion = offers_details.then_some(job.key.occasion);
        let link = if leads_there {
            Some(self.own_registrations.new_link(id, occasion))
        } else {
            self.own_registrations.new_refusal(&registrant)
        };
        let outgoing = Outgoing {
            address: registrant.email.clone(),
            charge: charge(notification),
            refusable: refusable(notification, &registrant),
            stranger_of: stranger_of(notification, &registrant),
            link: link.as_ref().map(|(_, link)| *link),
        };
        let token = self.post.new_bounce_token();
        let delivery = Box::new(Delivery {
            address: registrant.email.clone(),
            bounce_token: token.as_ref().map(BounceToken::hash),
            announced: registrant.unannounced().map(|current| (id, current)),
        });
        if !self.post.permits(job, &outgoing).await? {
            return Ok(Done::Withheld(delivery));
        }
        let former = match (notification, registrant.announced) {
            (Notification::EventChanged(_), Some(announced)) => {
                let store = self.post.store();
                store.find_former(registrant.event.id, announced).await?
            }
            _ => None,
        };
        let links = self.own_registrations.links();
        let secret = link.map(|(token, _)| token);
        let secret = secret.as_ref();
        let private_url = secret.map(|token| links.private_registration(token));
        let refuse_url = secret.map(|token| links.refuse_mail(token));
        let refuse_reminders_url = secret.map(|token| links.refuse_reminders(token));
        let is_reminder = notification == Notification::Reminder;
        let addressing = Addressing {
            sender: self.post.sender(),
            brand: self.post.brand(),
            host: &links.host(),
            event_url: &links.event(&registrant.event.slug),
            private_url: private_url.as_deref().filter(|_| is_active),
            refuse_url: refuse_url.as_deref().filter(|_| registrant.is_added),
            refuse_reminders_url: refuse_reminders_url.as_deref().filter(|_| is_reminder),
            check_in_url: &links.check_in(&registrant.check_in_code),
            former: former.as_ref(),
            offers_details,
        };
        let mail = match (&message, secret) {
            (Some(message), Some(token)) => {
                let written = Written {
                    subject: &message.subject,
                    text: &message.text,
                };
                let addressing = MessageAddressing {
                    brand: addressing.brand,
                    host: addressing.host,
                    event_url: addressing.event_url,
                    private_url: &links.private_registration(token),
                    stop_url: &links.stop_messages(token),
                    refuse_url: addressing.refuse_url,
                    is_sample: false,
                };
                email::message(&job.key, written, &registrant, &addressing)
            }
            _ => email::mail(&job.key, notification, &registrant, &addressing, now),
        };
        let mail = mail.map_err(|error| AttemptError::Permanent(error.to_string()))?;
        let token = token.as_ref();
        match self.post.hand_over(job, &outgoing, &mail, token).await? {
            Ok(()) => Ok(Done::Sent(delivery)),
            Err(undelivered) => Err(AttemptError::Unsent(delivery, undelivered)),
        }
    }

    /// The message of a mail, if it still goes to the registrant.
    async fn message(
        &self,
        job: &ClaimedJob,
        registrant: &Registrant,
    ) -> Result<Option<Message>, AttemptError> {
        let (event, number) = (registrant.event.id, job.key.occasion);
        let found = self.post.store().find_message_by_number(event, number);
        Ok(found.await?.filter(|one| one.still_goes_to(registrant)))
    }

    /// Whether the repeated registration had another name or other answers.
    async fn offers_details(
        &self,
        job: &ClaimedJob,
        event: &Event,
        now: Instant,
    ) -> Result<bool, AttemptError> {
        let (id, occasion) = (RegistrationId::new(job.key.subject_id), job.key.occasion);
        let store = self.post.store();
        let details = store.find_new_details(id, occasion, now).await?;
        let fields = &event.custom_fields;
        Ok(details.is_some_and(|(new, first)| new.current(fields) != first.current(fields)))
    }
}

impl Handler for RegistrationMail {
    fn kinds(&self) -> &'static [JobKind] {
        &JobKind::MAILS
    }

    fn handle<'a>(&'a self, job: &'a ClaimedJob) -> Attempt<'a> {
        Box::pin(self.send(job))
    }
}

/// The recipient of a task: the notice of another address is to the one that the registration had.
fn addressed(registrant: Registrant, task: &Task) -> Registrant {
    match task {
        Task::AddressCorrectedMail { address } => Registrant {
            email: address.clone(),
            ..registrant
        },
        _ => registrant,
    }
}

/// What becomes of a mail that says what is no longer so, or comes too late. It is recorded, since organizers were answered that it is sent.
fn out_of_date(job: &ClaimedJob, address: String) -> Done {
    tracing::info!(kind = job.key.kind.name(), subject_id = %job.key.subject_id, "a mail is out of date and not sent");
    Done::Withheld(Box::new(Delivery {
        address,
        bounce_token: None,
        announced: None,
    }))
}

/// Mails about registering were counted with the request. What organizers cause otherwise waits beyond the budget of the mailbox: an address
/// that registered may be a stranger's.
const fn charge(notification: Notification) -> Charge {
    match notification {
        Notification::Registered(_)
        | Notification::RegisteredAgain(_)
        | Notification::AddressCorrected => Charge::Before,
        Notification::Promoted
        | Notification::Approved(_)
        | Notification::RegistrationCancelled { .. }
        | Notification::Declined
        | Notification::EventChanged(_)
        | Notification::EventCancelled { .. }
        | Notification::Reminder
        | Notification::Message(_) => Charge::Waits(Cause::Organizer),
    }
}

/// What becomes of someone whom an organizer added is mailed within the limit of a new account, and so are reminders. Adding, changes and cancelled events are
/// counted with their requests.
fn stranger_of(notification: Notification, registrant: &Registrant) -> Option<AccountId> {
    let is_counted = matches!(
        notification,
        Notification::Approved(_)
            | Notification::Promoted
            | Notification::Declined
            | Notification::RegistrationCancelled { .. }
            | Notification::Reminder
    );
    let is_limited = registrant.is_added && !registrant.is_organizer_trusted;
    (is_counted && is_limited).then_some(registrant.event.account_id)
}

fn refusable(notification: Notification, registrant: &Registrant) -> Refusable {
    let account = registrant.event.account_id;
    match notification {
        Notification::Reminder => Refusable::Reminder(registrant.is_added.then_some(account)),
        Notification::Message(_) => Refusable::Message {
            account,
            is_added: registrant.is_added,
        },
        _ if registrant.is_added => Refusable::ByRecipient(account),
        _ => Refusable::ByOperator,
    }
}
