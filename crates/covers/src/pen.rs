//! What motifs are drawn with: a few shapes in the inks of a palette, and ways to repeat them.
//!
//! Motifs are drawn in units: (0, 0) is the middle of the picture, and y runs from -100 at its top to 100 at its bottom. A poster
//! shows x from -78 to 78, a picture without text from -190 to 190.

use std::cmp::Reverse;

use super::{
    canvas::{Canvas, Outline},
    colour::Colour,
    palette::Palette,
};

/// A colour by its part in the picture, so that one motif comes in every palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    /// The field behind a thing.
    Back,
    /// The field, lit.
    Glow,
    /// The field, in shadow.
    Shade,
    /// The thing itself. It stands off from the field.
    Main,
    /// The thing in shadow.
    Deep,
    /// The thing in the light.
    Pale,
    /// A second colour on it.
    Accent,
    /// A third colour on it.
    Third,
    /// The palette's lightest colour.
    Light,
    /// The palette's darkest colour.
    Dark,
}

/// What the field has to be from the light upon it, so that that is seen ([`Colour::distance`]).
const MIN_DISTANCE: u32 = 80;

/// When it is in a landscape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hour {
    Day,
    Sunset,
    Night,
}

/// The colours behind the inks.
#[derive(Debug, Clone, Copy)]
struct Inks {
    palette: Palette,
    back: Colour,
    main: Colour,
    accent: Colour,
    third: Colour,
    light: Colour,
    dark: Colour,
    hour: Hour,
}

impl Inks {
    /// For a thing, with the palette's shape of this number as the field.
    fn of_thing(palette: &Palette, field: usize) -> Self {
        let (dark, light) = palette.ends();
        let mut shapes = palette.shapes;
        let places = field % shapes.len();
        shapes.rotate_left(places);
        if shapes
            .first()
            .is_some_and(|back| back.distance(light) < MIN_DISTANCE)
        {
            shapes.rotate_left(1);
        }
        let [back, mut others @ ..] = shapes;
        // What is told apart best from the field and from the light upon it comes first.
        let contrast = |shape: &Colour| shape.distance(back).min(shape.distance(light));
        others.sort_by_key(|shape| Reverse(contrast(shape)));
        let [main, accent, third] = others;
        Self {
            palette: *palette,
            back,
            main,
            accent,
            third,
            light,
            dark,
            hour: Hour::Day,
        }
    }

    /// For a landscape: the coolest shape is water and hills, the lightest other one is sand and fields.
    fn of_landscape(palette: &Palette, hour: Hour) -> Self {
        let (dark, light) = palette.ends();
        let mut shapes = palette.shapes;
        shapes.sort_by_key(|shape| shape.warmth());
        let [main, mut rest @ ..] = shapes;
        rest.sort_by_key(|shape| shape.distance(light));
        let [third, accent, back] = rest;
        Self {
            palette: *palette,
            back,
            main,
            accent,
            third,
            light,
            dark,
            hour,
        }
    }

    fn colour(&self, ink: Ink) -> Colour {
        match ink {
            Ink::Back => self.back,
            Ink::Glow => self.back.mix(self.light, 0.3),
            Ink::Shade => self.back.mix(self.dark, 0.3),
            Ink::Main => self.main,
            Ink::Deep => self.main.mix(self.dark, 0.4),
            Ink::Pale => self.main.mix(self.light, 0.5),
            Ink::Accent => self.accent,
            Ink::Third => self.third,
            Ink::Light => self.light,
            Ink::Dark => self.dark,
        }
    }
}

/// Draws a motif.
pub(super) struct Pen<'a> {
    canvas: &'a mut Canvas,
    inks: Inks,
}

impl<'a> Pen<'a> {
    /// A pen for a thing, with the palette's shape of the number `field` as the field behind it.
    pub(super) fn for_thing(canvas: &'a mut Canvas, palette: &Palette, field: usize) -> Self {
        let inks = Inks::of_thing(palette, field);
        Self { canvas, inks }
    }

    /// A pen for a landscape.
    pub(super) fn for_landscape(canvas: &'a mut Canvas, palette: &Palette, hour: Hour) -> Self {
        let inks = Inks::of_landscape(palette, hour);
        Self { canvas, inks }
    }

    /// Fills an outline in SVG's notation.
    pub(super) fn fill(&mut self, ink: Ink, d: &'static str) {
        let colour = self.inks.colour(ink);
        self.canvas.fill(&Outline::of(d), colour);
    }

    /// A line in SVG's notation, with round ends.
    pub(super) fn line(&mut self, ink: Ink, width: i32, d: &'static str) {
        let colour = self.inks.colour(ink);
        self.canvas.stroke(&Outline::of(d), width.into(), colour);
    }

    /// A line along points: an arm, a leg, a rope.
    pub(super) fn limb(&mut self, ink: Ink, width: i32, points: &[(i32, i32)]) {
        let mut points = points.iter().map(|(x, y)| (f64::from(*x), f64::from(*y)));
        let Some((x, y)) = points.next() else { return };
        let outline = points.fold(Outline::from(x, y), |outline, (x, y)| outline.line(x, y));
        self.canvas
            .stroke(&outline, width.into(), self.inks.colour(ink));
    }

    /// A disc.
    pub(super) fn dot(&mut self, ink: Ink, x: i32, y: i32, radius: i32) {
        let colour = self.inks.colour(ink);
        self.canvas
            .circle(x.into(), y.into(), radius.into(), colour);
    }

    /// Discs of one size.
    pub(super) fn dots(&mut self, ink: Ink, radius: i32, places: &[(i32, i32)]) {
        for (x, y) in places {
            self.dot(ink, *x, *y, radius);
        }
    }

    /// A circle's line.
    pub(super) fn ring(&mut self, ink: Ink, width: i32, (x, y): (i32, i32), radius: i32) {
        let (x, y, radius) = (f64::from(x), f64::from(y), f64::from(radius));
        let ring = Outline::from(x - radius, y)
            .arc(radius, true, x + radius, y)
            .arc(radius, true, x - radius, y)
            .close();
        self.canvas
            .stroke(&ring, width.into(), self.inks.colour(ink));
    }

    /// An ellipse.
    pub(super) fn oval(&mut self, ink: Ink, (x, y): (i32, i32), rx: i32, ry: i32) {
        let colour = self.inks.colour(ink);
        let (middle, radii) = ((x.into(), y.into()), (rx.into(), ry.into()));
        self.canvas.ellipse(middle, radii, colour);
    }

    /// A rectangle from its upper left corner, with corners of `round`.
    pub(super) fn slab(
        &mut self,
        ink: Ink,
        (x, y): (i32, i32),
        (width, height): (i32, i32),
        round: i32,
    ) {
        let colour = self.inks.colour(ink);
        let (corner, size) = ((x.into(), y.into()), (width.into(), height.into()));
        self.canvas.slab(corner, size, round.into(), colour);
    }

    /// What `draw` draws, moved and scaled.
    pub(super) fn at(&mut self, x: i32, y: i32, scale: f64, draw: impl FnOnce(&mut Pen<'_>)) {
        let inks = self.inks;
        self.canvas.moved(x.into(), y.into(), scale, |canvas| {
            draw(&mut Pen { canvas, inks });
        });
    }

    /// What `draw` draws, turned clockwise.
    pub(super) fn rotate(&mut self, degrees: i32, draw: impl FnOnce(&mut Pen<'_>)) {
        let inks = self.inks;
        self.canvas.turned(degrees.into(), 0.0, 0.0, |canvas| {
            draw(&mut Pen { canvas, inks });
        });
    }

    /// What `draw` draws and its mirror image, left and right.
    pub(super) fn both(&mut self, draw: impl Fn(&mut Pen<'_>)) {
        draw(self);
        let inks = self.inks;
        self.canvas
            .flipped(|canvas| draw(&mut Pen { canvas, inks }));
    }

    /// What `draw` draws, `count` times around the middle.
    pub(super) fn fan(&mut self, count: i32, draw: impl Fn(&mut Pen<'_>)) {
        for index in 0..count {
            self.rotate(index * 360 / count, &draw);
        }
    }

    /// What `draw` draws at each of these places.
    pub(super) fn each(&mut self, places: &[(i32, i32)], draw: impl Fn(&mut Pen<'_>)) {
        for (x, y) in places {
            self.at(*x, *y, 1.0, &draw);
        }
    }

    /// The sky of the hour, over all of the picture.
    pub(super) fn sky(&mut self) {
        const BANDS: u32 = 9;
        let Inks {
            palette,
            main,
            light,
            dark,
            ..
        } = self.inks;
        let [low, middle, high] = by_darkness(palette.glow);
        let stops = match self.inks.hour {
            Hour::Day => [main.mix(light, 0.5), main.mix(light, 0.8), light],
            Hour::Sunset => [low, middle, high],
            Hour::Night => [dark, dark.mix(low, 0.35), low.mix(dark, 0.3)],
        };
        for band in 0..BANDS {
            let share = f64::from(band) / f64::from(BANDS - 1);
            let top = -100.0 + 18.0 * f64::from(band);
            let size = (400.0, 200.0);
            let colour = Colour::ramp(&stops, share);
            self.canvas.slab((-200.0, top), size, 0.0, colour);
        }
        if self.inks.hour == Hour::Night {
            let stars = [
                (-60, -84),
                (-18, -62),
                (-44, -38),
                (12, -88),
                (58, -70),
                (40, -30),
                (72, -46),
                (-72, -58),
                (-120, -80),
                (-150, -40),
                (-100, -30),
                (110, -84),
                (150, -60),
                (170, -20),
                (125, -35),
                (-175, -75),
            ];
            self.dots(Ink::Light, 1, &stars);
        }
    }

    /// The sun or the moon of the hour.
    pub(super) fn sun(&mut self, x: i32, y: i32, radius: i32) {
        let Inks { palette, light, .. } = self.inks;
        let [low, _, high] = by_darkness(palette.glow);
        let sun = palette.shapes[2];
        let (x, y, radius) = (f64::from(x), f64::from(y), f64::from(radius));
        let (halo, disc) = match self.inks.hour {
            Hour::Day => (sun.mix(light, 0.6), sun),
            Hour::Sunset => (high.mix(light, 0.35), high.mix(light, 0.75)),
            Hour::Night => (low.mix(light, 0.25), light),
        };
        self.canvas.circle(x, y, radius * 1.35, halo);
        self.canvas.circle(x, y, radius, disc);
    }

    /// A sparkle with four points.
    pub(super) fn spark(&mut self, ink: Ink, x: i32, y: i32, size: f64) {
        self.at(x, y, size, |pen| {
            pen.fill(
                ink,
                "M0 -10C1 -3 3 -1 10 0C3 1 1 3 0 10C-1 3 -3 1 -10 0C-3 -1 -1 -3 0 -10Z",
            );
        });
    }

    /// Steam that rises from a point.
    pub(super) fn steam(&mut self, x: i32, y: i32) {
        self.each(&[(x - 18, y), (x, y - 6), (x + 18, y)], |pen| {
            pen.line(Ink::Light, 5, "M0 0C-9 -9 9 -17 0 -28");
        });
    }
}

/// Darkest first.
fn by_darkness(mut colours: [Colour; 3]) -> [Colour; 3] {
    colours.sort_by_key(|colour| colour.distance(Colour::hex(0)));
    colours
}
