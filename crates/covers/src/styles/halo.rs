//! A glowing disc: circles within circles, each off centre, from the ground to the brightest colour.

use super::{BOTTOM, Canvas, Dice, LEFT, Palette, steps};
use crate::colour::Colour;

const RINGS: u32 = 11;

pub(super) fn draw(canvas: &mut Canvas, dice: &mut Dice, palette: &Palette) {
    let [far, middle, near] = palette.glow;
    let outer = dice.within(360.0..430.0);
    let (x, y) = (LEFT + outer, BOTTOM / 2.0 + dice.within(-70.0..70.0));
    // Where the light comes from: the inner circles lean that way.
    let (lean_x, lean_y) = (dice.within(-0.55..0.25), dice.within(-0.6..0.6));
    for ring in steps(RINGS) {
        let share = ring / f64::from(RINGS - 1);
        let radius = outer * (1.0 - 0.86 * share);
        let lean = outer - radius;
        let colour = Colour::ramp(&[palette.ground, far, middle, near], 0.1 + 0.9 * share);
        canvas.circle(x + lean * lean_x, y + lean * lean_y, radius, colour);
    }
}
