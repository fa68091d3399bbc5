//! The challenge in `WWW-Authenticate` (RFC 6750).

use http::HeaderValue;
use muster_api::Scope;

const REALM: &str = "Bearer realm=\"muster\"";

/// Why a credential was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Challenge {
    /// There is no credential.
    Credential,
    /// The credential is not valid.
    ValidCredential,
    /// The credential lacks this scope, or one that this build does not know.
    Scope(Option<Scope>),
}

impl Challenge {
    /// The value of `WWW-Authenticate`.
    pub(super) fn header(self) -> HeaderValue {
        let realm = HeaderValue::from_static(REALM);
        let value = match self {
            Self::Credential => return realm,
            Self::ValidCredential => format!("{REALM}, error=\"invalid_token\""),
            Self::Scope(None) => format!("{REALM}, error=\"insufficient_scope\""),
            Self::Scope(Some(scope)) => {
                format!("{REALM}, error=\"insufficient_scope\", scope=\"{scope}\"")
            }
        };
        // Scopes have visible characters only, so the value is always valid.
        HeaderValue::try_from(value).unwrap_or(realm)
    }
}
