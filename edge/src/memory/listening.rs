//! Listens to core's news of the catalogue, while anybody asks for it.

use std::{
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use muster_api::{
    deadline::CATALOGUE_TRUST,
    internal::v1::{WatchCatalogueRequest, bindings::WatchCatalogue},
};
use process::observe::RequestId;
use tokio::{
    sync::Notify,
    time::{sleep, timeout},
};

use super::{Inner, Memory, micros};
use crate::{Context, Core};

/// Without a request for so long, nobody listens: an edge at rest costs core nothing.
const IDLE: Duration = Duration::from_mins(1);

/// How long the first news may take.
const BEGIN: Duration = Duration::from_secs(2);

/// How long a stream may be silent. What is kept does not count as right before that.
const SILENCE: Duration = CATALOGUE_TRUST.saturating_mul(2);

/// The pause before a stream that has ended is opened again, and the longest one while core is away.
const PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// How exactly it is noted that somebody asks.
const GRAIN: Duration = Duration::from_secs(1);

/// Whether anybody asks.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    has_begun: AtomicBool,
    /// When somebody asked last, in microseconds of the clock.
    at: AtomicU64,
    wake: Arc<Notify>,
}

impl Wanted {
    /// Somebody asks.
    pub(super) fn note(&self, now: Duration) {
        let (now, at) = (micros(now), self.at.load(Ordering::Relaxed));
        if at == 0 || now >= at + micros(GRAIN) {
            self.at.store(now.max(1), Ordering::Relaxed);
            self.wake.notify_one();
        }
    }

    fn is_recent(&self, now: Duration) -> bool {
        micros(now) < self.at.load(Ordering::Relaxed) + micros(IDLE)
    }
}

/// Begins to listen, unless that has begun. It ends with the memory.
pub(super) fn begin(memory: &Memory, core: &Core) {
    let wanted = &memory.0.wanted;
    if !wanted.has_begun.load(Ordering::Relaxed) && !wanted.has_begun.swap(true, Ordering::AcqRel) {
        let wake = Arc::clone(&wanted.wake);
        tokio::spawn(listen(Arc::downgrade(&memory.0), core.forgetful(), wake));
    }
}

async fn listen(memory: Weak<Inner>, core: Core, wake: Arc<Notify>) {
    let mut pause = PAUSE;
    loop {
        let Some(is_wanted) = with(&memory, |inner, now| inner.wanted.is_recent(now)) else {
            return;
        };
        if !is_wanted {
            // Also wakes up from time to time, to end with the memory.
            let _woken = timeout(IDLE, wake.notified()).await;
            continue;
        }
        let has_begun = follow(&memory, &core).await;
        pause = if has_begun {
            PAUSE
        } else {
            (pause * 2).min(LONGEST_PAUSE)
        };
        sleep(pause).await;
    }
}

/// Follows one stream to its end; returns whether it had a beginning.
async fn follow(memory: &Weak<Inner>, core: &Core) -> bool {
    let context = Context::anonymous(&RequestId::fresh(), BEGIN);
    let opened = core.stream::<WatchCatalogue>(WatchCatalogueRequest {}, &context);
    let mut stream = match opened.await {
        Ok(stream) => stream,
        Err(status) => {
            tracing::debug!(error = status.message(), "no news of the catalogue");
            return false;
        }
    };
    let mut is_first = true;
    while let Ok(Ok(Some(news))) = timeout(SILENCE, stream.next()).await {
        let heard = with(memory, |inner, now| {
            inner.known.hear(news, is_first, now);
            inner.wanted.is_recent(now)
        });
        if heard != Some(true) {
            break;
        }
        is_first = false;
    }
    !is_first
}

/// Does something with the memory, if it is still there.
fn with<A>(memory: &Weak<Inner>, act: impl FnOnce(&Inner, Duration) -> A) -> Option<A> {
    let inner = memory.upgrade()?;
    let now = inner.options.clock.now();
    Some(act(&inner, now))
}
