//! The replicas of core, and the choice of one for each call.
//!
//! Tonic's own balancing is not used: it fails a third of the calls if one of two replicas is down (docs/pitfalls.md).

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use muster_api::status::overloaded;
use server::{
    adaptive_limit::{Kind, Permit},
    metrics::{self, Metrics},
};
use tokio::time::Instant;
use tonic::{Status, transport::ClientTlsConfig};

use super::{attempt::CallFailure, channel, endpoint::Endpoint, health};

/// How often the hosts are resolved, to find new and removed replicas.
const RESOLVE: Duration = Duration::from_secs(10);

/// The same after a failure, since the replicas have probably changed.
const RESOLVE_AFTER_FAILURE: Duration = Duration::from_secs(1);

/// How long after a failure that is so: a replica that takes another's place needs some time to start.
const UNSETTLED: Duration = Duration::from_secs(30);

/// Replicas of core.
pub(crate) struct Pool {
    /// `None` when the endpoints never change.
    resolver: Option<Resolver>,
    endpoints: RwLock<Endpoints>,
    next: AtomicUsize,
}

type Endpoints = Arc<[Arc<Endpoint>]>;

/// The replica for a call, and the call's permit there.
pub(crate) struct Chosen {
    pub(crate) endpoint: Arc<Endpoint>,
    permit: Option<Permit>,
}

impl Chosen {
    /// Learns from a failed call whether the replica has too many.
    pub(crate) fn note(&mut self, failure: &CallFailure) {
        if failure.is_shed()
            && let Some(permit) = &mut self.permit
        {
            permit.shed();
        }
    }
}

/// Why there is no replica for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoneChosen {
    /// There is none, or none other.
    Absent,
    /// Each has too many calls.
    Full,
}

impl NoneChosen {
    /// Counts a call of this kind for which there was no permit.
    pub(crate) fn count(self, kind: Option<Kind>) {
        if let (Self::Full, Some(kind)) = (self, kind) {
            count_shed(kind);
        }
    }
}

/// Counts a call of this kind that is refused at once.
pub(crate) fn count_shed(kind: Kind) {
    metrics::measure(|all| all.core_calls_shed.add_one([kind.name().into()]));
}

impl From<NoneChosen> for Status {
    fn from(why: NoneChosen) -> Self {
        match why {
            NoneChosen::Absent => Self::unavailable("core has no address"),
            NoneChosen::Full => overloaded(),
        }
    }
}

impl Pool {
    /// A single endpoint that never changes.
    pub(crate) fn fixed(endpoint: Endpoint) -> Self {
        Self::new(None, Arc::new([Arc::new(endpoint)]))
    }

    /// The addresses of hosts.
    pub(crate) fn resolving(resolver: Resolver) -> Self {
        Self::new(Some(resolver), Arc::new([]))
    }

    const fn new(resolver: Option<Resolver>, endpoints: Endpoints) -> Self {
        Self {
            resolver,
            endpoints: RwLock::new(endpoints),
            next: AtomicUsize::new(0),
        }
    }

    /// The same replicas, which metrics show.
    pub(crate) fn measured(self) -> Arc<Self> {
        let pool = Arc::new(self);
        let watched = Arc::downgrade(&pool);
        metrics::watch(move |all| watched.upgrade().map(|pool| pool.look(all)).is_some());
        pool
    }

    fn look(&self, metrics: &Metrics) {
        let known = self.current();
        let (working, ejected): (Vec<_>, Vec<_>) =
            known.iter().partition(|endpoint| endpoint.is_available());
        for (state, replicas) in [("working", working), ("aside", ejected)] {
            let count = u32::try_from(replicas.len()).unwrap_or(u32::MAX);
            metrics.core_replicas.set([state.into()], count.into());
        }
    }

    /// The current replicas, at least one. Resolves the hosts if that has never succeeded; later it resolves them in the
    /// background.
    pub(crate) async fn endpoints(self: &Arc<Self>) -> Result<Endpoints, Status> {
        let known = self.current();
        if let Some(resolver) = &self.resolver {
            if known.is_empty() {
                return self.resolve(resolver).await;
            }
            if resolver.claim() {
                let pool = Arc::clone(self);
                tokio::spawn(async move {
                    if let Some(resolver) = &pool.resolver
                        && let Err(status) = pool.resolve(resolver).await
                    {
                        tracing::warn!(
                            error = status.message(),
                            "cannot resolve core's hosts; kept the known replicas"
                        );
                    }
                });
            }
        }
        Ok(known)
    }

    /// The replica for the next call, in turn, without failed ones and those that have too many; if all have failed, any but
    /// `tried`. Replicas that failed some time ago are probed in the background.
    pub(crate) fn pick(
        &self,
        endpoints: &Endpoints,
        tried: Option<&Arc<Endpoint>>,
        kind: Option<Kind>,
    ) -> Result<Chosen, NoneChosen> {
        for endpoint in endpoints.iter().filter(|endpoint| endpoint.claim_trial()) {
            tokio::spawn(health::try_again(Arc::clone(endpoint)));
        }
        let start = self.next.fetch_add(1, Ordering::Relaxed) % endpoints.len().max(1);
        let (after, before) = (endpoints.iter().skip(start), endpoints.iter().take(start));
        let untried = |one: &&Arc<Endpoint>| tried.is_none_or(|tried| !Arc::ptr_eq(one, tried));
        let mut candidates: Vec<_> = after.chain(before).filter(untried).collect();
        if candidates.iter().any(|one| one.is_available()) {
            candidates.retain(|one| one.is_available());
        }
        if candidates.is_empty() {
            return Err(NoneChosen::Absent);
        }
        let choose = |endpoint: &&Arc<Endpoint>| {
            let permit = endpoint.admit(kind).ok()?;
            let endpoint = Arc::clone(endpoint);
            Some(Chosen { endpoint, permit })
        };
        candidates.iter().find_map(choose).ok_or(NoneChosen::Full)
    }

    /// Returns a replica that is not among these, for a call that could reach none of them. Resolves the hosts, unless that was done just now.
    pub(crate) async fn new_endpoint(
        &self,
        known: &Endpoints,
        kind: Option<Kind>,
    ) -> Option<Chosen> {
        let resolver = self.resolver.as_ref()?;
        let found = if resolver.claim() {
            self.resolve(resolver).await.ok()?
        } else {
            self.current()
        };
        let is_new = |one: &&Arc<Endpoint>| !known.iter().any(|old| Arc::ptr_eq(old, one));
        let new: Endpoints = found.iter().filter(is_new).cloned().collect();
        self.pick(&new, None, kind).ok()
    }

    /// Whether a call of this kind would find no permit, so that it need not be read.
    pub(crate) fn is_full(&self, kind: Kind) -> bool {
        let known = self.current();
        !known.is_empty() && known.iter().all(|endpoint| endpoint.is_full(kind))
    }

    /// Records that a replica did not answer.
    pub(crate) fn failed(&self, endpoint: &Endpoint) {
        endpoint.failed();
        if let Some(resolver) = &self.resolver {
            resolver.resolve_soon();
        }
    }

    /// The replicas that were found last.
    pub(crate) fn current(&self) -> Endpoints {
        Arc::clone(
            &self
                .endpoints
                .read()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    async fn resolve(&self, resolver: &Resolver) -> Result<Endpoints, Status> {
        let addresses = resolver.look_up().await?;
        let known = self.current();
        let endpoints: Endpoints = addresses
            .into_iter()
            .map(|(address, host)| {
                let same = known
                    .iter()
                    .find(|endpoint| endpoint.address == Some(address));
                same.map_or_else(
                    || resolver.connect(address, host),
                    |endpoint| Ok(Arc::clone(endpoint)),
                )
            })
            .collect::<Result<_, Status>>()?;
        *self
            .endpoints
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Arc::clone(&endpoints);
        Ok(endpoints)
    }
}

/// Resolves host names to replicas.
pub(crate) struct Resolver {
    hosts: Vec<(String, u16)>,
    tls: Option<ClientTlsConfig>,
    times: Mutex<Times>,
}

struct Times {
    /// When the hosts were last resolved.
    last: Instant,
    /// When a replica last failed.
    failed: Option<Instant>,
}

impl Times {
    fn is_due(&self, now: Instant) -> bool {
        let is_settled = self.failed.is_none_or(|failed| now > failed + UNSETTLED);
        let pause = if is_settled {
            RESOLVE
        } else {
            RESOLVE_AFTER_FAILURE
        };
        now >= self.last + pause
    }
}

impl Resolver {
    pub(crate) fn new(hosts: Vec<(String, u16)>, tls: Option<ClientTlsConfig>) -> Self {
        Self {
            hosts,
            tls,
            times: Mutex::new(Times {
                last: Instant::now(),
                failed: None,
            }),
        }
    }

    /// Whether resolving is due; true for one caller only.
    fn claim(&self) -> bool {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let is_due = times.is_due(now);
        if is_due {
            times.last = now;
        }
        is_due
    }

    fn resolve_soon(&self) {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        times.failed = Some(Instant::now());
    }

    /// The addresses of all hosts, each with its host's name. An unknown host is skipped if others are found.
    async fn look_up(&self) -> Result<Vec<(SocketAddr, &str)>, Status> {
        let mut addresses = Vec::new();
        let mut problem = None;
        for (host, port) in &self.hosts {
            match tokio::net::lookup_host((host.as_str(), *port)).await {
                Ok(found) => addresses.extend(found.map(|address| (address, host.as_str()))),
                Err(error) => problem = Some(format!("cannot find {host}: {error}")),
            }
        }
        addresses.sort_unstable();
        addresses.dedup_by_key(|(address, _)| *address);
        if addresses.is_empty() {
            return Err(Status::unavailable(
                problem.unwrap_or_else(|| "core's host has no address".to_owned()),
            ));
        }
        if let Some(problem) = problem {
            tracing::warn!(error = problem, "not every host of core was found");
        }
        Ok(addresses)
    }

    fn connect(&self, address: SocketAddr, host: &str) -> Result<Arc<Endpoint>, Status> {
        let tls = self.tls.clone().map(|tls| tls.domain_name(host));
        let transport = channel::tcp(address, tls)
            .map_err(|error| Status::internal(format!("cannot call {host}: {error}")))?;
        Ok(Arc::new(Endpoint::remote(Some(address), transport)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_replica_that_came_meanwhile_is_found_when_the_others_cannot_be_reached() {
        let at = |host: &str| Resolver::new(vec![(host.to_owned(), 50_051)], None);
        let pool = Arc::new(Pool::resolving(at("127.0.0.1")));
        let known = pool.endpoints().await.unwrap();
        assert!(pool.new_endpoint(&known, None).await.is_none());

        let other = Pool::resolving(at("127.0.0.2"));
        let others = Arc::new(other).endpoints().await.unwrap();
        *pool.endpoints.write().unwrap() = known.iter().chain(&*others).cloned().collect();
        let new = pool.new_endpoint(&known, None).await.unwrap();
        assert!(Arc::ptr_eq(&new.endpoint, &others[0]));
    }

    #[test]
    fn hosts_are_resolved_often_until_another_replica_has_had_time_to_start() {
        let began = Instant::now();
        // Whether that is so, a pause after the last time, which was so long after a failure.
        let due_after = |failure: Option<Duration>, pause: Duration| {
            let (last, failed) = (began + failure.unwrap_or_default(), failure.map(|_| began));
            Times { last, failed }.is_due(last + pause)
        };
        let shortly = RESOLVE_AFTER_FAILURE;
        assert!(!due_after(None, shortly) && due_after(None, RESOLVE));
        assert!(due_after(Some(Duration::ZERO), shortly));
        assert!(!due_after(Some(Duration::ZERO), shortly / 2));
        assert!(due_after(Some(UNSETTLED / 2), shortly));
        assert!(!due_after(Some(UNSETTLED), shortly));
    }
}
