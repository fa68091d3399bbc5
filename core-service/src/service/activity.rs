//! What happened on the caller's account.

mod export;

use domain::{
    activity::Activity,
    audit::Actor,
    catalogue::search_words,
    cursor::Place,
    ids::{AccountId, EventId},
    period::Period,
    scope::Scope,
};
use server::brand::SiteName;

use super::{Commands, Error, Lacking, Principal, events, pages::page};

pub use export::ActivityExport;

/// Entries in which a text is looked for at a time. A page may then have fewer entries than asked for, and more follow.
const WINDOW: i32 = 2_000;

/// Which entries to list; all by default.
#[derive(Debug, Clone, Default)]
pub struct ActivityFilter {
    /// Only those about this event.
    pub event: Option<EventId>,
    /// Only those in whose sentence this text occurs, without regard to case and accents.
    pub text: Option<String>,
    /// Only those of this time.
    pub period: Period,
}

/// A page of the activity.
#[derive(Debug, Clone, PartialEq)]
pub struct ActivityPage {
    /// The entries, latest first.
    pub entries: Vec<Activity>,
    /// The entry after which the next page begins, if there are more.
    pub next: Option<Place>,
}

/// The activity that a caller may read.
#[derive(Debug, Clone)]
pub(super) struct Readable {
    account: AccountId,
    filter: ActivityFilter,
    /// Whether registrants are named.
    has_names: bool,
    /// Whether what happened to events is listed.
    has_events: bool,
    /// Whether what happened to members is among it.
    sees_people: bool,
}

/// Use cases about the activity of the caller's account.
#[derive(Debug, Clone)]
pub struct ActivityLog {
    commands: Commands,
    site_name: SiteName,
}

impl ActivityLog {
    /// The activity on the same database as `commands`.
    pub(super) const fn new(commands: Commands, site_name: SiteName) -> Self {
        Self {
            commands,
            site_name,
        }
    }

    /// A page of the activity. Registrants are named only to those who may list them.
    pub async fn list(
        &self,
        caller: &Principal,
        filter: &ActivityFilter,
        after: Option<Place>,
        limit: i32,
    ) -> Result<ActivityPage, Error> {
        let max = if filter.text.is_some() { WINDOW } else { limit };
        let readable = self.readable(caller, filter.clone()).await?;
        let ActivityPage { entries, next } = self.read(&readable, after, max).await?;
        let (entries, full) = page(entries, limit, place);
        Ok(ActivityPage {
            entries,
            next: full.or(next),
        })
    }

    pub(super) async fn readable(
        &self,
        caller: &Principal,
        filter: ActivityFilter,
    ) -> Result<Readable, Error> {
        let store = self.commands.store();
        let has_events = caller.scopes.contain(Scope::EventsRead);
        if let Some(event) = filter.event {
            if !has_events {
                return Err(Error::InsufficientScope {
                    needed: Scope::EventsRead,
                    lacking: match caller.actor {
                        Actor::App(..) => Lacking::Grant(caller.scopes),
                        Actor::Person(_) => Lacking::Role,
                        _ => Lacking::Key,
                    },
                });
            }
            events::find(store, caller, event).await?;
        }
        let account = store.find_account(caller.account).await?;
        let is_paid = account.ok_or(Error::Unauthorized)?.plan.is_paid();
        Ok(Readable {
            account: caller.account,
            filter,
            sees_people: caller.scopes.contain(Scope::MembersWrite),
            has_names: is_paid && caller.scopes.contain(Scope::RegistrationsRead),
            has_events,
        })
    }

    /// What the filter leaves of the next `max` entries.
    pub(super) async fn read(
        &self,
        readable: &Readable,
        after: Option<Place>,
        max: i32,
    ) -> Result<ActivityPage, Error> {
        let ActivityFilter {
            event,
            text,
            period,
        } = &readable.filter;
        let store = self.commands.store();
        let limit = i64::from(max) + 1;
        let view = storage::ActivityView {
            event: *event,
            period: *period,
            has_events: readable.has_events,
            has_people: readable.sees_people,
        };
        let found = store.list_activity(readable.account, view, after, limit);
        let (found, next) = page(found.await?, max, place);
        let shown = |entry: Activity| {
            let entry = entry.on_site(self.site_name.chosen());
            if readable.has_names {
                entry
            } else {
                entry.without_attendees()
            }
        };
        let mut entries: Vec<Activity> = found.into_iter().map(shown).collect();
        if let Some(text) = text {
            let text = search_words::folded(text);
            entries.retain(|entry| search_words::folded(&entry.sentence()).contains(&text));
        }
        Ok(ActivityPage { entries, next })
    }
}

fn place(entry: &Activity) -> Place {
    Place {
        key: entry.at.micros(),
        id: entry.id,
    }
}
