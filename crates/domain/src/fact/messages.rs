//! What a fact about an event does to its messages that are scheduled.

use super::{EventChange, Fact};
use crate::{ids::EventId, instant::Instant, message::StopReason};

/// What happens to the messages of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageEffect {
    /// Those that follow the event move with it.
    Move {
        /// The event.
        event: EventId,
        /// When it starts.
        start: Instant,
        /// When it is over.
        over_at: Instant,
    },
    /// They stop.
    Stop {
        /// The event.
        event: EventId,
        /// Why.
        reason: StopReason,
        /// Whether mails that wait are withdrawn, too. Those of a hidden event are held, as all of its mails are.
        begun: bool,
    },
}

impl Fact<'_> {
    /// What happens to the event's messages.
    pub fn message_effect(&self) -> Option<MessageEffect> {
        match *self {
            Self::EventChanged {
                change,
                before,
                after,
            } => match change {
                EventChange::Cancelled { .. } => Some(MessageEffect::Stop {
                    event: after.id,
                    reason: StopReason::EventCancelled,
                    begun: true,
                }),
                EventChange::Unpublished => Some(MessageEffect::Stop {
                    event: after.id,
                    reason: StopReason::EventUnpublished,
                    begun: true,
                }),
                EventChange::Updated | EventChange::ClocksMoved => {
                    (before.schedule != after.schedule).then(|| MessageEffect::Move {
                        event: after.id,
                        start: after.schedule.start.at,
                        over_at: after.schedule.over_at(),
                    })
                }
                EventChange::Published => None,
            },
            Self::EventTakenDown { event, .. } if event.is_hidden => Some(MessageEffect::Stop {
                event: event.id,
                reason: StopReason::EventHidden,
                begun: false,
            }),
            _ => None,
        }
    }
}
