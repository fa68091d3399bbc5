//! API keys: their form, and how a key is recognized without storing it (rule 16 of docs/rules.md).

use super::token::token;

/// The prefix of every key, by which secret scanners recognize leaked keys.
pub const PREFIX: &str = "mus_live_";

token! {
    /// A key in plain text, which exists only while it is created and while a caller is authenticated.
    PlainKey: PREFIX
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::entropy::Entropy;

    #[test]
    fn a_new_key_is_recognised() {
        let key = PlainKey::generate(&Entropy::seeded(1));
        assert_eq!(key.expose().len(), 45);
        assert!(key.expose().starts_with(PREFIX));
        let again = PlainKey::parse(key.expose()).unwrap();
        assert_eq!(again.hash(), key.hash());
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
