//! Answers of core that change only when core is started again with other settings.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use muster_api::binding::Rpc;
use rpc_client::{Context, Core};
use server::observe::RequestId;
use tokio::time::Instant;

/// How long an answer is fresh.
const FRESH: Duration = Duration::from_mins(1);

/// When core is asked again after a failure.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// How long a request waits for core. It can be answered without, with less.
const CORE_TIMEOUT: Duration = Duration::from_millis(500);

/// How many keys have an answer of their own. Beyond it, all are asked for again.
const MAX_KEYS: usize = 8;

/// The answers to one rpc by a key, for example the name by which a client calls this machine. Clones share them.
#[derive(Clone)]
pub struct CachedAnswer<R: Rpc> {
    core: Core,
    entries: Arc<Mutex<HashMap<String, Entry<R::Response>>>>,
}

struct Entry<A> {
    /// `None` if core has never answered.
    answer: Option<Arc<A>>,
    due_at: Instant,
}

impl<R: Rpc> CachedAnswer<R> {
    /// Asks this core.
    pub fn new(core: Core) -> Self {
        Self {
            core,
            entries: Arc::default(),
        }
    }

    /// The last answer; `None` if core has never answered.
    pub fn last(&self, key: &str) -> Option<Arc<R::Response>> {
        self.entries().get(key)?.answer.clone()
    }

    /// The answer, from core if it is old. Only one request asks then; the others get the last answer.
    pub async fn get(
        &self,
        key: &str,
        request: impl FnOnce() -> R::Request,
    ) -> Option<Arc<R::Response>> {
        if !is_due(&mut self.entries(), key) {
            return self.last(key);
        }
        let context = Context::anonymous(&RequestId::fresh(), CORE_TIMEOUT);
        let asked = self.core.call::<R>(request(), &context).await;
        let mut entries = self.entries();
        let (answer, wait) = if let Ok((answer, _metadata)) = asked {
            (Some(Arc::new(answer)), FRESH)
        } else {
            let last = entries.get(key).and_then(|entry| entry.answer.clone());
            (last, RETRY_AFTER)
        };
        if entries.len() >= MAX_KEYS && !entries.contains_key(key) {
            entries.clear();
        }
        let entry = Entry {
            answer: answer.clone(),
            due_at: Instant::now() + wait,
        };
        entries.insert(key.to_owned(), entry);
        answer
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<String, Entry<R::Response>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether to ask core. If this request does, the next one does so after [`RETRY_AFTER`], since a client that leaves ends its request.
fn is_due<A>(entries: &mut HashMap<String, Entry<A>>, key: &str) -> bool {
    let now = Instant::now();
    let Some(entry) = entries.get_mut(key) else {
        return true;
    };
    let is_due = now >= entry.due_at;
    if is_due {
        entry.due_at = now + RETRY_AFTER;
    }
    is_due
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_request_asks_when_an_answer_is_old() {
        let mut entries = HashMap::new();
        assert!(is_due(&mut entries, "") && is_due(&mut entries, ""));
        let entry = Entry {
            answer: Some(Arc::new(1)),
            due_at: Instant::now() + FRESH,
        };
        entries.insert(String::new(), entry);
        assert!(!is_due(&mut entries, ""));
        tokio::time::advance(FRESH).await;
        assert!(is_due(&mut entries, "") && !is_due(&mut entries, ""));
        tokio::time::advance(RETRY_AFTER).await;
        assert!(is_due(&mut entries, "") && !is_due(&mut entries, ""));
    }
}
