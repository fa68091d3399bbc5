//! Rainbows that turn corners: quarter rings in a grid, each from another corner.

use super::{BOTTOM, Canvas, Dice, Palette, RIGHT, steps};
use crate::canvas::Outline;

const ROWS: u32 = 3;
const COLUMNS: u32 = 2;
const SIDE: f64 = BOTTOM / 3.0;
const BANDS: u32 = 5;

pub(super) fn draw(canvas: &mut Canvas, dice: &mut Dice, palette: &Palette) {
    let [lead, second, third, fourth] = palette.shapes;
    let orders = [
        [lead, third, second, fourth, palette.ground],
        [second, lead, fourth, third, palette.ground],
        [third, second, lead, palette.ink, fourth],
        [fourth, lead, second, third, palette.ground],
    ];
    for column in steps(COLUMNS) {
        for row in steps(ROWS) {
            let (x, y) = (RIGHT - (2.0 - column) * SIDE, row * SIDE);
            let bands = dice.pick(&orders);
            let turn = dice.pick(&[0.0, 90.0, 180.0, 270.0]);
            canvas.turned(turn, x + SIDE / 2.0, y + SIDE / 2.0, |canvas| {
                for (band, colour) in steps(BANDS).zip(bands) {
                    let radius = SIDE * (1.0 - band / f64::from(BANDS));
                    let quarter = Outline::from(x, y)
                        .line(x + radius, y)
                        .arc(radius, true, x, y + radius)
                        .close();
                    canvas.fill(&quarter, colour);
                }
            });
        }
    }
}
