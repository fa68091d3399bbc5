//! Numbers about events: views of their pages, which websites count, and registrations by day.

use std::collections::{BTreeMap, HashMap};

use domain::{
    audit::Actor,
    ids::EventId,
    statistics::{Day, DayNumbers, Days, came_percent},
    zone::Zone,
};
use storage::EventViews;

use super::{Commands, Context, Error, Principal, events};

/// Hosts in an answer.
const MAX_HOSTS: i64 = 20;

/// Use cases about numbers of events.
#[derive(Debug, Clone)]
pub struct Statistics {
    commands: Commands,
}

/// Views of a page that a website counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageViews {
    /// The event's slug.
    pub slug: String,
    /// The host that led to it; empty if none did.
    pub host: String,
    /// How many.
    pub views: i64,
}

/// Numbers about an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventStatistics {
    /// Its last days, the earliest first.
    pub days: Vec<DayNumbers>,
    /// Hosts that led people to its page on these days, and how many.
    pub hosts: Vec<(String, i64)>,
    /// How many of a hundred with a spot were checked in.
    pub came_percent: Option<i32>,
}

impl Statistics {
    /// Numbers in the database of these commands.
    pub(super) const fn new(commands: Commands) -> Self {
        Self { commands }
    }

    /// The numbers of the last days of one of the caller's events.
    pub async fn of_event(
        &self,
        caller: &Principal,
        id: EventId,
        days: i32,
    ) -> Result<EventStatistics, Error> {
        let (store, now) = (self.commands.store(), self.commands.now());
        let (event, counters) = events::find(store, caller, id).await?;
        let days = Days::last(days, &event.schedule, now);
        let (mut views, mut hosts) = (BTreeMap::new(), Vec::new());
        if let Some(bounds) = days.bounds() {
            views = store.count_views(id, bounds).await?;
            hosts = store.list_referring_hosts(id, bounds, MAX_HOSTS).await?;
        }
        let registered = store.count_registered(id, days.around()).await?;
        Ok(EventStatistics {
            days: days.numbers(&views, &registered, &event.schedule),
            hosts,
            came_percent: came_percent(counters.seated(), counters.arrived()),
        })
    }

    /// Adds views that a website counted. Pages without an event are left out.
    pub async fn record_views(&self, pages: Vec<PageViews>) -> Result<(), Error> {
        let decide = async |context: &mut Context| {
            let slugs: Vec<&str> = pages.iter().map(|page| &*page.slug).collect();
            let found = context.tx.find_events_of_pages(&slugs).await?;
            let now = context.now;
            let days: HashMap<&str, (EventId, Day)> = found
                .iter()
                .map(|(slug, event, zone)| {
                    let zone = Zone::find(zone).unwrap_or_else(|_| Zone::utc());
                    (&**slug, (*event, Day::in_zone(now, &zone)))
                })
                .collect();
            let views = |page: &PageViews| {
                let &(event, day) = days.get(&*page.slug)?;
                Some(EventViews {
                    event,
                    day,
                    host: page.host.clone(),
                    views: page.views,
                })
            };
            let views: Vec<EventViews> = pages.iter().filter_map(views).collect();
            context.tx.add_views(&views).await?;
            context.note_write();
            Ok(())
        };
        self.commands.run(Actor::System, decide).await
    }
}
