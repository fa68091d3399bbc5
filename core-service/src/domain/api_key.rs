//! API keys: their form, and how a key is recognized without storing it (rule 16 of docs/rules.md).

use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};

use super::entropy::Entropy;

/// The prefix of every key, by which secret scanners recognize leaked keys.
pub const PREFIX: &str = "mus_live_";

/// 178 random bits.
const SECRET_CHARACTERS: usize = 30;

/// Six base62 digits hold every CRC32.
const CHECKSUM_CHARACTERS: usize = 6;

/// Digits by value.
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A key in plain text, which exists only while it is created and while a caller is authenticated. Only its hash is stored.
#[derive(Debug, Clone)]
pub struct PlainKey(SecretString);

impl PlainKey {
    /// A new key.
    pub fn generate(entropy: &Entropy) -> Self {
        let secret = entropy.base62(SECRET_CHARACTERS);
        let checksum = checksum(&secret);
        Self(SecretString::from(format!("{PREFIX}{secret}{checksum}")))
    }

    /// Parses a key. `None` if its form or its checksum is wrong, so that no look-up is needed.
    pub fn parse(text: &str) -> Option<Self> {
        let (secret, digits) = text
            .strip_prefix(PREFIX)?
            .split_at_checked(SECRET_CHARACTERS)?;
        let is_key =
            secret.bytes().all(|byte| byte.is_ascii_alphanumeric()) && digits == checksum(secret);
        is_key.then(|| Self(SecretString::from(text)))
    }

    /// SHA-256 of the whole key, which is stored. A slow hash is not needed, since the key is random.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.expose()).into()
    }

    /// The key itself, to show to its owner once.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

/// CRC32 of the secret part in base62, padded with zeros.
fn checksum(secret: &str) -> String {
    let mut rest = crc32fast::hash(secret.as_bytes());
    let mut digits = [b'0'; CHECKSUM_CHARACTERS];
    for digit in digits.iter_mut().rev() {
        let value = usize::try_from(rest % 62).unwrap_or(0);
        *digit = BASE62.get(value).copied().unwrap_or(b'0');
        rest /= 62;
    }
    digits.into_iter().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_new_key_is_recognised() {
        let key = PlainKey::generate(&Entropy::seeded(1));
        assert_eq!(key.expose().len(), 45);
        assert!(key.expose().starts_with(PREFIX));
        let again = PlainKey::parse(key.expose()).unwrap();
        assert_eq!(again.hash(), key.hash());
    }

    #[test]
    fn a_known_key_keeps_its_checksum() {
        let secret = "000000000000000000000000000000";
        assert_eq!(checksum(secret), "2C8GjS");
    }

    #[test]
    fn debug_output_does_not_show_the_key() {
        let key = PlainKey::generate(&Entropy::seeded(1));
        assert!(!format!("{key:?}").contains(key.expose()));
    }

    #[test]
    fn other_texts_are_no_keys() {
        for text in [
            "",
            "mus_live_",
            "mus_live_abc",
            "Bearer",
            "mus_live_ééééééééééééééééééééééééé",
        ] {
            assert!(PlainKey::parse(text).is_none(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn one_wrong_character_is_noticed(seed: u64, position in 0..45_usize, other in "[0-9A-Za-z_]") {
            let key = PlainKey::generate(&Entropy::seeded(seed));
            let mut text = key.expose().to_owned();
            text.replace_range(position..=position, &other);
            prop_assert_eq!(PlainKey::parse(&text).is_some(), text == key.expose());
        }
    }
}
