//! The pictures: each style draws one on the right of the cover, from [`LEFT`] to the edges, and leaves the rest to the title.

mod arcs;
mod contours;
mod halftone;
mod halo;
mod horizon;
mod petals;
mod pills;
mod ribbons;
mod tiles;

use super::{HEIGHT, WIDTH, canvas::Canvas, dice::Dice, palette::Palette};

/// Draws a picture; the dice decide what the style leaves open.
pub(super) type Style = fn(&mut Canvas, &mut Dice, &Palette);

/// All styles; the words choose one.
pub(super) const STYLES: [Style; 9] = [
    tiles::draw,
    arcs::draw,
    halo::draw,
    ribbons::draw,
    halftone::draw,
    contours::draw,
    petals::draw,
    pills::draw,
    horizon::draw,
];

/// Where pictures begin, in pixels from the left; titles end before it.
pub(super) const LEFT: f64 = 708.0;

const RIGHT: f64 = WIDTH as f64;

const BOTTOM: f64 = HEIGHT as f64;

/// 0, 1, 2, … below `count`, as lengths are computed with.
fn steps(count: u32) -> impl DoubleEndedIterator<Item = f64> {
    (0..count).map(f64::from)
}
