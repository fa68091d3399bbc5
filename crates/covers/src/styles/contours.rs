//! A hill on a map: closed lines around a summit, wider apart as it flattens.

use std::f64::consts::TAU;

use super::{BOTTOM, Canvas, Dice, LEFT, Palette, steps};
use crate::{canvas::Outline, colour::Colour};

const LINES: u32 = 16;

/// Points of a line; it is smooth between them.
const POINTS: u32 = 40;

pub(super) fn draw(canvas: &mut Canvas, dice: &mut Dice, palette: &Palette) {
    let [far, middle, near] = palette.glow;
    let filled = dice.chance(0.6);
    let y = BOTTOM / 2.0 + dice.within(-80.0..80.0);
    let waves = [2.0, 3.0, 5.0].map(|count: f64| Wave {
        count,
        height: dice.within(0.06..0.19) / count.sqrt(),
        phase: dice.within(0.0..TAU),
    });
    for line in steps(LINES).rev() {
        let share = line / f64::from(LINES - 1);
        let radius = 28.0 + line * 28.0;
        // The lines lie closer on the title's side and spread towards the edge.
        let x = LEFT
            + if filled {
                172.0 + radius * 0.72
            } else {
                235.0 + radius * 0.58
            };
        let outline = closed((x, y), radius, &waves, share);
        if filled {
            canvas.fill(
                &outline,
                Colour::ramp(&[near, middle, far, palette.ground], share),
            );
            canvas.stroke(&outline, 2.5, palette.ground);
        } else {
            canvas.stroke(
                &outline,
                4.0,
                Colour::ramp(&[palette.shapes[0], palette.shapes[0], far], share),
            );
        }
    }
}

struct Wave {
    count: f64,
    height: f64,
    phase: f64,
}

/// A circle with waves in it.
fn closed((x, y): (f64, f64), radius: f64, waves: &[Wave], twist: f64) -> Outline {
    smooth(|index| {
        let angle = index / f64::from(POINTS) * TAU;
        let swell: f64 = waves
            .iter()
            .map(|wave| wave.height * (wave.count * angle + wave.phase + twist).sin())
            .sum();
        let radius = radius * (1.0 + swell);
        (x + radius * angle.cos(), y + radius * angle.sin())
    })
}

/// A closed curve through the points (Catmull–Rom, as cubic curves).
fn smooth(point: impl Fn(f64) -> (f64, f64)) -> Outline {
    let (x, y) = point(0.0);
    steps(POINTS)
        .fold(Outline::from(x, y), |outline, index| {
            let [before, from, to, after] =
                [-1.0, 0.0, 1.0, 2.0].map(|offset| point(index + offset));
            outline.curve([
                (
                    from.0 + (to.0 - before.0) / 6.0,
                    from.1 + (to.1 - before.1) / 6.0,
                ),
                (
                    to.0 - (after.0 - from.0) / 6.0,
                    to.1 - (after.1 - from.1) / 6.0,
                ),
                to,
            ])
        })
        .close()
}
