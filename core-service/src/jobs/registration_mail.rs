//! The handler of all mails to registrants.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use domain::{
    clock::Clock,
    ids::RegistrationId,
    instant::Instant,
    job::{ClaimedJob, JobKind},
    registration::{Notification, Registrant},
};
use storage::Store;

use super::{Attempt, AttemptError, Done, Handler, clearance};
use crate::{
    email::{self, Addressing, Mailer, Undelivered},
    service::OwnRegistrations,
};

/// Sends mails to registrants.
#[derive(Debug, Clone)]
pub struct RegistrationMail {
    store: Store,
    clock: Clock,
    own_registrations: OwnRegistrations,
    mailer: Mailer,
    /// How often a mail was deferred because of its recipient's limit.
    deferred: Arc<AtomicU64>,
}

impl RegistrationMail {
    /// A handler that sends with `mailer`.
    pub fn new(
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
            deferred: Arc::default(),
        }
    }

    async fn send(&self, job: &ClaimedJob) -> Result<Done, AttemptError> {
        let (id, now) = (RegistrationId::new(job.key.subject_id), self.clock.now());
        let found = self.store.find_registrant(id).await?;
        // The person was erased meanwhile.
        let Some(registrant) = found else {
            return Ok(Done::Plainly);
        };
        let Some(notification) = registrant.notification(job.task()?, now) else {
            tracing::info!(kind = job.key.kind.name(), subject_id = %job.key.subject_id, "a mail is out of date and not sent");
            return Ok(Done::Plainly);
        };
        self.check_recipient(job, notification, &registrant)?;
        let links = self.own_registrations.links();
        let offers_details = match notification {
            Notification::RegisteredAgain(_) => self.offers_details(job, now).await?,
            _ => false,
        };
        let private_url = if notification.active_status().is_some() {
            let occasion = offers_details.then_some(job.key.occasion);
            Some(self.own_registrations.new_link(id, occasion).await?)
        } else {
            None
        };
        let former = match (notification, registrant.told) {
            (Notification::EventChanged(_), Some(told)) => {
                self.store.find_former(registrant.event.id, told).await?
            }
            _ => None,
        };
        let addressing = Addressing {
            sender: self.mailer.sender().address(),
            host: &links.host(),
            event_url: &links.event(&registrant.event.slug),
            private_url: private_url.as_deref(),
            check_in_url: &links.check_in(&registrant.check_in_code),
            former: former.as_ref(),
            offers_details,
        };
        let mail = email::mail(&job.key, notification, &registrant, &addressing, now)
            .map_err(|error| AttemptError::Permanent(error.to_string()))?;
        let check = || clearance::ask(&self.store, job);
        self.mailer.send(&mail, now, &check).await?;
        let news = registrant.unannounced();
        Ok(news.map_or(Done::Plainly, |news| Done::Told(id, news)))
    }

    /// Lets a mail wait that its recipient can do without for a while, if they got many. All others answer something that the
    /// recipient did or must know at once.
    fn check_recipient(
        &self,
        job: &ClaimedJob,
        notification: Notification,
        registrant: &Registrant,
    ) -> Result<(), AttemptError> {
        if !matches!(notification, Notification::EventChanged(_)) {
            return Ok(());
        }
        let counted = self.own_registrations.count_mail(registrant);
        counted.map_err(|wait| {
            let deferred = self.deferred.fetch_add(1, Ordering::Relaxed) + 1;
            tracing::info!(kind = job.key.kind.name(), subject_id = %job.key.subject_id, wait_seconds = wait.as_secs(), deferred, "a mail waits, since its recipient got many");
            AttemptError::Early(wait, "the recipient got many mails".to_owned())
        })
    }

    /// Whether the repeated registration had another name or other answers.
    async fn offers_details(&self, job: &ClaimedJob, now: Instant) -> Result<bool, AttemptError> {
        let (id, occasion) = (RegistrationId::new(job.key.subject_id), job.key.occasion);
        let details = self.store.find_new_details(id, occasion, now).await?;
        Ok(details.is_some())
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
            Undelivered::Held => Self::Held,
            Undelivered::Withdrawn => Self::Withdrawn,
        }
    }
}
