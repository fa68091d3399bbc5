//! Counts the changes that came through this process, so that answers from before them can be found out.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::{
        Arc,
        atomic::{
            AtomicU64,
            Ordering::{AcqRel, Acquire},
        },
    },
};

use muster_api::metadata::SEATS_OF;
use tonic::{Code, Status, metadata::MetadataMap};
use tonic_types::StatusExt as _;

/// The number of counters that events share for their seats, by their slugs. Two that share one cost a refill.
const SEAT_COUNTERS: usize = 4096;

/// Counters of changes. Clones share them.
#[derive(Debug, Clone)]
pub struct Changes(Arc<Counters>);

#[derive(Debug)]
struct Counters {
    /// Changes that any public answer may show.
    catalogue: AtomicU64,
    /// Changes of how many seats of one event are left. Only answers about that event alone count them: if lists did, nothing of
    /// a list would be cached while many people register.
    seats: Box<[AtomicU64]>,
    hasher: RandomState,
}

/// The changes so far that answers at one path may show.
#[derive(Debug, Clone)]
pub struct Generation {
    /// The sum of its counters. They only grow, so it is the same if and only if each of them is.
    number: u64,
    /// The counters of the path's segments, one of which may be a slug.
    counters: Box<[u16]>,
}

/// A change that was sent to core. Until core has refused it, it may have been made, also if nobody waits for its end any more.
pub(super) struct Change<'c> {
    changes: &'c Changes,
    shows_in_catalogue: bool,
    is_over: bool,
}

impl Default for Changes {
    fn default() -> Self {
        Self(Arc::new(Counters {
            catalogue: AtomicU64::new(0),
            seats: (0..SEAT_COUNTERS).map(|_| AtomicU64::new(0)).collect(),
            hasher: RandomState::new(),
        }))
    }
}

impl Changes {
    /// Returns the generation of answers at a path that are asked for now.
    pub fn generation(&self, path: &str) -> Generation {
        let segments = path.split('/').filter(|segment| !segment.is_empty());
        let counters: Box<[u16]> = segments.map(|segment| self.counter_of(segment)).collect();
        Generation {
            number: self.sum(&counters),
            counters,
        }
    }

    /// Whether nothing has changed since.
    pub fn is_current(&self, generation: &Generation) -> bool {
        generation.number == self.sum(&generation.counters)
    }

    /// Begins a change.
    pub(super) const fn begin(&self, shows_in_catalogue: bool) -> Change<'_> {
        Change {
            changes: self,
            shows_in_catalogue,
            is_over: false,
        }
    }

    fn sum(&self, counters: &[u16]) -> u64 {
        let counters = counters
            .iter()
            .filter_map(|index| self.0.seats.get(usize::from(*index)));
        let seats: u64 = counters.map(|counter| counter.load(Acquire)).sum();
        self.0.catalogue.load(Acquire) + seats
    }

    fn counter_of(&self, slug: &str) -> u16 {
        u16::try_from(self.0.hasher.hash_one(slug) % SEAT_COUNTERS as u64).unwrap_or_default()
    }

    fn count(&self) {
        self.0.catalogue.fetch_add(1, AcqRel);
    }

    fn count_seats(&self, slug: &str) {
        if let Some(counter) = self.0.seats.get(usize::from(self.counter_of(slug))) {
            counter.fetch_add(1, AcqRel);
        }
    }
}

impl Generation {
    /// Its number, which tells generations of one path apart.
    pub const fn number(&self) -> u64 {
        self.number
    }
}

impl Change<'_> {
    /// Counts the change by its outcome: one that was refused does not count.
    pub(super) fn end<A>(mut self, outcome: &Result<(A, MetadataMap), Status>) {
        let metadata = match outcome {
            Ok((_, metadata)) => metadata,
            Err(status) => {
                self.is_over = is_refusal(status);
                return;
            }
        };
        self.is_over = true;
        let slug = metadata.get(SEATS_OF).and_then(|slug| slug.to_str().ok());
        match slug {
            _ if self.shows_in_catalogue => self.changes.count(),
            Some(slug) => self.changes.count_seats(slug),
            None => {}
        }
    }
}

impl Drop for Change<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.changes.count();
        }
    }
}

/// Whether core has decided not to make a change. Of a call that broke off nobody knows; one that core has no capacity for says
/// when to try again.
fn is_refusal(status: &Status) -> bool {
    let is_decided = !matches!(
        status.code(),
        Code::Unavailable
            | Code::DeadlineExceeded
            | Code::Cancelled
            | Code::Internal
            | Code::Unknown
    );
    is_decided || status.get_details_retry_info().is_some()
}

#[cfg(test)]
mod tests {
    use muster_api::status::overloaded;

    use super::*;

    const LIST: &str = "/api/v1/events";
    const DETAIL: &str = "/api/v1/events/meetup";
    const OTHER: &str = "/api/v1/events/other";

    type Outcome = Result<((), MetadataMap), Status>;

    fn accepted(seats_of: Option<&'static str>) -> ((), MetadataMap) {
        let mut metadata = MetadataMap::new();
        if let Some(slug) = seats_of {
            metadata.insert(SEATS_OF, slug.parse().unwrap());
        }
        ((), metadata)
    }

    /// Which of the paths a change with this outcome makes another generation of.
    fn changed(shows_in_catalogue: bool, outcome: &Outcome) -> [bool; 3] {
        let changes = Changes::default();
        let before = [LIST, DETAIL, OTHER].map(|path| changes.generation(path));
        changes.begin(shows_in_catalogue).end(outcome);
        before.map(|generation| !changes.is_current(&generation))
    }

    #[test]
    fn an_accepted_change_counts_for_what_shows_it() {
        assert_eq!(changed(true, &Ok(accepted(None))), [true; 3]);
        assert_eq!(changed(true, &Ok(accepted(Some("meetup")))), [true; 3]);
        assert_eq!(
            changed(false, &Ok(accepted(Some("meetup")))),
            [false, true, false]
        );
        assert_eq!(changed(false, &Ok(accepted(None))), [false; 3]);
    }

    #[test]
    fn a_refused_change_counts_for_nothing() {
        for code in [
            Code::Unauthenticated,
            Code::PermissionDenied,
            Code::InvalidArgument,
            Code::ResourceExhausted,
            Code::NotFound,
            Code::Aborted,
        ] {
            let refused = Err(Status::new(code, "no"));
            assert_eq!(changed(true, &refused), [false; 3], "{code:?}");
        }
        assert_eq!(changed(true, &Err(overloaded())), [false; 3]);
    }

    #[test]
    fn a_change_of_unknown_outcome_counts_for_everything() {
        for code in [Code::Unavailable, Code::DeadlineExceeded, Code::Internal] {
            let unknown = Err(Status::new(code, "lost"));
            assert_eq!(changed(true, &unknown), [true; 3], "{code:?}");
            assert_eq!(changed(false, &unknown), [true; 3], "{code:?}");
        }
    }

    #[test]
    fn a_change_that_nobody_waits_for_any_more_counts() {
        let changes = Changes::default();
        let before = changes.generation(LIST);
        drop(changes.begin(false));
        assert!(!changes.is_current(&before));
    }
}
