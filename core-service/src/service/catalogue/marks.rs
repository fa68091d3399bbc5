//! Where pages deep in the catalogue begin. A database skips events one by one, which takes 130 ms for half a million. So every
//! [`STEP`]th place is kept in memory, 24 bytes for each, and a page is read from the one before it.
//!
//! Places move when the catalogue changes. They are exact as long as it has the same version and as many events as when they were read: an
//! event that ends changes the number alone. After a change they are read again, at most once in [`RENEWED_AFTER`], and meanwhile used if they
//! are new ([`LONGEST_KEPT`]) or not far off ([`FEW_CHANGES`]). So the offset of a page beyond [`DEEP`] may be wrong by what changed just now,
//! as it is wrong for whoever reads one page after the other. What a page shows is always read.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::{Instant, sleep};

use crate::{
    domain::{cursor::Place, instant::Instant as Moment},
    storage::{Error, Store},
};

const STEP: i64 = 500;

/// So many places are read in turn, which takes some milliseconds.
const PART: usize = 20;

/// How long reading rests after each part, times what the part took: to read them all at once would slow down all other calls of a small
/// machine.
const REST: u32 = 3;
const LONGEST_REST: Duration = Duration::from_millis(200);

/// Skipping fewer takes at most some milliseconds. It needs no mark and is always exact.
const DEEP: i64 = 5_000;

const RENEWED_AFTER: Duration = Duration::from_secs(5);
const LONGEST_KEPT: Duration = Duration::from_secs(10);

/// After so many changes a place may be off by a step.
const FEW_CHANGES: u64 = STEP.unsigned_abs();

/// How long after somebody asked for a deep page the marks are renewed by whoever asks for any page, so that the next one need not wait.
const WANTED: Duration = Duration::from_hours(1);

/// The marks of one catalogue. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Marks(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    /// The last event of each full step.
    places: Vec<Place>,
    read: Option<Read>,
    wanted_at: Option<Instant>,
    is_being_read: bool,
}

/// How places were read.
#[derive(Debug, Clone, Copy)]
struct Read {
    /// When that began.
    at: Instant,
    /// The catalogue then.
    state: State,
    /// Whether it was still the same when all were read.
    is_exact: bool,
}

/// A catalogue: two with the same version and number have the same events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    version: i64,
    events: i64,
}

impl State {
    /// About how many changes lead from one to the other, or more.
    const fn changes_since(self, earlier: Self) -> u64 {
        self.version.abs_diff(earlier.version) + self.events.abs_diff(earlier.events)
    }
}

impl Read {
    fn is_exactly(self, state: State) -> bool {
        self.is_exact && self.state == state
    }
}

/// Where to begin reading a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Start {
    /// After this place, or at the first event.
    pub(super) after: Option<Place>,
    /// With the rest of the offset.
    pub(super) offset: i64,
    /// Whether that is exactly the page of the offset.
    pub(super) is_exact: bool,
}

impl Start {
    /// The first event, from which everything is skipped one by one.
    const fn first(offset: i64) -> Self {
        Self {
            after: None,
            offset,
            is_exact: true,
        }
    }
}

impl Marks {
    /// Where to begin for an offset in a catalogue of so many events. Reads the marks in the background if they are old, also before
    /// anybody asks for a deep page.
    pub(super) async fn start(
        &self,
        store: &Store,
        now: Moment,
        offset: i64,
        events: i64,
    ) -> Result<Start, Error> {
        if events <= DEEP {
            return Ok(Start::first(offset));
        }
        let state = if offset < DEEP {
            None
        } else {
            let version = store.catalogue_version().await?;
            Some(State { version, events })
        };
        let mut kept = self.kept();
        if state.is_some() {
            kept.wanted_at = Some(Instant::now());
        }
        if kept.is_due(state, events) {
            kept.is_being_read = true;
            tokio::spawn(self.clone().renew(store.clone(), now));
        }
        Ok(state.map_or(Start::first(offset), |state| kept.start(state, offset)))
    }

    async fn renew(self, store: Store, now: Moment) {
        let read = self.read(&store, now).await;
        self.kept().is_being_read = false;
        if let Err(error) = read {
            // Without marks pages are slower.
            tracing::warn!(%error, "cannot read where deep pages of the catalogue begin");
        }
    }

    async fn read(&self, store: &Store, now: Moment) -> Result<(), Error> {
        let at = Instant::now();
        let state = State {
            version: store.catalogue_version().await?,
            events: store.count_live_events(now).await?,
        };
        let read = self.kept().read.filter(|read| read.is_exactly(state));
        if let Some(read) = read {
            self.kept().read = Some(Read { at, ..read });
            return Ok(());
        }
        let places = read_places(store, now).await?;
        let is_exact = store.catalogue_version().await? == state.version;
        let mut kept = self.kept();
        kept.places = places;
        kept.read = Some(Read {
            at,
            state,
            is_exact,
        });
        Ok(())
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The places of a catalogue, which may change meanwhile.
async fn read_places(store: &Store, now: Moment) -> Result<Vec<Place>, Error> {
    let mut places: Vec<Place> = Vec::new();
    loop {
        let began = Instant::now();
        for _ in 0..PART {
            let last = places.last().copied();
            match store.find_mark(now, last, STEP).await? {
                Some(place) => places.push(place),
                None => return Ok(places),
            }
        }
        sleep(LONGEST_REST.min(began.elapsed() * REST)).await;
    }
}

impl Kept {
    /// Whether to read them again, for a deep page of a catalogue or for another page, of so many events.
    fn is_due(&self, asked: Option<State>, events: i64) -> bool {
        let Some(read) = self.read else {
            return !self.is_being_read;
        };
        let is_known = asked.is_some_and(|state| read.is_exactly(state));
        let is_wanted = self.wanted_at.is_some_and(|at| at.elapsed() < WANTED);
        // Before they are so far off that a deep page cannot use them.
        let is_soon_far_off = events.abs_diff(read.state.events) > FEW_CHANGES / 2;
        let is_of_use = is_wanted || is_soon_far_off;
        !self.is_being_read && !is_known && is_of_use && read.at.elapsed() > RENEWED_AFTER
    }

    fn start(&self, state: State, offset: i64) -> Start {
        let Some(read) = self.read else {
            return Start::first(offset);
        };
        let is_new = read.at.elapsed() <= LONGEST_KEPT;
        if !is_new && state.changes_since(read.state) > FEW_CHANGES {
            return Start::first(offset);
        }
        let (after, offset) = nearest(&self.places, offset);
        Start {
            after,
            offset,
            is_exact: read.is_exactly(state),
        }
    }
}

/// The last mark that is not behind an offset, and what is left of the offset.
fn nearest(places: &[Place], offset: i64) -> (Option<Place>, i64) {
    let marks = i64::try_from(places.len()).unwrap_or(i64::MAX);
    let steps = (offset / STEP).min(marks);
    let last = usize::try_from(steps - 1).ok();
    let place = last.and_then(|last| places.get(last));
    (place.copied(), offset - steps * STEP)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_page_begins_after_the_last_mark_before_it() {
        let place = |key| Place {
            key,
            id: Uuid::nil(),
        };
        let places = [place(1), place(2)];
        assert_eq!(nearest(&places, 0), (None, 0));
        assert_eq!(nearest(&places, 499), (None, 499));
        assert_eq!(nearest(&places, 500), (Some(place(1)), 0));
        assert_eq!(nearest(&places, 1_499), (Some(place(2)), 499));
        assert_eq!(nearest(&places, 9_000), (Some(place(2)), 8_000));
        assert_eq!(nearest(&[], 9_000), (None, 9_000));
    }

    #[tokio::test(start_paused = true)]
    async fn places_are_exact_in_the_catalogue_of_which_they_are_and_old_ones_are_not_used_in_quite_another()
     {
        let state = |version| State {
            version,
            events: 6_000,
        };
        let place = Place {
            key: 1,
            id: Uuid::nil(),
        };
        let kept = Kept {
            places: vec![place; 12],
            read: Some(Read {
                at: Instant::now(),
                state: state(7),
                is_exact: true,
            }),
            wanted_at: Some(Instant::now()),
            is_being_read: false,
        };
        let start = |is_exact| Start {
            after: Some(place),
            offset: 1,
            is_exact,
        };
        assert_eq!(kept.start(state(7), 5_501), start(true));
        assert_eq!(kept.start(state(8), 5_501), start(false));
        assert_eq!(kept.start(state(7_000), 5_501), start(false));
        assert!(
            !kept.is_due(Some(state(8)), 6_000),
            "they were read just now"
        );

        tokio::time::advance(LONGEST_KEPT + Duration::from_millis(1)).await;
        assert_eq!(kept.start(state(7), 5_501), start(true));
        assert_eq!(kept.start(state(507), 5_501), start(false));
        assert_eq!(kept.start(state(508), 5_501), Start::first(5_501));
        let with_fewer_events = State {
            version: 7,
            events: 5_499,
        };
        assert_eq!(kept.start(with_fewer_events, 5_001), Start::first(5_001));
        assert!(!kept.is_due(Some(state(7)), 6_000), "nothing has changed");
        assert!(kept.is_due(Some(state(8)), 6_000));
        assert!(
            kept.is_due(None, 6_000),
            "deep pages were wanted a moment ago"
        );

        tokio::time::advance(WANTED).await;
        assert!(!kept.is_due(None, 6_250), "nobody wants deep pages");
        assert!(kept.is_due(None, 6_251), "soon they are of no use");
        assert!(
            Kept::default().is_due(None, 6_000),
            "the first is read ahead"
        );
    }
}
