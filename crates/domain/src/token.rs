//! The form of secrets that callers show: a prefix that tells their kind, 178 random bits and a checksum, in letters and digits.

use secrecy::SecretString;

use super::entropy::Entropy;

/// 178 random bits.
const SECRET_CHARACTERS: usize = 30;

/// Six base62 digits hold every CRC32.
const CHECKSUM_CHARACTERS: usize = 6;

/// Digits by value.
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Declares a secret in plain text, of which only the hash is stored: `Token`, or `Token: prefix` for one of this module's form.
macro_rules! token {
    ($(#[$meta:meta])+ $name:ident $(: $prefix:expr)?) => {
        $(#[$meta])+
        #[derive(Debug, Clone)]
        pub struct $name(secrecy::SecretString);

        impl $name {
            $(
                /// A new one.
                pub fn generate(entropy: &$crate::entropy::Entropy) -> Self {
                    Self($crate::token::generate($prefix, entropy))
                }

                /// Parses one. `None` if its form or its checksum is wrong, so that no look-up is needed.
                pub fn parse(text: &str) -> Option<Self> {
                    $crate::token::parse($prefix, text).map(Self)
                }
            )?

            /// SHA-256 of the whole text, which is stored. A slow hash is not needed, since it is random.
            pub fn hash(&self) -> [u8; 32] {
                <sha2::Sha256 as sha2::Digest>::digest(self.expose()).into()
            }

            /// The text itself, for whom it is made.
            pub fn expose(&self) -> &str {
                secrecy::ExposeSecret::expose_secret(&self.0)
            }
        }
    };
}
pub(super) use token;

/// A new secret of the kind with this prefix.
pub(super) fn generate(prefix: &str, entropy: &Entropy) -> SecretString {
    let secret = entropy.base62(SECRET_CHARACTERS);
    let checksum = checksum(&secret);
    SecretString::from(format!("{prefix}{secret}{checksum}"))
}

/// Parses a secret of the kind with this prefix. `None` if its form or its checksum is wrong, so that no look-up is needed.
pub(super) fn parse(prefix: &str, text: &str) -> Option<SecretString> {
    let (secret, digits) = text
        .strip_prefix(prefix)?
        .split_at_checked(SECRET_CHARACTERS)?;
    let is_one =
        secret.bytes().all(|byte| byte.is_ascii_alphanumeric()) && digits == checksum(secret);
    is_one.then(|| SecretString::from(text))
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
    use super::*;

    #[test]
    fn a_known_secret_keeps_its_checksum() {
        assert_eq!(checksum(&"0".repeat(SECRET_CHARACTERS)), "2C8GjS");
    }
}
