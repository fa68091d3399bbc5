//! The handler of all mails to registrants.

use super::{Attempt, AttemptError, Handler};
use crate::{
    domain::{
        clock::Clock,
        ids::RegistrationId,
        job::{ClaimedJob, JobKind},
    },
    email::{self, Addressing, Mailer, Undelivered},
    service::OwnRegistrations,
    storage::Store,
};

/// Sends mails to registrants.
#[derive(Debug, Clone)]
pub struct RegistrationMail {
    store: Store,
    clock: Clock,
    own_registrations: OwnRegistrations,
    mailer: Mailer,
}

impl RegistrationMail {
    /// A handler that sends with `mailer`.
    pub const fn new(
        store: Store,
        clock: Clock,
        own_registrations: OwnRegistrations,
        mailer: Mailer,
    ) -> Self {
        Self {
            store,
            clock,
            own_registrations,
            mailer,
        }
    }

    async fn send(&self, job: &ClaimedJob) -> Result<(), AttemptError> {
        let (id, now) = (RegistrationId::new(job.key.subject_id), self.clock.now());
        let found = self.store.find_registrant(id).await;
        let found = found.map_err(|error| AttemptError::Temporary(error.to_string()))?;
        // The person was erased meanwhile.
        let Some(registrant) = found else {
            return Ok(());
        };
        let Some(notification) = registrant.notification(job.task()?, now) else {
            tracing::info!(kind = job.key.kind.name(), subject_id = %job.key.subject_id, "a mail is out of date and not sent");
            return Ok(());
        };
        let links = self.own_registrations.links();
        let private_url = if notification.active_status().is_some() {
            let link = self.own_registrations.new_link(id).await;
            Some(link.map_err(|error| AttemptError::Temporary(error.to_string()))?)
        } else {
            None
        };
        let addressing = Addressing {
            sender: self.mailer.sender().address(),
            host: &links.host(),
            event_url: &links.event(&registrant.event.slug),
            private_url: private_url.as_deref(),
        };
        let mail = email::mail(&job.key, notification, &registrant, &addressing, now)
            .map_err(|error| AttemptError::Permanent(error.to_string()))?;
        Ok(self.mailer.send(&mail, now).await?)
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

impl From<Undelivered> for AttemptError {
    fn from(undelivered: Undelivered) -> Self {
        match undelivered {
            Undelivered::Temporary(text) => Self::Temporary(text),
            Undelivered::Permanent(text) => Self::Permanent(text),
            Undelivered::Unreachable(text) => Self::Unreachable(text),
        }
    }
}
