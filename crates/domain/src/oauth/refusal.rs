//! What OAuth refuses, in its own words.

use std::borrow::Cow;

/// The code of an error (RFC 6749, 7591, 8707).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// A parameter is missing, doubled or malformed.
    InvalidRequest,
    /// The client is unknown.
    InvalidClient,
    /// The code or the refresh token is unknown, used, expired, or another client's.
    InvalidGrant,
    /// The token endpoint does not know the kind of grant.
    UnsupportedGrantType,
    /// Another response than a code is asked for.
    UnsupportedResponseType,
    /// More scopes are asked for than were granted.
    InvalidScope,
    /// The resource is not of this installation, or not of this grant.
    InvalidTarget,
    /// The person did not agree.
    AccessDenied,
    /// A redirect URI cannot be registered.
    InvalidRedirectUri,
    /// Other metadata cannot be registered.
    InvalidClientMetadata,
}

impl Code {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::InvalidClient => "invalid_client",
            Self::InvalidGrant => "invalid_grant",
            Self::UnsupportedGrantType => "unsupported_grant_type",
            Self::UnsupportedResponseType => "unsupported_response_type",
            Self::InvalidScope => "invalid_scope",
            Self::InvalidTarget => "invalid_target",
            Self::AccessDenied => "access_denied",
            Self::InvalidRedirectUri => "invalid_redirect_uri",
            Self::InvalidClientMetadata => "invalid_client_metadata",
        }
    }

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
#[error("{}: {description}", .code.name())]
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
