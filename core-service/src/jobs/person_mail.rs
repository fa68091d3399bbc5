//! The handler of mails to people who sign in.

use domain::{
    budget::Cause,
    ids::{CodeId, GrantId, InvitationId},
    instant::Instant,
    job::{ClaimedJob, JobKind, Task},
    sign_in_code::Purpose,
};

use super::{
    Attempt, AttemptError, Done, Handler, Post,
    security_mail::{incident, page},
};
use crate::{
    email::{self, Letter, Site},
    service::{Charge, Links, Outgoing, Refusable, SignUp, may_sign_in},
};

/// Sends mails to people who sign in.
#[derive(Debug, Clone)]
pub struct PersonMail {
    post: Post,
    links: Links,
    sign_up: SignUp,
}

impl PersonMail {
    /// A handler that sends with `post`.
    pub const fn new(post: Post, links: Links, sign_up: SignUp) -> Self {
        Self {
            post,
            links,
            sign_up,
        }
    }

    async fn send(&self, job: &ClaimedJob) -> Result<Done, AttemptError> {
        let sent = match job.key.kind {
            JobKind::InvitationMail => self.send_invitation(job).await?,
            JobKind::AppMail => self.send_app(job).await?,
            JobKind::SecurityMail => self.send_security(job).await?,
            _ => self.send_code(job).await?,
        };
        if !sent {
            tracing::info!(kind = job.key.kind.name(), subject_id = %job.key.subject_id, "a mail is out of date and not sent");
        }
        Ok(Done::Plainly)
    }

    /// Sends a code, unless it is used up, too old, or for someone who may not sign in.
    async fn send_code(&self, job: &ClaimedJob) -> Result<bool, AttemptError> {
        let (id, now) = (CodeId::new(job.key.subject_id), self.post.now());
        let found = self.post.store().find_code(id).await?;
        let Some(code) = found.filter(|code| now < code.expires_at) else {
            return Ok(false);
        };
        if code.purpose == Purpose::SignIn {
            let may = may_sign_in(self.post.store(), self.sign_up, &code.email, now).await?;
            if !may {
                return Ok(true);
            }
        }
        let change = self
            .post
            .store()
            .find_email_change(&code.email, now)
            .await?;
        if code.purpose == Purpose::TakeBack && change.is_none() {
            return Ok(true);
        }
        let is_notice = code.purpose == Purpose::EmailChanged;
        let take_back = change.filter(|_| is_notice).map(|_| self.links.take_back());
        let person = self.post.store().find_person_by_email(&code.email).await?;
        let letter = Letter::Code {
            code: &code,
            person: person.as_ref(),
            take_back: take_back.as_deref(),
        };
        self.mail(job, &letter).await?;
        Ok(true)
    }

    async fn send_invitation(&self, job: &ClaimedJob) -> Result<bool, AttemptError> {
        let (id, now) = (InvitationId::new(job.key.subject_id), self.post.now());
        let Some(invitation) = self.post.store().find_invitation(id, now).await? else {
            return Ok(false);
        };
        let letter = Letter::Invitation {
            invitation: &invitation,
            url: &self.links.invitation(id),
        };
        self.mail(job, &letter).await?;
        Ok(true)
    }

    async fn send_app(&self, job: &ClaimedJob) -> Result<bool, AttemptError> {
        let grant = self
            .post
            .store()
            .find_grant(GrantId::new(job.key.subject_id))
            .await?;
        let Some(grant) = grant else {
            return Ok(false);
        };
        let person = self.post.store().find_person(grant.person_id).await?;
        let client = self.post.store().get_client(grant.client_id).await?;
        let (Some(person), Some(client)) = (person, client) else {
            return Ok(false);
        };
        let letter = Letter::AppEnded {
            person: &person,
            app: &client.name,
            url: &self.links.apps(),
        };
        self.mail(job, &letter).await?;
        Ok(true)
    }

    /// Sends a security mail, unless the person is erased.
    async fn send_security(&self, job: &ClaimedJob) -> Result<bool, AttemptError> {
        let Task::SecurityMail { person, at, notice } = job.task()? else {
            return Ok(false);
        };
        let Some(person) = self.post.store().find_person(person).await? else {
            return Ok(false);
        };
        let incident = incident(self.post.store(), person.id, notice).await?;
        let letter = Letter::Security {
            person: &person,
            at: Instant::from_micros(at),
            incident: &incident,
            url: &page(&incident, &self.links),
        };
        self.mail(job, &letter).await?;
        Ok(true)
    }

    async fn mail(&self, job: &ClaimedJob, letter: &Letter<'_>) -> Result<(), AttemptError> {
        let site = Site {
            host: &self.links.host(),
            brand: self.post.brand(),
        };
        let mail = email::letter(&job.key, letter, site)
            .map_err(|error| AttemptError::Permanent(error.to_string()))?;
        let (charge, refusable) = match letter {
            // Counted when they were asked for.
            Letter::Code { .. } => (Charge::Before, Refusable::Never),
            Letter::Invitation { invitation, .. } => {
                let account = invitation.invitation.account_id;
                (Charge::Before, Refusable::ByRecipient(account))
            }
            Letter::AppEnded { .. } | Letter::Security { .. } => {
                (Charge::Urgent(Cause::Recipient), Refusable::Never)
            }
        };
        let outgoing = Outgoing {
            address: mail.address.clone(),
            charge,
            refusable,
            stranger_of: None,
            link: None,
        };
        self.post.deliver(job, &outgoing, &mail).await
    }
}

impl Handler for PersonMail {
    fn kinds(&self) -> &'static [JobKind] {
        &JobKind::PERSON_MAILS
    }

    fn handle<'a>(&'a self, job: &'a ClaimedJob) -> Attempt<'a> {
        Box::pin(self.send(job))
    }
}
