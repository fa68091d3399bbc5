//! The caller of a request, and how long its credential is trusted, since an agent makes many requests.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use http::{HeaderMap, HeaderValue, Request, header::AUTHORIZATION, request::Parts};
use http_kit::Problem;
use moka::{policy::EvictionPolicy, sync::Cache};
use muster_api::internal::v1::CheckCredentialResponse;
use rmcp::{RoleServer, service::RequestContext};
use rpc_client::Context;
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use crate::Options;

/// A refusal by core that is the answer to the whole request, since another credential would cure it: 401 and 403 of HTTP, which
/// clients read.
#[derive(Debug, Clone, Default)]
pub(crate) struct WholeRefusal(Arc<Mutex<Option<Problem>>>);

impl WholeRefusal {
    /// The refusal, if there is one.
    pub(crate) fn take(&self) -> Option<Problem> {
        self.problem().take()
    }

    fn problem(&self) -> MutexGuard<'_, Option<Problem>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who holds a credential, hashed: an account with one of its keys or connected apps, whose tokens change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Holder(Fingerprint);

impl Holder {
    /// As core says; where it does not, every credential is a holder of its own.
    pub(crate) fn of(checked: &CheckCredentialResponse, credential: Fingerprint) -> Self {
        if checked.actor_id.is_empty() {
            return Self(credential);
        }
        let mut hasher = Sha256::new();
        for part in [&checked.account_id, &checked.actor_id] {
            hasher.update(part.len().to_be_bytes());
            hasher.update(part);
        }
        Self(hasher.finalize().into())
    }

    pub(crate) const fn bytes(&self) -> &[u8] {
        self.0.as_slice()
    }
}

/// The hash of a key.
pub(crate) type Fingerprint = [u8; 32];

/// The key of a request, hashed. The scheme before it may be written in any case.
pub(crate) fn fingerprint(headers: &HeaderMap) -> Fingerprint {
    let credential = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes);
    let credential = credential.unwrap_or_default().trim_ascii();
    let scheme = credential.split(u8::is_ascii_whitespace).next();
    let key = credential.get(scheme.map_or(0, <[u8]>::len)..);
    Sha256::digest(key.unwrap_or_default().trim_ascii()).into()
}

/// The caller.
pub(crate) struct Caller {
    parts: Parts,
    refused: WholeRefusal,
}

impl Caller {
    /// The sender of the request; on standard input, the headers from the settings.
    pub(crate) fn of(cx: &RequestContext<RoleServer>, local: Option<&HeaderMap>) -> Self {
        let sent = cx.extensions.get::<Parts>().cloned();
        let mut parts = sent.unwrap_or_else(|| Request::new(()).into_parts().0);
        if let Some(headers) = local {
            parts.headers.clone_from(headers);
        }
        let refused = parts.extensions.get().cloned();
        Self {
            refused: refused.unwrap_or_default(),
            parts,
        }
    }

    /// What the request says of itself.
    pub(crate) const fn headers(&self) -> &HeaderMap {
        &self.parts.headers
    }

    /// The context of a call to core.
    pub(crate) fn context(&self, options: &Options) -> Context {
        options.calls.context(&self.parts)
    }

    /// Who holds the credential.
    pub(crate) fn holder(&self) -> Holder {
        let checked = self.parts.extensions.get().copied();
        // On standard input nothing was checked, and there is one credential.
        checked.unwrap_or_else(|| Holder(fingerprint(&self.parts.headers)))
    }

    /// Records what a failure means for the whole request, and logs it if nothing else does.
    pub(crate) fn note(&self, called: &str, problem: &Problem) {
        if problem.http_status == 401 || problem.granted().is_some() {
            *self.refused.problem() = Some(problem.clone());
        }
        if let Some(cause) = &problem.cause {
            tracing::error!(called, code = problem.code, cause, "a call failed");
        }
    }
}

/// How long a result is cached. Core itself caches for 2 s, and revocation must take effect within 5 s. Only public operations
/// depend on this cache; for all others core checks the credential itself.
const TRUST: Duration = Duration::from_secs(2);

/// Maximum number of cached credentials, about 1 MB. Beyond it, the least recently used are evicted.
const REMEMBERED: u64 = 10_000;

/// The valid credentials, each with its holder and the time at which core was asked.
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
        Holder([1; 32])
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
