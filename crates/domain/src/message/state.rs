//! How far a message is.

use crate::names::names;

names! {
    /// How far a message is, as it is stored.
    MessageState / UnknownMessageState: "is no state of a message" {
        /// It waits for its time.
        Scheduled = "scheduled",
        /// Its mails were scheduled: it is being sent, or was.
        Begun = "begun",
        /// Someone cancelled it.
        Cancelled = "cancelled",
        /// Something stopped it.
        Stopped = "stopped",
    }

    /// Why a message was stopped.
    StopReason / UnknownStopReason: "is no reason to stop a message" {
        /// The event was cancelled.
        EventCancelled = "event_cancelled",
        /// The operator hid the event.
        EventHidden = "event_hidden",
        /// The event became a draft.
        EventUnpublished = "event_unpublished",
        /// The event has started, and the message was to come before.
        EventStarted = "event_started",
        /// The operator suspended the account.
        AccountSuspended = "account_suspended",
        /// The account's plan includes no messages any more.
        Plan = "plan",
        /// Neither does this installation.
        NotOffered = "not_offered",
    }
}

impl StopReason {
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
