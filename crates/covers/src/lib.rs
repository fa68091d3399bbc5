//! Covers of events. There are three functions: [`Studio::cover`] draws a poster from an event's texts,
//! [`stock::Stock::find`] finds a photograph for them, if the operator has chosen a provider, and [`Developer::develop`] makes one of an
//! organizer's photograph. This crate does not know events:
//! its input is text, its output is bytes.
//!
//! A cover is drawn as SVG and rendered to PNG with embedded fonts, so it is the same wherever it is made. The words choose the
//! picture (palette, motif, typeface); title and subtitle are set beside it. Reading order: `draw` here, then `poster` (the
//! composition), `picture` (what the words choose), `topics` and `motifs` (what they can name, drawn with `pen`), `styles` (shapes
//! for all other words), `text` and `layout` (how a title becomes lines), `raster` (SVG to PNG), `studio` (what a server uses:
//! cache and bounded work).

mod canvas;
mod colour;
mod dice;
mod fonts;
mod layout;
mod motifs;
mod palette;
mod pen;
mod photo;
mod picture;
mod poster;
mod raster;
pub mod stock;
mod studio;
mod styles;
mod text;
mod topics;

use bytes::Bytes;
use sha2::{Digest, Sha256};

pub use photo::{Developer, Unusable};
pub use studio::Studio;
pub use topics::{TOPICS, Topic};

/// Width of every cover in pixels; with [`HEIGHT`] the size that social previews ask for.
pub const WIDTH: u32 = 1200;

/// Height of every cover in pixels.
pub const HEIGHT: u32 = 630;

/// The number of pictures to choose from for the same words.
pub const VARIANTS: u8 = 3;

/// Increases whenever the same request gives other bytes, so that caches drop the older drawing.
const DRAWING_VERSION: u8 = 3;

/// The content of a cover.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CoverRequest {
    /// The title. Longer titles are smaller, and too long ones end in an ellipsis.
    pub title: String,
    /// Small lines below the title, at most three: a date, a city. May be empty.
    pub subtitle: Vec<String>,
    /// The event's `image_query`: chooses the picture, of one of [`TOPICS`] if the words name it. Case and spacing make no
    /// difference. Without words the title chooses among pictures of shapes.
    pub words: String,
    /// Which of the pictures that the words can have, from 0; below [`VARIANTS`].
    pub variant: u8,
    /// Whether the texts are set beside the picture. If not, the picture fills the cover, which has half the size, for places
    /// that are too small for text.
    pub has_text: bool,
}

/// Why a cover cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Too many covers wait to be drawn; the caller may try again soon.
    #[error("too many covers are being drawn, try again in a moment")]
    Busy,
    /// The drawing cannot be rendered: a defect of this crate.
    #[error("the cover could not be drawn: {0}")]
    Drawing(String),
}

/// The cover of `request` as a PNG of [`WIDTH`] × [`HEIGHT`], half of both without text. The same request gives the same bytes. It needs one processor for
/// up to 150 ms, so servers use [`Studio`].
fn draw(request: &CoverRequest) -> Result<Bytes, Error> {
    let size = if request.has_text { 1 } else { 2 };
    raster::png(&poster::compose(request), size)
}

/// The entity tag of a drawing, without drawing it and without quotes: 32 hexadecimal digits.
pub fn etag(request: &CoverRequest) -> String {
    digest(request)
        .iter()
        .take(16)
        .fold(String::with_capacity(32), |tag, byte| {
            format!("{tag}{byte:02x}")
        })
}

/// Each field is hashed with its length, so that different requests have different tags.
fn digest(request: &CoverRequest) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update([DRAWING_VERSION, request.variant, u8::from(request.has_text)]);
    let fields = [&request.title, &request.words]
        .into_iter()
        .chain(&request.subtitle);
    for field in fields {
        hash.update((field.len() as u64).to_be_bytes());
        hash.update(field);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests;
