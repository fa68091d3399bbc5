//! The cache of credentials.

use std::sync::atomic::{AtomicU64, Ordering};

use domain::instant::Instant;
use moka::{policy::EvictionPolicy, sync::Cache};

use super::{Caller, Hash, TRUST_SECONDS};

/// Maximum number of cached credentials, about 1 MB. Beyond it, the least recently used are evicted.
const REMEMBERED: u64 = 10_000;

/// A credential that was valid when it was looked up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Recognised {
    pub(super) caller: Caller,
    pub(super) expires_at: Option<Instant>,
    pub(super) looked_up_at: Instant,
}

/// The cache of credentials.
#[derive(Debug)]
pub(in crate::service) struct Credentials {
    recognised: Cache<Hash, Recognised>,
    /// The number of revocations.
    revocations: AtomicU64,
}

impl Default for Credentials {
    fn default() -> Self {
        let cache = Cache::builder().max_capacity(REMEMBERED);
        Self {
            recognised: cache.eviction_policy(EvictionPolicy::lru()).build(),
            revocations: AtomicU64::new(0),
        }
    }
}

impl Credentials {
    pub(super) fn recognise(&self, hash: &Hash, now: Instant) -> Option<Caller> {
        let recognised = self.recognised.get(hash)?;
        let trusted_until = recognised.looked_up_at.plus_seconds(TRUST_SECONDS);
        let is_valid = recognised.expires_at.is_none_or(|end| now < end);
        // A clock that was set back must not extend the trust.
        let is_fresh = recognised.looked_up_at <= now && now < trusted_until;
        (is_valid && is_fresh).then_some(recognised.caller)
    }

    /// Whether a credential was valid when it was last looked up.
    pub(super) fn has_recognised(&self, hash: &Hash) -> bool {
        self.recognised.contains_key(hash)
    }

    pub(super) fn revocations(&self) -> u64 {
        self.revocations.load(Ordering::SeqCst)
    }

    /// Caches the result of a look-up, unless there was a revocation since it began: then it may have read the old state.
    pub(super) fn remember(&self, hash: Hash, recognised: Recognised, revocations: u64) {
        self.recognised.insert(hash, recognised);
        if self.revocations() != revocations {
            self.recognised.invalidate(&hash);
        }
    }

    /// Evicts a revoked credential.
    pub(in crate::service) fn evict(&self, hash: &Hash) {
        self.revocations.fetch_add(1, Ordering::SeqCst);
        self.recognised.invalidate(hash);
    }
}

#[cfg(test)]
mod tests {
    use domain::{
        audit::Actor,
        ids::{AccountId, KeyId},
        person::Reach,
        scope::Scopes,
    };

    use super::*;
    use crate::service::Principal;

    const NOW: Instant = Instant::from_micros(1_800_000_000_000_000);

    const LASTING: Recognised = Recognised {
        caller: Caller {
            principal: Some(Principal {
                account: AccountId::new(uuid::Uuid::nil()),
                actor: Actor::Key(KeyId::new(uuid::Uuid::nil())),
                scopes: Scopes::All,
                sees_addresses: true,
                reach: Reach::Account,
                stepped_up_until: None,
            }),
            person: None,
            app: None,
            is_suspended: false,
        },
        expires_at: None,
        looked_up_at: NOW,
    };

    fn hash(number: u64) -> Hash {
        let mut hash = Hash::default();
        hash[..8].copy_from_slice(&number.to_be_bytes());
        hash
    }

    #[test]
    fn a_credential_is_trusted_for_a_short_time_only() {
        let credentials = Credentials::default();
        let ending = Recognised {
            expires_at: Some(NOW.plus_seconds(1)),
            ..LASTING
        };
        credentials.remember(hash(1), ending, 0);
        credentials.remember(hash(2), LASTING, 0);

        let principal = Some(LASTING.caller);
        let one_second_later = NOW.plus_seconds(1);
        assert_eq!(credentials.recognise(&hash(1), NOW), principal);
        assert_eq!(credentials.recognise(&hash(1), one_second_later), None);
        assert_eq!(credentials.recognise(&hash(2), one_second_later), principal);
        let trust_over = NOW.plus_seconds(TRUST_SECONDS);
        assert_eq!(credentials.recognise(&hash(2), trust_over), None);
        assert_eq!(credentials.recognise(&hash(2), NOW.plus_seconds(-1)), None);
    }

    #[test]
    fn a_revoked_credential_is_forgotten_also_by_a_look_up_that_began_before() {
        let credentials = Credentials::default();
        let before = credentials.revocations();
        credentials.remember(hash(1), LASTING, before);
        credentials.evict(&hash(1));
        assert_eq!(credentials.recognise(&hash(1), NOW), None);
        credentials.remember(hash(1), LASTING, before);
        assert_eq!(credentials.recognise(&hash(1), NOW), None);
    }

    #[test]
    fn a_credential_that_is_new_makes_room_for_itself_alone() {
        let credentials = Credentials::default();
        for number in 0..=REMEMBERED {
            credentials.remember(hash(number), LASTING, 0);
        }
        credentials.recognised.run_pending_tasks();
        let known =
            (0..=REMEMBERED).filter(|number| credentials.recognise(&hash(*number), NOW).is_some());
        assert_eq!(known.count() as u64, REMEMBERED);
        assert!(credentials.recognise(&hash(REMEMBERED), NOW).is_some());
    }
}
