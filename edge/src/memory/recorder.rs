//! What a surface's answer is made of, so that it can be kept as well.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::{Basis, Recalled};

/// Notes the calls that were made for a request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recorder(Arc<Mutex<Record>>);

/// The calls.
#[derive(Debug, Default)]
pub(crate) struct Record {
    /// What the answers are based on; `None` before the first.
    basis: Option<Basis>,
    /// Whether a call was made whose answer is not kept.
    is_private: bool,
    /// Whether a request had a filter.
    pub(crate) is_filtered: bool,
    /// The age of the oldest answer that may not be right any more.
    pub(crate) age: Option<Duration>,
}

impl Recorder {
    /// Notes an answer.
    pub(crate) fn note(&self, recalled: &Recalled, is_filtered: bool) {
        let mut record = self.record();
        let answer = &recalled.answer;
        record.is_private |= !answer.is_kept;
        record.is_filtered |= is_filtered;
        record.age = record.age.max(recalled.age);
        let basis = match record.basis.take() {
            Some(basis) => basis.and(&answer.basis),
            None => answer.basis.copy(),
        };
        record.basis = Some(basis);
    }

    /// Notes a call whose answer nobody keeps.
    pub(crate) fn note_private(&self) {
        self.record().is_private = true;
    }

    /// What was noted. Nothing that is noted later counts.
    pub(crate) fn take(&self) -> Record {
        std::mem::take(&mut self.record())
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Record {
    /// The basis of what was made of the answers, if it may be kept.
    pub(crate) fn basis(self) -> Option<Basis> {
        self.basis
            .filter(|_| !self.is_private && self.age.is_none())
    }
}
