//! Amounts of which one holder has only a part: bytes of unfinished messages, or requests under way.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// An amount that holders share, of which each has only a part.
#[derive(Debug)]
pub struct Budget<K> {
    total: usize,
    per_holder: usize,
    held: Mutex<Amounts<K>>,
}

#[derive(Debug)]
struct Amounts<K> {
    total: usize,
    holders: HashMap<K, usize>,
}

/// What is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exhausted {
    /// The whole.
    Total,
    /// The part of the holder, which is this much.
    Part(usize),
}

impl<K: Copy + Eq + Hash> Budget<K> {
    /// Nothing is held yet.
    pub fn new(total: usize, per_holder: usize) -> Self {
        let held = Amounts {
            total: 0,
            holders: HashMap::new(),
        };
        Self {
            total,
            per_holder,
            held: Mutex::new(held),
        }
    }

    /// Nothing yet, for a holder. One without a key is limited by the total only.
    pub fn hold(self: &Arc<Self>, holder: Option<K>) -> Held<K> {
        Held {
            budget: Arc::clone(self),
            holder,
            amount: 0,
        }
    }

    fn held(&self) -> MutexGuard<'_, Amounts<K>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a holder holds for one purpose, until it is dropped.
#[derive(Debug)]
pub struct Held<K: Copy + Eq + Hash> {
    budget: Arc<Budget<K>>,
    holder: Option<K>,
    amount: usize,
}

impl<K: Copy + Eq + Hash> Held<K> {
    /// Holds at least this amount.
    ///
    /// # Errors
    /// When the budget does not have it.
    pub fn at_least(&mut self, amount: usize) -> Result<(), Exhausted> {
        let Some(more) = amount.checked_sub(self.amount).filter(|more| *more > 0) else {
            return Ok(());
        };
        let mut held = self.budget.held();
        if held.total + more > self.budget.total {
            return Err(Exhausted::Total);
        }
        if let Some(holder) = self.holder {
            let part = self.budget.per_holder;
            let own = held.holders.get(&holder).copied().unwrap_or_default();
            if own + more > part {
                return Err(Exhausted::Part(part));
            }
            held.holders.insert(holder, own + more);
        }
        held.total += more;
        drop(held);
        self.amount = amount;
        Ok(())
    }
}

impl<K: Copy + Eq + Hash> Drop for Held<K> {
    fn drop(&mut self) {
        let mut held = self.budget.held();
        held.total -= self.amount;
        let Some(holder) = self.holder else {
            return;
        };
        if let Some(own) = held.holders.get_mut(&holder) {
            *own -= self.amount;
            if *own == 0 {
                held.holders.remove(&holder);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    #[test]
    fn messages_share_the_total_and_the_part_of_their_client() {
        let budget = Arc::new(Budget::new(10, 6));
        let [one, other]: [IpAddr; 2] = [[192, 0, 2, 1].into(), [192, 0, 2, 2].into()];
        let mut first = budget.hold(Some(one));
        for bytes in [4, 4, 3] {
            first.at_least(bytes).unwrap();
        }
        let mut second = budget.hold(Some(one));
        assert_eq!(second.at_least(3), Err(Exhausted::Part(6)), "2 are left");
        second.at_least(2).unwrap();
        let mut third = budget.hold(Some(other));
        assert_eq!(third.at_least(5), Err(Exhausted::Total), "4 are left");
        let mut nobody = budget.hold(None);
        nobody.at_least(4).unwrap();
        drop(first);
        third.at_least(4).unwrap();
        drop((second, third, nobody));
        let held = budget.held();
        assert_eq!((held.total, held.holders.len()), (0, 0));
    }

    #[test]
    fn what_is_refused_leaves_no_trace() {
        let budget = Arc::new(Budget::new(10, 6));
        let mut held = budget.hold(Some(IpAddr::from([192, 0, 2, 1])));
        held.at_least(7).unwrap_err();
        drop(held);
        assert!(budget.held().holders.is_empty());
    }
}
