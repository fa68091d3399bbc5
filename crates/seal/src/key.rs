//! The key.

use std::{fmt, str::FromStr};

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use ring::{
    digest::{self, SHA256},
    rand::{SecureRandom as _, SystemRandom},
};
use zeroize::Zeroizing;

/// The bytes of a key.
pub(crate) const KEY_BYTES: usize = 32;

/// The bytes of a key's hash that name it in a sealed value.
pub(crate) const ID_BYTES: usize = 4;

/// Keeps the hash apart from every other one that is made of the same key.
const FINGERPRINT_DOMAIN: &[u8] = b"muster seal fingerprint v1\0";

/// With and without `=` at its end.
const CONFIG: GeneralPurposeConfig =
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, CONFIG);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, CONFIG);

/// A secret key of 32 random bytes. Read from base64, of either alphabet, or from hexadecimal digits. Its memory is cleared when it ends.
#[derive(Clone)]
pub struct SecretKey(Zeroizing<[u8; KEY_BYTES]>);

/// A text that is no key. It does not say the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be 32 random bytes in base64 or as 64 hexadecimal digits, for example what `openssl rand -base64 32` prints"
)]
pub struct InvalidKey;

impl SecretKey {
    /// A new key from the operating system's randomness.
    pub fn generate() -> Self {
        let mut bytes = Zeroizing::new([0; KEY_BYTES]);
        fill(bytes.as_mut_slice());
        Self(bytes)
    }

    /// Returns a short text by which people see whether two processes have the same key. It says nothing about the key.
    pub fn fingerprint(&self) -> String {
        fingerprint_of(self.id())
    }

    /// The bytes of the fingerprint.
    pub(crate) fn id(&self) -> [u8; ID_BYTES] {
        let mut hash = digest::Context::new(&SHA256);
        hash.update(FINGERPRINT_DOMAIN);
        hash.update(self.bytes());
        let hash = hash.finish();
        let begin = hash.as_ref().first_chunk();
        *begin.expect("a hash is longer than what is shown of it")
    }

    pub(crate) fn bytes(&self) -> &[u8; KEY_BYTES] {
        &self.0
    }

    /// The key as it is written into files.
    pub(crate) fn text(&self) -> Zeroizing<String> {
        Zeroizing::new(STANDARD.encode(self.bytes()))
    }
}

/// The fingerprint of a key with this id.
pub(crate) fn fingerprint_of(id: [u8; ID_BYTES]) -> String {
    format!("{:08x}", u32::from_be_bytes(id))
}

/// Fills bytes with the operating system's randomness. It is not injected: a nonce or key that a test could choose, others could as well.
pub(crate) fn fill(bytes: &mut [u8]) {
    let filled = SystemRandom::new().fill(bytes);
    filled.expect("the operating system has random bytes");
}

impl FromStr for SecretKey {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        let bytes = match text.len() {
            64 => from_hex(text),
            43 | 44 => {
                let decoded = STANDARD.decode(text).or_else(|_| URL_SAFE.decode(text));
                decoded.ok().map(Zeroizing::new)
            }
            _ => None,
        };
        let bytes = bytes.ok_or(InvalidKey)?;
        let bytes: &[u8; KEY_BYTES] = bytes.as_slice().try_into().map_err(|_| InvalidKey)?;
        Ok(Self(Zeroizing::new(*bytes)))
    }
}

pub(crate) fn from_hex(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).map(u8::try_from)?.ok();
    let (pairs, _) = text.as_bytes().as_chunks();
    let bytes = pairs
        .iter()
        .map(|[high, low]| Some(digit(high)? << 4 | digit(low)?));
    bytes.collect::<Option<Vec<_>>>().map(Zeroizing::new)
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SecretKey([redacted])")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEX: &str = "fbefbe000102030405060708090a0b0c0d0e0f101112131415161718191a1bff";

    #[test]
    fn a_key_is_read_in_every_form_that_tools_print() {
        let key: SecretKey = HEX.parse().unwrap();
        assert_eq!(key.bytes()[..4], [0xfb, 0xef, 0xbe, 0]);
        let text = key.text();
        assert!(
            text.starts_with("++++"),
            "a text that has the alphabet's end"
        );
        let url_safe = text.replace('+', "-").replace('/', "_");
        for form in [
            &HEX.to_uppercase(),
            &*text,
            text.trim_end_matches('='),
            &url_safe,
            url_safe.trim_end_matches('='),
        ] {
            let read: SecretKey = form.parse().unwrap();
            assert_eq!(read.bytes(), key.bytes(), "{form}");
        }
    }

    #[test]
    fn what_is_no_key_is_refused_and_not_repeated() {
        let long = "ab".repeat(33);
        for text in [
            "",
            "password",
            "correct horse battery staple, as they say..",
            "0123456789abcdef0123456789abcdef",
            "zz23456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            "+f23456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            "ä23456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
            &long,
            // 31 bytes, and a text whose last bits are none.
            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==",
            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB",
        ] {
            let refused = text.parse::<SecretKey>().unwrap_err();
            assert!(refused.to_string().contains("openssl"));
            assert!(text.is_empty() || !refused.to_string().contains(text));
        }
    }

    #[test]
    fn a_fingerprint_tells_keys_apart_and_nothing_else() {
        let (one, two) = (SecretKey::generate(), SecretKey::generate());
        assert_ne!(one.fingerprint(), two.fingerprint());
        assert_eq!(one.fingerprint(), one.clone().fingerprint());
        // It stays the same with the next version: sealed values have a part of it.
        let key: SecretKey = HEX.parse().unwrap();
        assert_eq!(key.fingerprint(), "26737c85");
    }

    #[test]
    fn a_key_is_not_printed() {
        let key: SecretKey = HEX.parse().unwrap();
        assert_eq!(format!("{key:?}"), "SecretKey([redacted])");
    }
}
