//! Answers about the public catalogue, kept until it changes.
//!
//! The proto says of an rpc that its answer depends on the catalogue only, and core says so of each answer. Such an answer is kept as core
//! sent it ([`Memory::recall`]), and by a surface as it was written for clients (`http::pages`). Whether what is kept still holds, an edge
//! learns from core, not from a clock: it listens to the news of the catalogue ([`listening`]) and notes what they change ([`known`]).
//!
//! Without news for [`muster_api::deadline::CATALOGUE_TRUST`] nothing counts as right: core is asked. Only if it is away, what was right
//! before is answered, even if it is known to have changed since: marked with its age, and for a limited time.

mod clock;
mod known;
mod listening;
mod recorder;
mod settings;
mod turns;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use moka::sync::Cache;
use muster_api::metadata::{ALL_SEATS, CATALOGUE, SEATS_OF};
use process::metrics;
use tokio::time::{Instant, timeout, timeout_at};
use tonic::{Code, Status, metadata::MetadataMap};

pub use clock::Clock;
pub(crate) use known::Basis;
use known::Known;
use listening::Wanted;
pub(crate) use recorder::{Record, Recorder};
pub use settings::{MemoryOptions, MemorySettings};
pub(crate) use turns::{Turn, Turns};

use crate::{Core, call::RpcMethod};

/// Nothing counts as right for longer, whatever the news say: a limit to what an error could do.
pub(crate) const LONGEST: Duration = Duration::from_mins(5);

/// A larger answer is not kept.
pub(crate) const LARGEST: usize = 1 << 20;

/// An answer that was asked for so lately counts as right, also without news. Those who waited for it take it.
const JUST_ASKED: Duration = Duration::from_millis(250);

/// How long a client waits for core while there is an old answer: one that may be right, and one that is known to be wrong.
const PATIENCE: Duration = Duration::from_millis(500);
const PATIENCE_WITH_WRONG: Duration = Duration::from_secs(2);

/// How long core is not asked again after it was away, while there is an old answer.
const AWAY: Duration = Duration::from_secs(1);

/// How often one waits for the answer that another one asked for. News that come meanwhile make one ask again.
const ROUNDS: usize = 3;

/// The memory of an edge. Clones share it.
#[derive(Debug, Clone)]
pub struct Memory(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    options: MemoryOptions,
    known: Known,
    wanted: Wanted,
    /// Answers to requests with and without filters, so that searches do not push out pages.
    pages: Cache<Asked, Arc<Answer>>,
    searches: Cache<Asked, Arc<Answer>>,
    turns: Turns<Asked>,
    /// Until when core is taken to be away, in microseconds of the clock, and the epoch in which it was asked in vain. News and changes
    /// begin another one: then it answers.
    away_until: AtomicU64,
    away_in: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
    stale: AtomicU64,
}

/// What was asked of core.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Asked {
    pub(crate) rpc: &'static str,
    pub(crate) request: Bytes,
}

/// An answer of core.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The encoded message.
    pub(crate) message: Bytes,
    pub(crate) metadata: MetadataMap,
    /// Whether core says that it depends on the catalogue only.
    pub(crate) is_kept: bool,
    pub(crate) basis: Basis,
}

/// An answer, from the memory or from core.
pub(crate) struct Recalled {
    pub(crate) answer: Arc<Answer>,
    /// How long ago the answer was known to be right, if it may not be any more.
    pub(crate) age: Option<Duration>,
}

/// An answer that may be served only while core is away.
struct Old {
    answer: Arc<Answer>,
    age: Duration,
    patience: Duration,
}

impl From<Old> for Recalled {
    fn from(old: Old) -> Self {
        Self {
            answer: old.answer,
            age: Some(old.age),
        }
    }
}

/// How often the memory was of use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Answers from memory.
    pub hits: u64,
    /// Answers that core was asked for.
    pub misses: u64,
    /// Old answers, since core was away.
    pub stale: u64,
}

impl Memory {
    /// An empty memory.
    pub fn new(options: MemoryOptions) -> Self {
        let part = options.bytes / 8;
        Self(Arc::new(Inner {
            known: Known::default(),
            wanted: Wanted::default(),
            pages: store(part, options.stale),
            searches: store(part, options.stale),
            turns: Turns::default(),
            away_until: AtomicU64::new(0),
            away_in: AtomicU64::new(0),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            stale: AtomicU64::new(0),
            options,
        }))
    }

    /// How often it was of use so far.
    pub fn counts(&self) -> Counts {
        let Inner {
            hits,
            misses,
            stale,
            ..
        } = &*self.0;
        let [hits, misses, stale] = [hits, misses, stale].map(|one| one.load(Ordering::Relaxed));
        Counts {
            hits,
            misses,
            stale,
        }
    }

    /// How many bytes all of it may have.
    pub(crate) fn bytes(&self) -> u64 {
        self.0.options.bytes
    }

    /// The time by its clock.
    pub(crate) fn now(&self) -> Duration {
        self.0.options.clock.now()
    }

    /// Which news were known so far.
    pub(crate) fn epoch(&self) -> u64 {
        self.0.known.epoch()
    }

    /// Whether what is based on this is right, as far as can be known now.
    pub(crate) fn is_right(&self, basis: &Basis, now: Duration) -> bool {
        let known = &self.0.known;
        let was_just_asked =
            now < basis.asked_at + JUST_ASKED && known.is_undoubted(basis.asked_at);
        let is_recent = was_just_asked || known.is_fresh(now);
        is_recent && now < basis.asked_at + LONGEST && known.holds(basis, now)
    }

    /// Notes that something was answered from memory.
    pub(crate) fn count_hit(&self, now: Duration) {
        self.0.hits.fetch_add(1, Ordering::Relaxed);
        count("hit");
        self.0.wanted.note(now);
    }

    /// Keeps nothing from before, since a change came this way.
    pub(crate) fn forget(&self) {
        self.0.known.forget();
    }

    /// Takes what is kept for old until there are news: a change came this way and failed, and may have been made all the same. While core is
    /// away, old answers are better than none.
    pub(crate) fn doubt(&self) {
        self.0.known.doubt(self.now());
    }

    /// Notes of which event a call that came this way may have changed how many seats are left, if core says so.
    pub(crate) fn note_seats(&self, metadata: &MetadataMap) {
        let slug = metadata.get(SEATS_OF).and_then(|slug| slug.to_str().ok());
        match slug {
            Some(ALL_SEATS) => self.0.known.change_all_seats(),
            Some(slug) => self.0.known.change_seats(slug),
            None => {}
        }
    }

    /// The answer to what is asked: from memory, or by asking core, once for all who ask for it at a time.
    ///
    /// # Errors
    /// Those of `ask`.
    pub(crate) async fn recall(
        &self,
        core: &Core,
        asked: Asked,
        is_filtered: bool,
        deadline: Instant,
        ask: impl AsyncFnOnce(Basis) -> Result<Answer, Status>,
    ) -> Result<Recalled, Status> {
        let right = |answer| Recalled { answer, age: None };
        let inner = &*self.0;
        listening::begin(self, core);
        let store = if is_filtered {
            &inner.searches
        } else {
            &inner.pages
        };
        let mut rounds = 0;
        loop {
            let now = self.now();
            inner.wanted.note(now);
            let found = store.get(&asked);
            if let Some(found) = &found
                && self.is_right(&found.basis, now)
            {
                inner.hits.fetch_add(1, Ordering::Relaxed);
                count("hit");
                return Ok(right(Arc::clone(found)));
            }
            let epoch = inner.known.epoch();
            let old = match found.and_then(|found| self.old(found, now)) {
                Some(old) if self.is_away_in(epoch, now) => {
                    inner.stale.fetch_add(1, Ordering::Relaxed);
                    count("stale");
                    return Ok(old.into());
                }
                old => old,
            };
            let turn = match inner.turns.take(asked.clone(), epoch) {
                Turn::Another(end) if rounds < ROUNDS => {
                    rounds += 1;
                    let end = timeout_at(deadline, end).await;
                    let refusal = end.map_err(|_elapsed| late())?;
                    if let (Some(refusal), None) = (refusal, old) {
                        // Asking one after the other, they would wait for core again and again.
                        return Err(refusal);
                    }
                    continue;
                }
                Turn::Another(_) => None,
                Turn::Own(turn) => Some(turn),
            };
            inner.misses.fetch_add(1, Ordering::Relaxed);
            count("miss");
            let patience = old.as_ref().map(|old| old.patience);
            let asking = ask_for(patience, ask(Basis::of(epoch, now)));
            // Those who wait for it then ask for themselves, unless core is away. That a client has no time says nothing of core.
            let outcome = timeout_at(deadline, asking).await;
            return match (outcome.map_err(|_elapsed| late())?, old) {
                (Ok(answer), _) => {
                    let answer = Arc::new(answer);
                    if answer.is_kept && answer.message.len() <= LARGEST {
                        store.insert(asked, Arc::clone(&answer));
                    } else {
                        store.invalidate(&asked);
                    }
                    Ok(right(answer))
                }
                (Err(status), Some(old)) if is_away(&status) => {
                    self.note_away(epoch);
                    inner.stale.fetch_add(1, Ordering::Relaxed);
                    count("stale");
                    Ok(old.into())
                }
                (Err(status), old) => {
                    if let Some(turn) = turn.filter(|_| is_away(&status)) {
                        turn.refuse_all(&status);
                    }
                    // What core says that there is not does not come back while it is away.
                    if old.is_some() && !is_away(&status) {
                        store.invalidate(&asked);
                    }
                    Err(status)
                }
            };
        }
    }

    /// An answer that core has sent.
    ///
    /// # Errors
    /// When it is malformed.
    pub(crate) fn answer(
        &self,
        method: RpcMethod,
        message: Bytes,
        metadata: MetadataMap,
        mut basis: Basis,
    ) -> Result<Answer, Status> {
        let mut note = |slug: &str| basis.seats_of.push(self.0.known.hash(slug));
        (method.seats_of)(message.clone(), &mut note)?;
        Ok(Answer {
            is_kept: metadata.contains_key(CATALOGUE),
            message,
            metadata,
            basis,
        })
    }

    /// What was found, if it may be answered while core is away. What is known to be wrong was right when core was asked for it, and nobody
    /// knows for how long.
    fn old(&self, answer: Arc<Answer>, now: Duration) -> Option<Old> {
        let Inner { known, options, .. } = &*self.0;
        let asked_at = answer.basis.asked_at;
        let (right_at, patience) = if known.holds(&answer.basis, now) {
            (known.heard_at().max(asked_at), PATIENCE)
        } else {
            (asked_at, PATIENCE_WITH_WRONG)
        };
        let age = now.saturating_sub(right_at);
        (age < options.stale).then_some(Old {
            answer,
            age,
            patience,
        })
    }

    /// Whether core was asked in vain just now, and nothing was heard of it since.
    fn is_away_in(&self, epoch: u64, now: Duration) -> bool {
        let until = self.0.away_until.load(Ordering::Acquire);
        micros(now) < until && self.0.away_in.load(Ordering::Acquire) == epoch
    }

    fn note_away(&self, epoch: u64) {
        let until = micros(self.now() + AWAY);
        self.0.away_in.store(epoch, Ordering::Release);
        self.0.away_until.store(until, Ordering::Release);
    }
}

fn store(bytes: u64, stale: Duration) -> Cache<Asked, Arc<Answer>> {
    /// What an answer takes besides its bytes, about.
    const OTHER_BYTES: usize = 512;
    let weigh = |asked: &Asked, answer: &Arc<Answer>| {
        let bytes = asked.request.len() + answer.message.len() + OTHER_BYTES;
        u32::try_from(bytes).unwrap_or(u32::MAX)
    };
    Cache::builder()
        .max_capacity(bytes)
        .weigher(weigh)
        .time_to_live(LONGEST + stale)
        .build()
}

/// Counts an answer, by where it is from.
fn count(result: &'static str) {
    metrics::measure(|all| all.memory_answers.add_one([result.into()]));
}

/// Asks core, for so long if there is an old answer.
async fn ask_for<A>(
    patience: Option<Duration>,
    asking: impl Future<Output = Result<A, Status>>,
) -> Result<A, Status> {
    match patience {
        Some(patience) => timeout(patience, asking).await.map_err(|_elapsed| late())?,
        None => asking.await,
    }
}

fn late() -> Status {
    Status::deadline_exceeded("core did not answer in time")
}

/// Whether core, or its database, is out of reach or has too much to do.
pub(crate) fn is_away(status: &Status) -> bool {
    matches!(status.code(), Code::Unavailable | Code::DeadlineExceeded)
}

/// A time of the clock as a number.
fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
