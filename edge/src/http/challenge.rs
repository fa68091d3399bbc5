//! How a client is told to prove who it is, in the words of RFC 6750.

use http::HeaderValue;
use muster_api::Scope;

const REALM: &str = "Bearer realm=\"muster\"";

/// What a client lacks to be let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Challenge {
    /// It has shown no credential.
    Credential,
    /// What it has shown is no valid credential.
    ValidCredential,
    /// Its credential lacks a scope: this one, or one that this build does not know.
    Scope(Option<Scope>),
}

impl Challenge {
    /// The value of `WWW-Authenticate`.
    pub(super) fn header(self) -> HeaderValue {
        let realm = HeaderValue::from_static(REALM);
        let told = match self {
            Self::Credential => return realm,
            Self::ValidCredential => format!("{REALM}, error=\"invalid_token\""),
            Self::Scope(None) => format!("{REALM}, error=\"insufficient_scope\""),
            Self::Scope(Some(scope)) => {
                format!("{REALM}, error=\"insufficient_scope\", scope=\"{scope}\"")
            }
        };
        // Scopes are of visible characters, and then nothing else can be wrong.
        HeaderValue::try_from(told).unwrap_or(realm)
    }
}
