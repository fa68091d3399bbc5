//! Covers of events. Two calls, nothing else: [`Studio::cover`] draws a poster from an event's words alone, and
//! [`stock::Stock::find`] finds a photograph for them, if the operator chose a provider. Every cover is drawn until a photograph
//! is there. This crate knows nothing of events: what it needs comes as text, and what it makes goes out as bytes.
//!
//! A cover is drawn as SVG and rendered to PNG with embedded fonts, so it is the same wherever it is made. The words choose the
//! picture (palette, style, typeface); title and subtitle are set upon it. Reading order: `draw` here, then `poster` (the
//! composition), `styles` (the pictures), `text` and `layout` (how a title becomes lines), `raster` (SVG to PNG), `studio`
//! (what a server uses: cache and bounded work).

mod canvas;
mod colour;
mod dice;
mod fonts;
mod layout;
mod palette;
mod poster;
mod raster;
pub mod stock;
mod studio;
mod styles;
mod text;

use bytes::Bytes;
use sha2::{Digest, Sha256};

pub use studio::{Cover, Studio};

/// Width of every cover in pixels; with [`HEIGHT`] the size that social previews ask for.
pub const WIDTH: u32 = 1200;

/// Height of every cover in pixels.
pub const HEIGHT: u32 = 630;

/// Rises whenever the same request gives other bytes, so that caches let go of the older drawing.
const DRAWING_VERSION: u8 = 1;

/// What a cover is made from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CoverRequest {
    /// Set large; longer titles are set smaller and, past what fits, end in an ellipsis.
    pub title: String,
    /// Set small below the title, one line each, at most three: a date, a city. May be empty.
    pub subtitle: Vec<String>,
    /// The event's `image_query`: chooses the picture. Case and spacing make no difference.
    pub words: String,
}

/// Why there is no cover.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// More covers are waiting to be drawn than is sensible; the caller may try again soon.
    #[error("too many covers are being drawn, try again in a moment")]
    Busy,
    /// The drawing did not become a picture: a mistake in this module.
    #[error("the cover could not be drawn: {0}")]
    Drawing(String),
}

/// The cover of `request` as a PNG of [`WIDTH`] × [`HEIGHT`]: the same request gives the same bytes. Keeps one core busy for
/// up to 150 ms, so servers go through [`Studio`].
fn draw(request: &CoverRequest) -> Result<Bytes, Error> {
    raster::png(&poster::compose(request))
}

/// Names the bytes that `draw` answers without drawing them: an entity tag without its quotes, 32 hexadecimal digits.
fn etag(request: &CoverRequest) -> String {
    digest(request)
        .iter()
        .take(16)
        .fold(String::with_capacity(32), |tag, byte| {
            format!("{tag}{byte:02x}")
        })
}

/// Each field goes in with its length, so that no two requests read the same.
fn digest(request: &CoverRequest) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update([DRAWING_VERSION]);
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
