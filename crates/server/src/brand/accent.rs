//! The colour of links and buttons, with tones that can be read in light and in dark mode (WCAG 2.2, 1.4.3).

use std::{fmt, str::FromStr};

/// The contrast that text needs.
const MIN_CONTRAST: f64 = 4.5;

/// Steps in which a colour becomes darker or lighter until it can be read.
const STEPS: u16 = 256;

/// What text in the colour may stand on, as in `style.css` and in the mails' `frame.html`; the wash of the colour is added to them.
const LIGHT_GROUNDS: [Rgb; 4] = [
    Rgb(0xff, 0xff, 0xff),
    Rgb(0xf7, 0xf5, 0xf1),
    Rgb(0xef, 0xec, 0xe6),
    Rgb(0xf4, 0xf2, 0xee),
];
const DARK_GROUNDS: [Rgb; 5] = [
    Rgb(0x1c, 0x20, 0x26),
    Rgb(0x12, 0x14, 0x17),
    Rgb(0x24, 0x29, 0x2f),
    Rgb(0x14, 0x16, 0x1a),
    Rgb(0x1f, 0x23, 0x29),
];

/// What stands on buttons of the colour.
const ON_LIGHT: Rgb = Rgb(0xff, 0xff, 0xff);
const ON_DARK: Rgb = Rgb(0x14, 0x16, 0x1a);

/// How much of the colour is in its wash, of 256.
const WASH_IN_LIGHT: u16 = 24;
const WASH_IN_DARK: u16 = 36;

/// A colour as pages and mails use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accent {
    /// In light mode: the operator's colour itself.
    pub light: String,
    /// In dark mode: the nearest lighter tone that can be read.
    pub dark: String,
    /// The ground of what is marked, in light mode.
    pub light_wash: String,
    /// The same in dark mode.
    pub dark_wash: String,
}

/// A colour that pages cannot use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAccent {
    /// It is no colour.
    #[error("must be a colour as #rrggbb, for example #2447b5")]
    NoColour,
    /// It can hardly be read in light mode.
    #[error(
        "is too light to read: its contrast in light mode is {contrast} to 1 and must be 4.5 to 1; the nearest colour that passes is {nearest}"
    )]
    TooLight {
        /// Its least contrast.
        contrast: String,
        /// What to choose instead.
        nearest: String,
    },
}

/// A colour in sRGB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rgb(u8, u8, u8);

impl Default for Accent {
    fn default() -> Self {
        Self {
            light: "#2447b5".to_owned(),
            dark: "#9db8ff".to_owned(),
            light_wash: "#e9edfb".to_owned(),
            dark_wash: "#1f2943".to_owned(),
        }
    }
}

impl FromStr for Accent {
    type Err = InvalidAccent;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let colour = Rgb::read(text).ok_or(InvalidAccent::NoColour)?;
        let usual = Self::default();
        if colour.to_string() == usual.light {
            return Ok(usual);
        }
        let contrast = in_light(colour);
        if contrast < MIN_CONTRAST {
            // Rounded down, so that none seems to pass.
            let tenths = (contrast * 10.0).floor() / 10.0;
            return Err(InvalidAccent::TooLight {
                contrast: format!("{tenths:.1}"),
                nearest: nearest(colour, Rgb(0, 0, 0), in_light).to_string(),
            });
        }
        let dark = nearest(colour, Rgb(0xff, 0xff, 0xff), in_dark);
        Ok(Self {
            light: colour.to_string(),
            dark: dark.to_string(),
            light_wash: light_wash(colour).to_string(),
            dark_wash: dark_wash(dark).to_string(),
        })
    }
}

impl fmt::Display for Accent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.light)
    }
}

/// The first tone on the way from a colour to black or white that can be read; black and white can.
fn nearest(colour: Rgb, end: Rgb, contrast: fn(Rgb) -> f64) -> Rgb {
    let tones = (0..=STEPS).map(|step| colour.mixed(end, step));
    let mut readable = tones.filter(|tone| contrast(*tone) >= MIN_CONTRAST);
    readable.next().unwrap_or(end)
}

/// The least contrast that a colour has in light mode.
fn in_light(colour: Rgb) -> f64 {
    let grounds = LIGHT_GROUNDS.into_iter();
    least(colour, grounds.chain([ON_LIGHT, light_wash(colour)]))
}

/// The least contrast that a colour has in dark mode.
fn in_dark(colour: Rgb) -> f64 {
    let grounds = DARK_GROUNDS.into_iter();
    least(colour, grounds.chain([ON_DARK, dark_wash(colour)]))
}

fn light_wash(colour: Rgb) -> Rgb {
    Rgb(0xff, 0xff, 0xff).mixed(colour, WASH_IN_LIGHT)
}

fn dark_wash(colour: Rgb) -> Rgb {
    Rgb(0x1c, 0x20, 0x26).mixed(colour, WASH_IN_DARK)
}

fn least(colour: Rgb, grounds: impl Iterator<Item = Rgb>) -> f64 {
    grounds
        .map(|ground| colour.contrast(ground))
        .fold(f64::INFINITY, f64::min)
}

impl Rgb {
    fn read(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#')?;
        if digits.len() != 6 || !digits.bytes().all(|one| one.is_ascii_hexdigit()) {
            return None;
        }
        let channel = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        Some(Self(channel(0)?, channel(2)?, channel(4)?))
    }

    /// A mix with so many parts of 256 of the other colour.
    fn mixed(self, other: Self, parts: u16) -> Self {
        let parts = parts.min(STEPS);
        let mix = |own: u8, others: u8| {
            let sum =
                u32::from(own) * u32::from(STEPS - parts) + u32::from(others) * u32::from(parts);
            // A mean of two bytes is one.
            u8::try_from(sum / u32::from(STEPS)).unwrap_or(u8::MAX)
        };
        Self(
            mix(self.0, other.0),
            mix(self.1, other.1),
            mix(self.2, other.2),
        )
    }

    /// The contrast as WCAG defines it, from 1 to 21.
    fn contrast(self, other: Self) -> f64 {
        let (own, others) = (self.luminance(), other.luminance());
        (own.max(others) + 0.05) / (own.min(others) + 0.05)
    }

    fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }
}

impl fmt::Display for Rgb {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Colours of all hues, from black to white.
    fn colours() -> impl Iterator<Item = Rgb> {
        let channel = || (0..=u8::MAX).step_by(51);
        channel().flat_map(move |red| {
            channel().flat_map(move |green| channel().map(move |blue| Rgb(red, green, blue)))
        })
    }

    #[test]
    fn every_colour_that_is_taken_can_be_read_in_both_modes() {
        for colour in colours() {
            let text = match colour.to_string().parse::<Accent>() {
                Ok(accent) => accent.light,
                // What is proposed instead is taken.
                Err(InvalidAccent::TooLight { nearest, .. }) => nearest,
                Err(InvalidAccent::NoColour) => unreachable!("{colour} is a colour"),
            };
            let accent: Accent = text.parse().unwrap();
            let (light, dark) = (
                Rgb::read(&accent.light).unwrap(),
                Rgb::read(&accent.dark).unwrap(),
            );
            assert!(in_light(light) >= MIN_CONTRAST, "{colour}: {accent:?}");
            assert!(in_dark(dark) >= MIN_CONTRAST, "{colour}: {accent:?}");
        }
    }

    #[test]
    fn a_colour_that_is_hard_to_read_is_refused_with_the_nearest_that_is_not() {
        let refused = "#ffd60a".parse::<Accent>().unwrap_err().to_string();
        assert_eq!(
            refused,
            "is too light to read: its contrast in light mode is 1.1 to 1 and must be 4.5 to 1; the nearest colour that passes is #7e6a04"
        );
        for wrong in [
            "", "red", "#12345", "123456", "#gg0000", "#1234567", "#+12345",
        ] {
            assert_eq!(wrong.parse::<Accent>(), Err(InvalidAccent::NoColour));
        }
    }

    #[test]
    fn the_usual_colour_is_readable_and_stays_as_it_was_chosen() {
        let usual = Accent::default();
        assert_eq!("#2447B5".parse(), Ok(usual.clone()));
        let read = |text: &str| Rgb::read(text).unwrap();
        assert!(in_light(read(&usual.light)) >= MIN_CONTRAST);
        assert!(in_dark(read(&usual.dark)) >= MIN_CONTRAST);
    }
}
