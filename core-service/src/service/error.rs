//! Why a use case did not do what was asked.

use std::time::Duration;

use super::limits::{Allowance, whole_seconds};
use crate::{
    domain::{
        event,
        plan::Plan,
        registration::{self, Status},
        violation::FieldViolation,
    },
    storage,
};

/// A refusal or a failure. Texts may be shown to callers; the sources of `Unavailable` and `Internal` are for the log.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Fields that break rules, all of them.
    #[error("the request is invalid")]
    Invalid(Vec<FieldViolation>),
    /// The credential is missing, malformed, unknown, expired or revoked; it is not said which.
    #[error("a valid API key is required: send the header 'Authorization: Bearer <API_KEY>'")]
    Unauthorized,
    /// One more active event than the plan allows.
    #[error(
        "the {plan} plan allows {limit} active events: cancel one, wait for one to end, or change the plan"
    )]
    QuotaExceeded {
        /// The account's plan.
        plan: Plan,
        /// How many active events it allows.
        limit: u32,
    },
    /// The plan does not include this.
    #[error("a paid plan (Premium, Pro or Business) is required")]
    PlanRequired,
    /// There is none, or the caller may not know of it.
    #[error("there is no such {what}")]
    NotFound {
        /// What there is none of, for example `event`.
        what: &'static str,
    },
    /// Cancelling is final.
    #[error("the event is cancelled, which is final")]
    EventCancelled,
    /// What is over is not published.
    #[error("the event has ended, so it cannot be published: change its dates first")]
    PublishEnded,
    /// Who comes to what is over is settled.
    #[error("the event has ended")]
    EventEnded,
    /// Nobody is registered for a draft.
    #[error("the event is not published: publish it first")]
    EventNotPublished,
    /// Only the event's owner is told so.
    #[error("this e-mail address is registered for the event already")]
    AlreadyRegistered,
    /// Cancelling is final.
    #[error("the registration is cancelled, which is final")]
    RegistrationCancelled,
    /// Only a registration that holds a seat can be checked in.
    #[error("only a confirmed registration can be checked in; this one is {0}")]
    NotConfirmed(Status),
    /// Too often in a short time.
    #[error("too many registrations in a short time; try again in {} s", whole_seconds(*wait))]
    RateLimited {
        /// How long to wait.
        wait: Duration,
        /// What the client may be told of its limit.
        allowance: Option<Allowance>,
    },
    /// More registrations wait than can be decided on soon.
    #[error("too many registrations at once; try again")]
    Busy,
    /// More people hold seats than there would be.
    #[error("max_capacity must be at least {confirmed}, the number of confirmed registrations")]
    CapacityBelowConfirmed {
        /// How many hold seats.
        confirmed: i32,
    },
    /// What is stored contradicts the request; the text says what.
    #[error("{0}")]
    Conflict(String),
    /// The caller used the idempotency key for another request.
    #[error("this Idempotency-Key was used for another request: choose a new one")]
    IdempotencyKeyReused,
    /// The first call with the idempotency key has not ended.
    #[error("the first call with this Idempotency-Key is still under way: try again soon")]
    IdempotencyKeyInUse,
    /// The database is out of reach, or it is not known whether a commit reached it.
    #[error("the database is out of reach; try again")]
    Unavailable(#[source] storage::Error),
    /// A bug or an operator's matter.
    #[error("internal error")]
    Internal(#[source] storage::Error),
}

impl Error {
    /// There is no such event, or it is not the caller's to know.
    pub const NO_EVENT: Self = Self::NotFound { what: "event" };

    /// What is stored cannot be read: a defect, whose text is for the log.
    pub const fn unreadable(what: &'static str, text: String) -> Self {
        Self::Internal(storage::Error::Corrupt { what, text })
    }

    /// There is no such registration, or it is not the caller's to know.
    pub const NO_REGISTRATION: Self = Self::NotFound {
        what: "registration",
    };
}

impl Error {
    /// Whether it is what was decided about a valid request. Anything else may go otherwise when the same is asked again.
    pub(super) const fn is_decision(&self) -> bool {
        match self {
            Self::QuotaExceeded { .. }
            | Self::PlanRequired
            | Self::NotFound { .. }
            | Self::EventCancelled
            | Self::PublishEnded
            | Self::EventEnded
            | Self::EventNotPublished
            | Self::AlreadyRegistered
            | Self::RegistrationCancelled
            | Self::NotConfirmed(_)
            | Self::CapacityBelowConfirmed { .. } => true,
            Self::Invalid(_)
            | Self::Unauthorized
            | Self::RateLimited { .. }
            | Self::Busy
            | Self::Conflict(_)
            | Self::IdempotencyKeyReused
            | Self::IdempotencyKeyInUse
            | Self::Unavailable(_)
            | Self::Internal(_) => false,
        }
    }
}

impl From<storage::Error> for Error {
    fn from(error: storage::Error) -> Self {
        match error {
            storage::Error::Unavailable(_) | storage::Error::UnknownOutcome(_) => {
                Self::Unavailable(error)
            }
            // Unique values are chosen or checked before they are written: this is a bug.
            storage::Error::Duplicate { .. }
            | storage::Error::Missing(_)
            | storage::Error::Corrupt { .. }
            | storage::Error::Configuration(_)
            | storage::Error::Internal(_) => Self::Internal(error),
        }
    }
}

impl From<event::Refusal> for Error {
    fn from(refusal: event::Refusal) -> Self {
        use event::Refusal;
        match refusal {
            Refusal::Invalid(violations) => Self::Invalid(violations),
            Refusal::Cancelled => Self::EventCancelled,
            Refusal::Ended => Self::PublishEnded,
            Refusal::CapacityBelowConfirmed { confirmed } => {
                Self::CapacityBelowConfirmed { confirmed }
            }
        }
    }
}

impl From<registration::Refusal> for Error {
    fn from(refusal: registration::Refusal) -> Self {
        use registration::Refusal;
        match refusal {
            Refusal::NoEvent => Self::NO_EVENT,
            Refusal::Invalid(violations) => Self::Invalid(violations),
            Refusal::EventCancelled => Self::EventCancelled,
            Refusal::EventEnded => Self::EventEnded,
            Refusal::EventNotPublished => Self::EventNotPublished,
            Refusal::AlreadyRegistered => Self::AlreadyRegistered,
            Refusal::RegistrationCancelled => Self::RegistrationCancelled,
            Refusal::NotConfirmed(status) => Self::NotConfirmed(status),
        }
    }
}
