//! Sending the mails of jobs. Every mail takes the same steps: its permit, the check that nobody holds it, and the mail server.

use domain::{clock::Clock, instant::Instant, job::ClaimedJob, mail::BounceToken};
use futures_util::future::BoxFuture;
use server::{brand::Brand, telemetry::chain};
use storage::{Clearance, Store};

use super::AttemptError;
use crate::{
    email::{Mail, Mailer, Undelivered},
    service::{MailPermits, Outgoing, Permit},
};

/// Sends the mails of jobs. Clones share its connections.
#[derive(Debug, Clone)]
pub struct Post {
    store: Store,
    clock: Clock,
    permits: MailPermits,
    mailer: Mailer,
}

impl Post {
    /// Sends with `mailer` what `permits` allows.
    pub const fn new(store: Store, clock: Clock, permits: MailPermits, mailer: Mailer) -> Self {
        Self {
            store,
            clock,
            permits,
            mailer,
        }
    }

    /// The database of the jobs.
    pub(super) const fn store(&self) -> &Store {
        &self.store
    }

    /// The current time.
    pub(super) fn now(&self) -> Instant {
        self.clock.now()
    }

    /// The sender's address.
    pub(super) fn sender(&self) -> &str {
        self.mailer.sender().address()
    }

    /// What the site is called, and its colour.
    pub(super) const fn brand(&self) -> &Brand {
        self.mailer.brand()
    }

    /// Asks whether a mail may be sent; false if its recipient wants no such mails.
    pub(super) async fn permits(
        &self,
        job: &ClaimedJob,
        mail: &Outgoing,
    ) -> Result<bool, AttemptError> {
        let (kind, subject_id) = (job.key.kind.name(), job.key.subject_id);
        match self.permits.ask(mail.clone()).await? {
            Permit::Granted => Ok(true),
            Permit::Suppressed => {
                tracing::info!(kind, %subject_id, "a mail is not sent, since its recipient gets no such mails");
                Ok(false)
            }
            Permit::Wait(wait) => {
                tracing::info!(kind, %subject_id, wait_seconds = wait.as_secs(), "a mail waits, since its recipient got many or its account mailed many strangers");
                let text =
                    "the recipient got many mails, or the account mailed many strangers".to_owned();
                Err(AttemptError::Early(wait, text))
            }
        }
    }

    /// Sends a mail, unless its recipient wants no such mails.
    pub(super) async fn deliver(
        &self,
        job: &ClaimedJob,
        outgoing: &Outgoing,
        mail: &Mail,
    ) -> Result<(), AttemptError> {
        if self.permits(job, outgoing).await? {
            self.hand_over(job, outgoing, mail, None).await??;
        }
        Ok(())
    }

    /// Sends a mail that has its permit, whose envelope may have a token; the inner error says why it was not handed over.
    pub(super) async fn hand_over(
        &self,
        job: &ClaimedJob,
        outgoing: &Outgoing,
        mail: &Mail,
        token: Option<&BounceToken>,
    ) -> Result<Result<(), Undelivered>, AttemptError> {
        let check = || self.check(job);
        let sent = self.mailer.send_with(mail, token, self.now(), &check).await;
        let is_used = match &sent {
            Ok(()) => true,
            Err(undelivered) => undelivered.is_permanent(),
        };
        if !is_used {
            self.permits.give_back(outgoing).await?;
        }
        Ok(sent)
    }

    /// A new token for the envelope of a mail, if envelopes have them.
    pub(super) fn new_bounce_token(&self) -> Option<BounceToken> {
        let has_tokens = self.mailer.has_bounce_tokens();
        has_tokens.then(|| BounceToken::generate(self.permits.entropy()))
    }

    /// Asks right before the mail server hears of a mail: an operator may have held or dropped it since it was claimed.
    fn check<'a>(&'a self, job: &'a ClaimedJob) -> BoxFuture<'a, Result<(), Undelivered>> {
        Box::pin(async {
            match self.store.clearance(job).await {
                Ok(Clearance::Granted) => Ok(()),
                Ok(Clearance::Held) => Err(Undelivered::Held),
                Ok(Clearance::Withdrawn) => Err(Undelivered::Withdrawn),
                Err(error) => {
                    tracing::warn!(error = %chain(&error), "cannot look up whether a mail is still to be sent");
                    let text = "it is not known whether it is still to be sent";
                    Err(Undelivered::Temporary(text.to_owned()))
                }
            }
        })
    }
}

impl From<Undelivered> for AttemptError {
    fn from(undelivered: Undelivered) -> Self {
        match undelivered {
            Undelivered::Temporary(text) => Self::Temporary(text),
            Undelivered::Refused(text) | Undelivered::Permanent(text) => Self::Permanent(text),
            Undelivered::Unreachable(text) => Self::Unreachable(text),
            Undelivered::Held => Self::Held,
            Undelivered::Withdrawn => Self::Withdrawn,
        }
    }
}
