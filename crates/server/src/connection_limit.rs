//! A limit on the open connections of a port: how many there are in total, and how many one client has.
//!
//! When it is reached, a new connection takes the permit of the one that has been idle for longest, so that a client that only holds
//! connections open keeps nobody out.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use tokio::{
    sync::Notify,
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;

use crate::networks::{Networks, subscriber};

/// Bounds on the connections of a port.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// Maximum number of open connections.
    pub total: usize,
    /// Maximum number of open connections of one client: an IPv4 address or an IPv6 network of 64 bits.
    pub per_client: usize,
    /// The same for clients on this machine.
    pub local: usize,
    /// Clients that the last two do not apply to: proxies, by which many people come.
    pub excepted: Networks,
}

impl Bounds {
    /// How many connections a client may have.
    fn share(&self, client: IpAddr) -> usize {
        if self.excepted.contains(client) {
            self.total
        } else if client.to_canonical().is_loopback() {
            self.local
        } else {
            self.per_client
        }
    }
}

/// The limit of a port. Clones share it.
#[derive(Debug, Clone)]
pub struct ConnectionLimit(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    bounds: Bounds,
    open: Mutex<Open>,
    /// Notified when a connection ends or becomes idle.
    changed: Notify,
}

#[derive(Debug, Default)]
struct Open {
    last: u64,
    entries: HashMap<u64, Entry>,
    /// How many connections each client has, without those that are told to close.
    clients: HashMap<IpAddr, usize>,
}

#[derive(Debug)]
struct Entry {
    client: Option<IpAddr>,
    requests: Arc<Requests>,
    close: CancellationToken,
}

/// The requests of a connection, which are counted without a look at the others.
#[derive(Debug)]
struct Requests {
    /// How many are under way.
    running: AtomicUsize,
    begun: Instant,
    /// The end of the last one, in nanoseconds since the beginning of the connection.
    ended: AtomicU64,
}

impl Requests {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            running: AtomicUsize::new(0),
            begun: Instant::now(),
            ended: AtomicU64::new(0),
        })
    }

    fn are_running(&self) -> bool {
        self.running.load(Ordering::Acquire) > 0
    }

    /// The end of the last one, or the beginning of the connection.
    fn idle_since(&self) -> Instant {
        self.begun + Duration::from_nanos(self.ended.load(Ordering::Acquire))
    }

    fn begin(&self) {
        self.running.fetch_add(1, Ordering::AcqRel);
    }

    /// Whether none is running any more.
    fn end(&self) -> bool {
        let now = u64::try_from(self.begun.elapsed().as_nanos());
        self.ended.store(now.unwrap_or(u64::MAX), Ordering::Release);
        self.running.fetch_sub(1, Ordering::AcqRel) == 1
    }
}

impl ConnectionLimit {
    /// Returns a limit of a port without connections.
    pub fn new(bounds: Bounds) -> Self {
        Self(Arc::new(Shared {
            bounds,
            open: Mutex::default(),
            changed: Notify::new(),
        }))
    }

    /// Returns a permit for a new connection; `peer` is its address, on a network. While requests are under way on all connections, it
    /// waits. Returns `None` while that is so on all of the client's.
    pub async fn admit(&self, peer: Option<IpAddr>) -> Option<Permit> {
        let client = peer.map(subscriber);
        let share = peer.map_or(self.0.bounds.total, |peer| self.0.bounds.share(peer));
        if !self.0.open().make_room_within(share, client) {
            return None;
        }
        loop {
            if let Some((id, close, requests)) = self.0.open().admit(self.0.bounds.total, client) {
                let connections = Arc::clone(&self.0);
                return Some(Permit(Arc::new(Held {
                    connections,
                    id,
                    close,
                    requests,
                })));
            }
            self.0.changed.notified().await;
        }
    }
}

impl Shared {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// Closes the client's longest idle connection if it has no permit left. Returns whether it has one now.
    fn make_room_within(&mut self, share: usize, client: Option<IpAddr>) -> bool {
        let Some(client) = client else {
            return true;
        };
        let has = self.clients.get(&client).copied().unwrap_or_default();
        has < share || self.close_longest_idle(|entry| entry.client == Some(client))
    }

    /// Enters a connection. When all permits are taken, it closes the longest idle connection and returns `None`: the permit is
    /// free once that one has ended.
    fn admit(&mut self, total: usize, client: Option<IpAddr>) -> Option<Admitted> {
        if self.entries.len() >= total {
            let closing = |entry: &Entry| entry.close.is_cancelled();
            if !self.entries.values().any(closing) {
                self.close_longest_idle(|_| true);
            }
            return None;
        }
        self.last += 1;
        let (close, requests) = (CancellationToken::new(), Requests::new());
        let entry = Entry {
            client,
            requests: Arc::clone(&requests),
            close: close.clone(),
        };
        self.entries.insert(self.last, entry);
        if let Some(client) = client {
            *self.clients.entry(client).or_default() += 1;
        }
        Some((self.last, close, requests))
    }

    fn close_longest_idle(&mut self, among: impl Fn(&Entry) -> bool) -> bool {
        let open = self.entries.values_mut();
        let idle = open.filter(|entry| {
            !entry.requests.are_running() && !entry.close.is_cancelled() && among(entry)
        });
        let Some(longest) = idle.min_by_key(|entry| entry.requests.idle_since()) else {
            return false;
        };
        longest.close.cancel();
        let client = longest.client.take();
        self.discount(client);
        true
    }

    fn discount(&mut self, client: Option<IpAddr>) {
        let Some(client) = client else {
            return;
        };
        if let Some(has) = self.clients.get_mut(&client) {
            *has -= 1;
            if *has == 0 {
                self.clients.remove(&client);
            }
        }
    }
}

/// The permit of an open connection, until its last clone is dropped.
#[derive(Debug, Clone)]
pub struct Permit(Arc<Held>);

#[derive(Debug)]
struct Held {
    connections: Arc<Shared>,
    id: u64,
    close: CancellationToken,
    requests: Arc<Requests>,
}

/// Its number, what tells it to close, and its requests.
type Admitted = (u64, CancellationToken, Arc<Requests>);

impl Permit {
    /// Completes when another connection needs the permit.
    pub async fn is_needed(&self) {
        self.0.close.cancelled().await;
    }

    /// Marks a request as under way.
    pub fn busy(&self) -> Busy {
        self.0.requests.begin();
        Busy(self.clone())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut open = self.connections.open();
        if let Some(entry) = open.entries.remove(&self.id) {
            open.discount(entry.client);
        }
        drop(open);
        self.connections.changed.notify_one();
    }
}

/// Exists while a request is under way.
#[derive(Debug)]
pub struct Busy(Permit);

impl Drop for Busy {
    fn drop(&mut self) {
        let held = &self.0.0;
        if held.requests.end() {
            held.connections.changed.notify_one();
        }
    }
}
