//! The secret token in an attendee's private link. Only its hash is stored.

use secrecy::SecretString;

use super::{entropy::Entropy, token::token};

/// 190 random bits.
const CHARACTERS: usize = 32;

token! {
    /// A token in plain text, which exists only while a mail or an answer is made and while a link is used.
    LinkToken
}

impl LinkToken {
    /// A new token.
    pub fn generate(entropy: &Entropy) -> Self {
        Self(SecretString::from(entropy.base62(CHARACTERS)))
    }

    /// Parses a token. `None` if its form is wrong, so that no look-up is needed.
    pub fn parse(text: &str) -> Option<Self> {
        let is_token =
            text.len() == CHARACTERS && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_token.then(|| Self(SecretString::from(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_token_is_recognised_and_no_other_text_is() {
        let token = LinkToken::generate(&Entropy::seeded(1));
        let again = LinkToken::parse(token.expose()).unwrap();
        assert_eq!(again.hash(), token.hash());
        assert!(!format!("{token:?}").contains(token.expose()));
        for text in ["", "abc", &"é".repeat(16), &"a".repeat(33), &"-".repeat(32)] {
            assert!(LinkToken::parse(text).is_none(), "{text}");
        }
    }
}
