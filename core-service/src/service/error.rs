//! Errors of use cases.

use std::time::Duration;

use domain::{
    event,
    mail::quota::Exceeded,
    oauth::Audience,
    plan::Plan,
    registration::{self, Status},
    scope::{Scope, Scopes},
    trust::PROOFS_NEEDED,
    violation::FieldViolation,
};

use super::limits::{Allowance, whole_seconds};

/// A refusal or a failure. Callers may see the messages; the sources of `Unavailable` and `Internal` are for the log only.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// All violations.
    #[error("the request is invalid")]
    Invalid(Vec<FieldViolation>),
    /// The credential is missing, malformed, unknown, expired or revoked; the message does not say which.
    #[error(
        "a valid API key or access token is required: send the header 'Authorization: Bearer <API_KEY>'"
    )]
    Unauthorized,
    /// The access token is for another surface.
    #[error(
        "the access token is for {} alone: connect again, so that the app gets one for this surface", .0.words()
    )]
    WrongAudience(Audience),
    /// The operator has suspended the account.
    #[error("the account is suspended: ask the operator of this site")]
    AccountSuspended,
    /// The person has not proven lately that the address is theirs.
    #[error("enter a new code from a mail first")]
    StepUpRequired,
    /// More active events than the plan allows.
    #[error(
        "the {plan} plan allows {limit} active events{}: cancel one, wait for one to end, or change the plan",
        left_of_plan(*left, *needed)
    )]
    QuotaExceeded {
        /// The account's plan.
        plan: Plan,
        /// How many active events it allows.
        limit: u32,
        /// How many of them are left.
        left: i64,
        /// How many more were asked for.
        needed: i64,
    },
    /// The plan does not include this.
    #[error("a paid plan (Premium, Pro or Business) is required")]
    PlanRequired,
    /// The operator offers no messages.
    #[error("this site sends no messages of organizers")]
    MessagesOff,
    /// Several reasons of the plan.
    #[error("{first}")]
    PlanForbids {
        /// The first one.
        first: Box<Error>,
        /// All of them.
        details: Vec<FieldViolation>,
    },
    /// It does not exist, or the caller may not know of it.
    #[error("there is no such {what}")]
    NotFound {
        /// What was not found, for example `event`.
        what: &'static str,
    },
    /// Cancelling is final.
    #[error("the event is cancelled, which is final")]
    EventCancelled,
    /// An ended event cannot be published.
    #[error("the event has ended, so it cannot be published: change its dates first")]
    PublishEnded,
    /// Registrations of an ended event cannot change.
    #[error("the event has ended")]
    EventEnded,
    /// Registration opens at this time.
    #[error("registration opens at {0}")]
    RegistrationNotOpen(String),
    /// Registration is closed, since this time unless by hand.
    #[error("registration {}", .0.as_ref().map_or_else(|| "is closed".to_owned(), |at| format!("closed at {at}")))]
    RegistrationClosed(Option<String>),
    /// A draft takes no registrations.
    #[error("the event is not published: publish it first")]
    EventNotPublished,
    /// Only the event's owner gets this error.
    #[error("this email address is registered for the event already")]
    AlreadyRegistered,
    /// Cancelling is final.
    #[error("the registration is cancelled, which is final")]
    RegistrationCancelled,
    /// Only a registration that holds a seat can be checked in.
    #[error("only a confirmed registration can be checked in; this one is {0}")]
    NotConfirmed(Status),
    /// The attendee must confirm the registration before it is approved.
    #[error("the attendee must confirm the registration from the email first")]
    AwaitsConfirmation,
    /// A rate limit was exceeded.
    #[error("too many requests in a short time; try again in {} s", whole_seconds(*wait))]
    RateLimited {
        /// How long to wait.
        wait: Duration,
        /// The client's remaining allowance, if it may know it.
        allowance: Option<Allowance>,
    },
    /// More mails to people who did not ask for them than the plan allows on a day.
    #[error("the daily mails of the {plan} plan are used up; try again after {}", exceeded.resets_at)]
    DailyMails {
        /// The account's plan.
        plan: Plan,
        /// The quota.
        exceeded: Exceeded,
        /// How long until a new day begins.
        wait: Duration,
    },
    /// More mails to people who did not register themselves than an account may send that is not trusted.
    #[error("a new account {}", new_account_limit(exceeded))]
    NewAccountMails {
        /// The quota.
        exceeded: Exceeded,
        /// How long until a new day begins.
        wait: Duration,
    },
    /// A client tried too many credentials that nobody has.
    #[error("too many unknown keys were tried from this address; try again in {} s", whole_seconds(*wait))]
    TooManyUnknownKeys {
        /// How long to wait.
        wait: Duration,
    },
    /// A core makes one export of an account at a time.
    #[error("an export of this account is under way; wait until it is over")]
    ExportUnderWay {
        /// After how long another try is worth it.
        wait: Duration,
    },
    /// The number of calls of the account that wait is at its limit.
    #[error(
        "{limit} calls of this account wait already, for messages or for a ping: try again once one is answered, or pull without wait_seconds"
    )]
    TooManyWaits {
        /// The limit.
        limit: usize,
        /// After how long another try is worth it.
        wait: Duration,
    },
    /// Whoever reads an export for long keeps it from others.
    #[error("the export ended, since it was read too slowly: read at least 8 kB a second")]
    ReadTooSlowly,
    /// Too many registrations wait.
    #[error("too many registrations at once; try again")]
    Busy,
    /// Too many covers wait to be drawn, or pictures to be read.
    #[error("too many covers are being made, try again in a moment")]
    CoversBusy,
    /// The caller lacks the scope that the call needs.
    #[error("the scope {needed} is missing")]
    InsufficientScope {
        /// The scope.
        needed: Scope,
        /// What lacks it.
        lacking: Lacking,
    },
    /// After an upgrade, the events of before are not in the search index yet.
    #[error(
        "searching is prepared after an upgrade; try again in a minute, or list without filters"
    )]
    IndexIncomplete,
    /// More seats are taken than the new capacity allows.
    #[error("max_capacity must be at least {confirmed}, the number of spots that are taken")]
    CapacityBelowConfirmed {
        /// The number of taken seats.
        confirmed: i32,
    },
    /// The same on a later date of the series, which was to change as well.
    #[error(
        "on {date}, max_capacity must be at least {confirmed}, the number of spots that are taken"
    )]
    CapacityBelowConfirmedOn {
        /// The day, such as `30 March 2027`.
        date: String,
        /// The number of taken seats.
        confirmed: i32,
    },
    /// The state of what is to be changed does not allow it; the text says why.
    #[error("{0}")]
    NotAllowedNow(&'static str),
    /// The request conflicts with stored data; the text says how.
    #[error("{0}")]
    Conflict(String),
    /// The caller used the idempotency key for another request.
    #[error("this Idempotency-Key was used for another request: choose a new one")]
    IdempotencyKeyReused,
    /// The first call with the idempotency key is still running.
    #[error("the first call with this Idempotency-Key is still running: try again soon")]
    IdempotencyKeyInUse,
    /// The database is unreachable or cannot write, or the outcome of a commit is unknown.
    #[error("{}", unavailable(.0))]
    Unavailable(#[source] storage::Error),
    /// A defect, or a problem for the operator.
    #[error("internal error")]
    Internal(#[source] storage::Error),
}

/// What lacks a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lacking {
    /// The API key.
    Key,
    /// The role of the person in the account.
    Role,
    /// The events of the person, who is a member for some only.
    Events,
    /// The grant of an app, whose person could agree to more than to these scopes.
    Grant(Scopes),
}

impl Error {
    /// The event has another version than the one that the caller read.
    pub const EDITED: Self = Self::NotAllowedNow(Self::CHANGED_SINCE);

    /// What [`Error::EDITED`] says.
    pub(super) const CHANGED_SINCE: &str =
        "the event has been edited since: read it again, and repeat your change with its version";

    /// There is no such event, or the caller may not know of it.
    pub const NO_EVENT: Self = Self::NotFound { what: "event" };

    /// Stored data cannot be read: a defect, whose text is for the log only.
    pub const fn unreadable(what: &'static str, text: String) -> Self {
        Self::Internal(storage::Error::Corrupt { what, text })
    }

    /// The private link offers no details of a repeated registration, or no longer.
    pub const NO_DETAILS: Self = Self::NotFound {
        what: "offer of new details",
    };

    /// Nobody has this check-in code.
    pub const NO_TICKET: Self = Self::NotFound { what: "ticket" };

    /// There is no such registration, or the caller may not know of it.
    pub const NO_REGISTRATION: Self = Self::NotFound {
        what: "registration",
    };
}

impl Error {
    /// Whether the database is at fault as a whole, so that work on other rows would fail, too.
    pub(super) const fn is_outage(&self) -> bool {
        matches!(
            self,
            Self::Unavailable(
                storage::Error::Unavailable(_)
                    | storage::Error::Unwritable(_)
                    | storage::Error::Standby(_)
            )
        )
    }

    /// Whether it is a decision on a valid request. Other errors may be different for a repeated call.
    pub(super) const fn is_decision(&self) -> bool {
        match self {
            Self::QuotaExceeded { .. }
            | Self::PlanRequired
            | Self::MessagesOff
            | Self::PlanForbids { .. }
            | Self::NotFound { .. }
            | Self::EventCancelled
            | Self::PublishEnded
            | Self::EventEnded
            | Self::EventNotPublished
            | Self::RegistrationNotOpen(_)
            | Self::RegistrationClosed(_)
            | Self::AlreadyRegistered
            | Self::RegistrationCancelled
            | Self::NotConfirmed(_)
            | Self::AwaitsConfirmation
            | Self::NotAllowedNow(_)
            | Self::CapacityBelowConfirmed { .. }
            | Self::CapacityBelowConfirmedOn { .. } => true,
            Self::Invalid(_)
            | Self::Unauthorized
            | Self::WrongAudience(_)
            | Self::AccountSuspended
            | Self::StepUpRequired
            | Self::RateLimited { .. }
            | Self::DailyMails { .. }
            | Self::NewAccountMails { .. }
            | Self::TooManyUnknownKeys { .. }
            | Self::ExportUnderWay { .. }
            | Self::TooManyWaits { .. }
            | Self::ReadTooSlowly
            | Self::Busy
            | Self::CoversBusy
            | Self::InsufficientScope { .. }
            | Self::IndexIncomplete
            | Self::Conflict(_)
            | Self::IdempotencyKeyReused
            | Self::IdempotencyKeyInUse
            | Self::Unavailable(_)
            | Self::Internal(_) => false,
        }
    }
}

impl From<Vec<FieldViolation>> for Error {
    fn from(violations: Vec<FieldViolation>) -> Self {
        Self::Invalid(violations)
    }
}

/// What is left of the plan's active events; empty where one more was asked for, which says it.
pub(super) fn left_of_plan(left: i64, needed: i64) -> String {
    if needed == 1 {
        return String::new();
    }
    let are = if left == 1 { "is" } else { "are" };
    format!(", of which {left} {are} left, and this needs {needed}")
}

/// What an account may that is not trusted, what is left of it, and what lifts the limit.
pub(crate) fn new_account_limit(exceeded: &Exceeded) -> String {
    let Exceeded {
        limit,
        needed,
        resets_at,
        ..
    } = exceeded;
    let left = exceeded.left();
    format!(
        "may mail {limit} people a day who did not register themselves, of which {left} are left until {resets_at}, and this needs \
         {needed}; {}",
        new_account_limit_ends()
    )
}

/// What lifts the limit of an account that is not trusted.
pub(crate) fn new_account_limit_ends() -> String {
    format!(
        "the limit ends when {PROOFS_NEEDED} people have registered themselves and confirmed, cancelled or changed it on their page, or \
         when the operator trusts the account"
    )
}

const fn unavailable(cause: &storage::Error) -> &'static str {
    match cause {
        storage::Error::Unwritable(_) => {
            "the database cannot write, for example because its disk is full; reads still work; try again later"
        }
        storage::Error::Collision(_) => {
            "too many calls change the same at the same time; try again"
        }
        _ => "the database is out of reach; try again",
    }
}

impl From<storage::Error> for Error {
    fn from(error: storage::Error) -> Self {
        match error {
            storage::Error::Unavailable(_)
            | storage::Error::Unwritable(_)
            | storage::Error::Standby(_)
            | storage::Error::Collision(_)
            | storage::Error::Locked(_)
            | storage::Error::UnknownOutcome(_) => Self::Unavailable(error),
            // Unique values are chosen or checked before they are written, so this is a defect.
            storage::Error::Duplicate { .. }
            | storage::Error::Missing(_)
            | storage::Error::Corrupt { .. }
            | storage::Error::Row { .. }
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
            Refusal::Edited => Self::EDITED,
            Refusal::Published => Self::NotAllowedNow(
                "only a draft can be deleted: cancel the event, or unpublish it first",
            ),
            Refusal::HasRegistrations => Self::NotAllowedNow(
                "people have registered for this event, so it cannot be deleted: cancel it instead",
            ),
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
            Refusal::EventWithdrawn => Self::NotAllowedNow(
                "the operator has hidden the event, so it takes no registrations: ask the operator",
            ),
            Refusal::Invalid(violations) => Self::Invalid(violations),
            Refusal::EventCancelled => Self::EventCancelled,
            Refusal::EventEnded => Self::EventEnded,
            Refusal::EventNotPublished => Self::EventNotPublished,
            Refusal::RegistrationNotOpen(opens) => Self::RegistrationNotOpen(opens.rfc3339()),
            Refusal::RegistrationClosed(since) => {
                Self::RegistrationClosed(since.map(|at| at.rfc3339()))
            }
            Refusal::AlreadyRegistered => Self::AlreadyRegistered,
            Refusal::RegistrationCancelled => Self::RegistrationCancelled,
            Refusal::NotConfirmed(status) => Self::NotConfirmed(status),
            Refusal::AnswersFixed => Self::NotAllowedNow(
                "the event does not let guests change their answers now: ask the organizer",
            ),
            Refusal::HoldsSeat => Self::NotAllowedNow(
                "the registration is Confirmed: cancel it to take its seat back",
            ),
            Refusal::NotConfirmedByAttendee => Self::AwaitsConfirmation,
            Refusal::NotWaitlisted(_) => Self::NotAllowedNow(
                "the registration is Pending: only who is on the waitlist is given a spot",
            ),
        }
    }
}
