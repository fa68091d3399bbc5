//! Writes the SVG, so that nothing else does: every colour, number and text goes through here.

use std::fmt::{self, Write};

use super::{HEIGHT, WIDTH, colour::Colour};

/// An SVG document being drawn, measured in the cover's pixels.
pub(super) struct Canvas(String);

impl Canvas {
    /// A cover of one colour.
    pub(super) fn new(ground: Colour) -> Self {
        let mut canvas = Self(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\">\n"
        ));
        canvas.rect(0.0, 0.0, f64::from(WIDTH), f64::from(HEIGHT), ground);
        canvas
    }

    /// The finished document.
    pub(super) fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }

    pub(super) fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, fill: Colour) {
        let [x, y, width, height] = [x, y, width, height].map(Pixels);
        self.element(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>"
        ));
    }

    pub(super) fn circle(&mut self, x: f64, y: f64, radius: f64, fill: Colour) {
        let [x, y, radius] = [x, y, radius].map(Pixels);
        self.element(format_args!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\"/>"
        ));
    }

    /// A filled outline.
    pub(super) fn fill(&mut self, outline: &Outline, colour: Colour) {
        let d = &outline.0;
        self.element(format_args!("<path d=\"{d}\" fill=\"{colour}\"/>"));
    }

    /// An outline's line, `width` wide, with round ends.
    pub(super) fn stroke(&mut self, outline: &Outline, width: f64, colour: Colour) {
        let (d, width) = (&outline.0, Pixels(width));
        self.element(format_args!(
            "<path d=\"{d}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linecap=\"round\" \
             stroke-linejoin=\"round\"/>"
        ));
    }

    pub(super) fn ellipse(&mut self, (x, y): (f64, f64), (rx, ry): (f64, f64), fill: Colour) {
        let [x, y, rx, ry] = [x, y, rx, ry].map(Pixels);
        self.element(format_args!(
            "<ellipse cx=\"{x}\" cy=\"{y}\" rx=\"{rx}\" ry=\"{ry}\" fill=\"{fill}\"/>"
        ));
    }

    /// A rectangle with round corners.
    pub(super) fn slab(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        radius: f64,
        fill: Colour,
    ) {
        let [x, y, width, height, radius] = [x, y, width, height, radius].map(Pixels);
        self.element(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{radius}\" fill=\"{fill}\"/>"
        ));
    }

    /// What `draw` draws, moved to a point and scaled.
    pub(super) fn moved(&mut self, x: f64, y: f64, scale: f64, draw: impl FnOnce(&mut Self)) {
        let ([x, y], scale) = ([x, y].map(Pixels), Hundredths(scale));
        self.group(
            format_args!("transform=\"translate({x} {y}) scale({scale})\""),
            draw,
        );
    }

    /// What `draw` draws, seen in a mirror that stands at x = 0.
    pub(super) fn flipped(&mut self, draw: impl FnOnce(&mut Self)) {
        self.group(format_args!("transform=\"scale(-1 1)\""), draw);
    }

    /// What `draw` draws within an outline. A cover has one such window.
    pub(super) fn windowed(&mut self, outline: &Outline, draw: impl FnOnce(&mut Self)) {
        let d = &outline.0;
        self.element(format_args!(
            "<clipPath id=\"window\"><path d=\"{d}\"/></clipPath>"
        ));
        self.group(format_args!("clip-path=\"url(#window)\""), draw);
    }

    /// What `draw` draws, seen in a mirror that stands in the middle of the cover.
    pub(super) fn mirrored(&mut self, draw: impl FnOnce(&mut Self)) {
        self.group(
            format_args!("transform=\"matrix(-1 0 0 1 {WIDTH} 0)\""),
            draw,
        );
    }

    /// What `draw` draws, turned by `degrees` (clockwise) about a point.
    pub(super) fn turned(&mut self, degrees: f64, x: f64, y: f64, draw: impl FnOnce(&mut Self)) {
        let [degrees, x, y] = [degrees, x, y].map(Pixels);
        self.group(
            format_args!("transform=\"rotate({degrees} {x} {y})\""),
            draw,
        );
    }

    /// Text from `x` on, on the baseline `y`; the text is shown as it is, whatever it contains.
    pub(super) fn text(&mut self, x: f64, y: f64, style: &TextStyle, text: &str) {
        let ([x, y], size, family, colour) = (
            [x, y].map(Pixels),
            Pixels(style.size),
            style.family,
            style.colour,
        );
        let text = Escaped(text);
        self.element(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" font-family=\"{family}\" fill=\"{colour}\" \
             xml:space=\"preserve\">{text}</text>"
        ));
    }

    fn group(&mut self, attribute: fmt::Arguments<'_>, draw: impl FnOnce(&mut Self)) {
        self.element(format_args!("<g {attribute}>"));
        draw(self);
        self.element(format_args!("</g>"));
    }

    fn element(&mut self, element: fmt::Arguments<'_>) {
        self.0
            .write_fmt(element)
            .expect("writing to a string cannot fail");
        self.0.push('\n');
    }
}

/// How text looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextStyle {
    /// Pixels per em.
    pub(super) size: f64,
    /// The family of an embedded font.
    pub(super) family: &'static str,
    /// Its colour.
    pub(super) colour: Colour,
}

/// The outline of a shape, built step by step.
pub(super) struct Outline(String);

impl Outline {
    /// An outline in SVG's notation. Only constants of this crate are drawn so.
    pub(super) fn of(d: &'static str) -> Self {
        Self(d.to_owned())
    }

    /// Begins at a point.
    pub(super) fn from(x: f64, y: f64) -> Self {
        Self(String::new()).step('M', &[x, y])
    }

    /// A straight line to a point.
    pub(super) fn line(self, x: f64, y: f64) -> Self {
        self.step('L', &[x, y])
    }

    /// A cubic curve to the last of three points, drawn towards the first two.
    pub(super) fn curve(self, points: [(f64, f64); 3]) -> Self {
        let [(ax, ay), (bx, by), (x, y)] = points;
        self.step('C', &[ax, ay, bx, by, x, y])
    }

    /// An arc of a circle, at most half of it, clockwise or not.
    pub(super) fn arc(self, radius: f64, clockwise: bool, x: f64, y: f64) -> Self {
        self.step(
            'A',
            &[
                radius,
                radius,
                0.0,
                0.0,
                f64::from(u8::from(clockwise)),
                x,
                y,
            ],
        )
    }

    /// Back to where it began.
    pub(super) fn close(mut self) -> Self {
        self.0.push('Z');
        self
    }

    fn step(mut self, letter: char, numbers: &[f64]) -> Self {
        self.0.push(letter);
        for number in numbers {
            write!(self.0, "{} ", Pixels(*number)).expect("writing to a string cannot fail");
        }
        self
    }
}

/// A coordinate or length with one decimal: finer than the eye sees, and coarse enough that the last bit of a sine, which
/// differs between machines, does not show.
struct Pixels(f64);

impl fmt::Display for Pixels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding zero turns -0 into 0, which would otherwise be another text for the same place.
        write!(f, "{}", (self.0 * 10.0).round() / 10.0 + 0.0)
    }
}

/// A factor with two decimals.
struct Hundredths(f64);

impl fmt::Display for Hundredths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", (self.0 * 100.0).round() / 100.0)
    }
}

/// Text in which nothing is markup.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|character| match character {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '"' => f.write_str("&quot;"),
            '\'' => f.write_str("&apos;"),
            other => f.write_char(other),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_a_text_is_escaped() {
        let mut canvas = Canvas::new(Colour::hex(0));
        let style = TextStyle {
            size: 20.0,
            family: "MusterSans",
            colour: Colour::hex(0),
        };
        canvas.text(0.0, 0.0, &style, "</text><script>alert('&amp;\")</script>");
        let svg = canvas.finish();
        assert!(
            svg.contains("&lt;/text&gt;&lt;script&gt;alert(&apos;&amp;amp;&quot;)&lt;/script&gt;"),
            "{svg}"
        );
        assert!(!svg.contains("<script"));
    }
}
