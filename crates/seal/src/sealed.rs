//! Sealing and opening. A sealed value is the byte of its version, the key's id, a random nonce, and what ChaCha20-Poly1305 makes of the
//! secret; version, id and context are authenticated with it.

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use crate::key::{self, ID_BYTES, SecretKey};

const VERSION: u8 = 1;

/// The bytes with which a sealed value begins: its version and the id of its key.
pub const PREFIX_BYTES: usize = 1 + ID_BYTES;

/// Why a value does not open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// Its first byte is that of no version, or of a later one.
    #[error("it was sealed by another version of Muster, or is damaged")]
    Version,
    /// The key that it needs is not here.
    #[error("it was sealed under another key")]
    OtherKey,
    /// It was changed or cut, or it belongs to another context.
    #[error("it is damaged, or was sealed for another row")]
    Damaged,
}

/// The parts of a sealed value.
struct Parts<'a> {
    id: [u8; ID_BYTES],
    nonce: [u8; NONCE_LEN],
    encrypted: &'a [u8],
}

/// Returns the fingerprint of the key under which a value with this prefix was sealed; `None` if it is no prefix.
pub fn fingerprint_of_prefix(prefix: &[u8]) -> Option<String> {
    let id = prefix.strip_prefix(&[VERSION])?.first_chunk()?;
    Some(key::fingerprint_of(*id))
}

impl SecretKey {
    /// Returns the bytes with which all values begin that are sealed under this key.
    pub fn prefix(&self) -> [u8; PREFIX_BYTES] {
        let mut prefix = [VERSION; PREFIX_BYTES];
        prefix[1..].copy_from_slice(&self.id());
        prefix
    }

    /// Seals a secret. It opens for the same context only, for example `webhook:{id}`.
    ///
    /// Nonces are random, so a key is good for billions of secrets, which is more than an instance has.
    pub fn seal(&self, context: &[u8], secret: &[u8]) -> Vec<u8> {
        let mut nonce = [0; NONCE_LEN];
        key::fill(&mut nonce);
        let mut encrypted = secret.to_vec();
        let unique = Nonce::assume_unique_for_key(nonce);
        let sealed = self.cipher().seal_in_place_append_tag(
            unique,
            authenticated(self.id(), context),
            &mut encrypted,
        );
        sealed.expect("a secret is shorter than 64 GiB");
        [&[VERSION], &self.id()[..], &nonce, &encrypted].concat()
    }

    /// Opens what was sealed under this key for this context.
    ///
    /// # Errors
    /// [`OpenError`]. Nothing of the secret is returned then.
    pub fn open(&self, context: &[u8], sealed: &[u8]) -> Result<Vec<u8>, OpenError> {
        let parts = split(sealed)?;
        if parts.id != self.id() {
            return Err(OpenError::OtherKey);
        }
        let mut opened = parts.encrypted.to_vec();
        let nonce = Nonce::assume_unique_for_key(parts.nonce);
        let context = authenticated(parts.id, context);
        let secret = self.cipher().open_in_place(nonce, context, &mut opened);
        let length = secret.map_err(|_| OpenError::Damaged)?.len();
        opened.truncate(length);
        Ok(opened)
    }

    fn cipher(&self) -> LessSafeKey {
        let key = UnboundKey::new(&CHACHA20_POLY1305, self.bytes());
        LessSafeKey::new(key.expect("a key has as many bytes as the cipher wants"))
    }
}

/// The version and the id have fixed lengths, so no two contexts are the same text.
fn authenticated(id: [u8; ID_BYTES], context: &[u8]) -> Aad<Vec<u8>> {
    Aad::from([&[VERSION], &id[..], context].concat())
}

fn split(sealed: &[u8]) -> Result<Parts<'_>, OpenError> {
    let (version, rest) = sealed.split_first().ok_or(OpenError::Damaged)?;
    if *version != VERSION {
        return Err(OpenError::Version);
    }
    let (id, rest) = rest.split_first_chunk().ok_or(OpenError::Damaged)?;
    let (nonce, encrypted) = rest.split_first_chunk().ok_or(OpenError::Damaged)?;
    Ok(Parts {
        id: *id,
        nonce: *nonce,
        encrypted,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8] = b"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    #[test]
    fn a_sealed_secret_opens_under_its_key_and_says_nothing() {
        let key = SecretKey::generate();
        for secret in [SECRET, b"", &[0; 10_000]] {
            let sealed = key.seal(b"webhook:1", secret);
            assert_eq!(key.open(b"webhook:1", &sealed).unwrap(), secret);
            assert!(secret.is_empty() || !sealed.windows(8).any(|part| secret.starts_with(part)));
        }
        let sealed = [key.seal(b"", SECRET), key.seal(b"", SECRET)];
        assert_ne!(sealed[0], sealed[1], "equal secrets look different");
    }

    #[test]
    fn a_sealed_secret_that_is_moved_to_another_row_does_not_open() {
        let key = SecretKey::generate();
        let sealed = key.seal(b"webhook:1", SECRET);
        for context in [&b"webhook:2"[..], b"webhook:", b"webhook:11", b""] {
            assert_eq!(key.open(context, &sealed), Err(OpenError::Damaged));
        }
    }

    #[test]
    fn a_sealed_secret_names_its_key_by_the_fingerprint() {
        let key = SecretKey::generate();
        let sealed = key.seal(b"webhook:1", SECRET);
        assert!(sealed.starts_with(&key.prefix()));
        let named = fingerprint_of_prefix(&sealed[..PREFIX_BYTES]);
        assert_eq!(named, Some(key.fingerprint()));
        assert_eq!(fingerprint_of_prefix(&sealed[..2]), None);
        assert_eq!(fingerprint_of_prefix(b"\0secret"), None);
    }

    #[test]
    fn another_key_is_told_apart_from_damage() {
        let key = SecretKey::generate();
        let sealed = key.seal(b"webhook:1", SECRET);
        let other = SecretKey::generate().open(b"webhook:1", &sealed);
        assert_eq!(other, Err(OpenError::OtherKey));
    }

    #[test]
    fn a_value_with_one_changed_bit_or_without_its_end_does_not_open() {
        let key = SecretKey::generate();
        let sealed = key.seal(b"webhook:1", SECRET);
        for place in 0..sealed.len() {
            for bit in 0..8 {
                let mut changed = sealed.clone();
                changed[place] ^= 1 << bit;
                let expected = match place {
                    0 => OpenError::Version,
                    1..=ID_BYTES => OpenError::OtherKey,
                    _ => OpenError::Damaged,
                };
                let opened = key.open(b"webhook:1", &changed);
                assert_eq!(opened, Err(expected), "byte {place}, bit {bit}");
            }
            let opened = key.open(b"webhook:1", &sealed[..place]);
            assert_eq!(opened, Err(OpenError::Damaged), "{place} bytes");
        }
        let longer = [&sealed[..], &[0]].concat();
        let opened = key.open(b"webhook:1", &longer);
        assert_eq!(opened, Err(OpenError::Damaged));
    }

    /// Rows that were sealed by an older version open with each later one. The value was computed by another program.
    #[test]
    fn a_value_that_was_sealed_long_ago_opens() {
        let key: SecretKey = "07".repeat(32).parse().unwrap();
        let sealed =
            "01c3f63251000102030405060708090a0b5f10925109ef5c7ddbb006f1d0d574734326b20ab3b3";
        let sealed = key::from_hex(sealed).unwrap();
        assert_eq!(key.open(b"webhook:1", &sealed).unwrap(), b"secret");
    }
}
