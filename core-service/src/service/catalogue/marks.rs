//! Where pages deep in the catalogue begin. A database skips events one by one, which takes 130 ms for half a million. So every
//! [`STEP`]th place is kept in memory, 24 bytes for each, and a page is read from the one before it.
//!
//! Places move when the catalogue changes. They are read again after [`RENEWED_AFTER`] and not used after [`LONGEST_KEPT`], so the offset
//! of a page beyond [`DEEP`] may be wrong by what changed meanwhile, as it is wrong for whoever reads one page after the other. What a
//! page shows is always read.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use crate::{
    domain::{cursor::Place, instant::Instant as Moment},
    storage::Store,
};

const STEP: i64 = 500;

/// Skipping fewer takes at most some milliseconds. It needs no mark and is always exact.
const DEEP: i64 = 5_000;

const RENEWED_AFTER: Duration = Duration::from_secs(5);
const LONGEST_KEPT: Duration = Duration::from_secs(10);

/// The marks of one catalogue. Clones share them.
#[derive(Debug, Clone, Default)]
pub(super) struct Marks(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    /// The last event of each full step.
    places: Vec<Place>,
    read_at: Option<Instant>,
    is_being_read: bool,
}

impl Marks {
    /// Where to begin for an offset: after a place, and with the rest of the offset. Reads the marks in the background if they are old.
    pub(super) fn nearest(&self, store: &Store, now: Moment, offset: i64) -> (Option<Place>, i64) {
        if offset < DEEP {
            return (None, offset);
        }
        let mut kept = self.kept();
        let age = kept.read_at.map(|read_at| read_at.elapsed());
        if age.is_none_or(|age| age > RENEWED_AFTER) && !kept.is_being_read {
            kept.is_being_read = true;
            tokio::spawn(self.clone().read(store.clone(), now));
        }
        if age.is_none_or(|age| age > LONGEST_KEPT) {
            return (None, offset);
        }
        nearest(&kept.places, offset)
    }

    async fn read(self, store: Store, now: Moment) {
        let read_at = Instant::now();
        let places = store.list_marks(now, STEP).await;
        let mut kept = self.kept();
        kept.is_being_read = false;
        match places {
            Ok(places) => {
                kept.places = places;
                kept.read_at = Some(read_at);
            }
            // Without marks pages are slower.
            Err(error) => {
                tracing::warn!(%error, "cannot read where deep pages of the catalogue begin");
            }
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
}
