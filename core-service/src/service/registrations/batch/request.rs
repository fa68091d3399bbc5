//! A request to register a person, the mail that it brings, and its outcome.

use domain::{
    audit::Actor,
    budget::{Asker, Budget, Cause},
    email::Email,
    ids::RegistrationId,
    instant::Instant,
    rate::MailboxLimits,
    registration::{Answer, Party, Requester, Status},
};
use tracing::Span;

use super::{Batcher, organizers::Organizers};
use crate::service::{Error, mail_quota::Needed, mailboxes::Allowance};

/// A request to register a person.
#[derive(Debug)]
pub(in crate::service::registrations) struct Request {
    pub(in crate::service::registrations) slug: String,
    pub(in crate::service::registrations) requester: Requester,
    pub(in crate::service::registrations) actor: Actor,
    pub(in crate::service::registrations) name: String,
    pub(in crate::service::registrations) email: Email,
    pub(in crate::service::registrations) party: Party,
    pub(in crate::service::registrations) answers: Vec<Answer>,
    pub(in crate::service::registrations) mail: FirstMail,
    /// Who asks, if it is the public.
    pub(in crate::service::registrations) asker: Option<Asker>,
    /// The hash of the private link's token in the caller's answer.
    pub(in crate::service::registrations) link: Option<[u8; 32]>,
    /// What it is part of.
    pub(in crate::service::registrations) span: Span,
}

/// The mail about a new registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::service::registrations) enum FirstMail {
    /// The person gets it.
    Sent,
    /// The person gets it, with others of a list, for all of which the organizer's quotas are asked once.
    OfList,
    /// A person of a list gets none now. Reminders and changes come, so the quota counts the person all the same.
    Later,
}

impl FirstMail {
    pub(super) const fn is_sent(self) -> bool {
        matches!(self, Self::Sent | Self::OfList)
    }

    /// What it counts as against the quotas of an organizer.
    const fn needed(self) -> Needed {
        match self {
            Self::Sent | Self::OfList => Needed::ADDED,
            Self::Later => Needed::LISTED,
        }
    }
}

/// The outcome of a request that was not refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::service::registrations) enum Placed {
    /// The person is registered now.
    Now {
        id: RegistrationId,
        status: Status,
        waitlist_position: Option<i32>,
    },
    /// The person was already registered.
    Before,
}

impl Request {
    /// Counts the mails that it brings, unless they are more than its organizer or the mailbox may get.
    pub(super) fn count_mails(
        &self,
        batcher: &Batcher,
        (organizers, mails): (&mut Organizers, &mut Allowance),
        now: Instant,
    ) -> Result<(), Error> {
        if self.mail == FirstMail::Sent {
            organizers.check(batcher, self.requester, now)?;
        }
        if self.mail.is_sent() {
            mails.take_of(&self.budgets(mails.limits()))?;
        }
        organizers.count(self.requester, self.mail.needed(), now);
        Ok(())
    }

    /// What its mail takes from.
    pub(super) fn budgets(&self, limits: MailboxLimits) -> Vec<Budget> {
        let address = self.email.as_str();
        match &self.asker {
            Some(asker) => Budget::registrations(limits, address, asker),
            None => Budget::mails_to(limits, Cause::Organizer, address),
        }
    }
}
