//! Who calls: API keys recognised, with few look-ups and without a write per call.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::Error;
use crate::{
    domain::{
        account::ApiKey,
        api_key::PlainKey,
        audit::Actor,
        clock::Clock,
        ids::{AccountId, KeyId},
        instant::Instant,
    },
    storage::{KeyUses, Store},
};

/// How long a key is trusted without looking again. Revocation must take effect everywhere within 5 s.
pub(super) const TRUST_SECONDS: i64 = 2;

/// Keys remembered at most, about 1 MB; beyond, all are looked up afresh.
const REMEMBERED_KEYS: usize = 10_000;

/// Whoever holds a key that is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller {
    /// The account that the key acts on.
    pub account_id: AccountId,
    /// The key.
    pub key_id: KeyId,
}

impl From<&Caller> for Actor {
    fn from(caller: &Caller) -> Self {
        Self::Key(caller.key_id)
    }
}

/// What is remembered of keys between calls.
#[derive(Debug, Default)]
pub(super) struct Credentials {
    recognised: Mutex<HashMap<[u8; 32], Recognised>>,
}

#[derive(Debug, Clone, Copy)]
struct Recognised {
    caller: Caller,
    expires_at: Option<Instant>,
    looked_up_at: Instant,
}

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
    pub async fn authenticate(&self, authorization: Option<&str>) -> Result<Caller, Error> {
        let key = authorization.and_then(bearer).and_then(PlainKey::parse);
        let hash = key.ok_or(Error::Unauthorized)?.hash();
        let now = self.clock.now();
        if let Some(caller) = self.credentials.recognise(&hash, now) {
            return Ok(caller);
        }
        let found = self.store.find_key_by_hash(&hash).await?;
        let (key, account) = found.ok_or(Error::Unauthorized)?;
        if !is_valid(&key, now) {
            return Err(Error::Unauthorized);
        }
        let caller = Caller {
            account_id: account.id,
            key_id: key.id,
        };
        let recognised = Recognised {
            caller,
            expires_at: key.expires_at,
            looked_up_at: now,
        };
        self.credentials.remember(hash, recognised);
        self.key_uses.record(key.id, now);
        Ok(caller)
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

impl Credentials {
    fn recognise(&self, hash: &[u8; 32], now: Instant) -> Option<Caller> {
        let recognised = *locked(&self.recognised).get(hash)?;
        let trusted_until = recognised.looked_up_at.plus_seconds(TRUST_SECONDS);
        let is_valid = recognised.expires_at.is_none_or(|end| now < end);
        // A clock that was set back must not stretch the trust.
        let is_fresh = recognised.looked_up_at <= now && now < trusted_until;
        (is_valid && is_fresh).then_some(recognised.caller)
    }

    fn remember(&self, hash: [u8; 32], recognised: Recognised) {
        let mut all = locked(&self.recognised);
        if all.len() >= REMEMBERED_KEYS {
            all.clear();
        }
        all.insert(hash, recognised);
    }

    pub(super) fn forget(&self, key: KeyId) {
        locked(&self.recognised).retain(|_, recognised| recognised.caller.key_id != key);
    }
}

/// A panic elsewhere leaves these maps as good as before.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_key_is_trusted_for_a_short_time_only() {
        let now = Instant::from_micros(1_800_000_000_000_000);
        let nil = uuid::Uuid::nil();
        let caller = Caller {
            account_id: AccountId::new(nil),
            key_id: KeyId::new(nil),
        };
        let credentials = Credentials::default();
        let recognised = Recognised {
            caller,
            expires_at: Some(now.plus_seconds(1)),
            looked_up_at: now,
        };
        credentials.remember([1; 32], recognised);
        let lasting = Recognised {
            expires_at: None,
            ..recognised
        };
        credentials.remember([2; 32], lasting);

        let one_second_later = now.plus_seconds(1);
        assert_eq!(credentials.recognise(&[1; 32], now), Some(caller));
        assert_eq!(credentials.recognise(&[1; 32], one_second_later), None);
        assert_eq!(
            credentials.recognise(&[2; 32], one_second_later),
            Some(caller)
        );
        let trust_over = now.plus_seconds(TRUST_SECONDS);
        assert_eq!(credentials.recognise(&[2; 32], trust_over), None);
        assert_eq!(credentials.recognise(&[2; 32], now.plus_seconds(-1)), None);
        credentials.forget(caller.key_id);
        assert_eq!(credentials.recognise(&[2; 32], now), None);
    }
}
