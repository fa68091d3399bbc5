//! The embedded fonts: which there are, what they cover, how wide they set a text.
//!
//! Each is unpacked when a text first needs it, so that a service whose titles are all Latin never holds the East Asian glyphs.

use std::{
    io::Read,
    sync::{Arc, OnceLock},
};

use flate2::read::GzDecoder;
use harfrust::{Direction, ShapeOptions, ShaperData, UnicodeBuffer};
use resvg::usvg::fontdb;
use skrifa::{FontRef, MetadataProvider, charmap::Charmap};

/// A font, packed until it is needed.
pub(super) struct Font {
    /// The family as the SVG names it and `fonts/build.py` wrote it into the font.
    pub(super) family: &'static str,
    /// From one baseline to the next, in ems.
    pub(super) leading: f64,
    /// From the baseline to the top of what counts as a letter's height, in ems.
    pub(super) rise: f64,
    packed: &'static [u8],
    face: OnceLock<Face>,
}

struct Face {
    bytes: &'static [u8],
    font: FontRef<'static>,
    characters: Charmap<'static>,
    shaper: ShaperData,
}

macro_rules! font {
    ($family:literal, $file:literal, leading: $leading:literal, rise: $rise:literal) => {
        Font {
            family: $family,
            leading: $leading,
            rise: $rise,
            packed: include_bytes!(concat!("fonts/", $file, ".gz")),
            face: OnceLock::new(),
        }
    };
}

/// The general face: every Latin, Greek and Cyrillic letter; subtitles, and titles that a display face cannot set.
pub(super) static SANS: Font = font!("MusterSans", "sans", leading: 1.12, rise: 0.73);

/// Faces for titles; the words choose one.
pub(super) static DISPLAY: [&Font; 3] = [&SANS, &GROTESQUE, &SERIF];

static GROTESQUE: Font = font!("MusterGrotesque", "grotesque", leading: 1.06, rise: 0.7);
static SERIF: Font = font!("MusterSerif", "serif", leading: 1.1, rise: 0.72);

/// Colour pictures; asked first for what is written as an emoji.
pub(super) static EMOJI: Font = font!("MusterEmoji", "emoji", leading: 1.2, rise: 0.8);

/// The other scripts, asked in this order. The two large ones come last, so that they stay packed while others will do.
pub(super) static SCRIPTS: [Font; 18] = [
    font!("MusterArabic", "arabic", leading: 1.4, rise: 0.85),
    font!("MusterHebrew", "hebrew", leading: 1.15, rise: 0.72),
    font!("MusterThai", "thai", leading: 1.4, rise: 0.95),
    font!("MusterDevanagari", "devanagari", leading: 1.4, rise: 0.9),
    font!("MusterBengali", "bengali", leading: 1.35, rise: 0.9),
    font!("MusterTamil", "tamil", leading: 1.35, rise: 0.85),
    font!("MusterTelugu", "telugu", leading: 1.45, rise: 0.9),
    font!("MusterKannada", "kannada", leading: 1.45, rise: 0.9),
    font!("MusterMalayalam", "malayalam", leading: 1.35, rise: 0.85),
    font!("MusterGujarati", "gujarati", leading: 1.4, rise: 0.9),
    font!("MusterGurmukhi", "gurmukhi", leading: 1.35, rise: 0.9),
    font!("MusterSinhala", "sinhala", leading: 1.35, rise: 0.85),
    font!("MusterKhmer", "khmer", leading: 1.6, rise: 0.95),
    font!("MusterLao", "lao", leading: 1.4, rise: 0.95),
    font!("MusterMyanmar", "myanmar", leading: 1.6, rise: 0.95),
    font!("MusterGeorgian", "georgian", leading: 1.2, rise: 0.74),
    font!("MusterArmenian", "armenian", leading: 1.2, rise: 0.74),
    font!("MusterEastAsian", "eastasian", leading: 1.24, rise: 0.84),
];

impl Font {
    /// Whether it has a glyph for the character.
    pub(super) fn covers(&self, character: char) -> bool {
        self.face().characters.map(character).is_some()
    }

    /// How wide it sets a text that runs in one direction, in ems.
    pub(super) fn advance(&self, text: &str, right_to_left: bool) -> f64 {
        let face = self.face();
        let shaper = face.shaper.shaper(&face.font).build();
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(text);
        buffer.set_direction(if right_to_left {
            Direction::RightToLeft
        } else {
            Direction::LeftToRight
        });
        buffer.guess_segment_properties();
        let glyphs = shaper.shape(buffer, ShapeOptions::new());
        let units: i32 = glyphs
            .glyph_positions()
            .iter()
            .map(|glyph| glyph.x_advance)
            .sum();
        f64::from(units) / f64::from(shaper.units_per_em())
    }

    /// For the renderer.
    pub(super) fn source(&self) -> fontdb::Source {
        fontdb::Source::Binary(Arc::new(self.face().bytes))
    }

    fn face(&self) -> &Face {
        self.face.get_or_init(|| {
            // Kept for the life of the process; each font is unpacked once.
            let bytes: &'static [u8] = unpack(self.packed).leak();
            let font = FontRef::new(bytes).expect("the fonts are embedded, and a test opens each");
            Face {
                bytes,
                characters: font.charmap(),
                shaper: ShaperData::new(&font),
                font,
            }
        })
    }
}

fn unpack(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(packed)
        .read_to_end(&mut bytes)
        .expect("the fonts are embedded, and a test opens each");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_font_opens_and_bears_the_name_that_the_drawing_asks_for() {
        for font in DISPLAY.into_iter().chain([&EMOJI]).chain(&SCRIPTS) {
            let mut database = fontdb::Database::new();
            let ids = database.load_font_source(font.source());
            let face = database.face(ids[0]).expect("a face");
            assert_eq!(face.families[0].0, font.family);
            assert!(
                font.covers(' '),
                "{} has no space, so direction marks would show",
                font.family
            );
        }
    }
}
