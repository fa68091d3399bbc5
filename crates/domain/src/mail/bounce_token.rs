//! The token in the envelope of a mail: `bounces+TOKEN@example.org`. A report that comes to this address is about this mail.

use sha2::{Digest as _, Sha256};

use crate::entropy::Entropy;

/// The digits of base32 (RFC 4648) in lower case: servers may change the case of an address.
const DIGITS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// Digits of 128 bits.
const LENGTH: usize = 26;

/// A token of 128 random bits. Only its hash is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BounceToken(String);

impl BounceToken {
    /// Characters that a token and its separator add to a local part.
    pub const ADDED: usize = LENGTH + 1;

    /// A new token.
    pub fn generate(entropy: &Entropy) -> Self {
        let mut bits = u128::from_be_bytes(entropy.bytes());
        let mut digits = String::with_capacity(LENGTH);
        for _ in 0..LENGTH {
            let digit = usize::try_from(bits & 31).unwrap_or(0);
            digits.push(char::from(DIGITS[digit]));
            bits >>= 5;
        }
        Self(digits)
    }

    /// The token in an address, whose local part it ends after a plus sign.
    pub fn of_address(address: &str) -> Option<Self> {
        let (local, _) = address.rsplit_once('@')?;
        let (_, token) = local.rsplit_once('+')?;
        let token = token.to_ascii_lowercase();
        let is_token = token.len() == LENGTH && token.bytes().all(|byte| DIGITS.contains(&byte));
        is_token.then_some(Self(token))
    }

    /// An address with this token.
    pub fn address(&self, local: &str, domain: &str) -> String {
        format!("{local}+{}@{domain}", self.0)
    }

    /// Its SHA-256.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(&self.0).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_found_in_its_address_whatever_the_case() {
        let token = BounceToken::generate(&Entropy::seeded(1));
        let address = token.address("bounces", "example.org");
        assert_eq!(
            address.len(),
            "bounces@example.org".len() + BounceToken::ADDED
        );
        assert_eq!(BounceToken::of_address(&address), Some(token.clone()));
        let upper = address.to_uppercase();
        assert_eq!(BounceToken::of_address(&upper), Some(token));
    }

    #[test]
    fn tokens_differ() {
        let entropy = Entropy::system();
        let tokens: std::collections::HashSet<_> = (0..100)
            .map(|_| BounceToken::generate(&entropy).hash())
            .collect();
        assert_eq!(tokens.len(), 100);
    }

    #[test]
    fn what_is_no_token_is_none() {
        for address in [
            "bounces@example.org",
            "bounces+@example.org",
            "bounces+short@example.org",
            "bounces+abcdefghijklmnopqrstuvwxy1@example.org",
            "bounces+abcdefghijklmnopqrstuvwxyzz@example.org",
            "abcdefghijklmnopqrstuvwxyz@example.org",
            "abc",
        ] {
            assert_eq!(BounceToken::of_address(address), None, "{address}");
        }
    }
}
