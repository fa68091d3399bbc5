//! Whether a credential is valid, asked of core, and remembered for a moment: a session of an agent makes many requests.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use crate::caller::Fingerprint;

/// How long a credential is trusted without asking again. Core itself trusts its database for 2 s, and revocation must take
/// effect within 5 s. Only what is public is served on trust; core checks the credential of everything else itself.
const TRUST: Duration = Duration::from_secs(2);

/// Credentials remembered at most, about 1 MB; beyond, all are asked for afresh.
const REMEMBERED: usize = 10_000;

/// The credentials that core has found valid.
#[derive(Debug, Default)]
pub(crate) struct Credentials(Mutex<HashMap<Fingerprint, Instant>>);

impl Credentials {
    pub(crate) fn are_trusted(&self, credential: &Fingerprint) -> bool {
        let asked = self.locked().get(credential).copied();
        asked.is_some_and(|asked| asked.elapsed() < TRUST)
    }

    pub(crate) fn trust(&self, credential: Fingerprint, asked: Instant) {
        let mut all = self.locked();
        if all.len() >= REMEMBERED {
            all.clear();
        }
        all.insert(credential, asked);
    }

    pub(crate) fn forget(&self, credential: &Fingerprint) {
        self.locked().remove(credential);
    }

    /// A panic elsewhere leaves the map as good as before.
    fn locked(&self) -> MutexGuard<'_, HashMap<Fingerprint, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
