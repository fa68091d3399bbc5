//! The caller's own events.

mod announce;
mod cancel;
mod change;
mod create;
mod draft;
mod own_cover;
mod preview;
mod quota;
mod remind;
mod repeat;
mod series;

use domain::{
    account::Account,
    cursor::Place,
    event::{Event, EventDefaults, ListedEvent},
    ids::EventId,
    job::InvalidPayload,
    plan::Plans,
    registration::Counters,
};
use storage::{FirstEvents, MyEventsFilter, Store};

use super::{Commands, Context, Error, Principal, catalogue::saturated, pages::page};

pub use cancel::{Cancellation, CancellationMails};
pub use change::Updated;
pub(super) use change::write;
pub use own_cover::OwnCovers;
pub use preview::{PlannedChange, PlannedMail, PlannedUpdate};
pub use repeat::{Repeat, Repeated};
pub use series::Target;

/// Up to so many events are counted: the time of a list must not grow with the account.
pub(super) const MAX_COUNTED: i64 = 10_000;

/// A list of the caller's events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MyEvents {
    /// The events.
    pub events: Vec<ListedEvent>,
    /// The number of events that match the filter.
    pub count: i32,
    /// Whether `count` is exact. If not, more match.
    pub count_is_exact: bool,
    /// The last event of the page, if there are more.
    pub next: Option<Place>,
}

/// Use cases about the caller's own events.
#[derive(Debug, Clone)]
pub struct Events {
    commands: Commands,
    plans: Plans,
    defaults: EventDefaults,
}

impl Events {
    /// Events, with these quotas and defaults.
    pub fn new(commands: Commands, plans: Plans, defaults: EventDefaults) -> Self {
        Self {
            commands,
            plans,
            defaults,
        }
    }

    /// What applies where neither a request nor its account says something.
    pub(crate) const fn defaults(&self) -> &EventDefaults {
        &self.defaults
    }

    /// The caller's events, as far as they reach.
    pub async fn list(
        &self,
        caller: &Principal,
        filter: &MyEventsFilter,
        after: Option<Place>,
        limit: i32,
    ) -> Result<MyEvents, Error> {
        let (store, now) = (self.commands.store(), self.commands.now());
        let owner = caller.account;
        let filter = &MyEventsFilter {
            reach: caller.reach,
            ..filter.clone()
        };
        if filter.text.is_some() && store.has_unfolded_events(owner).await? {
            return Err(Error::IndexIncomplete);
        }
        let (one_more, most) = (i64::from(limit) + 1, MAX_COUNTED + 1);
        let found = if after.is_some() {
            let found = store.list_account_events(owner, filter, now, after, one_more);
            let count = store.count_account_events(owner, filter, now, most);
            FirstEvents {
                events: found.await?,
                count: count.await?,
            }
        } else {
            store
                .list_and_count_account_events(owner, filter, now, one_more, most)
                .await?
        };
        let (events, next) = page(found.events, limit, ListedEvent::place);
        Ok(MyEvents {
            events,
            next,
            count: saturated(found.count.min(MAX_COUNTED)),
            count_is_exact: found.count <= MAX_COUNTED,
        })
    }

    /// One of the caller's events.
    pub async fn get(&self, caller: &Principal, id: EventId) -> Result<(Event, Counters), Error> {
        find(self.commands.store(), caller, id).await
    }
}

/// One of the caller's events; others are not found.
pub(super) async fn find(
    store: &Store,
    caller: &Principal,
    id: EventId,
) -> Result<(Event, Counters), Error> {
    let found = store.find_account_event(caller.account, caller.reach, id);
    let found = found.await?;
    found.ok_or(Error::NO_EVENT)
}

/// Locks the caller's account until the transaction ends. A core may trust a credential for a moment after a suspension.
pub(super) async fn lock_account(
    context: &mut Context,
    caller: &Principal,
) -> Result<Account, Error> {
    let account = context.tx.lock_account(caller.account).await?;
    not_suspended(account.ok_or(Error::Unauthorized)?)
}

fn not_suspended(account: Account) -> Result<Account, Error> {
    if account.is_suspended {
        return Err(Error::AccountSuspended);
    }
    Ok(account)
}

/// Reads and locks one of the caller's events and its seats until the transaction ends, and takes the time.
pub(super) async fn hold(
    context: &mut Context,
    caller: &Principal,
    id: EventId,
) -> Result<(Event, Counters), Error> {
    context.tx.lock_counters(id).await?.ok_or(Error::NO_EVENT)?;
    context.renew_time();
    let found = context
        .tx
        .find_account_event(caller.account, caller.reach, id);
    let found = found.await?;
    found.ok_or(Error::NO_EVENT)
}

/// Why a job about an event could not be done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EventJobError {
    /// The job is of a newer version.
    #[error(transparent)]
    Payload(#[from] InvalidPayload),
    /// The use case failed.
    #[error(transparent)]
    Failed(#[from] Error),
}

impl From<storage::Error> for EventJobError {
    fn from(error: storage::Error) -> Self {
        Self::Failed(error.into())
    }
}
