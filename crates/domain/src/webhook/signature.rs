//! Signatures of the Standard Webhooks specification 1.0.0
//! (<https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>).

use std::{fmt, ops::RangeInclusive};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::{
    hmac,
    signature::{Ed25519KeyPair, KeyPair as _},
};

use crate::{entropy::Entropy, names::names};

/// Bytes of a secret, and of the seed of a key pair: the specification wants 24 to 64, and Ed25519 needs 32.
const SECRET_BYTES: usize = 32;

/// How many bytes the specification wants a secret to have.
const ALLOWED_BYTES: RangeInclusive<usize> = 24..=64;

/// What a secret begins with.
const SECRET_PREFIX: &str = "whsec_";

names! {
    /// How messages are signed. A signature begins with the name.
    Scheme / UnknownScheme: "must be v1 or v1a" {
        /// HMAC-SHA256 with a secret that both sides have.
        V1 = "v1",
        /// Ed25519: the receiver has a public key alone.
        V1a = "v1a",
    }
}

/// The text is no secret of [`Scheme::V1`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be whsec_ and 24 to 64 bytes in base64")]
pub struct InvalidSecret;

/// What signs the messages of a webhook.
pub enum SigningKey {
    /// For [`Scheme::V1`].
    Secret(hmac::Key, Vec<u8>),
    /// For [`Scheme::V1a`].
    Pair(Box<Ed25519KeyPair>, Vec<u8>),
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SigningKey")
    }
}

impl SigningKey {
    /// A new one; `None` if the library refuses its bytes, which it does not.
    pub fn generate(scheme: Scheme, entropy: &Entropy) -> Option<Self> {
        Self::of(scheme, &entropy.bytes::<SECRET_BYTES>())
    }

    /// The one with these bytes.
    pub fn of(scheme: Scheme, bytes: &[u8]) -> Option<Self> {
        Some(match scheme {
            Scheme::V1 => Self::Secret(hmac::Key::new(hmac::HMAC_SHA256, bytes), bytes.to_vec()),
            Scheme::V1a => {
                let pair = Ed25519KeyPair::from_seed_unchecked(bytes).ok()?;
                Self::Pair(Box::new(pair), bytes.to_vec())
            }
        })
    }

    /// The one with this secret, as [`Self::secret`] shows it.
    pub fn from_secret(text: &str) -> Result<Self, InvalidSecret> {
        let encoded = text.strip_prefix(SECRET_PREFIX).ok_or(InvalidSecret)?;
        let bytes = STANDARD.decode(encoded).map_err(|_| InvalidSecret)?;
        if !ALLOWED_BYTES.contains(&bytes.len()) {
            return Err(InvalidSecret);
        }
        Self::of(Scheme::V1, &bytes).ok_or(InvalidSecret)
    }

    /// The bytes from which it is made again, to be sealed.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Secret(_, bytes) | Self::Pair(_, bytes) => bytes,
        }
    }

    /// The secret that the receiver needs, if it needs one.
    pub fn secret(&self) -> Option<String> {
        match self {
            Self::Secret(_, bytes) => Some(format!("{SECRET_PREFIX}{}", STANDARD.encode(bytes))),
            Self::Pair(..) => None,
        }
    }

    /// The public key that the receiver needs, if it needs one.
    pub fn public_key(&self) -> Option<String> {
        match self {
            Self::Secret(..) => None,
            Self::Pair(pair, _) => {
                let key = pair.public_key().as_ref();
                Some(format!("whpk_{}", STANDARD.encode(key)))
            }
        }
    }

    /// The signature of a message: its id, when it is sent in seconds since the epoch, and its body.
    pub fn sign(&self, id: &str, timestamp: i64, body: &[u8]) -> String {
        let mut signed = format!("{id}.{timestamp}.").into_bytes();
        signed.extend_from_slice(body);
        match self {
            Self::Secret(key, _) => {
                format!("v1,{}", STANDARD.encode(hmac::sign(key, &signed)))
            }
            Self::Pair(pair, _) => format!("v1a,{}", STANDARD.encode(pair.sign(&signed))),
        }
    }
}

#[cfg(test)]
mod tests {
    use ring::signature::{ED25519, UnparsedPublicKey};

    use super::*;

    #[test]
    fn the_vector_of_the_specifications_libraries_is_signed_alike() {
        let secret = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let key = SigningKey::of(Scheme::V1, &secret).unwrap();
        let body = br#"{"test": 2432232314}"#;
        let signature = key.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        let shown = key.secret().unwrap();
        assert_eq!(shown, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        assert_eq!(format!("{key:?}"), "SigningKey");
    }

    /// Of the test of the specification's library for Go.
    #[test]
    fn the_vector_of_a_key_pair_is_signed_alike() {
        let seed = STANDARD
            .decode("VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1JBTlk=")
            .unwrap();
        let key = SigningKey::of(Scheme::V1a, &seed).unwrap();
        let body = br#"{"test": 2432232314}"#;
        let signature = key.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body);
        assert_eq!(
            signature,
            "v1a,tQ9V2XOqn7jL/DQenEFpqIugdBVtiMmER5mhSkXBNwM0mkATuDe6KYYUuxqtaiHeYGb7KaaBRdM5WqyeFiL8Ag=="
        );
    }

    #[test]
    fn a_key_is_made_again_from_the_secret_that_was_shown() {
        let key = SigningKey::generate(Scheme::V1, &Entropy::seeded(1)).unwrap();
        let again = SigningKey::from_secret(&key.secret().unwrap()).unwrap();
        assert_eq!(again.bytes(), key.bytes());
        for text in [
            "",
            "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa==",
            "whsec_not base64",
            &format!("whsec_{}", STANDARD.encode([0; 65])),
        ] {
            SigningKey::from_secret(text).unwrap_err();
        }
    }

    #[test]
    fn a_signature_by_a_key_pair_is_verified_with_the_public_key_alone() {
        let key = SigningKey::generate(Scheme::V1a, &Entropy::seeded(1)).unwrap();
        assert_eq!(key.secret(), None);
        let public = key.public_key().unwrap();
        let public = STANDARD
            .decode(public.strip_prefix("whpk_").unwrap())
            .unwrap();
        let signature = key.sign("id", 7, b"{}");
        let signature = STANDARD
            .decode(signature.strip_prefix("v1a,").unwrap())
            .unwrap();
        let verifier = UnparsedPublicKey::new(&ED25519, public);
        verifier.verify(b"id.7.{}", &signature).unwrap();
        verifier.verify(b"id.8.{}", &signature).unwrap_err();
        let again = SigningKey::of(Scheme::V1a, key.bytes()).unwrap();
        assert_eq!(again.public_key(), key.public_key());
    }
}
