//! The caller of a request.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use edge::{Context, Problem};
use http::{HeaderMap, HeaderValue, Request, header::AUTHORIZATION, request::Parts};
use rmcp::{RoleServer, service::RequestContext};
use sha2::{Digest, Sha256};

use crate::Options;

/// Set when core refuses the credential during a request, so that the answer becomes 401.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unauthorized(Arc<AtomicBool>);

impl Unauthorized {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
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
    unauthorized: Unauthorized,
}

impl Caller {
    /// The sender of the request; on standard input, the headers from the settings.
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

    /// The context of a call to core.
    pub(crate) fn context(&self, options: &Options) -> Context {
        options.calls.context(&self.parts)
    }

    /// The hash of the credential.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        fingerprint(&self.parts.headers)
    }

    /// Records what a failure means for the whole request, and logs it if nothing else does.
    pub(crate) fn note(&self, called: &str, problem: &Problem) {
        if problem.http_status == 401 {
            self.unauthorized.0.store(true, Ordering::Relaxed);
        }
        if let Some(cause) = &problem.cause {
            tracing::error!(called, code = problem.code, cause, "a call failed");
        }
    }
}
