//! Messages of organizers to the people who registered for an event (rule 47 of docs/rules.md).

mod audience;
mod state;
mod timing;

use uuid::Uuid;

use super::{
    event::Event,
    ids::{EventId, MessageId, PersonId},
    instant::Instant,
    plan::Plan,
    registration::{Registrant, Status},
};

pub use audience::{AnswerFilter, Audience, WrittenAudience};
pub use state::{MessageState, StopReason, UnknownMessageState, UnknownStopReason};
pub use timing::{GRACE_SECONDS, Timing, WrittenTiming};

/// How many messages an event has at most.
pub const MAX_PER_EVENT: i32 = 100;

/// How many of them are scheduled at a time.
pub const MAX_SCHEDULED: i64 = 10;

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its identifier.
    pub id: MessageId,
    /// The event.
    pub event_id: EventId,
    /// Its number within the event, from 1.
    pub number: i32,
    /// The subject.
    pub subject: String,
    /// The text, as Markdown.
    pub text: String,
    /// Who gets it.
    pub audience: Audience,
    /// What decides when it begins.
    pub timing: Timing,
    /// When it begins, or began.
    pub due_at: Instant,
    /// Whether it was due, and waits for the mails of the next day.
    pub is_delayed: bool,
    /// How far it is.
    pub state: MessageState,
    /// Why it was stopped.
    pub stop_reason: Option<StopReason>,
    /// How many mails it has; none before it begins.
    pub recipients: i32,
    /// How many of them left whose records are gone.
    pub left_before: i32,
    /// Who wrote it: a person or a key.
    pub author_id: Option<Uuid>,
    /// Their name; unknown once they are gone.
    pub author_name: Option<String>,
    /// The person who wrote it, or whose key did, as long as they are a member of the account.
    pub author_person: Option<PersonId>,
    /// When it was written.
    pub created_at: Instant,
    /// When it was last changed.
    pub updated_at: Instant,
    /// Increases with each edit.
    pub version: i32,
}

/// Which accounts may write messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Offer {
    /// None.
    Off,
    /// Those with a paid plan.
    #[default]
    Paid,
    /// All.
    All,
}

impl Offer {
    /// Why an account with this plan may not; `None` if it may.
    pub const fn refuses(self, plan: Plan) -> Option<StopReason> {
        match self {
            Self::Off => Some(StopReason::NotOffered),
            Self::Paid if !plan.is_paid() => Some(StopReason::Plan),
            Self::Paid | Self::All => None,
        }
    }
}

/// Why an event can have no new message now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Closed {
    /// It is cancelled.
    #[error("the event is cancelled, which is final")]
    Cancelled,
    /// It is a draft.
    #[error("the event is not published: publish it first")]
    Draft,
    /// The operator hides it.
    #[error("the operator has hidden the event")]
    Hidden,
}

/// Checks that an event may write to its guests. It may after its end, too.
///
/// # Errors
/// When it may not.
pub const fn check_open(event: &Event) -> Result<(), Closed> {
    if event.is_cancelled {
        Err(Closed::Cancelled)
    } else if !event.is_published {
        Err(Closed::Draft)
    } else if event.is_hidden {
        Err(Closed::Hidden)
    } else {
        Ok(())
    }
}

impl Closed {
    /// Why it stops what is scheduled.
    pub const fn stop_reason(self) -> StopReason {
        match self {
            Self::Cancelled => StopReason::EventCancelled,
            Self::Draft => StopReason::EventUnpublished,
            Self::Hidden => StopReason::EventHidden,
        }
    }
}

impl Message {
    /// Whether it was to come before the event, which has started.
    pub fn is_late(&self, event: &Event, now: Instant) -> bool {
        matches!(self.timing, Timing::BeforeStart(_)) && event.schedule.start.at <= now
    }

    /// Whether its mail may still be sent to someone whom it had when it began: it was not cancelled or stopped, the event may write, and
    /// they have not left its audience by cancelling or by losing their seat.
    pub fn still_goes_to(&self, registrant: &Registrant) -> bool {
        self.state == MessageState::Begun
            && check_open(&registrant.event).is_ok()
            && registrant.status != Status::Cancelled
            && !registrant.awaits_confirmation
            && self.audience.has(registrant.status)
    }
}
