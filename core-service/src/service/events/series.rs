//! Which dates of a series a change is for.

use domain::{
    event::Event, ids::EventId, instant::Instant, registration::Counters, violation::FieldViolation,
};
use storage::Reads;

use crate::service::{Context, Error, Events, Principal};

/// One change is for at most this many later dates.
const MAX_FOLLOWING: usize = 104;

/// The event that a change is for, and whether for the later dates of its series as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// The event.
    pub event: EventId,
    /// Whether the later dates that are neither cancelled nor over change as well.
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
        let (store, now) = (self.commands.store(), self.commands.now());
        let first = self.get(caller, target.event).await?;
        let following = target.following(store, caller, &first.0, now).await?;
        let mut dates = vec![first];
        for id in following {
            let date = store
                .find_account_event(caller.account, caller.reach, id)
                .await?;
            dates.extend(date.filter(|(event, _)| event.is_ahead(now)));
        }
        Ok(dates)
    }
}

impl Target {
    /// The later dates that change with the event, in their order. Locks are taken in it. A change of some of them only would not be the one
    /// that was asked for, so all must be in the caller's reach.
    pub(super) async fn following(
        self,
        reads: &Reads,
        caller: &Principal,
        event: &Event,
        now: Instant,
    ) -> Result<Vec<EventId>, Error> {
        let Some(series) = event.series.filter(|_| self.is_for_following) else {
            return Ok(Vec::new());
        };
        let limit = i64::try_from(MAX_FOLLOWING + 1).unwrap_or(i64::MAX);
        let place = (event.schedule.start.at, event.id);
        let found = reads.list_series_after(series, place, now, limit).await?;
        if found.len() > MAX_FOLLOWING {
            let why = format!("more than {MAX_FOLLOWING} dates follow");
            return Err(refused(&why));
        }
        if let Some(person) = caller.reach.person() {
            let own = reads.list_events_of_member(caller.account, person).await?;
            if !found.iter().all(|id| own.contains(id)) {
                let why = "you are not a member for all dates that follow";
                return Err(refused(why));
            }
        }
        Ok(found)
    }
}

/// Reads and locks a later date; `None` if it was cancelled, deleted or is over since it was found.
pub(super) async fn hold_later(
    context: &mut Context,
    caller: &Principal,
    id: EventId,
) -> Result<Option<(Event, Counters)>, Error> {
    if context.tx.lock_counters(id).await?.is_none() {
        return Ok(None);
    }
    context.renew_time();
    let found = context
        .tx
        .find_account_event(caller.account, caller.reach, id)
        .await?;
    Ok(found.filter(|(event, _)| event.is_ahead(context.now)))
}

/// What is wrong with a change on a later date, said so that nobody looks for it at the first one: which date, and of the fields, which may
/// be right there, the choice of the dates.
pub(super) fn on_later_date(error: Error, date: &Event) -> Error {
    let day = date.schedule.start.local.strftime("%-d %B %Y").to_string();
    match error {
        Error::Invalid(mistakes) => {
            let first = mistakes.into_iter().next();
            let first =
                first.map_or_else(String::new, |one| format!("{} {}", one.field, one.message));
            refused(&format!("on {day} {first}"))
        }
        Error::CapacityBelowConfirmed { confirmed } => Error::CapacityBelowConfirmedOn {
            date: day,
            confirmed,
        },
        error => error,
    }
}

/// The refusal of a change of later dates: of the event alone it would be possible, as far as is known.
fn refused(why: &str) -> Error {
    Error::from(vec![FieldViolation {
        field: "scope".to_owned(),
        message: format!("must be \"this\", because {why}"),
    }])
}
