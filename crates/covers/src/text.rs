//! From what an organizer typed to text that can be set: cleaned, each stretch with a font that has it, in visual order.

use std::ops::Range;

use unicode_bidi::{Level, ParagraphBidiInfo};
use unicode_segmentation::UnicodeSegmentation;

use super::fonts::{EMOJI, Font, SANS, SCRIPTS};

/// More than any title has (contract: 200), so that work is bounded whatever comes in.
const MAX_CHARACTERS: usize = 200;

/// Accents on one letter that are kept: Vietnamese has two, stacks that run through the lines above and below ("zalgo") dozens.
const MAX_ACCENTS: usize = 2;

/// Stands for what is left out.
const ELLIPSIS: char = '…';

/// Stands at the end of a line that ends within a word.
const HYPHEN: &str = "-";

/// Text that can be set.
#[derive(Debug, Clone)]
pub(super) struct Text {
    content: String,
    runs: Vec<Run>,
    base: Level,
}

/// A stretch set in one font.
#[derive(Clone)]
struct Run {
    range: Range<usize>,
    font: &'static Font,
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {}", self.range, self.font.family)
    }
}

/// A stretch of one font and one direction.
pub(super) struct Piece<'a> {
    pub(super) text: &'a str,
    pub(super) font: &'static Font,
    pub(super) right_to_left: bool,
    /// In ems.
    pub(super) width: f64,
}

impl Text {
    /// Prepares `raw` for setting, in `display` where that has every letter.
    pub(super) fn new(raw: &str, display: &'static Font) -> Self {
        let clean = clean(raw);
        let display = face_for(&clean, display);
        let mut text = Self {
            content: String::new(),
            runs: Vec::new(),
            base: Level::ltr(),
        };
        for grapheme in clean.graphemes(true) {
            let before = text.runs.last().map(|run| run.font);
            let (shown, font) = fit(grapheme, display, before);
            if !shown.is_empty() {
                text.push(&shown, font);
            }
        }
        text.base = ParagraphBidiInfo::new(&text.content, None).paragraph_level;
        text
    }

    /// The text up to `end`, with an ellipsis for the rest.
    pub(super) fn shortened(&self, end: usize) -> Self {
        let content = self
            .content
            .get(..end)
            .unwrap_or_default()
            .trim_end()
            .to_owned();
        let runs = self
            .runs
            .iter()
            .filter(|run| run.range.start < content.len());
        let runs = runs.map(|run| Run {
            range: run.range.start..run.range.end.min(content.len()),
            font: run.font,
        });
        let mut shortened = Self {
            runs: runs.collect(),
            content,
            base: self.base,
        };
        let last = shortened
            .runs
            .last()
            .map(|run| run.font)
            .filter(|font| font.covers(ELLIPSIS));
        shortened.push(&ELLIPSIS.to_string(), last.unwrap_or(&SANS));
        shortened
    }

    /// The same with a hyphen at each of these places, in their order.
    pub(super) fn with_hyphens(&self, places: &[usize]) -> Self {
        let mut text = Self {
            content: String::new(),
            runs: Vec::new(),
            base: self.base,
        };
        for run in &self.runs {
            let mut start = run.range.start;
            let within = |place: &&usize| run.range.start < **place && **place <= run.range.end;
            for place in places.iter().filter(within) {
                text.push(
                    self.content.get(start..*place).unwrap_or_default(),
                    run.font,
                );
                text.push(HYPHEN, hyphen_font(run.font));
                start = *place;
            }
            let rest = self.content.get(start..run.range.end).unwrap_or_default();
            if !rest.is_empty() {
                text.push(rest, run.font);
            }
        }
        text
    }

    /// How wide a hyphen is, in ems.
    pub(super) fn hyphen_width(&self) -> f64 {
        let font = self.runs.first().map_or(&SANS, |run| run.font);
        hyphen_font(font).advance(HYPHEN, false)
    }

    fn push(&mut self, shown: &str, font: &'static Font) {
        let start = self.content.len();
        self.content.push_str(shown);
        let end = self.content.len();
        match self.runs.last_mut() {
            Some(run) if std::ptr::eq(run.font, font) => run.range.end = end,
            _ => self.runs.push(Run {
                range: start..end,
                font,
            }),
        }
    }

    /// What is shown.
    pub(super) fn as_str(&self) -> &str {
        &self.content
    }

    /// Whether it reads from right to left, by its first letter that has a direction.
    pub(super) fn is_right_to_left(&self) -> bool {
        self.base.is_rtl()
    }

    /// The fonts that it is set in.
    pub(super) fn fonts(&self) -> impl Iterator<Item = &'static Font> {
        self.runs.iter().map(|run| run.font)
    }

    /// The pieces of one line of it, from left to right as they are seen.
    pub(super) fn pieces(&self, line: Range<usize>) -> Vec<Piece<'_>> {
        let bidi = ParagraphBidiInfo::new(&self.content, Some(self.base));
        let (levels, stretches) = bidi.visual_runs(line);
        let mut pieces = Vec::new();
        for stretch in stretches {
            let right_to_left = levels.get(stretch.start).is_some_and(Level::is_rtl);
            let mut seen: Vec<Piece<'_>> = self
                .runs
                .iter()
                .filter_map(|run| self.piece(run, &stretch, right_to_left))
                .collect();
            if right_to_left {
                seen.reverse();
            }
            pieces.append(&mut seen);
        }
        pieces
    }

    /// How wide a part of it is, in ems.
    pub(super) fn width(&self, part: Range<usize>) -> f64 {
        self.pieces(part).iter().map(|piece| piece.width).sum()
    }

    fn piece(&self, run: &Run, stretch: &Range<usize>, right_to_left: bool) -> Option<Piece<'_>> {
        let range = run.range.start.max(stretch.start)..run.range.end.min(stretch.end);
        let text = self.content.get(range).filter(|text| !text.is_empty())?;
        Some(Piece {
            text,
            font: run.font,
            right_to_left,
            width: run.font.advance(text, right_to_left),
        })
    }
}

/// One line of visible characters: runs of white space become one space, controls and direction marks go (directions are
/// found from the letters; a stray mark would turn the rest of the title around).
fn clean(raw: &str) -> String {
    let bounded: String = raw.chars().take(MAX_CHARACTERS).collect();
    let words: Vec<&str> = bounded.split_whitespace().collect();
    words
        .join(" ")
        .chars()
        .filter(|character| !is_invisible(*character))
        .collect()
}

fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Marks that any letter can bear.
fn is_accent(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{fe20}'..='\u{fe2f}')
}

/// Characters that shape their neighbours and have no glyph of their own: the joiners and the variation selectors.
fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}')
}

/// The display face where it has every letter that the general face has: one foreign letter in a word is ugly.
fn face_for(text: &str, display: &'static Font) -> &'static Font {
    let lacking = |character: char| {
        character.is_alphabetic() && !display.covers(character) && SANS.covers(character)
    };
    if text.chars().any(lacking) {
        &SANS
    } else {
        display
    }
}

/// What is shown for one visible unit, and the font for it: the whole unit where a font has it, else its letter without the
/// marks, else its romanisation; and nothing where there is not even that.
fn fit(
    grapheme: &str,
    display: &'static Font,
    before: Option<&'static Font>,
) -> (String, &'static Font) {
    let mut accents = 0;
    let unit: String = grapheme
        .chars()
        .filter(|character| {
            accents += usize::from(is_accent(*character));
            !is_accent(*character) || accents <= MAX_ACCENTS
        })
        .collect();
    let first = unit.chars().next().unwrap_or(' ');
    if unit.contains(['\u{fe0f}', '\u{200d}']) && has_all(&EMOJI, &unit) {
        return (unit, &EMOJI);
    }
    // Spaces and punctuation stay in the font that they stand beside, so that a line is not cut into more pieces than needed.
    let beside = before.filter(|font| !first.is_alphanumeric() && font.family != EMOJI.family);
    let candidates = || {
        beside
            .into_iter()
            .chain([display, &SANS])
            .chain(&SCRIPTS)
            .chain([&EMOJI])
    };
    if let Some(font) = candidates().find(|font| has_all(font, &unit)) {
        return (unit, font);
    }
    if let Some(font) = candidates().find(|font| font.covers(first)) {
        let known = unit
            .chars()
            .filter(|character| is_joiner(*character) || font.covers(*character))
            .collect();
        return (known, font);
    }
    let latin: String = any_ascii::any_ascii(&unit)
        .chars()
        .filter(|character| display.covers(*character))
        .collect();
    (latin, display)
}

/// The font itself, if it has a hyphen.
fn hyphen_font(font: &'static Font) -> &'static Font {
    if has_all(font, HYPHEN) { font } else { &SANS }
}

fn has_all(font: &Font, unit: &str) -> bool {
    unit.chars()
        .all(|character| is_joiner(character) || font.covers(character))
}
