//! Slugs: an event's identifier in paths, made once from its title (rule 20 of docs/rules.md).

use super::entropy::Entropy;

/// Long enough to tell what it is about, short enough for an address bar.
pub const MAX_CHARACTERS: usize = 80;

/// With 36^6 endings of one title, a second try is already rare.
const SUFFIX_CHARACTERS: usize = 8;

/// The slug of a title that has no form in ASCII.
const NAMELESS: &str = "event";

/// The slug of a title: transliterated, lower case, words joined by hyphens.
pub fn from_title(title: &str) -> String {
    let slug = hyphenated(title, MAX_CHARACTERS);
    if slug.is_empty() {
        NAMELESS.to_owned()
    } else {
        slug
    }
}

/// A slug with a random ending for the same title: for an event that is not listed, whose link nobody may guess, and for when the plain
/// one is taken.
pub fn from_title_with_suffix(title: &str, entropy: &Entropy) -> String {
    let mut slug = hyphenated(title, MAX_CHARACTERS - SUFFIX_CHARACTERS - 1);
    if slug.is_empty() {
        slug.push_str(NAMELESS);
    }
    slug.push('-');
    slug.push_str(&entropy.base62(SUFFIX_CHARACTERS).to_lowercase());
    slug
}

/// Whether an event could have this slug, so that no other text gets as far as the database.
pub fn is_possible(text: &str) -> bool {
    (1..=MAX_CHARACTERS).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// What is read as words: no signs, whose names nobody would type, and in Japanese no Chinese characters, whose transliteration
/// is the Chinese reading.
fn readable(text: &str) -> String {
    let is_japanese = text.chars().any(is_kana);
    let read = |character: char| {
        let is_left_out = is_sign(character) || (is_japanese && is_han(character));
        if is_left_out { ' ' } else { character }
    };
    text.chars().map(read).collect()
}

/// Emoji, arrows, symbols, and what joins or varies them.
fn is_sign(character: char) -> bool {
    matches!(character,
        '\u{200d}' | '\u{20e3}' | '\u{2190}'..='\u{23ff}' | '\u{2500}'..='\u{27bf}' | '\u{2900}'..='\u{2bff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{1f000}'..='\u{1f0ff}' | '\u{1f1e6}'..='\u{1faff}' | '\u{e0020}'..='\u{e007f}')
}

fn is_kana(character: char) -> bool {
    matches!(character, '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}')
}

fn is_han(character: char) -> bool {
    matches!(character, '\u{3005}'..='\u{3007}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}')
}

/// The words of `text` in ASCII, joined by hyphens, cut at `limit` characters and there at a word's end if one is near.
fn hyphenated(text: &str, limit: usize) -> String {
    let ascii = any_ascii::any_ascii(&readable(text)).to_ascii_lowercase();
    let mut slug = String::with_capacity(limit);
    // An apostrophe is inside a word: "Anna's" is "annas".
    let characters = ascii.chars().filter(|&c| c != '\'');
    for word in characters
        .collect::<String>()
        .split(|c: char| !c.is_ascii_alphanumeric())
    {
        if word.is_empty() {
            continue;
        }
        let hyphen = usize::from(!slug.is_empty());
        let room = limit - slug.len();
        if word.len() + hyphen > room {
            // A last word that doesn't fit is left out, unless that would leave less than half of what is allowed.
            if slug.len() < limit / 2 {
                slug.push_str(if hyphen == 1 { "-" } else { "" });
                slug.extend(word.chars().take(room - hyphen));
            }
            break;
        }
        slug.push_str(if hyphen == 1 { "-" } else { "" });
        slug.push_str(word);
    }
    slug
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_title_is_transliterated() {
        for (title, slug) in [
            ("Rust Meetup Zürich", "rust-meetup-zurich"),
            ("  Anna’s & Bob's  Wedding!! ", "annas-bobs-wedding"),
            ("Кино под открытым небом", "kino-pod-otkrytym-nebom"),
            ("東京ナイト 2027", "naito-2027"),
            ("はじめての金継ぎ", "hajimeteno-gi"),
            ("北京", "beijing"),
            ("Party 🎉🎉 time 👩‍💻", "party-time"),
            ("I ❤️ Rust → 2.0 🇫🇷", "i-rust-2-0"),
            ("🎉", "event"),
            ("مهرجان", "mhrjn"),
            ("C++ / C#", "c-c"),
            ("\u{202e}\u{200f}\u{200b}", "event"),
            ("---", "event"),
        ] {
            assert_eq!(from_title(title), slug, "{title}");
        }
    }

    #[test]
    fn a_long_title_is_cut_between_words() {
        let slug = from_title(&"incomprehensible ".repeat(10));
        assert_eq!(
            slug,
            "incomprehensible-incomprehensible-incomprehensible-incomprehensible"
        );
        assert_eq!(from_title(&"x".repeat(200)), "x".repeat(80));
    }

    proptest! {
        #[test]
        fn every_title_has_a_slug_that_can_be_looked_up(title in ".{1,200}", seed: u64) {
            let plain = from_title(&title);
            prop_assert!(is_possible(&plain), "{plain}");
            let suffixed = from_title_with_suffix(&title, &Entropy::seeded(seed));
            prop_assert!(is_possible(&suffixed), "{suffixed}");
            prop_assert!(!plain.starts_with('-') && !plain.ends_with('-') && !plain.contains("--"));
        }
    }
}
