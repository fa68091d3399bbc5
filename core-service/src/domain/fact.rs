//! What has happened. A use case says what it decided as facts; everything that follows from a change is derived from them, and
//! from nothing else: its rows in the audit log ([`Fact::audit`]), the work that it leaves ([`Fact::job`] and
//! [`Fact::mailing`]), and whether the public catalogue shows something else ([`Fact::catalogue_change`]).

mod audit;
mod catalogue;
mod work;

pub use work::Mailing;

use super::{
    account::{Account, ApiKey},
    event::Event,
    ids::{AccountId, EventId, KeyId, RegistrationId},
    job::JobKey,
    plan::Plan,
    registration::{Registration, Status},
};

/// One thing that happened, with what the derivations read.
#[derive(Debug, Clone, Copy)]
pub enum Fact<'a> {
    /// There is a new event.
    EventCreated {
        /// The event.
        event: &'a Event,
    },
    /// An event changed.
    EventChanged {
        /// In which way.
        change: EventChange,
        /// As it was.
        before: &'a Event,
        /// As it is.
        after: &'a Event,
    },
    /// A photograph became an event's cover.
    CoverStored {
        /// The event.
        event: &'a Event,
    },
    /// Registrations that waited for a seat get one. Recorded before they do: the mails go to those who wait.
    WaitlistPromoted {
        /// The event.
        event: &'a Event,
        /// How many.
        count: i32,
    },
    /// There is a new registration.
    RegistrationMade {
        /// The event's owner.
        account: AccountId,
        /// The event.
        event: EventId,
        /// The registration.
        registration: RegistrationId,
        /// Its first status.
        status: Status,
    },
    /// An attendee who is registered registered again.
    RegistrationRepeated {
        /// The event's owner.
        account: AccountId,
        /// The event.
        event: EventId,
        /// The registration that exists.
        registration: RegistrationId,
    },
    /// A registration changed.
    RegistrationChanged {
        /// In which way.
        change: RegistrationChange,
        /// The event's owner.
        account: AccountId,
        /// As it was.
        before: &'a Registration,
        /// As it is.
        after: &'a Registration,
    },
    /// A registration was removed. Whose it was is not recorded anywhere.
    RegistrationErased {
        /// The event's owner.
        account: AccountId,
        /// The registration.
        registration: RegistrationId,
    },
    /// There is a new account.
    AccountCreated {
        /// The account.
        account: &'a Account,
    },
    /// An account has another plan.
    PlanSet {
        /// The account.
        account: AccountId,
        /// The plan that it had.
        before: Plan,
        /// The plan that it has.
        after: Plan,
    },
    /// The name and the address of an account were removed.
    AccountErased {
        /// The account.
        account: AccountId,
    },
    /// There is a new API key.
    KeyCreated {
        /// The key.
        key: &'a ApiKey,
    },
    /// A key was revoked.
    KeyRevoked {
        /// The account that it acts on.
        account: AccountId,
        /// The key.
        key: KeyId,
    },
    /// A mail that had failed for good is due again.
    MailRetried {
        /// The account whose event it is about; unknown once the registration is erased.
        account: Option<AccountId>,
        /// The mail.
        job: &'a JobKey,
    },
    /// Private links were made for mails.
    PrivateLinksMade,
}

/// In which way an event changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventChange {
    /// Its owner changed fields.
    Updated,
    /// A draft was published.
    Published,
    /// A published event became a draft.
    Unpublished,
    /// It was cancelled.
    Cancelled,
}

/// In which way a registration changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegistrationChange {
    /// The organizer approved it.
    Approved,
    /// The organizer or the attendee cancelled it.
    Cancelled,
    /// The attendee has come.
    CheckedIn,
    /// The check-in was undone.
    CheckInUndone,
}
