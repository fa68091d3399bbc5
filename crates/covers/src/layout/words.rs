//! Breaking words that are wider than a line.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use super::{Segment, measure};
use crate::text::Text;

/// How far before the best place a word may be broken for the sake of a syllable, in ems.
const SYLLABLE_REACH: f64 = 1.5;

/// What may begin a line.
struct Unit {
    at: usize,
    /// In ems.
    width: f64,
    begins_syllable: bool,
}

/// Replaces each segment that is wider than `width` by parts of about the same width, as few as possible.
pub(super) fn break_words(text: &Text, whole: &[Segment], width: f64) -> Vec<Segment> {
    let mut pieces = Vec::new();
    for segment in whole {
        if segment.bare <= width {
            pieces.push(segment.clone());
        } else {
            pieces.extend(parts(text, segment, width));
        }
    }
    pieces
}

fn parts(text: &Text, segment: &Segment, width: f64) -> Vec<Segment> {
    let word = text.as_str().get(segment.range.clone()).unwrap_or_default();
    let hyphen = if takes_hyphens(word) {
        text.hyphen_width()
    } else {
        0.0
    };
    let units = units(text, word, segment.range.start);
    let room = (width - hyphen).max(0.0);
    let count = (segment.bare / room).ceil().max(1.0);
    let best = segment.bare / count;
    let (mut parts, mut start, mut used) = (Vec::new(), segment.range.start, 0.0);
    for unit in &units {
        let is_best = used >= best || (unit.begins_syllable && used >= best - SYLLABLE_REACH);
        if used > 0.0 && (is_best || used + unit.width > room) {
            let mut part = measure(text, start..unit.at);
            (part.bare, part.full) = (part.bare + hyphen, part.full + hyphen);
            parts.push(part);
            (start, used) = (unit.at, 0.0);
        }
        used += unit.width;
    }
    parts.push(measure(text, start..segment.range.end));
    parts
}

fn units(text: &Text, word: &str, start: usize) -> Vec<Unit> {
    let letters: Vec<(usize, &str)> = word.grapheme_indices(true).collect();
    let vowel = |at: usize| letters.get(at).is_some_and(|(_, letter)| is_vowel(letter));
    let unit = |(index, (at, letter)): (usize, &(usize, &str))| Unit {
        at: start + at,
        width: text.width(start + at..start + at + letter.len()),
        // A consonant before a vowel begins a syllable in most languages.
        begins_syllable: index > 0 && !vowel(index) && vowel(index + 1),
    };
    letters.iter().enumerate().map(unit).collect()
}

fn is_vowel(letter: &str) -> bool {
    let first = letter.chars().next().unwrap_or(' ');
    let plain = any_ascii::any_ascii_char(first);
    plain.chars().next().is_some_and(|plain| {
        matches!(
            plain.to_ascii_lowercase(),
            'a' | 'e' | 'i' | 'o' | 'u' | 'y'
        )
    })
}

/// Where lines end within a word that takes hyphens.
pub(super) fn hyphens(text: &str, lines: &[Range<usize>]) -> Vec<usize> {
    let ends = lines.iter().map(|line| line.end);
    ends.filter(|end| {
        let (before, after) = (text.get(..*end), text.get(*end..));
        let before = before.and_then(|text| text.rsplit(char::is_whitespace).next());
        let after = after.and_then(|text| text.split(char::is_whitespace).next());
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        let is_within =
            before.ends_with(char::is_alphabetic) && after.starts_with(char::is_alphabetic);
        is_within && takes_hyphens(before) && takes_hyphens(after)
    })
    .collect()
}

/// Whether a word is of letters that are hyphenated: Latin, Greek, Cyrillic, Armenian and Georgian.
fn takes_hyphens(word: &str) -> bool {
    let is_hyphenated = |letter: char| {
        letter.is_alphabetic()
            && matches!(letter, '\0'..='\u{58f}' | '\u{10a0}'..='\u{10ff}' | '\u{1e00}'..='\u{1fff}')
    };
    let is_mark = |letter: char| matches!(letter, '\u{300}'..='\u{36f}');
    word.trim_matches(|letter: char| !letter.is_alphanumeric())
        .chars()
        .all(|letter| is_hyphenated(letter) || is_mark(letter))
}

/// Where syllables of Thai and Lao begin for certain: before a vowel that is written before its consonant. These scripts have no
/// spaces between words, and without a dictionary a whole title would be one word.
pub(super) fn syllables(text: &str) -> impl Iterator<Item = usize> {
    let mut before = ' ';
    text.char_indices().filter_map(move |(at, letter)| {
        let begins =
            is_leading_vowel(letter) && is_thai_or_lao(before) && !is_leading_vowel(before);
        before = letter;
        begins.then_some(at)
    })
}

fn is_leading_vowel(letter: char) -> bool {
    matches!(letter, '\u{e40}'..='\u{e44}' | '\u{ec0}'..='\u{ec4}')
}

fn is_thai_or_lao(letter: char) -> bool {
    matches!(letter, '\u{e01}'..='\u{e4e}' | '\u{e81}'..='\u{ece}')
}
