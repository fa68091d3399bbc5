//! The permits of running requests: how many there are, and how many one holder of credentials takes.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use http_kit::Problem;
use muster_api::Reason;

use crate::caller::Holder;

/// A holder may take one in so many of the permits.
const PART: usize = 8;

/// The permits of a bridge.
#[derive(Debug)]
pub(super) struct Permits {
    total: usize,
    each: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    total: usize,
    holders: HashMap<Holder, usize>,
}

impl Permits {
    pub(super) fn new(total: usize) -> Self {
        Self {
            total,
            each: (total / PART).max(1),
            taken: Mutex::default(),
        }
    }

    /// A permit for a request of this holder.
    pub(super) fn take(self: &Arc<Self>, holder: Holder) -> Result<Permit, Problem> {
        let mut taken = self.taken();
        if taken.total >= self.total {
            let message = "too many concurrent requests";
            return Err(Problem::new(Reason::Unavailable, message));
        }
        let own = taken.holders.entry(holder).or_default();
        if *own >= self.each {
            let each = self.each;
            let message = format!("a key or a connected app may have {each} concurrent requests");
            return Err(Problem::new(Reason::RateLimited, message));
        }
        *own += 1;
        taken.total += 1;
        drop(taken);
        Ok(Permit {
            permits: Arc::clone(self),
            holder,
        })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A permit, until it is dropped.
#[derive(Debug)]
pub(super) struct Permit {
    permits: Arc<Permits>,
    holder: Holder,
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut taken = self.permits.taken();
        taken.total -= 1;
        if let Some(own) = taken.holders.get_mut(&self.holder) {
            *own -= 1;
            if *own == 0 {
                taken.holders.remove(&self.holder);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holders_share_the_permits_and_each_has_only_a_part_of_them() {
        let permits = Arc::new(Permits::new(2 * PART));
        let take = |holder: u8| permits.take(Holder::of(None, [holder; 32]));
        let reason = |refused: Result<Permit, Problem>| refused.unwrap_err().code;
        let first = [take(0).unwrap(), take(0).unwrap()];
        assert_eq!(reason(take(0)), Reason::RateLimited.code());
        let others: Vec<_> = (2..16).map(|number| take(number / 2).unwrap()).collect();
        assert_eq!(reason(take(100)), Reason::Unavailable.code());
        drop(first);
        assert!(take(0).is_ok());
        drop(others);
        let taken = permits.taken();
        assert_eq!((taken.total, taken.holders.len()), (0, 0));
    }
}
