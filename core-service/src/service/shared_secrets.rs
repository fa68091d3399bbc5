//! Secrets that the operator gives to another program and to core, so that it proves itself.

use std::{fmt, str::FromStr};

use secrecy::ExposeSecret as _;
use server::settings;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// One, and a second one while others change to it.
const MAX_SECRETS: usize = 2;

/// One secret, or two while others change from one to the other. Only their SHA-256 is kept.
#[derive(Clone, Default)]
pub struct SharedSecrets(Vec<[u8; 32]>);

impl FromStr for SharedSecrets {
    type Err = String;

    /// One secret, or two separated by a comma or on lines of their own.
    fn from_str(text: &str) -> Result<Self, String> {
        let separated = text.split(|character: char| character == ',' || character.is_whitespace());
        let secrets = separated
            .filter(|secret| !secret.is_empty())
            .map(settings::token)
            .collect::<Result<Vec<_>, _>>()?;
        if secrets.is_empty() || secrets.len() > MAX_SECRETS {
            return Err(format!(
                "must be one secret, or {MAX_SECRETS} separated by a comma while edges change from one to the other"
            ));
        }
        let hash = |secret: &secrecy::SecretString| hash(secret.expose_secret().as_bytes());
        Ok(Self(secrets.iter().map(hash).collect()))
    }
}

impl fmt::Debug for SharedSecrets {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "SharedSecrets({})", self.0.len())
    }
}

impl SharedSecrets {
    /// Whether this is one of them, in a time that says nothing of them. Without any, nothing is.
    pub(crate) fn accept(&self, shown: &[u8]) -> bool {
        let shown = hash(shown);
        let matches = self.0.iter().map(|secret| secret.ct_eq(&shown));
        matches
            .fold(subtle::Choice::from(0), |any, one| any | one)
            .into()
    }

    /// How many there are.
    pub(crate) const fn count(&self) -> usize {
        self.0.len()
    }
}

fn hash(secret: &[u8]) -> [u8; 32] {
    Sha256::digest(secret).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "old-0123456789abcdef0123456789abcdef";
    const NEW: &str = "new-0123456789abcdef0123456789abcdef";

    #[test]
    fn one_secret_or_two_are_read_and_never_shown() {
        for both in [
            format!("{OLD},{NEW}"),
            format!(" {OLD} , {NEW},"),
            format!("{OLD}\n{NEW}\n"),
        ] {
            let secrets: SharedSecrets = both.parse().unwrap();
            assert!(secrets.accept(OLD.as_bytes()), "{both}");
            assert!(secrets.accept(NEW.as_bytes()), "{both}");
            assert_eq!(format!("{secrets:?}"), "SharedSecrets(2)");
        }
        let one: SharedSecrets = NEW.parse().unwrap();
        assert!(one.accept(NEW.as_bytes()));
        assert!(!one.accept(OLD.as_bytes()));
        assert!(!SharedSecrets::default().accept(NEW.as_bytes()));
    }

    #[test]
    fn secrets_that_are_short_strange_or_too_many_are_refused_in_words() {
        let three = format!("{OLD},{NEW},{NEW}");
        for (text, problem) in [
            ("", "must be one secret"),
            (&three, "must be one secret"),
            ("too-short", "at least 32"),
            (&format!("{OLD},short"), "at least 32"),
            (&format!("{OLD}\u{e9}"), "visible ASCII"),
        ] {
            let error = text.parse::<SharedSecrets>().unwrap_err();
            assert!(error.contains(problem), "{text}: {error}");
        }
    }
}
