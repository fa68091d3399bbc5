//! Calls with an idempotency key, and how their answers are stored.
//!
//! An answer is stored encrypted, since it may hold an attendee's private link, name and email address. The encryption key is
//! derived from the idempotency key and the request, which are not stored: a repeated call brings both, through any replica and
//! after any restart, and operators have no further secret to manage. A person who has only the database would have to guess
//! the idempotency key, so a random one (a UUID) protects best. The request is identified by a keyed hash, so that nobody can
//! test guesses of its content.

use std::fmt;

use ring::{
    aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    hmac,
};

use super::{entropy::Entropy, ids::AccountId};

/// How long an answer is stored.
pub const RETENTION_SECONDS: i64 = 86_400;

/// A call with an idempotency key.
pub struct KeyedCall {
    /// The account that the key belongs to.
    pub account: AccountId,
    /// The hash by which the key is found.
    pub key_hash: [u8; 32],
    /// The hash that identifies the request.
    pub request_hash: [u8; 32],
    seal: LessSafeKey,
}

impl KeyedCall {
    /// A call of an account: its key, its rpc and the bytes of its request.
    pub fn new(account: AccountId, key: &str, rpc: &str, request: &[u8]) -> Self {
        // HKDF (RFC 5869) with one block of output for each purpose.
        let salt = hmac::Key::new(hmac::HMAC_SHA256, account.uuid().as_bytes());
        let extracted = hmac::sign(&salt, key.as_bytes());
        let secret = hmac::Key::new(hmac::HMAC_SHA256, extracted.as_ref());
        let derive = |parts: &[&[u8]]| {
            let mut block = hmac::Context::with_key(&secret);
            for part in parts {
                block.update(part);
                block.update(&[0]);
            }
            block.update(&[1]);
            let mut derived = [0; 32];
            derived.copy_from_slice(block.sign().as_ref());
            derived
        };
        let seal = derive(&[b"answer", rpc.as_bytes(), request]);
        let seal = UnboundKey::new(&CHACHA20_POLY1305, &seal);
        Self {
            account,
            key_hash: derive(&[b"key"]),
            request_hash: derive(&[b"request", rpc.as_bytes(), request]),
            seal: LessSafeKey::new(seal.expect("ChaCha20 takes keys of 32 bytes")),
        }
    }

    /// Encrypts an answer to the call, to store it.
    pub fn sealed(&self, answer: &[u8], entropy: &Entropy) -> Vec<u8> {
        let nonce: [u8; NONCE_LEN] = entropy.bytes();
        let mut sealed = answer.to_vec();
        let unique = Nonce::assume_unique_for_key(nonce);
        self.seal
            .seal_in_place_append_tag(unique, Aad::empty(), &mut sealed)
            .expect("an answer is shorter than ChaCha20's 256 GiB");
        [&nonce[..], &sealed].concat()
    }

    /// Decrypts what [`KeyedCall::sealed`] made; `None` for any other bytes.
    pub fn opened(&self, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_LEN>()?;
        let mut opened = sealed.to_vec();
        let unique = Nonce::assume_unique_for_key(*nonce);
        let answer = self.seal.open_in_place(unique, Aad::empty(), &mut opened);
        let length = answer.ok()?.len();
        opened.truncate(length);
        Some(opened)
    }
}

impl fmt::Debug for KeyedCall {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("KeyedCall")
            .field("account", &self.account)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const ANSWER: &[u8] = b"https://muster.example/registrations/secret";

    fn call(account: u128, key: &str, rpc: &str, request: &[u8]) -> KeyedCall {
        let account = AccountId::new(Uuid::from_u128(account));
        KeyedCall::new(account, key, rpc, request)
    }

    #[test]
    fn the_same_call_opens_its_answer_and_no_other_does() {
        let entropy = Entropy::seeded(1);
        let sealed = call(1, "key", "/rpc", b"request").sealed(ANSWER, &entropy);
        let repeated = call(1, "key", "/rpc", b"request");
        assert_eq!(repeated.opened(&sealed).as_deref(), Some(ANSWER));
        for other in [
            call(2, "key", "/rpc", b"request"),
            call(1, "kez", "/rpc", b"request"),
            call(1, "key", "/rpd", b"request"),
            call(1, "key", "/rpc", b"requesu"),
            call(1, "key", "/rp", b"c\0request"),
        ] {
            assert_eq!(other.opened(&sealed), None, "{other:?}");
        }
        let mut changed = sealed.clone();
        for at in 0..sealed.len() {
            changed[at] ^= 1;
            assert_eq!(repeated.opened(&changed), None, "byte {at}");
            changed[at] ^= 1;
        }
        assert_eq!(repeated.opened(&sealed[..10]), None);
    }

    #[test]
    fn what_is_stored_shows_nothing_of_the_answer_and_is_new_each_time() {
        let entropy = Entropy::seeded(1);
        let call = call(1, "key", "/rpc", b"request");
        let [one, two] = [call.sealed(ANSWER, &entropy), call.sealed(ANSWER, &entropy)];
        assert_ne!(one, two);
        assert!(!one.windows(6).any(|part| part == b"secret"));
    }

    #[test]
    fn a_key_is_found_whatever_was_asked_and_only_in_its_account() {
        let first = call(1, "key", "/rpc", b"request");
        let reused = call(1, "key", "/rpc", b"another");
        assert_eq!(first.key_hash, reused.key_hash);
        assert_ne!(first.request_hash, reused.request_hash);
        assert_ne!(first.key_hash, call(2, "key", "/rpc", b"request").key_hash);
        assert_ne!(first.key_hash, call(1, "kez", "/rpc", b"request").key_hash);
    }
}
