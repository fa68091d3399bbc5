//! A sun behind hills.

use super::{BOTTOM, Canvas, Dice, LEFT, Palette, RIGHT, steps};
use crate::covers::{canvas::Outline, colour::Colour};

const STRIPES: u32 = 6;
const HILLS: u32 = 3;

pub(super) fn draw(canvas: &mut Canvas, dice: &mut Dice, palette: &Palette) {
    let [lead, second, third, fourth] = palette.shapes;
    let [sun, hill] = dice.pick(&[[lead, fourth], [third, lead], [lead, second]]);
    let radius = dice.within(215.0..240.0);
    let (x, y) = (
        LEFT + radius + dice.within(20.0..60.0),
        dice.within(250.0..290.0),
    );
    canvas.circle(x, y, radius, sun);
    // Haze: the ground shows through in stripes that thicken downwards.
    for stripe in steps(STRIPES) {
        let top = y + radius * (-0.1 + 0.17 * stripe);
        canvas.rect(
            x - radius,
            top,
            radius * 2.0,
            4.0 + 3.2 * stripe,
            palette.ground,
        );
    }
    for layer in steps(HILLS) {
        let colour = Colour::ramp(
            &[hill, hill.mix(palette.ink, 0.45)],
            layer / f64::from(HILLS - 1),
        );
        let crest = BOTTOM - 190.0 + layer * 66.0 + dice.within(-16.0..16.0);
        let foot = LEFT + 10.0 + layer * 55.0;
        let top = foot + dice.within(240.0..340.0);
        let outline = Outline::from(foot, BOTTOM)
            .curve([(foot + 110.0, BOTTOM), (top - 120.0, crest), (top, crest)])
            .curve([
                (top + 90.0, crest),
                (RIGHT - 60.0, crest + 70.0),
                (RIGHT, crest + dice.within(0.0..60.0)),
            ])
            .line(RIGHT, BOTTOM)
            .close();
        canvas.fill(&outline, colour);
    }
}
