//! How many bytes unfinished messages may hold together.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::networks::subscriber;

/// A number of bytes that messages share, of which one client has only a part.
#[derive(Debug)]
pub struct ByteBudget {
    total: usize,
    per_client: usize,
    held: Mutex<Amounts>,
}

#[derive(Debug, Default)]
struct Amounts {
    total: usize,
    clients: HashMap<IpAddr, usize>,
}

impl ByteBudget {
    /// Nothing is held yet.
    pub fn new(total: usize, per_client: usize) -> Self {
        Self {
            total,
            per_client,
            held: Mutex::default(),
        }
    }

    /// No bytes yet, for a message of a client. One without an address is limited by the total only.
    pub fn hold(self: &Arc<Self>, client: Option<IpAddr>) -> HeldBytes {
        HeldBytes {
            budget: Arc::clone(self),
            client: client.map(subscriber),
            bytes: 0,
        }
    }

    fn held(&self) -> MutexGuard<'_, Amounts> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes that a message holds, until it is dropped.
#[derive(Debug)]
pub struct HeldBytes {
    budget: Arc<ByteBudget>,
    client: Option<IpAddr>,
    bytes: usize,
}

impl HeldBytes {
    /// Holds at least so many bytes. Returns whether the budget has them.
    pub fn at_least(&mut self, bytes: usize) -> bool {
        let Some(more) = bytes.checked_sub(self.bytes).filter(|more| *more > 0) else {
            return true;
        };
        let mut held = self.budget.held();
        if held.total + more > self.budget.total {
            return false;
        }
        if let Some(client) = self.client {
            let clients = held.clients.entry(client).or_default();
            if *clients + more > self.budget.per_client {
                return false;
            }
            *clients += more;
        }
        held.total += more;
        drop(held);
        self.bytes = bytes;
        true
    }
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        let mut held = self.budget.held();
        held.total -= self.bytes;
        let Some(client) = self.client else {
            return;
        };
        if let Some(clients) = held.clients.get_mut(&client) {
            *clients -= self.bytes;
            if *clients == 0 {
                held.clients.remove(&client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_share_the_total_and_the_part_of_their_client() {
        let budget = Arc::new(ByteBudget::new(10, 6));
        let [one, other]: [IpAddr; 2] = [[192, 0, 2, 1].into(), [192, 0, 2, 2].into()];
        let mut first = budget.hold(Some(one));
        assert!(first.at_least(4) && first.at_least(4) && first.at_least(3));
        let mut second = budget.hold(Some(one));
        assert!(!second.at_least(3), "the client has 2 left");
        assert!(second.at_least(2));
        let mut third = budget.hold(Some(other));
        assert!(!third.at_least(5), "4 are left");
        let mut nobody = budget.hold(None);
        assert!(nobody.at_least(4));
        drop(first);
        assert!(third.at_least(4));
        drop((second, third, nobody));
        let held = budget.held();
        assert_eq!((held.total, held.clients.len()), (0, 0));
    }

    #[test]
    fn what_is_refused_leaves_no_trace() {
        let budget = Arc::new(ByteBudget::new(10, 6));
        let mut held = budget.hold(Some([192, 0, 2, 1].into()));
        assert!(!held.at_least(7));
        drop(held);
        assert!(budget.held().clients.is_empty());
    }
}
