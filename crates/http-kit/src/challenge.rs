//! The challenge in `WWW-Authenticate` (RFC 6750), and where a token is to be had (RFC 9728).
//!
//! There is one challenge, since clients look for its parts by patterns: the scopes, then the metadata, then the words.

use std::fmt::Write as _;

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

/// Where a client gets a token for what was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenSource {
    /// The metadata of the resource.
    pub(crate) metadata_url: String,
    /// The scopes to ask for.
    pub(crate) scopes: Vec<Scope>,
}

impl Challenge {
    /// The value of `WWW-Authenticate` for a refusal: its message, where a token is to be had, and the scopes that the token has
    /// if its person can grant the one that it lacks.
    pub(super) fn header(
        self,
        message: &str,
        source: Option<&TokenSource>,
        granted: Option<&str>,
    ) -> HeaderValue {
        let mut text = REALM.to_owned();
        let error = self.error();
        add(&mut text, "error", error);
        add(&mut text, "scope", self.scopes(source, granted).as_deref());
        if let Some(source) = source {
            add(&mut text, "resource_metadata", Some(&source.metadata_url));
            let words = error.map(|_| plain(message));
            add(&mut text, "error_description", words.as_deref());
        }
        // Scopes and URLs have visible characters only, so the value is always valid.
        HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(REALM))
    }

    const fn error(self) -> Option<&'static str> {
        match self {
            Self::Credential => None,
            Self::ValidCredential => Some("invalid_token"),
            Self::Scope(_) => Some("insufficient_scope"),
        }
    }

    /// The scopes to ask for: those of the source, or with the missing one those that the token has already, so that it does not lose them.
    fn scopes(self, source: Option<&TokenSource>, granted: Option<&str>) -> Option<String> {
        let Self::Scope(missing) = self else {
            return source
                .and_then(|source| joined(source.scopes.iter().map(|scope| scope.name())));
        };
        let granted = granted.unwrap_or_default();
        joined(granted.split_whitespace().chain(missing.map(Scope::name)))
    }
}

fn joined<'s>(scopes: impl Iterator<Item = &'s str>) -> Option<String> {
    let scopes: Vec<&str> = scopes.collect();
    (!scopes.is_empty()).then(|| scopes.join(" "))
}

fn add(text: &mut String, name: &str, value: Option<&str>) {
    if let Some(value) = value {
        let _infallible = write!(text, ", {name}=\"{value}\"");
    }
}

/// A message with the characters that a description may have.
fn plain(message: &str) -> String {
    let sign = |sign: char| match sign {
        '"' | '\\' => '\'',
        ' '..='~' => sign,
        _ => '?',
    };
    message.chars().map(sign).collect()
}

#[cfg(test)]
mod tests {

    use super::*;

    fn header(challenge: Challenge, message: &str, granted: Option<&str>) -> String {
        let source = TokenSource {
            metadata_url: "https://muster.example/.well-known/oauth-protected-resource/mcp"
                .to_owned(),
            scopes: vec![Scope::EventsRead],
        };
        let value = challenge.header(message, Some(&source), granted);
        value.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_challenge_names_the_metadata_before_its_words() {
        let message = "it has \"expired\", schön";
        assert_eq!(
            header(Challenge::ValidCredential, message, None),
            "Bearer realm=\"muster\", error=\"invalid_token\", scope=\"events:read\", \
             resource_metadata=\"https://muster.example/.well-known/oauth-protected-resource/mcp\", \
             error_description=\"it has 'expired', sch?n\""
        );
    }

    #[test]
    fn who_has_a_token_is_asked_for_what_it_has_and_what_is_missing() {
        let missing = Challenge::Scope(Some(Scope::EventsCancel));
        let header = header(missing, "no", Some("account:read events:read"));
        let scopes = "scope=\"account:read events:read events:cancel\"";
        assert!(header.contains(scopes), "{header}");
    }
}
