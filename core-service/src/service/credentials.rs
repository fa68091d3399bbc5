//! Authentication of callers, with few look-ups and without a write per call.

mod unknown;

use std::{
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use moka::{policy::EvictionPolicy, sync::Cache};

use self::unknown::Unknown;
use super::Error;
use crate::{
    domain::{
        account::ApiKey, api_key::PlainKey, audit::Actor, clock::Clock, ids::AccountId,
        instant::Instant, scope::Scopes,
    },
    storage::{KeyUses, Store},
};

/// How long a credential is cached. Revocation must take effect everywhere within 5 s.
pub(super) const TRUST_SECONDS: i64 = 2;

/// Maximum number of cached credentials, about 1 MB. Beyond it, the least recently used are evicted.
const REMEMBERED: u64 = 10_000;

/// A caller with a valid credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Principal {
    /// The account.
    pub account: AccountId,
    /// The actor, as the audit log names it.
    pub actor: Actor,
    /// The credential's scopes.
    pub scopes: Scopes,
}

impl From<&Principal> for Actor {
    fn from(principal: &Principal) -> Self {
        principal.actor
    }
}

/// A credential, whose kind its prefix shows. Another kind is another variant; this `impl` alone parses, hashes and looks up
/// credentials.
enum Credential {
    /// `mus_live_`: an API key.
    Key(PlainKey),
}

impl Credential {
    /// The credential in the header `Authorization`; `None` if its kind is unknown or its checksum is wrong.
    fn parse(authorization: &str) -> Option<Self> {
        PlainKey::parse(bearer(authorization)?).map(Self::Key)
    }

    /// The hash by which it is stored and cached.
    fn hash(&self) -> Hash {
        match self {
            Self::Key(key) => key.hash(),
        }
    }

    /// The caller, if it is valid.
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

/// Authenticates callers.
#[derive(Debug, Clone)]
pub struct Authenticator {
    store: Store,
    clock: Clock,
    credentials: Arc<Credentials>,
    unknown: Arc<Unknown>,
    key_uses: KeyUses,
}

impl Authenticator {
    /// Authenticates by the keys in the database.
    pub fn new(store: Store, clock: Clock) -> Self {
        Self {
            store,
            unknown: Arc::new(Unknown::new(&clock)),
            clock,
            credentials: Arc::default(),
            key_uses: KeyUses::default(),
        }
    }

    /// When keys were used, for maintenance to store.
    pub fn key_uses(&self) -> KeyUses {
        self.key_uses.clone()
    }

    pub(super) fn credentials(&self) -> Arc<Credentials> {
        Arc::clone(&self.credentials)
    }

    /// Authenticates a caller by the header `Authorization`.
    pub async fn authenticate(&self, authorization: Option<&str>) -> Result<Principal, Error> {
        self.authenticate_client(authorization, None).await
    }

    /// The same for a client at this address, who may try only so many unknown credentials.
    pub async fn authenticate_client(
        &self,
        authorization: Option<&str>,
        client: Option<IpAddr>,
    ) -> Result<Principal, Error> {
        let credential = authorization.and_then(Credential::parse);
        let credential = credential.ok_or(Error::Unauthorized)?;
        let (hash, now) = (credential.hash(), self.clock.now());
        if let Some(principal) = self.credentials.recognise(&hash, now) {
            return Ok(principal);
        }
        if self.unknown.was_refused(&hash, now) {
            return Err(Error::Unauthorized);
        }
        if !self.credentials.has_recognised(&hash) {
            self.unknown.count(client)?;
        }
        let revocations = self.credentials.revocations();
        let looked_up = credential.look_up(self, now).await;
        let recognised = looked_up.inspect_err(|error| {
            if matches!(error, Error::Unauthorized) {
                self.unknown.refuse(hash, now);
            }
        })?;
        self.credentials.remember(hash, recognised, revocations);
        Ok(recognised.principal)
    }

    async fn recognise_key(&self, hash: &Hash, now: Instant) -> Result<Recognised, Error> {
        let found = self.store.find_key_by_hash(hash).await?;
        let (key, role) = found.ok_or(Error::Unauthorized)?;
        if !is_valid(&key, now) {
            return Err(Error::Unauthorized);
        }
        self.key_uses.record(key.id, now);
        let principal = Principal {
            account: key.account_id,
            actor: Actor::Key(key.id),
            scopes: key.scopes.within(role.scopes()),
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

/// The cache of credentials.
#[derive(Debug)]
pub(super) struct Credentials {
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
    fn recognise(&self, hash: &Hash, now: Instant) -> Option<Principal> {
        let recognised = self.recognised.get(hash)?;
        let trusted_until = recognised.looked_up_at.plus_seconds(TRUST_SECONDS);
        let is_valid = recognised.expires_at.is_none_or(|end| now < end);
        // A clock that was set back must not extend the trust.
        let is_fresh = recognised.looked_up_at <= now && now < trusted_until;
        (is_valid && is_fresh).then_some(recognised.principal)
    }

    /// Whether a credential was valid when it was last looked up.
    fn has_recognised(&self, hash: &Hash) -> bool {
        self.recognised.contains_key(hash)
    }

    fn revocations(&self) -> u64 {
        self.revocations.load(Ordering::SeqCst)
    }

    /// Caches the result of a look-up, unless there was a revocation since it began: then it may have read the old state.
    fn remember(&self, hash: Hash, recognised: Recognised, revocations: u64) {
        self.recognised.insert(hash, recognised);
        if self.revocations() != revocations {
            self.recognised.invalidate(&hash);
        }
    }

    /// Evicts a revoked credential.
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
