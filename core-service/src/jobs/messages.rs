//! The handler of the jobs that begin messages, and of the mails that show one to its author.

use domain::{
    ids::RegistrationId,
    job::{ClaimedJob, JobKind, Task},
    registration::Registrant,
};
use uuid::Uuid;

use super::{Attempt, AttemptError, Done, Handler, Post};
use crate::{
    email::{self, MessageAddressing, Written},
    service::{Begun, Charge, Links, Messages, Outgoing, Refusable},
};

/// Begins messages, and sends tests of them.
#[derive(Debug, Clone)]
pub struct MessageJobs {
    messages: Messages,
    post: Post,
    links: Links,
}

impl MessageJobs {
    /// A handler that sends tests with `post`.
    pub const fn new(messages: Messages, post: Post, links: Links) -> Self {
        Self {
            messages,
            post,
            links,
        }
    }

    async fn start(&self, job: &ClaimedJob) -> Result<Done, AttemptError> {
        let message_id = job.key.subject_id;
        match self.messages.start(job).await? {
            None => return Ok(Done::Plainly),
            Some(Begun::Sent(mails)) => tracing::info!(%message_id, mails, "a message is sent"),
            Some(Begun::Delayed) => {
                tracing::info!(%message_id, "a message waits, since the mails of the day are used up");
            }
            Some(Begun::Stopped(reason)) => {
                tracing::info!(%message_id, reason = reason.name(), "a message is stopped");
            }
            Some(Begun::Overtaken) => {}
        }
        Ok(Done::Recorded)
    }

    async fn test(&self, job: &ClaimedJob) -> Result<Done, AttemptError> {
        let Task::MessageTestMail {
            event,
            person,
            subject,
            text,
            account: _,
        } = job.task()?
        else {
            return Ok(Done::Plainly);
        };
        let store = self.post.store();
        let (event, person) = (
            store.find_event(event).await?,
            store.find_person(person).await?,
        );
        let (Some(event), Some(person)) = (event, person) else {
            tracing::info!(subject_id = %job.key.subject_id, "a test of a message is out of date and not sent");
            return Ok(Done::Plainly);
        };
        let (slug, account) = (event.slug.clone(), event.account_id);
        let sample = self.messages.sample(event, account).await?;
        let registrant = Registrant {
            id: RegistrationId::new(Uuid::nil()),
            name: person.name,
            email: person.email,
            ..sample
        };
        let private_url = self.links.sample_registration();
        let (host, event_url) = (self.links.host(), self.links.event(&slug));
        let brand = self.post.brand();
        let addressing = MessageAddressing::sample(brand, &host, &event_url, &private_url);
        let written = Written {
            subject: &subject,
            text: &text,
        };
        let mail = email::message(&job.key, written, &registrant, &addressing)
            .map_err(|error| AttemptError::Permanent(error.to_string()))?;
        let outgoing = Outgoing {
            address: mail.address.clone(),
            // It was counted when it was asked for.
            charge: Charge::Before,
            refusable: Refusable::ByOperator,
            stranger_of: None,
            link: None,
        };
        self.post.deliver(job, &outgoing, &mail).await?;
        Ok(Done::Plainly)
    }
}

impl Handler for MessageJobs {
    fn kinds(&self) -> &'static [JobKind] {
        &JobKind::OF_MESSAGES
    }

    fn handle<'a>(&'a self, job: &'a ClaimedJob) -> Attempt<'a> {
        Box::pin(async move {
            match job.key.kind {
                JobKind::Message => self.start(job).await,
                _ => self.test(job).await,
            }
        })
    }
}
