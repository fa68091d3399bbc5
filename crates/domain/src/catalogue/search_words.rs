//! The words of a text, as the catalogue's search compares them: without case, accents and punctuation. Texts and searches are
//! folded and split here, so that both database engines find the same.

use std::collections::BTreeSet;

use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

/// The characters of a word that count. A longer word is cut, in texts and in searches alike.
const MAX_WORD_LENGTH: usize = 40;

/// The characters of a name that count.
const MAX_NAME_LENGTH: usize = 200;

/// The characters of a text that count. An index on PostgreSQL holds no more than 2,704 bytes of a row.
const MAX_TEXT_LENGTH: usize = 300;

/// A word that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The folded word, or two characters in a row of a script without spaces.
    pub text: String,
    /// Whether words that begin with it match as well.
    pub is_prefix: bool,
}

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Word {
    /// Of a script that separates words.
    Spaced(String),
    /// A run of characters of a script without spaces, each with its marks.
    Spaceless(Vec<String>),
}

/// All words of some texts, as they are indexed. A run of a script without spaces is indexed by its pairs of neighbours, and by
/// its last character, so that every character begins one of its words.
pub fn indexed<'t>(texts: impl IntoIterator<Item = &'t str>) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for word in texts.into_iter().flat_map(split) {
        match word {
            Word::Spaced(word) => {
                all.insert(word);
            }
            Word::Spaceless(run) => {
                all.extend(pairs(&run));
                all.extend(run.into_iter().next_back());
            }
        }
    }
    all
}

/// The words of a search, and what is looked for in the index: all of it must be there. The last word may be incomplete.
pub fn searched(text: &str) -> (usize, Vec<Term>) {
    let words = split(text);
    let count = words.len();
    let mut terms = Vec::new();
    for word in words {
        match word {
            Word::Spaced(text) => terms.push(Term {
                text,
                is_prefix: false,
            }),
            Word::Spaceless(run) => {
                let alone = run.len() == 1;
                let looked_for = if alone { run } else { pairs(&run) };
                terms.extend(looked_for.into_iter().map(|text| Term {
                    text,
                    is_prefix: alone,
                }));
            }
        }
    }
    if let Some(last) = terms.last_mut() {
        last.is_prefix = true;
    }
    (count, terms)
}

/// A name that is compared as a whole, for example a city: its words, joined. `None` without any letter or digit.
pub fn name(text: &str) -> Option<String> {
    let words: Vec<String> = split(text)
        .into_iter()
        .map(|word| match word {
            Word::Spaced(word) => word,
            Word::Spaceless(run) => run.concat(),
        })
        .collect();
    (!words.is_empty()).then(|| cut(&words.join("_"), MAX_NAME_LENGTH))
}

/// A text in which a part is looked for, or such a part: without case, accents and spaces around it, and of limited length.
pub fn folded(text: &str) -> String {
    cut(fold(text).trim(), MAX_TEXT_LENGTH)
}

fn pairs(run: &[String]) -> Vec<String> {
    let pairs = run
        .windows(2)
        .map(|pair| cut(&pair.concat(), MAX_WORD_LENGTH));
    pairs.collect()
}

fn cut(text: &str, longest: usize) -> String {
    let end = text.char_indices().nth(longest).map(|(end, _)| end);
    let cut = end.and_then(|end| text.get(..end));
    cut.unwrap_or(text).to_owned()
}

/// Splits a text into its words, folded.
fn split(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut run: Vec<String> = Vec::new();
    let mut run_is_spaceless = false;
    for character in fold(text).chars() {
        if is_combining_mark(character) {
            // It belongs to the character before it; without one it is punctuation.
            if let Some(before) = run.last_mut() {
                before.push(character);
            }
            continue;
        }
        let is_letter = character.is_alphanumeric();
        if !is_letter || is_spaceless(character) != run_is_spaceless {
            words.extend(word(&run, run_is_spaceless));
            run.clear();
        }
        if is_letter {
            run_is_spaceless = is_spaceless(character);
            run.push(character.to_string());
        }
    }
    words.extend(word(&run, run_is_spaceless));
    words
}

fn word(run: &[String], is_spaceless: bool) -> Option<Word> {
    if run.is_empty() {
        return None;
    }
    if !is_spaceless {
        return Some(Word::Spaced(cut(&run.concat(), MAX_WORD_LENGTH)));
    }
    let short = run.iter().map(|character| cut(character, MAX_WORD_LENGTH));
    Some(Word::Spaceless(short.collect()))
}

/// The text without case and accents, in one of the forms that Unicode regards as the same.
fn fold(text: &str) -> String {
    if text.is_ascii() {
        // It has no accents and is composed already.
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for character in text.nfkd().filter(|&character| !is_ignored(character)) {
        for lower in character.to_lowercase() {
            push_folded(&mut folded, lower);
        }
    }
    // Marks that are no accents are put back, so that one character is one again in kana and Hangul.
    folded.nfc().collect()
}

fn push_folded(folded: &mut String, lower: char) {
    if lower.is_ascii() {
        folded.push(lower);
    } else if lower == 'ς' {
        folded.push('σ');
    } else if is_latin(lower) || lower.is_numeric() {
        // Letters such as ß, ø and ı, which are no combinations, and the digits of other scripts.
        let ascii = any_ascii::any_ascii_char(lower).chars();
        folded.extend(ascii.map(|character| character.to_ascii_lowercase()));
    } else {
        folded.push(lower);
    }
}

const fn is_latin(character: char) -> bool {
    matches!(
        character,
        '\u{c0}'..='\u{2af}' | '\u{1e00}'..='\u{1eff}' | '\u{2c60}'..='\u{2c7f}' | '\u{a720}'..='\u{a7ff}'
    )
}

/// Accents and vowel points, which are ignored, and characters that nobody sees. Marks of other scripts tell words apart.
const fn is_ignored(character: char) -> bool {
    matches!(
        character,
        // Accents of Latin, Greek and Cyrillic, and marks around symbols.
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
            | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}'
            // Vowel points of Hebrew and Arabic, and the stroke that only lengthens a word.
            | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}'
            | '\u{610}'..='\u{61a}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}'
            | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e4}' | '\u{6e7}' | '\u{6e8}' | '\u{6ea}'..='\u{6ed}'
            // Soft hyphens, joiners, marks of direction, variants of characters.
            | '\u{ad}' | '\u{200c}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{180b}'..='\u{180d}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}'
    )
}

/// Whether its script is written without spaces between words.
const fn is_spaceless(character: char) -> bool {
    matches!(
        character,
        // Thai, Lao, Burmese, Khmer, Tai.
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{1950}'..='\u{19ff}'
            | '\u{1a20}'..='\u{1aaf}' | '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aadf}'
            // Chinese and Japanese.
            | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{30ff}' | '\u{31a0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
            | '\u{1aff0}'..='\u{1b16f}' | '\u{20000}'..='\u{3ffff}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(text: &str) -> Vec<String> {
        indexed([text]).into_iter().collect()
    }

    /// Whether a text is found by a search.
    fn finds(text: &str, search: &str) -> bool {
        let words = indexed([text]);
        let (_, terms) = searched(search);
        let is_there = |term: &Term| {
            words.contains(&term.text)
                || term.is_prefix && words.iter().any(|word| word.starts_with(&term.text))
        };
        !terms.is_empty() && terms.iter().all(is_there)
    }

    #[test]
    fn words_are_split_at_what_is_neither_letter_nor_digit() {
        assert_eq!(
            all("Rust-Meetup: l'art & C++ (2027)\n\t_end_ 🎉!"),
            ["2027", "art", "c", "end", "l", "meetup", "rust"]
        );
        assert!(all("…!? \u{301} 🎉 \" * - ()").is_empty());
    }

    #[test]
    fn case_and_accents_are_ignored_whatever_way_they_are_written() {
        for (text, search) in [
            ("Café", "cafe"),
            ("Cafe\u{301}", "CAFÉ"),
            ("cafe", "cafe\u{301}"),
            ("Straße", "STRASSE"),
            ("STRASSE", "straße"),
            ("ẞ", "ss"),
            ("İstanbul", "istanbul"),
            ("ISTANBUL", "ıstanbul"),
            ("istanbul", "İSTANBUL"),
            ("Diyarbakır", "diyarbakir"),
            ("Łódź", "lodz"),
            ("Ærø", "aero"),
            ("ΟΔΥΣΣΕΥΣ", "Οδυσσεύς"),
            ("Ёлка", "елка"),
            ("ﬁnale", "Finale"),
            ("Ｒｕｓｔ", "rust"),
            ("مُحَمَّد", "محمد"),
            ("مـحـمـد", "محمد"),
            ("أحمد", "احمد"),
            ("٢٠٢٧", "2027"),
            ("שָׁלוֹם", "שלום"),
            ("می\u{200c}خواهم", "میخواهم"),
            ("한국", "한국"),
            ("ガ", "ｶﾞ"),
            ("1\u{fe0f}\u{20e3}", "1"),
        ] {
            assert!(finds(text, search), "{search} in {text}: {:?}", all(text));
        }
        assert!(!finds("か", "が"), "in kana the mark makes another letter");
        assert!(!finds("की", "कु"), "in Devanagari the mark is a vowel");
    }

    #[test]
    fn the_last_word_may_be_incomplete_and_the_others_may_not() {
        assert!(finds("Rust meetup Berlin", "berlin mee"));
        assert!(!finds("Rust meetup Berlin", "mee berlin"));
        assert!(!finds("Rust meetup Berlin", "rust mop"));
        assert!(!finds("Rust meetup Berlin", "eetup"));
    }

    #[test]
    fn scripts_without_spaces_are_found_anywhere_in_a_run() {
        for search in ["東京", "京都", "東京都", "都", "京", "東 rust", "Rust都"] {
            assert!(finds("東京都のRust勉強会 都", search), "{search}");
        }
        assert!(!finds("東京都", "京東"));
        for search in ["งานวิ่ง", "วิ่ง", "กรุงเทพ", "ง"] {
            assert!(finds("งานวิ่งกรุงเทพ", search), "{search}");
        }
        assert!(!finds("งานวิ่ง", "เทพ"));
        assert_eq!(all("東京"), ["京", "東京"]);
    }

    #[test]
    fn a_name_is_compared_as_a_whole() {
        let folded = name("São  Paulo").unwrap();
        for same in ["sao paulo", "SÃO-PAULO", " São Paulo "] {
            assert_eq!(name(same).unwrap(), folded);
        }
        for other in ["São", "Paulo", "Saopaulo", "São Paulo 2"] {
            assert_ne!(name(other).unwrap(), folded, "{other}");
        }
        assert_eq!(name("東京").as_deref(), Some("東京"));
        for none in ["", " ", "—", "🌃"] {
            assert_eq!(name(none), None);
        }
    }

    #[test]
    fn words_are_never_longer_than_the_engines_take() {
        let long = "x".repeat(20_000);
        assert!(finds(&long, &long[..=MAX_WORD_LENGTH]));
        let marked = format!("ก{}ข", "\u{e48}".repeat(20_000));
        let presented = "\u{fdfa}".repeat(120);
        for text in [&long, &marked, &presented] {
            for word in all(text).iter().chain(&name(text)) {
                assert!(word.len() <= 4 * MAX_NAME_LENGTH);
            }
        }
    }

    proptest! {
        #[test]
        fn every_text_is_found_by_itself(text in ".{0,60}") {
            let (count, terms) = searched(&text);
            prop_assert_eq!(count == 0, terms.is_empty());
            prop_assert!(terms.is_empty() || finds(&text, &text));
        }

        #[test]
        fn words_have_nothing_that_an_engine_would_read_as_an_operator(text in ".{0,60}") {
            let name = name(&text);
            for word in indexed([&*text]).iter().chain(&name) {
                prop_assert!(!word.is_empty());
                prop_assert!(word.chars().all(|character| {
                    !character.is_ascii() || character.is_ascii_lowercase() || character.is_ascii_digit() || character == '_'
                }), "{}", word);
            }
        }
    }
}
