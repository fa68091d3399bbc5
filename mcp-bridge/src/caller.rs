//! The caller of a request.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::{HeaderMap, HeaderValue, Request, header::AUTHORIZATION, request::Parts};
use http_kit::Problem;
use muster_api::internal::v1::CheckCredentialResponse;
use rmcp::{RoleServer, service::RequestContext};
use rpc_client::Context;
use sha2::{Digest, Sha256};

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
    pub(crate) fn of(checked: Option<&CheckCredentialResponse>, credential: Fingerprint) -> Self {
        let Some(checked) = checked.filter(|checked| !checked.actor_id.is_empty()) else {
            return Self(credential);
        };
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
        checked.unwrap_or_else(|| Holder::of(None, fingerprint(&self.parts.headers)))
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
