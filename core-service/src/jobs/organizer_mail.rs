//! The handler of mails to organizers, and of the jobs that schedule them.

use domain::{
    budget::Cause,
    instant::Instant,
    job::{ClaimedJob, JobKind, Task},
    organizer_mail::{self, Span},
};

use super::{Attempt, AttemptError, Done, Handler, Post};
use crate::{
    email,
    service::{Charge, Links, OrganizerMails, Outgoing, Refusable},
};

/// Tells organizers of registrations.
#[derive(Debug, Clone)]
pub struct OrganizerMail {
    post: Post,
    mails: OrganizerMails,
    links: Links,
}

impl OrganizerMail {
    /// A handler that sends with `post`.
    pub const fn new(post: Post, mails: OrganizerMails, links: Links) -> Self {
        Self { post, mails, links }
    }

    async fn work(&self, job: &ClaimedJob) -> Result<Done, AttemptError> {
        match job.task()? {
            Task::OrganizerNews { since } => {
                let since = Instant::from_micros(since);
                self.mails.collect(job, since).await?;
                Ok(Done::Recorded)
            }
            Task::OrganizerMail {
                account,
                person,
                since,
                until,
            } => {
                let mail = organizer_mail::OrganizerMail {
                    account,
                    person,
                    span: Span {
                        since: Instant::from_micros(since),
                        until: Instant::from_micros(until),
                    },
                };
                self.send(job, mail).await
            }
            _ => Ok(Done::Plainly),
        }
    }

    async fn send(
        &self,
        job: &ClaimedJob,
        mail: organizer_mail::OrganizerMail,
    ) -> Result<Done, AttemptError> {
        let Some((organizer, updates)) = self.mails.content(mail).await? else {
            tracing::info!(kind = job.key.kind.name(), subject_id = %job.key.subject_id, "a mail is out of date and not sent");
            return Ok(Done::Plainly);
        };
        let digest = email::Digest {
            organizer: &organizer,
            updates: &updates,
            registrations_url: &|one| self.links.registrations(one.event),
            choice_url: &self.links.mail_choice(),
            host: &self.links.host(),
            brand: self.post.brand(),
        };
        let mail = email::digest(&job.key, &digest)
            .map_err(|error| AttemptError::Permanent(error.to_string()))?;
        let outgoing = Outgoing {
            address: mail.address.clone(),
            charge: Charge::Waits(Cause::Organizer),
            refusable: Refusable::ByOperator,
            stranger_of: None,
            link: None,
        };
        self.post.deliver(job, &outgoing, &mail).await?;
        Ok(Done::Plainly)
    }
}

impl Handler for OrganizerMail {
    fn kinds(&self) -> &'static [JobKind] {
        &JobKind::TO_ORGANIZERS
    }

    fn handle<'a>(&'a self, job: &'a ClaimedJob) -> Attempt<'a> {
        Box::pin(self.work(job))
    }
}
