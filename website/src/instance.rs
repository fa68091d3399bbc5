//! What core's settings say about this installation, for pages. It is kept for a minute, so that pages need no call for it.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use muster_api::internal::v1::{GetInstanceRequest, Instance, bindings::GetInstance};
use rpc_client::{Context, Core};
use server::observe::RequestId;
use tokio::time::Instant as Time;

/// The settings change only when core starts again.
const FRESH: Duration = Duration::from_mins(1);

/// After a failure they are soon tried again.
const AGAIN: Duration = Duration::from_secs(5);

/// How long a page waits for them. Without them it has fewer links.
const READ_TIMEOUT: Duration = Duration::from_millis(500);

/// The settings, as far as they were read. Clones share them.
pub(crate) type Links = Arc<Instance>;

/// The settings that were read last.
#[derive(Debug, Clone, Default)]
pub(crate) struct InstanceCache(Arc<Mutex<Entry>>);

#[derive(Debug, Default)]
struct Entry {
    links: Links,
    /// When to read them again; `None` if they never were.
    due_at: Option<Time>,
}

impl InstanceCache {
    pub(crate) fn links(&self) -> Links {
        Arc::clone(&self.entry().links)
    }

    /// Reads them again if they are old. Only one request does; the others go on with what is known.
    pub(crate) async fn refresh(&self, core: &Core) {
        if !self.is_due() {
            return;
        }
        let context = Context::anonymous(&RequestId::fresh(), READ_TIMEOUT);
        let request = GetInstanceRequest {};
        let read = core.call::<GetInstance>(request, &context).await;
        let mut entry = self.entry();
        match read {
            Ok((instance, _metadata)) => entry.links = Arc::new(instance),
            // If core is away, the page's own calls say so.
            Err(_) => entry.due_at = Some(Time::now() + AGAIN),
        }
    }

    fn is_due(&self) -> bool {
        let (now, mut entry) = (Time::now(), self.entry());
        let is_due = entry.due_at.is_none_or(|due| now >= due);
        if is_due {
            entry.due_at = Some(now + FRESH);
        }
        is_due
    }

    fn entry(&self) -> std::sync::MutexGuard<'_, Entry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn settings_are_asked_for_once_a_minute() {
        let memory = InstanceCache::default();
        assert!(memory.is_due() && !memory.is_due());
        tokio::time::advance(FRESH).await;
        assert!(memory.is_due() && !memory.is_due());
    }
}
