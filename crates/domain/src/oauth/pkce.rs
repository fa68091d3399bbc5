//! Proof keys (RFC 7636), by S256 alone.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// The characters of every S256 challenge: 32 bytes as base64url.
const CHALLENGE_CHARACTERS: usize = 43;

/// The characters of a verifier.
const VERIFIER_CHARACTERS: std::ops::RangeInclusive<usize> = 43..=128;

/// Whether a text can be an S256 challenge.
pub fn is_challenge(text: &str) -> bool {
    let decoded = URL_SAFE_NO_PAD.decode(text);
    text.len() == CHALLENGE_CHARACTERS && decoded.is_ok_and(|bytes| bytes.len() == 32)
}

/// Whether a verifier is the one of a challenge. It takes as long for a wrong one as for the right one.
pub fn verifies(verifier: &str, challenge: &str) -> bool {
    let is_unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let has_form =
        VERIFIER_CHARACTERS.contains(&verifier.len()) && verifier.bytes().all(is_unreserved);
    let computed = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier));
    has_form && computed.as_bytes().ct_eq(challenge.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn only_the_verifier_of_a_challenge_verifies_it() {
        assert!(verifies(VERIFIER, CHALLENGE));
        let longer = format!("{VERIFIER}a");
        let too_long = "a".repeat(129);
        for wrong in ["", &longer, &VERIFIER[1..], CHALLENGE, &too_long] {
            assert!(!verifies(wrong, CHALLENGE), "{wrong}");
        }
        // What `plain` would accept.
        assert!(!verifies(VERIFIER, VERIFIER));
        let short = "a".repeat(42);
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&short));
        assert!(!verifies(&short, &challenge), "too short to be safe");
    }

    #[test]
    fn a_challenge_is_a_hash_as_base64url() {
        assert!(is_challenge(CHALLENGE));
        let padded = format!("{CHALLENGE}=");
        let standard = CHALLENGE.replace('-', "+");
        for wrong in ["", "short", &padded, &standard, &CHALLENGE[1..]] {
            assert!(!is_challenge(wrong), "{wrong}");
        }
    }
}
