//! Mails to registrants. Each kind has a handler of its own, and all do the same.

use std::sync::Arc;

use super::{Attempt, Failure, Handler};
use crate::{
    domain::{
        clock::Clock,
        ids::RegistrationId,
        job::{ClaimedJob, REGISTRATION_MAILS},
    },
    email::{self, Addressing, Mailer, Undelivered},
    service::Service,
    storage::Store,
};

/// Sends one kind of mail to registrants.
#[derive(Debug, Clone)]
pub struct RegistrationMail {
    kind: &'static str,
    store: Store,
    clock: Clock,
    rules: Service,
    mailer: Mailer,
}

impl RegistrationMail {
    /// Handlers for all kinds.
    pub fn all(
        store: &Store,
        clock: &Clock,
        rules: &Service,
        mailer: &Mailer,
    ) -> Vec<Arc<dyn Handler>> {
        let handler = |kind| -> Arc<dyn Handler> {
            Arc::new(Self {
                kind,
                store: store.clone(),
                clock: clock.clone(),
                rules: rules.clone(),
                mailer: mailer.clone(),
            })
        };
        REGISTRATION_MAILS.into_iter().map(handler).collect()
    }

    async fn send(&self, job: &ClaimedJob) -> Result<(), Failure> {
        let (id, now) = (RegistrationId::new(job.key.subject_id), self.clock.now());
        let found = self.store.find_registrant(id).await;
        let found = found.map_err(|error| Failure::Passing(error.to_string()))?;
        // Whoever was erased since is not written to.
        let Some(registrant) = found else {
            return Ok(());
        };
        let Some(news) = registrant.news(&job.key, now) else {
            tracing::info!(kind = self.kind, subject_id = %job.key.subject_id, "a mail is overtaken by events and not sent");
            return Ok(());
        };
        let links = self.rules.links();
        let private_url = if news.standing().is_some() {
            let link = self.rules.private_link(id).await;
            Some(link.map_err(|error| Failure::Passing(error.to_string()))?)
        } else {
            None
        };
        let addressing = Addressing {
            sender: self.mailer.sender().address(),
            host: &links.host(),
            event_url: &links.event(&registrant.event.slug),
            private_url: private_url.as_deref(),
        };
        let letter = email::letter(&job.key, news, &registrant, &addressing, now)
            .map_err(|error| Failure::Lasting(error.to_string()))?;
        Ok(self.mailer.send(&letter, now).await?)
    }
}

impl Handler for RegistrationMail {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn destination(&self) -> &'static str {
        "mail"
    }

    fn handle<'a>(&'a self, job: &'a ClaimedJob) -> Attempt<'a> {
        Box::pin(self.send(job))
    }
}

impl From<Undelivered> for Failure {
    fn from(undelivered: Undelivered) -> Self {
        match undelivered {
            Undelivered::Passing(text) => Self::Passing(text),
            Undelivered::Lasting(text) => Self::Lasting(text),
            Undelivered::Unreachable(text) => Self::Unreachable(text),
        }
    }
}
