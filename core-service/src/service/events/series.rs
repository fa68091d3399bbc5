//! Which dates of a series a change is for.

use domain::{event::Event, ids::EventId, registration::Counters, violation::FieldViolation};
use storage::Reads;

use crate::service::{Error, Events, Principal};

/// One change is for at most this many later dates.
const MAX_FOLLOWING: usize = 104;

/// The event that a change is for, and whether for the later dates of its series as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// The event.
    pub event: EventId,
    /// Whether the later dates that are not cancelled change as well.
    pub is_for_following: bool,
}

impl From<EventId> for Target {
    /// The event alone.
    fn from(event: EventId) -> Self {
        Self {
            event,
            is_for_following: false,
        }
    }
}

impl Events {
    /// The event of a target and the later dates that change with it, each with its registrations, in their order.
    pub async fn dates_of(
        &self,
        caller: &Principal,
        target: Target,
    ) -> Result<Vec<(Event, Counters)>, Error> {
        let first = self.get(caller, target.event).await?;
        let following = target.following(self.commands.store(), &first.0).await?;
        let mut dates = vec![first];
        for id in following {
            dates.push(self.get(caller, id).await?);
        }
        Ok(dates)
    }
}

impl Target {
    /// The later dates that change with the event, in their order. Locks are taken in it.
    pub(super) async fn following(
        self,
        reads: &Reads,
        event: &Event,
    ) -> Result<Vec<EventId>, Error> {
        let Some(series) = event.series.filter(|_| self.is_for_following) else {
            return Ok(Vec::new());
        };
        let limit = i64::try_from(MAX_FOLLOWING + 1).unwrap_or(i64::MAX);
        let start = event.schedule.start.at;
        let found = reads.list_series_after(series, start, limit).await?;
        if found.len() > MAX_FOLLOWING {
            return Err(Error::from(vec![FieldViolation {
                field: "scope".to_owned(),
                message: format!("must be this: more than {MAX_FOLLOWING} dates follow"),
            }]));
        }
        Ok(found)
    }
}
