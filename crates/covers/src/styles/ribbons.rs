//! Silk hanging from the upper edge: bands whose borders swing, each a step on in colour.

use std::f64::consts::TAU;

use super::{BOTTOM, Canvas, Dice, LEFT, Palette, RIGHT, steps};
use crate::{canvas::Outline, colour::Colour};

const BANDS: u32 = 8;

/// Curves of a border from top to bottom; more would not be seen.
const CURVES: u32 = 10;

pub(super) fn draw(canvas: &mut Canvas, dice: &mut Dice, palette: &Palette) {
    let [far, middle, near] = palette.glow;
    let [lead, second, third, _] = palette.shapes;
    let stops = dice.pick(&[[far, middle, near], [near, middle, far]]);
    let bright = dice.pick(&[2_u32, 3, 4, 5]);
    let accent = dice.pick(&[lead, second, third, palette.ink]);
    let amplitude = dice.within(26.0..40.0);
    let length = dice.within(460.0..720.0);
    let start = dice.within(0.0..TAU);
    let drift = dice.within(0.35..0.75);
    let first = LEFT + amplitude * 1.6;
    let spacing = (RIGHT - first) / f64::from(BANDS) + 6.0;
    for (band, number) in steps(BANDS).zip(0..) {
        let swing = Swing {
            middle: first + band * spacing,
            amplitude: amplitude * (1.0 + 0.6 * (band * 0.9 + start).sin()),
            frequency: TAU / (length * (1.0 + 0.04 * band)),
            phase: start + band * drift,
        };
        let shade = Colour::ramp(&stops, band / f64::from(BANDS - 1));
        // One band stands out.
        let colour = if number == bright { accent } else { shade };
        canvas.fill(
            &swing.border().line(RIGHT, BOTTOM).line(RIGHT, 0.0).close(),
            colour,
        );
    }
}

/// A border: x as a sine of y.
struct Swing {
    middle: f64,
    amplitude: f64,
    frequency: f64,
    phase: f64,
}

impl Swing {
    fn x(&self, y: f64) -> f64 {
        self.middle + self.amplitude * (self.frequency * y + self.phase).sin()
    }

    fn slope(&self, y: f64) -> f64 {
        self.amplitude * self.frequency * (self.frequency * y + self.phase).cos()
    }

    fn border(&self) -> Outline {
        let step = BOTTOM / f64::from(CURVES);
        steps(CURVES).fold(Outline::from(self.x(0.0), 0.0), |outline, index| {
            let (top, bottom) = (index * step, (index + 1.0) * step);
            outline.curve([
                (self.x(top) + self.slope(top) * step / 3.0, top + step / 3.0),
                (
                    self.x(bottom) - self.slope(bottom) * step / 3.0,
                    bottom - step / 3.0,
                ),
                (self.x(bottom), bottom),
            ])
        })
    }
}
