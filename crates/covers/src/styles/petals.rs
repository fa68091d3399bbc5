//! Paper flowers: one in full bloom, smaller ones around it.

use std::f64::consts::TAU;

use super::{BOTTOM, Canvas, Dice, LEFT, Palette, RIGHT, steps};
use crate::{canvas::Outline, colour::Colour};

pub(super) fn draw(canvas: &mut Canvas, dice: &mut Dice, palette: &Palette) {
    let [lead, second, third, fourth] = palette.shapes;
    let low = dice.chance(0.5);
    let (near, far) = if low {
        (BOTTOM - 250.0, 120.0)
    } else {
        (250.0, BOTTOM - 120.0)
    };
    let small = dice.pick(&[second, third]);
    flower(canvas, dice, (RIGHT - 70.0, far), 150.0, [fourth, small]);
    flower(canvas, dice, (LEFT + 120.0, far), 92.0, [third, second]);
    flower(canvas, dice, (LEFT + 292.0, near), 280.0, [lead, small]);
}

fn flower(
    canvas: &mut Canvas,
    dice: &mut Dice,
    (x, y): (f64, f64),
    size: f64,
    [petal, core]: [Colour; 2],
) {
    let petals = dice.pick(&[8_u32, 10, 12]);
    let turn = dice.within(0.0..TAU);
    // From the outside in; the middle layer shows between the others' petals.
    let layers = [
        (1.0, 0.0, petal),
        (0.66, 0.5, petal.mix(core, 0.55)),
        (0.4, 0.0, core),
    ];
    for (share, shift, colour) in layers {
        for index in steps(petals) {
            let angle = turn + (index + shift) / f64::from(petals) * TAU;
            let outline = petal_outline((x, y), size * share, angle, f64::from(petals));
            canvas.fill(&outline, colour);
        }
    }
    canvas.circle(x, y, size * 0.1, petal);
}

/// Narrow at the heart, round at the end, as wide as its neighbours allow.
fn petal_outline((x, y): (f64, f64), length: f64, angle: f64, petals: f64) -> Outline {
    let place = |along: f64, across: f64| {
        let (sin, cos) = angle.sin_cos();
        (
            x + length * (along * cos - across * sin),
            y + length * (along * sin + across * cos),
        )
    };
    let width = 3.6 / petals;
    Outline::from(x, y)
        .curve([
            place(0.35, width * 0.45),
            place(0.62, width),
            place(0.85, width * 0.72),
        ])
        .curve([
            place(1.03, width * 0.42),
            place(1.03, -width * 0.42),
            place(0.85, -width * 0.72),
        ])
        .curve([place(0.62, -width), place(0.35, -width * 0.45), (x, y)])
        .close()
}
