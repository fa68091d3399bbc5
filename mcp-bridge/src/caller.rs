//! On whose behalf a request is made.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use edge::{Context, Problem};
use http::{HeaderMap, HeaderValue, header::AUTHORIZATION, request::Parts};
use process::{observe::RequestId, serve::Peer};
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
    headers: HeaderMap,
    parts: Option<Parts>,
    unauthorized: Unauthorized,
}

impl Caller {
    /// The sender of the request; on standard input, the person who set the headers.
    pub(crate) fn of(cx: &RequestContext<RoleServer>, local: Option<&HeaderMap>) -> Self {
        let parts = cx.extensions.get::<Parts>().cloned();
        let sent = parts.as_ref().map(|parts| parts.headers.clone());
        let unauthorized = parts
            .as_ref()
            .and_then(|parts| parts.extensions.get().cloned());
        Self {
            headers: local.cloned().or(sent).unwrap_or_default(),
            unauthorized: unauthorized.unwrap_or_default(),
            parts,
        }
    }

    /// What goes with a call to core that is made now.
    pub(crate) fn context(&self, options: &Options) -> Context {
        let id = self.parts.as_ref().and_then(|parts| parts.extensions.get());
        let id = id.cloned().unwrap_or_else(RequestId::fresh);
        let context = Context::from_headers(&self.headers, &id, options.request_time);
        let peer = self.parts.as_ref().and_then(|parts| parts.extensions.get());
        match peer {
            Some(Peer(peer)) => {
                context.for_client(options.trusted_proxies.client(*peer, &self.headers))
            }
            None => context,
        }
    }

    /// The credential, unreadable.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        fingerprint(&self.headers)
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
