//! What pages of other origins may call (CORS), over HTTP as over gRPC-web.
//!
//! What needs no credential, and what a bearer token authorizes, may be called from any origin: no browser sends either unasked. What
//! acts for a visitor without a credential may be called from the origins that the operator names.

mod origin;

use std::{str::FromStr, sync::Arc};

use http::{
    HeaderMap, HeaderValue, Method,
    header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
        ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ORIGIN, VARY,
    },
};

pub use origin::{List, Origin};

/// The exposed headers, in addition to the ones that are always readable. Those of gRPC-web come last.
pub const EXPOSED: &str = "etag, idempotency-key, link, ratelimit, ratelimit-policy, retry-after, www-authenticate, \
    x-request-id, grpc-message, grpc-status, grpc-status-details-bin";

/// How long a browser may cache a preflight, in seconds: a day.
const PREFLIGHT_SECONDS: HeaderValue = HeaderValue::from_static("86400");

const ANY: HeaderValue = HeaderValue::from_static("*");

/// For browsers the star means every header but this one.
const ANY_HEADER: HeaderValue = HeaderValue::from_static("*, Authorization");

/// Which pages may call what acts for a visitor without a credential.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "API")]
pub struct CorsSettings {
    /// Origins of web pages that may register people (CORS), separated by commas, for example `https://app.example.org`; `*` for
    /// any. Pages of all origins may call everything else: it is public, or needs a bearer token
    #[arg(
        long,
        env = "MUSTER_REGISTER_ORIGINS",
        value_name = "ORIGINS",
        default_value = ""
    )]
    pub register_origins: SharedWith,
}

/// The pages that may call an operation and read its answer, besides those of its own origin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum SharedWith {
    /// No others.
    #[default]
    Nobody,
    /// Those of any origin.
    Everyone,
    /// Those of these origins.
    Origins(Arc<[Origin]>),
}

impl FromStr for SharedWith {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim() == "*" {
            return Ok(Self::Everyone);
        }
        let List(origins) = text.parse()?;
        Ok(Self::from(origins))
    }
}

impl From<Vec<Origin>> for SharedWith {
    fn from(origins: Vec<Origin>) -> Self {
        if origins.is_empty() {
            Self::Nobody
        } else {
            Self::Origins(origins.into())
        }
    }
}

impl SharedWith {
    /// Who may call an operation: one that changes something without a credential acts for a visitor, and is for `named` only.
    #[must_use]
    pub fn of(needs_credential: bool, is_read: bool, named: &Self) -> Self {
        if needs_credential || is_read {
            Self::Everyone
        } else {
            named.clone()
        }
    }

    /// The value of `Access-Control-Allow-Origin` for a request; none if it comes from a page that may not.
    pub fn allowed(&self, request: &HeaderMap) -> Option<HeaderValue> {
        match self {
            Self::Nobody => None,
            Self::Everyone => Some(ANY),
            Self::Origins(origins) => {
                let from = request.get(ORIGIN)?;
                let is_named = origins.iter().any(|origin| origin.written() == from);
                is_named.then(|| from.clone())
            }
        }
    }

    /// Lets the page read an answer, if it may.
    pub fn share(&self, allowed: Option<HeaderValue>, answer: &mut HeaderMap) {
        if matches!(self, Self::Origins(_)) {
            answer.append(VARY, HeaderValue::from_static("origin"));
        }
        if let Some(origin) = allowed {
            answer.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            let exposed = HeaderValue::from_static(EXPOSED);
            answer.insert(ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        }
    }

    /// Lets the page send a request of this method, if it may: the answer to a preflight.
    pub fn invite(&self, method: &Method, request: &HeaderMap, answer: &mut HeaderMap) {
        if matches!(self, Self::Origins(_)) {
            answer.append(VARY, HeaderValue::from_static("origin"));
        }
        let Some(origin) = self.allowed(request) else {
            return;
        };
        answer.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        let methods = match *method {
            Method::GET | Method::HEAD => Ok(HeaderValue::from_static("GET, HEAD")),
            _ => HeaderValue::from_str(method.as_str()),
        };
        if let Ok(methods) = methods {
            answer.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
        }
        answer.insert(ACCESS_CONTROL_ALLOW_HEADERS, ANY_HEADER);
        answer.insert(ACCESS_CONTROL_MAX_AGE, PREFLIGHT_SECONDS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_the_named_origins_are_let_in() {
        let request = |origin| HeaderMap::from_iter([(ORIGIN, HeaderValue::from_static(origin))]);
        let named: SharedWith = "https://a.example, https://b.example".parse().unwrap();
        let everyone: SharedWith = "*".parse().unwrap();
        let nobody: SharedWith = "".parse().unwrap();
        for (shared, origin, allowed) in [
            (&named, "https://b.example", Some("https://b.example")),
            (&named, "http://b.example", None),
            (&named, "null", None),
            (&everyone, "https://c.example", Some("*")),
            (&nobody, "https://a.example", None),
        ] {
            let answer = shared.allowed(&request(origin));
            let answer = answer.as_ref().map(|value| value.to_str().unwrap());
            assert_eq!(answer, allowed, "{shared:?} {origin}");
        }
        assert!("https://a.example, *".parse::<SharedWith>().is_err());
    }
}
