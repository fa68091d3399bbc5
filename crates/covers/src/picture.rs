//! Which picture a cover has, and where it stands: the words choose palette, typeface and motif, and each variant is another one.

use super::{
    CoverRequest, HEIGHT, WIDTH,
    canvas::{Canvas, Outline},
    dice::Dice,
    fonts::{DISPLAY, Font},
    palette::{PALETTES, Palette},
    pen::{Hour, Ink, Pen},
    styles::{LEFT, STYLES, Style},
    topics::{self, Kind, Topic},
};

/// Palettes for landscapes by their number: those in which a sky looks like one.
const DAY: [usize; 4] = [10, 7, 11, 1];
const SUNSET: [usize; 5] = [0, 4, 5, 8, 6];
const NIGHT: [usize; 5] = [0, 12, 5, 2, 3];

/// The middle of a poster's picture, in pixels.
const MIDDLE: f64 = f64::midpoint(LEFT, WIDTH as f64);

/// What a cover looks like.
pub(super) struct Look {
    pub(super) palette: Palette,
    /// The face of the title.
    pub(super) display: &'static Font,
    picture: Picture,
    dice: Dice,
}

enum Picture {
    /// Shapes alone, for words without a topic.
    Shapes(Style),
    /// What the words name.
    Motif {
        topic: &'static Topic,
        hour: Hour,
        variant: usize,
    },
}

impl Look {
    /// The look that the words choose; without words, the title.
    pub(super) fn of(request: &CoverRequest) -> Self {
        let variant = usize::from(request.variant);
        let has_words = !request.words.trim().is_empty();
        let mut dice = Dice::from_words(if has_words {
            &request.words
        } else {
            &request.title
        });
        let palette = dice.below(PALETTES.len());
        let display = dice.below(DISPLAY.len());
        let style = dice.below(STYLES.len());
        let topics = if has_words {
            topics::find(&request.words)
        } else {
            Vec::new()
        };
        let (palettes, picture): (&[usize], _) = match topics.get(variant % topics.len().max(1)) {
            None => (&[], Picture::Shapes(nth(&STYLES, style + 4 * variant))),
            Some(topic) => {
                let usual = [Hour::Day, Hour::Sunset, Hour::Night];
                let named = || topics::hour(&request.words);
                let (hour, palettes): (_, &[usize]) = match topic.kind {
                    Kind::Thing => (Hour::Day, &[]),
                    Kind::Landscape => of_hour(named().unwrap_or(nth(&usual, variant))),
                    Kind::At(hour) => of_hour(hour),
                };
                (
                    palettes,
                    Picture::Motif {
                        topic,
                        hour,
                        variant,
                    },
                )
            }
        };
        Self {
            palette: if palettes.is_empty() {
                nth(&PALETTES, palette + 5 * variant)
            } else {
                nth(&PALETTES, nth(palettes, palette + variant))
            },
            display: nth(&DISPLAY, display + variant),
            picture,
            dice,
        }
    }

    /// Draws the picture beside a title.
    pub(super) fn beside_title(mut self, canvas: &mut Canvas) {
        match self.picture {
            Picture::Shapes(style) => style(canvas, &mut self.dice, &self.palette),
            Picture::Motif { variant, .. } => {
                let window = nth(&[Window::FULL, Window::ARCH, Window::PORTHOLE], variant);
                self.motif(canvas, &window);
            }
        }
    }

    /// Draws the picture over all of the cover.
    pub(super) fn filling(mut self, canvas: &mut Canvas) {
        match self.picture {
            Picture::Motif { .. } => self.motif(canvas, &Window::WIDE),
            Picture::Shapes(style) => {
                // One half is the other's mirror image.
                let palette = self.palette;
                let scale = f64::from(WIDTH) / 2.0 / (f64::from(WIDTH) - LEFT);
                let top = f64::from(HEIGHT) / 2.0 * (1.0 - scale);
                let half = |canvas: &mut Canvas, mut dice: Dice| {
                    canvas.moved(-LEFT * scale, top, scale, |canvas| {
                        style(canvas, &mut dice, &palette);
                    });
                };
                half(canvas, self.dice.clone());
                let right = Outline::of("M600 0H1200V630H600Z");
                canvas.windowed(&right, |canvas| {
                    canvas.fill(&right, palette.ground);
                    canvas.mirrored(|canvas| half(canvas, self.dice));
                });
            }
        }
    }

    fn motif(&mut self, canvas: &mut Canvas, window: &Window) {
        let Picture::Motif {
            topic,
            hour,
            variant,
        } = self.picture
        else {
            return;
        };
        let field = self.dice.below(4) + variant;
        let backdrop = self.dice.below(3) + variant;
        let palette = &self.palette;
        canvas.windowed(&Outline::of(window.outline), |canvas| {
            let (x, y) = window.middle;
            canvas.moved(x, y, window.scale, |canvas| {
                if topic.kind == Kind::Thing {
                    let mut pen = Pen::for_thing(canvas, palette, field);
                    draw_backdrop(&mut pen, backdrop);
                    pen.at(0, 0, window.thing, |pen| (topic.draw)(pen));
                } else {
                    (topic.draw)(&mut Pen::for_landscape(canvas, palette, hour));
                }
            });
        });
    }
}

/// The field behind a thing.
fn draw_backdrop(pen: &mut Pen<'_>, number: usize) {
    pen.slab(Ink::Back, (-200, -110), (400, 220), 0);
    match number % 3 {
        0 => pen.dot(Ink::Glow, 0, 0, 72),
        1 => pen.fan(12, |pen| pen.fill(Ink::Glow, "M0 0L-30 -224H30Z")),
        _ => {
            for row in -4..5_i32 {
                for column in -8..9 {
                    pen.dot(Ink::Glow, column * 26 + row.rem_euclid(2) * 13, row * 24, 4);
                }
            }
        }
    }
}

fn of_hour(hour: Hour) -> (Hour, &'static [usize]) {
    match hour {
        Hour::Day => (hour, &DAY),
        Hour::Sunset => (hour, &SUNSET),
        Hour::Night => (hour, &NIGHT),
    }
}

/// Where a motif is seen.
#[derive(Clone, Copy)]
struct Window {
    outline: &'static str,
    /// In pixels.
    middle: (f64, f64),
    /// Pixels per unit.
    scale: f64,
    /// The size of things, which should stand free in it.
    thing: f64,
}

impl Window {
    const FULL: Self = Self {
        outline: "M708 0H1200V630H708Z",
        middle: (MIDDLE, 315.0),
        scale: 3.15,
        thing: 0.88,
    };
    const ARCH: Self = Self {
        outline: "M724 630V284A218 218 0 0 1 1160 284V630Z",
        middle: (942.0, 350.0),
        scale: 2.85,
        thing: 0.84,
    };
    const PORTHOLE: Self = Self {
        outline: "M706 315A232 232 0 0 1 1170 315A232 232 0 0 1 706 315Z",
        middle: (938.0, 315.0),
        scale: 2.36,
        thing: 0.86,
    };
    const WIDE: Self = Self {
        outline: "M0 0H1200V630H0Z",
        middle: (600.0, 315.0),
        scale: 3.15,
        thing: 0.92,
    };
}

/// The item of a number, counted around a list that is not empty.
fn nth<T: Copy>(items: &[T], number: usize) -> T {
    let item = items.get(number % items.len().max(1));
    *item.expect("every list that is picked from is a constant with items in it")
}
