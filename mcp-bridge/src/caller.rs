//! On whose behalf a request is made.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use edge::{Context, Problem};
use http::{HeaderMap, HeaderValue, Request, header::AUTHORIZATION, request::Parts};
use rmcp::{RoleServer, service::RequestContext};
use sha2::{Digest, Sha256};

use crate::Options;

/// Set when core refuses a credential in the middle of a request, so that its answer becomes a 401.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unauthorized(Arc<AtomicBool>);

impl Unauthorized {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A credential, unreadable.
pub(crate) type Fingerprint = [u8; 32];

/// The credential of a request, hashed.
pub(crate) fn fingerprint(headers: &HeaderMap) -> Fingerprint {
    let credential = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes);
    Sha256::digest(credential.unwrap_or_default()).into()
}

/// Who calls.
pub(crate) struct Caller {
    parts: Parts,
    unauthorized: Unauthorized,
}

impl Caller {
    /// The sender of the request; on standard input, the person who set the headers.
    pub(crate) fn of(cx: &RequestContext<RoleServer>, local: Option<&HeaderMap>) -> Self {
        let sent = cx.extensions.get::<Parts>().cloned();
        let mut parts = sent.unwrap_or_else(|| Request::new(()).into_parts().0);
        if let Some(headers) = local {
            parts.headers.clone_from(headers);
        }
        let unauthorized = parts.extensions.get().cloned();
        Self {
            unauthorized: unauthorized.unwrap_or_default(),
            parts,
        }
    }

    /// What goes with a call to core that is made now.
    pub(crate) fn context(&self, options: &Options) -> Context {
        options.calls.context(&self.parts)
    }

    /// The credential, unreadable.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        fingerprint(&self.parts.headers)
    }

    /// Notes what a failure means for the request as a whole, and logs it if nobody else does.
    pub(crate) fn note(&self, called: &str, problem: &Problem) {
        if problem.http_status == 401 {
            self.unauthorized.0.store(true, Ordering::Relaxed);
        }
        if let Some(cause) = &problem.cause {
            tracing::error!(called, code = problem.code, cause, "a call failed");
        }
    }
}
