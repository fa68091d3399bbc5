//! Colours: mixing and contrast.

use std::fmt;

/// An opaque sRGB colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Colour([u8; 3]);

impl Colour {
    /// From `0xRRGGBB`.
    pub(super) const fn hex(rgb: u32) -> Self {
        let [_, red, green, blue] = rgb.to_be_bytes();
        Self([red, green, blue])
    }

    /// `share` of the way from this colour to `other`, 0 to 1.
    ///
    /// Mixed as light (squares stand in for the sRGB curve, and unlike powers are exact on every machine), so that the middle of
    /// two strong colours does not turn grey.
    pub(super) fn mix(self, other: Self, share: f64) -> Self {
        let share = share.clamp(0.0, 1.0);
        let mut mixed = self.0;
        for (value, end) in mixed.iter_mut().zip(other.0) {
            let (from, to) = (f64::from(*value), f64::from(end));
            let light = from * from * (1.0 - share) + to * to * share;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "between 0 and 255"
            )]
            let channel = light.sqrt().round() as u8;
            *value = channel;
        }
        Self(mixed)
    }

    /// The colour at `position` (0 to 1) along evenly spaced `stops`.
    pub(super) fn ramp(stops: &[Self], position: f64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a handful of stops")]
        let scaled = position.clamp(0.0, 1.0) * stops.len().saturating_sub(1) as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and the number of stops"
        )]
        let index = scaled.floor() as usize;
        match (stops.get(index), stops.get(index + 1)) {
            (Some(from), Some(to)) => from.mix(*to, scaled.fract()),
            (Some(only), None) => *only,
            _ => Self::hex(0),
        }
    }

    /// How far the two are from each other: the sum of the differences of their channels.
    pub(super) fn distance(self, other: Self) -> u32 {
        let channels = self.0.into_iter().zip(other.0);
        channels.map(|(a, b)| u32::from(a.abs_diff(b))).sum()
    }

    /// How much more red than blue it has, which is below 0 for water and sky.
    pub(super) fn warmth(self) -> i32 {
        let [red, _, blue] = self.0;
        i32::from(red) - i32::from(blue)
    }

    /// How well the two can be told apart, 1 to 21 (WCAG); text wants 4.5, small text 7.
    #[cfg(test)]
    pub(super) fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance() + 0.05, other.luminance() + 0.05);
        if a > b { a / b } else { b / a }
    }

    #[cfg(test)]
    fn luminance(self) -> f64 {
        let [red, green, blue] = self.0.map(|channel| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.040_45 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}
