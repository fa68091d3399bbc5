//! What is known of the catalogue: which answers its changes have made wrong.
//!
//! Each piece of news begins an epoch. An answer has the epoch in which core was asked for it, and not the one in which it came: a change
//! that was told meanwhile may not be in it.

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, RandomState},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use muster_api::{deadline::CATALOGUE_TRUST, internal::v1::CatalogueNews};

use super::micros;

/// Of more events than this, changes of seats are not noted singly: everything counts as changed.
const MOST_EVENTS: usize = 10_000;

/// No event ends.
const NEVER: u64 = u64::MAX;

/// What is known.
#[derive(Debug)]
pub(super) struct Known {
    epoch: AtomicU64,
    /// What was asked for before this epoch does not hold.
    holds_from: AtomicU64,
    /// When core read the last news, in microseconds of the clock; 0 if there were none.
    heard_at: AtomicU64,
    /// When a change failed of which nobody knows whether it was made, in microseconds of the clock; 0 if none did.
    doubted_at: AtomicU64,
    /// When an event ends, so that nothing from before holds.
    ends_at: AtomicU64,
    changes: Mutex<Changes>,
    /// Slugs are compared by their hashes: two that are equal cost a miss.
    hasher: RandomState,
}

#[derive(Debug, Default)]
struct Changes {
    /// When an event had another number of seats, by its slug.
    seats: HashMap<u64, Before>,
    /// The epoch before which any event may have had another number of seats.
    all_seats: u64,
    /// The core and the version of the last news.
    told_by: Option<(String, i64)>,
}

/// The epochs before which an event had another number of seats.
#[derive(Debug, Default)]
struct Before {
    /// As core has told.
    told: u64,
    /// As a change says that came this way. It counts at once, but only for answers about this event alone: lists follow with the news,
    /// or nothing of a list would be kept while many people register.
    own: u64,
}

/// What an answer is based on.
#[derive(Debug, Default)]
pub(crate) struct Basis {
    /// The epoch in which core was asked for it.
    epoch: u64,
    /// When core was asked.
    pub(crate) asked_at: Duration,
    /// The events of which it shows how many seats are left.
    pub(super) seats_of: Vec<u64>,
    /// The last epoch in which it was found to hold.
    found_in: AtomicU64,
}

impl Default for Known {
    fn default() -> Self {
        Self {
            epoch: AtomicU64::new(1),
            holds_from: AtomicU64::new(0),
            heard_at: AtomicU64::new(0),
            doubted_at: AtomicU64::new(0),
            ends_at: AtomicU64::new(NEVER),
            changes: Mutex::default(),
            hasher: RandomState::new(),
        }
    }
}

impl Basis {
    /// Core was asked then, in that epoch.
    pub(super) fn of(epoch: u64, asked_at: Duration) -> Self {
        Self {
            epoch,
            asked_at,
            ..Self::default()
        }
    }

    /// The basis of what is made of two answers.
    pub(super) fn and(mut self, other: &Self) -> Self {
        self.seats_of.extend(&other.seats_of);
        Self {
            epoch: self.epoch.min(other.epoch),
            asked_at: self.asked_at.min(other.asked_at),
            seats_of: self.seats_of,
            found_in: AtomicU64::new(0),
        }
    }

    /// The same for another answer.
    pub(super) fn copy(&self) -> Self {
        Self {
            seats_of: self.seats_of.clone(),
            ..Self::of(self.epoch, self.asked_at)
        }
    }
}

impl Known {
    pub(super) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// When the last news came.
    pub(super) fn heard_at(&self) -> Duration {
        Duration::from_micros(self.heard_at.load(Ordering::Acquire))
    }

    /// Whether the last news are so recent that nothing can have changed without being told.
    pub(super) fn is_fresh(&self, now: Duration) -> bool {
        let heard_at = self.heard_at.load(Ordering::Acquire);
        let is_known = heard_at > self.doubted_at.load(Ordering::Acquire);
        is_known && micros(now) < heard_at + micros(CATALOGUE_TRUST)
    }

    /// What is known now may be old: a change may have been made that only the next news tell. It may still be shown as an old answer.
    pub(super) fn doubt(&self, now: Duration) {
        self.doubted_at
            .fetch_max(micros(now).max(1), Ordering::AcqRel);
    }

    /// Whether core was asked after the last doubt.
    pub(super) fn is_undoubted(&self, asked_at: Duration) -> bool {
        let doubted_at = self.doubted_at.load(Ordering::Acquire);
        doubted_at == 0 || micros(asked_at) > doubted_at
    }

    /// The number that stands for a slug.
    pub(super) fn hash(&self, slug: &str) -> u64 {
        self.hasher.hash_one(slug)
    }

    /// Whether what is based on this is right, as far as the news say.
    pub(super) fn holds(&self, basis: &Basis, now: Duration) -> bool {
        if self.ends_at.load(Ordering::Acquire) <= micros(now) {
            self.end();
        }
        let epoch = self.epoch();
        if basis.found_in.load(Ordering::Relaxed) == epoch {
            return true;
        }
        let changes = self.changes();
        if basis.epoch < self.holds_from.load(Ordering::Acquire) {
            return false;
        }
        if changes.have_changed(basis) {
            return false;
        }
        basis.found_in.store(epoch, Ordering::Relaxed);
        true
    }

    /// Nothing from before holds.
    pub(super) fn forget(&self) {
        self.forget_all(&mut self.changes());
    }

    /// An event may have another number of seats, by a change that came this way.
    pub(super) fn change_seats(&self, slug: &str) {
        self.change(|changes, next| changes.seats.entry(self.hash(slug)).or_default().own = next);
    }

    /// So may some event, whichever.
    pub(super) fn change_all_seats(&self) {
        self.change(|changes, next| changes.all_seats = next);
    }

    /// Begins an epoch with a change of seats.
    fn change(&self, note: impl FnOnce(&mut Changes, u64)) {
        let (mut changes, next) = (self.changes(), self.epoch() + 1);
        note(&mut changes, next);
        if changes.seats.len() > MOST_EVENTS {
            self.forget_all(&mut changes);
        } else {
            self.epoch.store(next, Ordering::Release);
        }
    }

    /// Takes news. The first ones on a stream say whether some were missed.
    pub(super) fn hear(&self, news: CatalogueNews, is_first: bool, now: Duration) {
        let mut changes = self.changes();
        let told_by = Some((news.core, news.version));
        let has_missed = is_first && changes.told_by != told_by;
        changes.told_by = told_by;
        if news.has_changed || has_missed || changes.seats.len() > MOST_EVENTS {
            self.forget_all(&mut changes);
        } else if !news.seats_of.is_empty() {
            let next = self.epoch() + 1;
            for slug in &news.seats_of {
                changes.seats.entry(self.hash(slug)).or_default().told = next;
            }
            self.epoch.store(next, Ordering::Release);
        }
        let ends_at = news
            .ends_in_micros
            .map_or(NEVER, |left| micros(now) + u64::try_from(left).unwrap_or(0));
        self.ends_at.store(ends_at, Ordering::Release);
        let age = u64::try_from(news.read_micros_ago).unwrap_or(0);
        let read_at = micros(now).saturating_sub(age).max(1);
        self.heard_at.store(read_at, Ordering::Release);
    }

    /// An event has ended. The news will say when the next one does.
    fn end(&self) {
        let mut changes = self.changes();
        self.ends_at.store(NEVER, Ordering::Release);
        self.forget_all(&mut changes);
    }

    fn forget_all(&self, changes: &mut Changes) {
        let next = self.epoch() + 1;
        changes.seats.clear();
        self.holds_from.store(next, Ordering::Release);
        self.epoch.store(next, Ordering::Release);
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Changes {
    /// Whether the events of which this shows the seats may have another number of them now.
    fn have_changed(&self, basis: &Basis) -> bool {
        let is_alone = basis.seats_of.len() == 1;
        let mut shown = basis.seats_of.iter();
        shown.any(|slug| {
            let before = self.seats.get(slug);
            let before = before.map_or(0, |at| {
                if is_alone {
                    at.told.max(at.own)
                } else {
                    at.told
                }
            });
            basis.epoch < before.max(self.all_seats)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Duration = Duration::from_secs(10);

    fn news(version: i64) -> CatalogueNews {
        CatalogueNews {
            core: "core".to_owned(),
            version,
            ..CatalogueNews::default()
        }
    }

    /// What has heard that much, and what was asked for then.
    fn heard(first: CatalogueNews, seats_of: &[&str]) -> (Known, Basis) {
        let known = Known::default();
        known.hear(first, true, START);
        let mut basis = Basis::of(known.epoch(), START);
        basis.seats_of = seats_of.iter().map(|slug| known.hash(slug)).collect();
        assert!(known.holds(&basis, START));
        (known, basis)
    }

    #[test]
    fn a_change_of_seats_concerns_those_who_show_them() {
        let (known, shows) = heard(news(1), &["a", "b"]);
        let other = Basis::of(known.epoch(), START);
        let seats_of = vec!["b".to_owned()];
        let change = CatalogueNews {
            seats_of,
            ..news(2)
        };
        known.hear(change, false, START);
        assert!(!known.holds(&shows, START));
        assert!(known.holds(&other, START));
        let mut later = Basis::of(known.epoch(), START);
        later.seats_of.clone_from(&shows.seats_of);
        assert!(known.holds(&later, START));
    }

    #[test]
    fn a_change_that_came_this_way_concerns_answers_about_that_event_at_once_and_lists_with_the_news()
     {
        let (known, list) = heard(news(1), &["a", "b"]);
        let basis_of = |slug: &str| {
            let mut basis = Basis::of(known.epoch(), START);
            basis.seats_of = vec![known.hash(slug)];
            basis
        };
        let (own, other) = (basis_of("a"), basis_of("b"));
        known.change_seats("a");
        assert!(!known.holds(&own, START));
        assert!(known.holds(&other, START) && known.holds(&list, START));
        assert!(known.holds(&basis_of("a"), START));
        known.change_all_seats();
        assert!(!known.holds(&other, START) && !known.holds(&list, START));
        assert!(known.holds(&Basis::of(known.epoch() - 1, START), START));
    }

    #[test]
    fn a_change_of_anything_concerns_everybody_and_what_was_asked_for_before() {
        let (known, before) = heard(news(1), &[]);
        let has_changed = true;
        let change = CatalogueNews {
            has_changed,
            ..news(2)
        };
        known.hear(change, false, START);
        assert!(!known.holds(&before, START));
        let after = Basis::of(known.epoch(), START);
        known.hear(news(2), false, START);
        assert!(known.holds(&after, START));
        known.forget();
        assert!(!known.holds(&after, START));
    }

    #[test]
    fn only_the_same_core_with_the_same_version_says_that_nothing_was_missed() {
        let elsewhere = CatalogueNews {
            core: "other".to_owned(),
            ..news(1)
        };
        for (first, holds) in [(news(1), true), (news(2), false), (elsewhere, false)] {
            let (known, basis) = heard(news(1), &[]);
            known.hear(first, true, START);
            assert_eq!(known.holds(&basis, START), holds);
        }
    }

    #[test]
    fn nothing_from_before_an_end_holds_after_it() {
        let ends_in_micros = Some(5_000_000);
        let first = CatalogueNews {
            ends_in_micros,
            ..news(1)
        };
        let (known, basis) = heard(first, &[]);
        let end = START + Duration::from_secs(5);
        assert!(known.holds(&basis, START + Duration::from_micros(4_999_999)));
        assert!(!known.holds(&basis, end));
        let after = Basis::of(known.epoch(), end);
        assert!(known.holds(&after, end));
    }

    #[test]
    fn what_was_known_before_a_doubt_is_old_until_there_are_news() {
        let (known, before) = heard(news(1), &[]);
        assert!(known.is_fresh(START) && known.is_undoubted(START));
        known.doubt(START);
        assert!(!known.is_fresh(START) && !known.is_undoubted(START));
        assert!(known.holds(&before, START));
        let later = START + Duration::from_millis(1);
        assert!(known.is_undoubted(later));
        known.hear(news(1), false, later);
        assert!(known.is_fresh(later) && known.holds(&before, later));
    }

    #[test]
    fn news_count_from_when_core_read_them() {
        let read_micros_ago = 200_000;
        let known = Known::default();
        assert!(!known.is_fresh(START));
        known.hear(
            CatalogueNews {
                read_micros_ago,
                ..news(1)
            },
            true,
            START,
        );
        let left = CATALOGUE_TRUST.as_millis() - 200;
        let end = START + Duration::from_millis(left.try_into().unwrap());
        assert!(known.is_fresh(START));
        assert!(!known.is_fresh(end));
    }
}
