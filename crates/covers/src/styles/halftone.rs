//! A print seen too close: dots that swell and shrink as a light passes over them.

use super::{BOTTOM, Canvas, Dice, LEFT, Palette, RIGHT};

/// From dot to dot, in pixels.
const PITCH: f64 = 33.0;

pub(super) fn draw(canvas: &mut Canvas, dice: &mut Dice, palette: &Palette) {
    let [lead, second, third, _] = palette.shapes;
    let (light_x, light_y) = (dice.within(930.0..1120.0), dice.within(120.0..510.0));
    let (other_x, other_y) = (
        dice.within(820.0..1200.0),
        if light_y < 315.0 { 600.0 } else { 30.0 },
    );
    let ripple = dice.within(0.016..0.024);
    let second = dice.pick(&[second, third]);
    let mut row = 0_u32;
    let mut y = PITCH / 2.0 - PITCH * 0.2;
    while y < BOTTOM + PITCH {
        let mut x = LEFT
            + PITCH / 2.0
            + if row.is_multiple_of(2) {
                0.0
            } else {
                PITCH / 2.0
            };
        while x < RIGHT + PITCH {
            let distance = (x - light_x).hypot(y - light_y);
            let wave = 0.5 + 0.5 * (distance * ripple).cos();
            // Dots fade out towards the title.
            let fade = ((x - LEFT) / 210.0).clamp(0.12, 1.0);
            let radius = PITCH * 0.53 * (0.16 + 0.84 * wave) * fade;
            let near = (x - other_x).hypot(y - other_y) < 250.0;
            canvas.circle(x, y, radius, if near { second } else { lead });
            x += PITCH;
        }
        y += PITCH * 0.866;
        row += 1;
    }
}
