//! Codes and tokens in plain text.

use crate::{
    entropy::Entropy,
    token::{self, token},
};

/// What a secret is for. Its prefix shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Acts for a person.
    AccessToken,
    /// Gets new tokens.
    RefreshToken,
    /// Gets the first tokens.
    Code,
}

impl Kind {
    /// The prefix of all secrets of the kind.
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::AccessToken => "mus_at_",
            Self::RefreshToken => "mus_rt_",
            Self::Code => "mus_ac_",
        }
    }
}

token! {
    /// A code or a token in plain text, which exists only while it is made and while it is looked up.
    Secret
}

impl Secret {
    /// A new secret.
    pub fn generate(kind: Kind, entropy: &Entropy) -> Self {
        Self(token::generate(kind.prefix(), entropy))
    }

    /// Parses a secret. `None` if its form or its checksum is wrong, so that no look-up is needed.
    pub fn parse(kind: Kind, text: &str) -> Option<Self> {
        token::parse(kind.prefix(), text).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_recognised_as_what_it_is_alone_and_never_shown() {
        let all = [Kind::AccessToken, Kind::RefreshToken, Kind::Code];
        for (seed, kind) in (1..).zip(all) {
            let secret = Secret::generate(kind, &Entropy::seeded(seed));
            for other in all {
                let parsed = Secret::parse(other, secret.expose());
                assert_eq!(parsed.is_some(), other == kind);
                assert!(parsed.is_none_or(|parsed| parsed.hash() == secret.hash()));
            }
            assert!(!format!("{secret:?}").contains(secret.expose()));
        }
    }
}
