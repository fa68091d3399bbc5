//! A wall of tiles: quarter circles, leaves, half moons and dots, as in the Bauhaus exercises.

use super::{Canvas, Dice, Palette, RIGHT, steps};
use crate::{canvas::Outline, colour::Colour};

const ROWS: u32 = 4;
const COLUMNS: u32 = 3;

/// A quarter of the height, in whole pixels, so that no seam shows between tiles.
const SIDE: f64 = 158.0;

pub(super) fn draw(canvas: &mut Canvas, dice: &mut Dice, palette: &Palette) {
    let [lead, second, third, fourth] = palette.shapes;
    let mut motif = 0;
    for (column, number) in steps(COLUMNS).zip(0..) {
        for row in steps(ROWS) {
            let (x, y) = (RIGHT - (3.0 - column) * SIDE, row * SIDE);
            // The edge towards the title is loose.
            if number == 0 && dice.chance(0.3) {
                continue;
            }
            let back = dice.pick(&[palette.ground, lead, second, third, fourth]);
            let front = dice.pick_other(&[lead, second, third, fourth, palette.ink, lead], back);
            motif = dice.pick_other(&[0, 1, 2, 3, 4, 5, 6], motif);
            canvas.rect(x, y, SIDE, SIDE, back);
            let turn = dice.pick(&[0.0, 90.0, 180.0, 270.0]);
            canvas.turned(turn, x + SIDE / 2.0, y + SIDE / 2.0, |canvas| {
                tile(canvas, motif, (x, y), front, back);
            });
        }
    }
}

fn tile(canvas: &mut Canvas, motif: u8, (x, y): (f64, f64), front: Colour, back: Colour) {
    let half = SIDE / 2.0;
    let quarter = |radius: f64| {
        Outline::from(x, y)
            .line(x + radius, y)
            .arc(radius, true, x, y + radius)
            .close()
    };
    match motif {
        0 => canvas.fill(&quarter(SIDE), front),
        1 => {
            canvas.fill(&quarter(SIDE), front);
            canvas.fill(&quarter(half), back);
        }
        2 => {
            let leaf = Outline::from(x, y)
                .arc(SIDE, true, x + SIDE, y + SIDE)
                .arc(SIDE, true, x, y)
                .close();
            canvas.fill(&leaf, front);
        }
        3 => canvas.fill(
            &Outline::from(x, y).arc(half, true, x, y + SIDE).close(),
            front,
        ),
        4 => {
            for at in [x, x + half] {
                canvas.fill(
                    &Outline::from(at, y).arc(half, true, at, y + SIDE).close(),
                    front,
                );
            }
        }
        5 => canvas.circle(x + half, y + half, SIDE * 0.29, front),
        _ => canvas.fill(
            &Outline::from(x, y)
                .line(x + SIDE, y)
                .line(x, y + SIDE)
                .close(),
            front,
        ),
    }
}
