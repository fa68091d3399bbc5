//! The handler of all mails to registrants.

use domain::{
    budget::Cause,
    event::Event,
    ids::{AccountId, RegistrationId},
    instant::Instant,
    job::{ClaimedJob, JobKind, Task},
    registration::{Notification, Registrant},
};

use super::{Attempt, AttemptError, Done, Handler, Post};
use crate::{
    email::{self, Addressing},
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
        let registrant = match &task {
            // It is to the address that the registration had.
            Task::AddressCorrectedMail { address } => Registrant {
                email: address.clone(),
                ..registrant
            },
            _ => registrant,
        };
        let Some(notification) = registrant.notification(task, now) else {
            tracing::info!(kind = job.key.kind.name(), subject_id = %job.key.subject_id, "a mail is out of date and not sent");
            return Ok(Done::Plainly);
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
        let link = (is_active || (registrant.is_added && is_theirs)).then(|| {
            let occasion = offers_details.then_some(job.key.occasion);
            self.own_registrations.new_link(id, occasion)
        });
        let outgoing = Outgoing {
            address: registrant.email.clone(),
            charge: charge(notification),
            refusable: refusable(&registrant),
            stranger_of: stranger_of(notification, &registrant),
            link: link.as_ref().map(|(_, link)| *link),
        };
        if !self.post.permits(job, &outgoing).await? {
            return Ok(Done::Plainly);
        }
        let former = match (notification, registrant.told) {
            (Notification::EventChanged(_), Some(told)) => {
                let store = self.post.store();
                store.find_former(registrant.event.id, told).await?
            }
            _ => None,
        };
        let links = self.own_registrations.links();
        let token = link.map(|(token, _)| token);
        let private_url = token
            .as_ref()
            .map(|token| links.private_registration(token));
        let refuse_url = token.as_ref().map(|token| links.refuse_mail(token));
        let addressing = Addressing {
            sender: self.post.sender(),
            host: &links.host(),
            event_url: &links.event(&registrant.event.slug),
            private_url: private_url.as_deref().filter(|_| is_active),
            refuse_url: refuse_url.as_deref().filter(|_| registrant.is_added),
            check_in_url: &links.check_in(&registrant.check_in_code),
            former: former.as_ref(),
            offers_details,
        };
        let mail = email::mail(&job.key, notification, &registrant, &addressing, now)
            .map_err(|error| AttemptError::Permanent(error.to_string()))?;
        self.post.send(job, &outgoing, &mail).await?;
        let news = registrant.unannounced();
        Ok(news.map_or(Done::Plainly, |news| Done::Told(id, news)))
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
        | Notification::EventCancelled { .. } => Charge::Waits(Cause::Organizer),
    }
}

/// What becomes of someone whom an organizer added is mailed within the limit of a new account. Adding, changes and cancelled events are
/// counted with their requests.
fn stranger_of(notification: Notification, registrant: &Registrant) -> Option<AccountId> {
    let is_decision = matches!(
        notification,
        Notification::Approved(_)
            | Notification::Promoted
            | Notification::Declined
            | Notification::RegistrationCancelled { .. }
    );
    let is_limited = registrant.is_added && !registrant.is_organizer_trusted;
    (is_decision && is_limited).then_some(registrant.event.account_id)
}

const fn refusable(registrant: &Registrant) -> Refusable {
    if registrant.is_added {
        Refusable::ByRecipient(registrant.event.account_id)
    } else {
        Refusable::ByOperator
    }
}
