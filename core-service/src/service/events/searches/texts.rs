//! The texts of one account's events, in the order of their starts.

use std::collections::{BTreeMap, HashMap};

use memchr::memmem::Finder;
use uuid::Uuid;

use super::{Found, SearchedPage};
use crate::{
    domain::{
        cursor::Place,
        event::{EventChange, SearchedEvent},
        instant::Instant,
    },
    storage::{EventFilter, MyEventsFilter},
};

/// About what an event takes beside its text.
const OVERHEAD: usize = 130;

/// A start and an event.
type Key = (i64, Uuid);

#[derive(Debug)]
pub(super) struct Texts {
    events: BTreeMap<Key, Searched>,
    /// The start under which each event is.
    starts: HashMap<Uuid, i64>,
    /// Of each shard, the last number up to which all changes are in here.
    known: Vec<i64>,
    /// Of all texts.
    length: usize,
}

/// What a search compares beside the start.
#[derive(Debug)]
struct Searched {
    text: Box<str>,
    start_local: Instant,
    effective_end: Instant,
    is_cancelled: bool,
}

impl Texts {
    /// None yet. They are to be read after these numbers were.
    pub(super) fn as_of(known: Vec<i64>) -> Self {
        Self {
            events: BTreeMap::new(),
            starts: HashMap::new(),
            known,
            length: 0,
        }
    }

    pub(super) fn known(&self) -> &[i64] {
        &self.known
    }

    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    /// About how much memory they take.
    pub(super) fn bytes(&self) -> usize {
        self.length + self.events.len() * OVERHEAD
    }

    /// Adds an event, in place of what is there of it.
    pub(super) fn put(&mut self, event: SearchedEvent) {
        let Place { key, id } = event.place;
        self.remove(id);
        let text = event.text.unwrap_or_default();
        self.length += text.len();
        self.starts.insert(id, key);
        let searched = Searched {
            text,
            start_local: event.start_local,
            effective_end: event.effective_end,
            is_cancelled: event.is_cancelled,
        };
        self.events.insert((key, id), searched);
    }

    fn remove(&mut self, id: Uuid) {
        let start = self.starts.remove(&id);
        if let Some(gone) = start.and_then(|start| self.events.remove(&(start, id))) {
            self.length -= gone.text.len();
        }
    }

    /// Adding events in their order leaves half of the memory unused.
    pub(super) fn compact(&mut self) {
        self.events = std::mem::take(&mut self.events).into_iter().collect();
    }

    /// Applies all changes since [`Texts::known`].
    pub(super) fn apply(&mut self, changes: Vec<EventChange>) {
        for change in changes {
            if let Some(known) = self.known.get_mut(change.shard()) {
                *known = change.number.max(*known);
            }
            match change.now {
                Some(event) => self.put(event),
                None => self.remove(change.event.uuid()),
            }
        }
    }

    /// The same as the lists in `storage/queries/my_events.rs` find.
    pub(super) fn find(&self, filter: &MyEventsFilter, now: Instant, page: SearchedPage) -> Found {
        let starts = &filter.starts;
        let (from, before) = (starts.from_at.micros(), starts.before_at.micros());
        if from >= before {
            return Found::default();
        }
        let text = filter.folded_text().unwrap_or_default();
        let text = Finder::new(&text);
        let local = starts
            .bounds_wall_time()
            .then_some(starts.from_local..starts.before_local);
        let matches = |event: &Searched| {
            let is_of_status = match filter.status {
                EventFilter::Active => !event.is_cancelled && event.effective_end > now,
                EventFilter::Past => event.effective_end <= now,
                EventFilter::All => true,
            };
            let is_then = |local: &std::ops::Range<Instant>| local.contains(&event.start_local);
            is_of_status
                && local.as_ref().is_none_or(is_then)
                && text.find(event.text.as_bytes()).is_some()
        };
        let range = (from, Uuid::nil())..(before, Uuid::nil());
        let found = self.events.range(range);
        let found = found
            .filter(|(_, event)| matches(event))
            .map(|(key, _)| *key);
        let after = page.after.map(|place| (place.key, place.id));
        if filter.status == EventFilter::Active {
            take(found, |key| after.is_none_or(|after| key > after), page)
        } else {
            take(
                found.rev(),
                |key| after.is_none_or(|after| key < after),
                page,
            )
        }
    }
}

/// The page of all that were found, and their number.
fn take(
    found: impl Iterator<Item = Key>,
    is_behind: impl Fn(Key) -> bool,
    page: SearchedPage,
) -> Found {
    let mut taken = Found::default();
    for (key, id) in found {
        taken.count = page.most.min(taken.count + 1);
        let is_full = taken.places.len() >= page.limit;
        if !is_full && is_behind((key, id)) {
            taken.places.push(Place { key, id });
        } else if is_full && taken.count >= page.most {
            break;
        }
    }
    taken
}
