//! Whether a credential is valid, asked of core, and remembered for a moment: a session of an agent makes many requests.

use std::time::Duration;

use moka::{policy::EvictionPolicy, sync::Cache};
use tokio::time::Instant;

use crate::caller::Fingerprint;

/// How long a credential is trusted without asking again. Core itself trusts its database for 2 s, and revocation must take
/// effect within 5 s. Only what is public is served on trust; core checks the credential of everything else itself.
const TRUST: Duration = Duration::from_secs(2);

/// Credentials remembered at most, about 1 MB; beyond, those that were used least recently are asked about again.
const REMEMBERED: u64 = 10_000;

/// The credentials that core has found valid, each with the time when it was asked.
#[derive(Debug)]
pub(crate) struct Credentials(Cache<Fingerprint, Instant>);

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
    pub(crate) fn are_trusted(&self, credential: &Fingerprint) -> bool {
        let asked = self.0.get(credential);
        // The cache counts from when core had answered, which may be much later.
        asked.is_some_and(|asked| asked.elapsed() < TRUST)
    }

    pub(crate) fn trust(&self, credential: Fingerprint, asked: Instant) {
        self.0.insert(credential, asked);
    }

    pub(crate) fn forget(&self, credential: &Fingerprint) {
        self.0.invalidate(credential);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credential(number: u64) -> Fingerprint {
        let mut fingerprint = Fingerprint::default();
        fingerprint[..8].copy_from_slice(&number.to_be_bytes());
        fingerprint
    }

    #[test]
    fn a_credential_that_is_new_makes_room_for_itself_alone() {
        let (credentials, now) = (Credentials::default(), Instant::now());
        for number in 0..=REMEMBERED {
            credentials.trust(credential(number), now);
        }
        credentials.0.run_pending_tasks();
        let all = 0..=REMEMBERED;
        let trusted = all.filter(|number| credentials.are_trusted(&credential(*number)));
        assert_eq!(trusted.count() as u64, REMEMBERED);
        assert!(credentials.are_trusted(&credential(REMEMBERED)));
    }

    #[test]
    fn trust_counts_from_when_core_was_asked() {
        let credentials = Credentials::default();
        let asked = Instant::now()
            .checked_sub(TRUST)
            .expect("a later time than that");
        credentials.trust(credential(1), asked);
        assert!(!credentials.are_trusted(&credential(1)));
    }
}
