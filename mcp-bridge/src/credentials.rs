//! Checks credentials at core and caches the result for a short time, since an agent makes many requests.

use std::time::Duration;

use moka::{policy::EvictionPolicy, sync::Cache};
use tokio::time::Instant;

use crate::caller::{Fingerprint, Holder};

/// How long a result is cached. Core itself caches for 2 s, and revocation must take effect within 5 s. Only public operations
/// depend on this cache; for all others core checks the credential itself.
const TRUST: Duration = Duration::from_secs(2);

/// Maximum number of cached credentials, about 1 MB. Beyond it, the least recently used are evicted.
const REMEMBERED: u64 = 10_000;

/// The valid credentials, each with the time of the question to core and with whoever holds it.
#[derive(Debug)]
pub(crate) struct Credentials(Cache<Fingerprint, (Instant, Holder)>);

impl Default for Credentials {
    fn default() -> Self {
        let cache = Cache::builder()
            .max_capacity(REMEMBERED)
            .eviction_policy(EvictionPolicy::lru())
            .time_to_live(TRUST);
        Self(cache.build())
    }
}

impl Credentials {
    /// Who holds a credential, if it is trusted.
    pub(crate) fn holder(&self, credential: &Fingerprint) -> Option<Holder> {
        let (asked, holder) = self.0.get(credential)?;
        // The cache itself counts from core's answer, which may be much later.
        (asked.elapsed() < TRUST).then_some(holder)
    }

    pub(crate) fn trust(&self, credential: Fingerprint, holder: Holder, asked: Instant) {
        self.0.insert(credential, (asked, holder));
    }

    pub(crate) fn evict(&self, credential: &Fingerprint) {
        self.0.invalidate(credential);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder() -> Holder {
        Holder::of(None, [1; 32])
    }

    fn credential(number: u64) -> Fingerprint {
        let mut fingerprint = Fingerprint::default();
        fingerprint[..8].copy_from_slice(&number.to_be_bytes());
        fingerprint
    }

    #[test]
    fn a_credential_that_is_new_makes_room_for_itself_alone() {
        let (credentials, now) = (Credentials::default(), Instant::now());
        for number in 0..=REMEMBERED {
            credentials.trust(credential(number), holder(), now);
        }
        credentials.0.run_pending_tasks();
        let all = 0..=REMEMBERED;
        let trusted = all.filter(|number| credentials.holder(&credential(*number)).is_some());
        assert_eq!(trusted.count() as u64, REMEMBERED);
        assert!(credentials.holder(&credential(REMEMBERED)).is_some());
    }

    #[test]
    fn trust_counts_from_when_core_was_asked() {
        let credentials = Credentials::default();
        let asked = Instant::now()
            .checked_sub(TRUST)
            .expect("a later time than that");
        credentials.trust(credential(1), holder(), asked);
        assert_eq!(credentials.holder(&credential(1)), None);
    }
}
