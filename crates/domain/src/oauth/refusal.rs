//! What OAuth refuses, in its own words.

use std::borrow::Cow;

use crate::names::names;

names! {
    /// The code of an error (RFC 6749, 7591, 8707).
    Code {
        /// A parameter is missing, doubled or malformed.
        InvalidRequest = "invalid_request",
        /// The client is unknown.
        InvalidClient = "invalid_client",
        /// The code or the refresh token is unknown, used, expired, or another client's.
        InvalidGrant = "invalid_grant",
        /// The token endpoint does not know the kind of grant.
        UnsupportedGrantType = "unsupported_grant_type",
        /// Another response than a code is asked for.
        UnsupportedResponseType = "unsupported_response_type",
        /// More scopes are asked for than were granted.
        InvalidScope = "invalid_scope",
        /// The resource is not of this installation, or not of this grant.
        InvalidTarget = "invalid_target",
        /// The person did not agree.
        AccessDenied = "access_denied",
        /// A redirect URI cannot be registered.
        InvalidRedirectUri = "invalid_redirect_uri",
        /// Other metadata cannot be registered.
        InvalidClientMetadata = "invalid_client_metadata",
    }
}

impl Code {
    /// The HTTP status of an endpoint that answers it.
    pub const fn status(self) -> i32 {
        match self {
            Self::InvalidClient => 401,
            _ => 400,
        }
    }
}

/// An error as OAuth answers it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {description}")]
pub struct Refusal {
    /// The code.
    pub code: Code,
    /// What is wrong, for developers: ASCII without quotation marks and backslashes (RFC 6749, section 5.2).
    pub description: Cow<'static, str>,
}

impl Refusal {
    /// A refusal in these words.
    pub const fn new(code: Code, description: &'static str) -> Self {
        Self {
            code,
            description: Cow::Borrowed(description),
        }
    }

    /// A refusal in words that name something. What OAuth does not allow in a description becomes a question mark.
    pub fn about(code: Code, description: &str) -> Self {
        let allowed = |one: char| matches!(one, ' '..='~') && !matches!(one, '"' | '\\');
        let ascii = |one: char| if allowed(one) { one } else { '?' };
        Self {
            code,
            description: description.chars().map(ascii).collect::<String>().into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_has_only_what_oauth_allows() {
        let refusal = Refusal::about(Code::InvalidRequest, "no \"\u{fc}\" \\ here\n");
        assert_eq!(refusal.description, "no ??? ? here?");
        assert_eq!(refusal.to_string(), "invalid_request: no ??? ? here?");
    }
}
