//! The caller's own events.

mod announce;
mod cancel;
mod change;
mod create;
mod draft;
mod preview;
mod quota;
mod searches;

pub(crate) use announce::AnnounceError;
pub use cancel::Cancellation;
pub use change::Updated;
pub use preview::{PlannedChange, PlannedMail};
pub use searches::{Found, OwnSearches, SearchedPage};

use std::{collections::HashMap, sync::Arc};

use self::searches::MANY;
use super::{
    Commands, Error, Principal, Unit, catalogue::saturated, pages::page, shared_read::SharedRead,
};
use crate::{
    domain::{
        account::Account,
        cursor::Place,
        event::{Event, EventDefaults, EventsVersion, Holds, ListedEvent},
        ids::{AccountId, EventId},
        instant::Instant,
        plan::Plans,
        registration::Counters,
    },
    storage::{EventFilter, FirstEvents, MyEventsFilter, Store},
};

/// Up to so many events are counted: the time of a list must not grow with the account.
pub(super) const MOST_COUNTED: i64 = 10_000;

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
    /// As long as it is what would be read, if that is known.
    pub holds: Option<Holds>,
}

impl MyEvents {
    /// With the number of events that match, of which one more was counted than is told.
    fn new(events: Vec<ListedEvent>, next: Option<Place>, count: i64) -> Self {
        Self {
            events,
            next,
            count: saturated(count.min(MOST_COUNTED)),
            count_is_exact: count <= MOST_COUNTED,
            holds: None,
        }
    }
}

/// As long as the first page of a list is what would be read. Of a list of what is over nobody knows when it gets longer. If not all active
/// events were counted, those that were are the first ones, and too many, until one of them ends.
fn holds(filter: &MyEventsFilter, found: &FirstEvents) -> Option<Holds> {
    let version = found.version?;
    let until = match filter.status {
        EventFilter::All => None,
        EventFilter::Active => Some(found.next_end?),
        EventFilter::Past => return None,
    };
    Some(Holds { version, until })
}

/// Use cases about the caller's own events.
#[derive(Debug, Clone)]
pub struct Events {
    commands: Commands,
    plans: Plans,
    defaults: EventDefaults,
    searches: OwnSearches,
    versions: Arc<SharedRead<EventsVersion>>,
}

impl Events {
    /// Events, with these quotas and defaults.
    pub fn new(commands: Commands, plans: Plans, defaults: EventDefaults) -> Self {
        Self {
            commands,
            plans,
            defaults,
            searches: OwnSearches::default(),
            versions: Arc::default(),
        }
    }

    /// The same with these searches.
    #[must_use]
    pub fn with_searches(self, searches: OwnSearches) -> Self {
        Self { searches, ..self }
    }

    /// What applies where neither a request nor its account says something.
    pub(crate) const fn defaults(&self) -> &EventDefaults {
        &self.defaults
    }

    /// The caller's events.
    pub async fn list(
        &self,
        caller: &Principal,
        filter: &MyEventsFilter,
        after: Option<Place>,
        limit: i32,
    ) -> Result<MyEvents, Error> {
        let (store, now) = (self.commands.store(), self.commands.now());
        let owner = caller.account;
        if filter.text.is_some() && store.has_unfolded_events(owner).await? {
            return Err(Error::IndexIncomplete);
        }
        let (one_more, most) = (i64::from(limit) + 1, MOST_COUNTED + 1);
        if filter.text.is_some()
            && let Some(found) = self.search(owner, filter, now, after, limit).await?
        {
            return Ok(found);
        }
        let found = if after.is_some() {
            let found = store.list_account_events(owner, filter, now, after, one_more);
            let count = store.count_account_events(owner, filter, now, most);
            FirstEvents {
                events: found.await?,
                count: count.await?,
                ..FirstEvents::default()
            }
        } else {
            store
                .list_and_count_account_events(owner, filter, now, one_more, most)
                .await?
        };
        if usize::try_from(found.count).is_ok_and(|count| count >= MANY) {
            self.searches.prepare(store, owner);
        }
        let holds = holds(filter, &found);
        let (events, next) = page(found.events, limit, ListedEvent::place);
        Ok(MyEvents {
            holds,
            ..MyEvents::new(events, next, found.count)
        })
    }

    /// Whether a list is what would be read at some moment of this call.
    pub async fn still_holds(&self, holds: &Holds) -> bool {
        let (store, clock) = (self.commands.store(), self.commands.clock());
        let version = self.versions.read(store.events_version()).await;
        version.is_some_and(|version| holds.at(clock.now(), *version))
    }

    /// A list with a text, if the texts of the account are kept.
    async fn search(
        &self,
        owner: AccountId,
        filter: &MyEventsFilter,
        now: Instant,
        after: Option<Place>,
        limit: i32,
    ) -> Result<Option<MyEvents>, Error> {
        let store = self.commands.store();
        let wanted = SearchedPage {
            after,
            limit: usize::try_from(limit).unwrap_or(0) + 1,
            most: MOST_COUNTED + 1,
        };
        let found = self.searches.find(store, owner, filter, now, wanted);
        let Some(Found { places, count }) = found.await? else {
            return Ok(None);
        };
        let (places, next) = page(places, limit, |place| *place);
        let ids: Vec<EventId> = places.iter().map(|place| EventId::new(place.id)).collect();
        let mut events = store.list_these_events(&ids).await?;
        // In the order in which they were found. One that was deleted in this moment is missing.
        let order: HashMap<EventId, usize> = ids.into_iter().zip(0..).collect();
        events.sort_by_key(|event| order.get(&event.id).copied());
        Ok(Some(MyEvents::new(events, next, count)))
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
    let found = store.find_account_event(caller.account, id).await?;
    found.ok_or(Error::NO_EVENT)
}

/// Locks the caller's account until the transaction ends. A core may trust a credential for a moment after a suspension.
pub(super) async fn lock_account(unit: &mut Unit, caller: &Principal) -> Result<Account, Error> {
    let account = unit.tx.lock_account(caller.account).await?;
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
    unit: &mut Unit,
    caller: &Principal,
    id: EventId,
) -> Result<(Event, Counters), Error> {
    unit.tx.lock_counters(id).await?.ok_or(Error::NO_EVENT)?;
    unit.renew_time();
    let found = unit.tx.find_account_event(caller.account, id).await?;
    found.ok_or(Error::NO_EVENT)
}
