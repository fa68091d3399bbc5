//! The challenge in `WWW-Authenticate` (RFC 6750), and where a token is to be had (RFC 9728).
//!
//! There is one challenge, since clients look for its parts by patterns: the scopes, then the metadata, then the words.

use std::fmt::Write as _;

use http::HeaderValue;
use muster_api::Scope;

use crate::Problem;

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
    /// The value of `WWW-Authenticate` for a problem.
    pub(super) fn header(self, problem: &Problem) -> HeaderValue {
        let mut text = REALM.to_owned();
        let error = self.error();
        add(&mut text, "error", error);
        add(&mut text, "scope", self.scopes(problem).as_deref());
        if let Some(source) = problem.token_source() {
            add(&mut text, "resource_metadata", Some(&source.metadata_url));
            let words = error.map(|_| plain(&problem.message));
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

    /// The scopes to ask for: all of them, or with the missing one those that the token has already, so that it does not lose them.
    fn scopes(self, problem: &Problem) -> Option<String> {
        let Self::Scope(missing) = self else {
            let source = problem.token_source();
            return source
                .map(|source| source.scopes.clone())
                .filter(|scopes| !scopes.is_empty());
        };
        let granted = problem.granted().unwrap_or_default();
        let mut scopes: Vec<&str> = granted.split_whitespace().collect();
        scopes.extend(missing.map(Scope::name));
        (!scopes.is_empty()).then(|| scopes.join(" "))
    }
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
    use muster_api::Reason;

    use super::*;
    use crate::oauth::TokenSource;

    fn header(mut problem: Problem) -> String {
        let source = TokenSource {
            metadata_url: "https://muster.example/.well-known/oauth-protected-resource/mcp"
                .to_owned(),
            scopes: "events:read events:write".to_owned(),
        };
        problem.extra.get_or_insert_default().token_source = Some(source);
        let value = problem.challenge.unwrap().header(&problem);
        value.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_challenge_names_the_metadata_before_its_words() {
        let refused = Problem::new(Reason::Unauthorized, "it has \"expired\", schön");
        assert_eq!(
            header(refused),
            "Bearer realm=\"muster\", error=\"invalid_token\", scope=\"events:read events:write\", \
             resource_metadata=\"https://muster.example/.well-known/oauth-protected-resource/mcp\", \
             error_description=\"it has 'expired', sch?n\""
        );
    }

    #[test]
    fn who_has_a_token_is_asked_for_what_it_has_and_what_is_missing() {
        let mut problem = Problem {
            challenge: Some(Challenge::Scope(Some(Scope::EventsCancel))),
            ..Problem::new(Reason::InsufficientScope, "no")
        };
        problem.extra.get_or_insert_default().granted = Some("account:read events:read".into());
        let header = header(problem);
        let scopes = "scope=\"account:read events:read events:cancel\"";
        assert!(header.contains(scopes), "{header}");
    }
}
