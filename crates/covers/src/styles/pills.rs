//! Rain at a slant: rounded bars in lanes, of many lengths, falling past the edges.

use std::f64::consts::SQRT_2;

use super::{BOTTOM, Canvas, Dice, LEFT, Palette, RIGHT, steps};

/// Width of a bar, in pixels.
const BAR: f64 = 62.0;

/// Between bars, in pixels.
const SPACE: f64 = 14.0;

/// As many as cover the corner-to-corner height of the picture.
const LANES: u32 = 13;

pub(super) fn draw(canvas: &mut Canvas, dice: &mut Dice, palette: &Palette) {
    let [lead, second, third, fourth] = palette.shapes;
    let colours = [lead, second, third, fourth, lead, palette.ink, second];
    let mut last = palette.ground;
    // Turned about the lower right corner, lanes run along x, one above the other.
    canvas.turned(-45.0, RIGHT, BOTTOM, |canvas| {
        for lane in steps(LANES) {
            let above = lane * (BAR + SPACE) - BAR;
            // Where the lane meets the picture's left edge, and where it leaves the cover; some bars begin further in.
            let mut start = above - (RIGHT - LEFT) * SQRT_2 + BAR * 2.0 + dice.within(0.0..120.0);
            let end = above.min(BOTTOM * SQRT_2 - above) + BAR * 2.0;
            while start < end {
                let long = dice.within(110.0..330.0);
                let length = if dice.chance(0.22) { BAR } else { long };
                last = dice.pick_other(&colours, last);
                let corner = (RIGHT + start, BOTTOM - above);
                canvas.slab(corner, (length, BAR), BAR / 2.0, last);
                start += length + SPACE;
            }
        }
    });
}
