//! Who calls: credentials recognised, with few look-ups and without a write per call.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use moka::{policy::EvictionPolicy, sync::Cache};

use super::Error;
use crate::{
    domain::{
        account::ApiKey, api_key::PlainKey, audit::Actor, clock::Clock, ids::AccountId,
        instant::Instant, scope::Scopes,
    },
    storage::{KeyUses, Store},
};

/// How long a credential is trusted without looking again. Revocation must take effect everywhere within 5 s.
pub(super) const TRUST_SECONDS: i64 = 2;

/// Credentials remembered at most, about 1 MB; beyond, those used least recently are looked up again.
const REMEMBERED: u64 = 10_000;

/// Whoever calls with a valid credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Principal {
    /// The account that they act on.
    pub account: AccountId,
    /// Who acts, as the audit log names them.
    pub actor: Actor,
    /// What the credential may be used for.
    pub scopes: Scopes,
}

impl From<&Principal> for Actor {
    fn from(principal: &Principal) -> Self {
        principal.actor
    }
}

/// What a caller may show, told apart by its prefix. Another kind of credential is another variant: how it is read, hashed and
/// looked up stands in this `impl` and nowhere else.
enum Credential {
    /// `mus_live_`: an API key.
    Key(PlainKey),
}

impl Credential {
    /// The credential in the value of the header `Authorization`; none when it is of no known kind, or mistyped.
    fn parse(authorization: &str) -> Option<Self> {
        PlainKey::parse(bearer(authorization)?).map(Self::Key)
    }

    /// By which it is stored and remembered.
    fn hash(&self) -> Hash {
        match self {
            Self::Key(key) => key.hash(),
        }
    }

    /// What it is good for, if it is valid.
    async fn look_up(
        &self,
        authenticator: &Authenticator,
        now: Instant,
    ) -> Result<Recognised, Error> {
        match self {
            Self::Key(key) => authenticator.recognise_key(&key.hash(), now).await,
        }
    }
}

/// SHA-256 of a credential.
type Hash = [u8; 32];

/// Finds out who calls.
#[derive(Debug, Clone)]
pub struct Authenticator {
    store: Store,
    clock: Clock,
    credentials: Arc<Credentials>,
    key_uses: KeyUses,
}

impl Authenticator {
    /// By the keys that are in the database.
    pub fn new(store: Store, clock: Clock) -> Self {
        Self {
            store,
            clock,
            credentials: Arc::default(),
            key_uses: KeyUses::default(),
        }
    }

    /// When keys were used, for whoever writes it down.
    pub fn key_uses(&self) -> KeyUses {
        self.key_uses.clone()
    }

    pub(super) fn credentials(&self) -> Arc<Credentials> {
        Arc::clone(&self.credentials)
    }

    /// Finds out who calls from the value of the header `Authorization`.
    pub async fn authenticate(&self, authorization: Option<&str>) -> Result<Principal, Error> {
        let credential = authorization.and_then(Credential::parse);
        let credential = credential.ok_or(Error::Unauthorized)?;
        let (hash, now) = (credential.hash(), self.clock.now());
        if let Some(principal) = self.credentials.recognise(&hash, now) {
            return Ok(principal);
        }
        let revocations = self.credentials.revocations();
        let recognised = credential.look_up(self, now).await?;
        self.credentials.remember(hash, recognised, revocations);
        Ok(recognised.principal)
    }

    async fn recognise_key(&self, hash: &Hash, now: Instant) -> Result<Recognised, Error> {
        let found = self.store.find_key_by_hash(hash).await?;
        let (key, account) = found.ok_or(Error::Unauthorized)?;
        if !is_valid(&key, now) {
            return Err(Error::Unauthorized);
        }
        self.key_uses.record(key.id, now);
        let principal = Principal {
            account: account.id,
            actor: Actor::Key(key.id),
            scopes: key.scopes,
        };
        Ok(Recognised {
            principal,
            expires_at: key.expires_at,
            looked_up_at: now,
        })
    }
}

/// The token after the scheme `Bearer`, which is case-insensitive.
fn bearer(authorization: &str) -> Option<&str> {
    let (scheme, token) = authorization.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim_matches(' '))
}

fn is_valid(key: &ApiKey, now: Instant) -> bool {
    key.revoked_at.is_none() && key.expires_at.is_none_or(|end| now < end)
}

#[derive(Debug, Clone, Copy)]
struct Recognised {
    principal: Principal,
    expires_at: Option<Instant>,
    looked_up_at: Instant,
}

/// What is remembered of credentials between calls.
#[derive(Debug)]
pub(super) struct Credentials {
    recognised: Cache<Hash, Recognised>,
    /// How many were forgotten since they were revoked.
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
    fn recognise(&self, hash: &Hash, now: Instant) -> Option<Principal> {
        let recognised = self.recognised.get(hash)?;
        let trusted_until = recognised.looked_up_at.plus_seconds(TRUST_SECONDS);
        let is_valid = recognised.expires_at.is_none_or(|end| now < end);
        // A clock that was set back must not stretch the trust.
        let is_fresh = recognised.looked_up_at <= now && now < trusted_until;
        (is_valid && is_fresh).then_some(recognised.principal)
    }

    fn revocations(&self) -> u64 {
        self.revocations.load(Ordering::SeqCst)
    }

    /// Remembers what a look-up found that began after so many revocations. One that went on meanwhile may have seen the
    /// credential as it was before.
    fn remember(&self, hash: Hash, recognised: Recognised, revocations: u64) {
        self.recognised.insert(hash, recognised);
        if self.revocations() != revocations {
            self.recognised.invalidate(&hash);
        }
    }

    /// Forgets a credential that was revoked.
    pub(super) fn forget(&self, hash: &Hash) {
        self.revocations.fetch_add(1, Ordering::SeqCst);
        self.recognised.invalidate(hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::KeyId;

    #[test]
    fn the_scheme_is_bearer_in_any_case() {
        for (header, token) in [
            ("Bearer abc", Some("abc")),
            ("bearer abc", Some("abc")),
            ("BEARER  abc ", Some("abc")),
            ("Bearer", None),
            ("Bearer ", Some("")),
            ("Basic abc", None),
            ("abc", None),
            ("Bearerabc", None),
            ("", None),
        ] {
            assert_eq!(bearer(header), token, "{header:?}");
        }
    }

    const NOW: Instant = Instant::from_micros(1_800_000_000_000_000);

    const LASTING: Recognised = Recognised {
        principal: Principal {
            account: AccountId::new(uuid::Uuid::nil()),
            actor: Actor::Key(KeyId::new(uuid::Uuid::nil())),
            scopes: Scopes::All,
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

        let principal = Some(LASTING.principal);
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
        credentials.forget(&hash(1));
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
