//! A sun behind hills.

use super::{BOTTOM, Canvas, Dice, LEFT, Palette, RIGHT, steps};
use crate::{canvas::Outline, colour::Colour};

const STRIPES: u32 = 6;
const HILLS: u32 = 3;
const RINGS: u32 = 4;

pub(super) fn draw(canvas: &mut Canvas, dice: &mut Dice, palette: &Palette) {
    let [lead, second, third, fourth] = palette.shapes;
    let [sun, hill] = dice.pick(&[[lead, fourth], [third, lead], [lead, second]]);
    let radius = dice.within(180.0..240.0);
    let x = LEFT + radius + dice.within(20.0..(RIGHT - LEFT - radius * 2.0 + 60.0));
    let y = dice.within(240.0..300.0);
    if dice.chance(0.5) {
        hazy_sun(canvas, (x, y), radius, [sun, palette.ground]);
    } else {
        for share in steps(RINGS) {
            let colour = Colour::ramp(
                &[sun.mix(palette.ground, 0.72), sun],
                share / f64::from(RINGS - 1),
            );
            canvas.circle(x, y, radius * (1.12 - 0.17 * share), colour);
        }
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

/// The ground shows through in stripes that thicken downwards.
fn hazy_sun(canvas: &mut Canvas, (x, y): (f64, f64), radius: f64, [sun, ground]: [Colour; 2]) {
    canvas.circle(x, y, radius, sun);
    for stripe in steps(STRIPES) {
        let top = y + radius * (-0.1 + 0.17 * stripe);
        canvas.rect(x - radius, top, radius * 2.0, 4.0 + 3.2 * stripe, ground);
    }
}
