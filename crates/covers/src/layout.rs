//! Breaks a text into lines and finds the size at which they fill a box well.

mod words;

use std::ops::Range;

use unicode_linebreak::linebreaks;
use unicode_segmentation::UnicodeSegmentation;

use words::{break_words, hyphens};

use super::{
    fonts::Font,
    text::{Piece, Text},
};

/// Room for text, in pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) width: f64,
    pub(super) height: f64,
}

/// A text broken into lines.
#[derive(Debug)]
pub(super) struct Block {
    text: Text,
    lines: Vec<Range<usize>>,
    /// Pixels per em.
    pub(super) size: f64,
}

/// What stands between two places where a line may break.
#[derive(Debug, Clone)]
struct Segment {
    range: Range<usize>,
    /// With the space after it, which counts only when something follows on the line. In ems.
    full: f64,
    /// Without that space.
    bare: f64,
}

/// For the sake of whole words a text is not set smaller than this, in pixels.
const MIN_FOR_WHOLE_WORDS: f64 = 50.0;

/// With broken words it is not set larger than this, in pixels: each size more would break more of them.
const MAX_FOR_BROKEN_WORDS: f64 = 62.0;

/// Sets `text` as large as the room allows: at the first of `sizes` (largest first) at which it fits without breaking a word; if
/// that would make it small, at the first at which it fits with the longest words broken; else at the last, cut short with an
/// ellipsis.
pub(super) fn fit(text: Text, room: Room, sizes: &[f64]) -> Block {
    let whole = segments(&text);
    for size in sizes.iter().copied() {
        if size >= MIN_FOR_WHOLE_WORDS
            && let Some(lines) = lines(&text, &whole, size, room)
        {
            return Block { text, lines, size };
        }
    }
    for size in sizes.iter().copied() {
        let broken = break_words(&text, &whole, room.width / size);
        if size <= MAX_FOR_BROKEN_WORDS
            && let Some(lines) = lines(&text, &broken, size, room)
        {
            return hyphenated(&text, lines, size);
        }
    }
    let smallest = sizes.last().copied().unwrap_or(1.0);
    let broken = break_words(&text, &whole, room.width / smallest);
    cut(&text, &broken, room, smallest)
}

/// The lines of a text at a size, if it fits.
fn lines(text: &Text, segments: &[Segment], size: f64, room: Room) -> Option<Vec<Range<usize>>> {
    let width = room.width / size;
    if segments.iter().any(|segment| segment.bare > width) {
        return None;
    }
    let count = wrap(segments, width).len();
    (count <= lines_that_fit(text, size, room)).then(|| balance(segments, width, count))
}

/// The block with a hyphen at the end of each line that ends within a word.
fn hyphenated(text: &Text, lines: Vec<Range<usize>>, size: f64) -> Block {
    let places = hyphens(text.as_str(), &lines);
    let moved = |at: usize| at + places.iter().filter(|place| **place <= at).count();
    Block {
        lines: lines
            .into_iter()
            .map(|line| moved(line.start)..moved(line.end))
            .collect(),
        text: text.with_hyphens(&places),
        size,
    }
}

impl Block {
    /// The lines from top to bottom, each as its pieces from left to right.
    pub(super) fn lines(&self) -> impl Iterator<Item = Vec<Piece<'_>>> {
        self.lines
            .iter()
            .map(|line| self.text.pieces(trimmed(&self.text, line)))
    }

    /// Pixels from one baseline to the next.
    pub(super) fn line_height(&self) -> f64 {
        leading(&self.text) * self.size
    }

    /// Pixels from the first baseline up to the top of the letters.
    pub(super) fn rise(&self) -> f64 {
        self.text.fonts().map(|font| font.rise).fold(0.0, f64::max) * self.size
    }

    /// Whether it is set from the right edge.
    pub(super) fn is_right_to_left(&self) -> bool {
        self.text.is_right_to_left()
    }

    /// The fonts that it is set in.
    pub(super) fn fonts(&self) -> impl Iterator<Item = &'static Font> {
        self.text.fonts()
    }
}

fn leading(text: &Text) -> f64 {
    text.fonts().map(|font| font.leading).fold(1.0, f64::max)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a height divided by a line is small and positive"
)]
fn lines_that_fit(text: &Text, size: f64, room: Room) -> usize {
    ((room.height / (leading(text) * size)) as usize).max(1)
}

fn segments(text: &Text) -> Vec<Segment> {
    let content = text.as_str();
    let japanese = content.chars().any(is_kana);
    let breaks = linebreaks(content).map(|(end, _)| end);
    let breaks = breaks.filter(|end| is_good_break(content, *end, japanese));
    let mut ends: Vec<usize> = breaks.chain(words::syllables(content)).collect();
    ends.sort_unstable();
    ends.dedup();
    let mut start = 0;
    ends.into_iter()
        .map(|end| {
            let segment = measure(text, start..end);
            start = end;
            segment
        })
        .collect()
}

/// Unicode lets a line break between any two East Asian characters; in a headline that tears words apart. Korean breaks at its
/// spaces. Japanese breaks where a word is likely to begin: after punctuation, and where kana give way to something else. And an
/// emoji mostly belongs to the word before it.
fn is_good_break(text: &str, at: usize, japanese: bool) -> bool {
    let (Some(before), Some(after)) = (
        text.get(..at).and_then(|part| part.chars().next_back()),
        text.get(at..).and_then(|part| part.chars().next()),
    ) else {
        return true;
    };
    if (is_hangul(before) && is_hangul(after)) || (before == ' ' && is_emoji(after)) {
        return false;
    }
    !japanese
        || !before.is_alphabetic()
        || (is_hiragana(before) && !is_hiragana(after))
        || !is_east_asian(after)
}

fn is_emoji(character: char) -> bool {
    matches!(character, '\u{2600}'..='\u{27bf}' | '\u{1f000}'..='\u{1faff}')
}

fn is_hangul(character: char) -> bool {
    matches!(character, '\u{1100}'..='\u{11ff}' | '\u{3131}'..='\u{318e}' | '\u{ac00}'..='\u{d7a3}')
}

fn is_hiragana(character: char) -> bool {
    matches!(character, '\u{3041}'..='\u{309f}')
}

fn is_kana(character: char) -> bool {
    matches!(character, '\u{3041}'..='\u{30ff}')
}

fn is_east_asian(character: char) -> bool {
    matches!(character, '\u{3005}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

fn measure(text: &Text, range: Range<usize>) -> Segment {
    let (full, bare) = (text.width(range.clone()), text.width(trimmed(text, &range)));
    Segment { range, full, bare }
}

/// The range without the spaces at its end.
fn trimmed(text: &Text, range: &Range<usize>) -> Range<usize> {
    let length = text
        .as_str()
        .get(range.clone())
        .map_or(0, |part| part.trim_end().len());
    range.start..range.start + length
}

/// Fills lines one after the other.
fn wrap(segments: &[Segment], width: f64) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    let mut used = 0.0;
    for segment in segments {
        match lines.last_mut() {
            Some(line) if used + segment.bare <= width => line.end = segment.range.end,
            _ => {
                lines.push(segment.range.clone());
                used = 0.0;
            }
        }
        used += segment.full;
    }
    lines
}

/// The same number of lines, as even as they can be: the one breaking of all that leaves the smallest squares of white, so that
/// no last line is one short word.
fn balance(segments: &[Segment], width: f64, lines: usize) -> Vec<Range<usize>> {
    // The best way to set the segments before each place in so many lines: its cost and its lines.
    let mut best: Vec<Option<Breaking>> = vec![None; segments.len() + 1];
    if let Some(start) = best.first_mut() {
        *start = Some(Breaking::default());
    }
    for _ in 0..lines {
        let mut next = vec![None; best.len()];
        for (start, before) in best.iter().enumerate() {
            let Some(before) = before else { continue };
            let mut used = 0.0;
            for (end, segment) in segments.iter().enumerate().skip(start) {
                let white = width - used - segment.bare;
                if white < 0.0 {
                    break;
                }
                used += segment.full;
                let Some(known) = next.get_mut(end + 1) else {
                    break;
                };
                before.improve(
                    known,
                    white,
                    segments.get(start).map_or(0, |first| first.range.start)..segment.range.end,
                );
            }
        }
        best = next;
    }
    best.pop()
        .flatten()
        .map(|breaking| breaking.lines)
        .unwrap_or_default()
}

/// A way to break the beginning of a text.
#[derive(Debug, Clone, Default)]
struct Breaking {
    cost: f64,
    lines: Vec<Range<usize>>,
}

impl Breaking {
    /// Puts this way and one more line in place of `known` where that is better.
    fn improve(&self, known: &mut Option<Self>, white: f64, line: Range<usize>) {
        let cost = self.cost + white * white;
        if known.as_ref().is_none_or(|known| cost < known.cost) {
            let lines = self.lines.iter().cloned().chain([line]).collect();
            *known = Some(Self { cost, lines });
        }
    }
}

/// As many lines as there is room for, the last ending in an ellipsis.
fn cut(text: &Text, segments: &[Segment], room: Room, size: f64) -> Block {
    let width = room.width / size;
    let mut lines = wrap(segments, width);
    lines.truncate(lines_that_fit(text, size, room));
    let last = lines.pop().unwrap_or_default();
    let seen = text.as_str().get(last.clone()).unwrap_or_default();
    // The ellipsis takes the place of as few graphemes as possible; alone it always fits.
    let ends = seen.grapheme_indices(true).rev();
    let shortened = ends
        .map(|(at, grapheme)| text.shortened(last.start + at + grapheme.len()))
        .find(|shortened| shortened.width(last.start..shortened.as_str().len()) <= width)
        .unwrap_or_else(|| text.shortened(last.start));
    lines.push(last.start.min(shortened.as_str().len())..shortened.as_str().len());
    Block {
        text: shortened,
        lines,
        size,
    }
}
