//! How far a message is.

use std::str::FromStr;

/// How far a message is, as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageState {
    /// It waits for its time.
    Scheduled,
    /// Its mails were scheduled: it is being sent, or was.
    Begun,
    /// Someone cancelled it.
    Cancelled,
    /// Something stopped it.
    Stopped,
}

impl MessageState {
    const ALL: [Self; 4] = [Self::Scheduled, Self::Begun, Self::Cancelled, Self::Stopped];

    /// Its name in storage.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scheduled => "scheduled",
            Self::Begun => "begun",
            Self::Cancelled => "cancelled",
            Self::Stopped => "stopped",
        }
    }
}

/// The text is no state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is no state of a message")]
pub struct UnknownMessageState;

impl FromStr for MessageState {
    type Err = UnknownMessageState;

    fn from_str(name: &str) -> Result<Self, UnknownMessageState> {
        let found = Self::ALL.into_iter().find(|one| one.name() == name);
        found.ok_or(UnknownMessageState)
    }
}

/// Why a message was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The event was cancelled.
    EventCancelled,
    /// The operator hid the event.
    EventHidden,
    /// The event became a draft.
    EventUnpublished,
    /// The event has started, and the message was to come before.
    EventStarted,
    /// The operator suspended the account.
    AccountSuspended,
    /// The account's plan includes no messages any more.
    Plan,
    /// Neither does this installation.
    NotOffered,
}

impl StopReason {
    const ALL: [Self; 7] = [
        Self::EventCancelled,
        Self::EventHidden,
        Self::EventUnpublished,
        Self::EventStarted,
        Self::AccountSuspended,
        Self::Plan,
        Self::NotOffered,
    ];

    /// Its name in answers and in storage.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EventCancelled => "event_cancelled",
            Self::EventHidden => "event_hidden",
            Self::EventUnpublished => "event_unpublished",
            Self::EventStarted => "event_started",
            Self::AccountSuspended => "account_suspended",
            Self::Plan => "plan",
            Self::NotOffered => "not_offered",
        }
    }

    /// It in words, for the activity.
    pub const fn words(self) -> &'static str {
        match self {
            Self::EventCancelled => "the event is cancelled",
            Self::EventHidden => "the operator has hidden the event",
            Self::EventUnpublished => "the event is not published",
            Self::EventStarted => "the event has started",
            Self::AccountSuspended => "the account is suspended",
            Self::Plan => "the plan includes no messages",
            Self::NotOffered => "this site sends no messages",
        }
    }
}

/// The text is no reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is no reason to stop a message")]
pub struct UnknownStopReason;

impl FromStr for StopReason {
    type Err = UnknownStopReason;

    fn from_str(name: &str) -> Result<Self, UnknownStopReason> {
        let found = Self::ALL.into_iter().find(|one| one.name() == name);
        found.ok_or(UnknownStopReason)
    }
}
