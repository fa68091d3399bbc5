//! The model: what the service should hold, with nothing in between.

use core_service::{domain::ids::EventId, service::Error};

/// The free plan's.
const QUOTA: usize = 3;

#[derive(Debug, Clone)]
pub(super) struct Modelled {
    pub(super) id: EventId,
    pub(super) slug: String,
    pub(super) owner: usize,
    pub(super) start: i64,
    pub(super) end: Option<i64>,
    pub(super) is_published: bool,
    pub(super) is_listed: bool,
    pub(super) is_cancelled: bool,
}

impl Modelled {
    pub(super) fn effective_end(&self) -> i64 {
        self.end.unwrap_or(self.start)
    }

    pub(super) fn is_active(&self, now: i64) -> bool {
        !self.is_cancelled && self.effective_end() > now
    }

    pub(super) fn is_live(&self, now: i64) -> bool {
        self.is_active(now) && self.is_published && self.is_listed
    }
}

#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) now: i64,
    pub(super) events: Vec<Modelled>,
}

/// How a command ends, by the reason that a caller is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    Done,
    Invalid,
    Quota,
    NotFound,
    Cancelled,
    Ended,
}

pub(super) fn outcome<T>(answer: &Result<T, Error>) -> Outcome {
    match answer {
        Ok(_) => Outcome::Done,
        Err(Error::Invalid(_)) => Outcome::Invalid,
        Err(Error::QuotaExceeded { .. }) => Outcome::Quota,
        Err(Error::NotFound { .. }) => Outcome::NotFound,
        Err(Error::EventCancelled) => Outcome::Cancelled,
        Err(Error::PublishEnded) => Outcome::Ended,
        Err(other) => panic!("{other:?}"),
    }
}

impl Model {
    fn is_full(&self, owner: usize) -> bool {
        let active = |event: &&Modelled| event.owner == owner && event.is_active(self.now);
        owner == 0 && self.events.iter().filter(active).count() >= QUOTA
    }

    /// What becomes of an event that is to hold these times.
    pub(super) fn judge(&self, before: Option<&Modelled>, after: &Modelled) -> Outcome {
        let was_active = before.is_some_and(|before| before.is_active(self.now));
        let moved =
            before.is_none_or(|before| (before.start, before.end) != (after.start, after.end));
        let is_published_too_late =
            moved && after.is_published && after.effective_end() <= self.now;
        if after.effective_end() < after.start || is_published_too_late {
            Outcome::Invalid
        } else if after.is_active(self.now) && !was_active && self.is_full(after.owner) {
            Outcome::Quota
        } else {
            Outcome::Done
        }
    }
}
