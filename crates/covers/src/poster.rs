//! The composition: the title on quiet ground on one side, the picture on the other; mirrored for titles that read from the right.

use super::{
    CoverRequest, HEIGHT, WIDTH,
    canvas::{Canvas, TextStyle},
    colour::Colour,
    fonts::{Font, SANS},
    layout::{self, Block, Room},
    palette::Palette,
    picture::Look,
    raster::Drawing,
    text::Text,
};

/// From the cover's edges to the text, in pixels.
const MARGIN: f64 = 72.0;

/// Width of the text, in pixels. Pictures begin at [`super::styles::LEFT`], beyond it.
const COLUMN: f64 = 600.0;

/// Sizes that a title may have, in pixels. The last still reads on a preview of a third of the size, and lets 200 Latin
/// characters stand without an ellipsis.
const TITLE_SIZES: [f64; 15] = [
    148.0, 130.0, 116.0, 104.0, 94.0, 84.0, 76.0, 68.0, 62.0, 56.0, 50.0, 45.0, 40.0, 36.0, 32.0,
];

/// Size of the lines below the title, in pixels.
const SUBTITLE_SIZE: f64 = 29.0;

/// From one of those lines to the next, in pixels.
const SUBTITLE_LINE: f64 = 42.0;

/// Lines below the title.
const SUBTITLE_LINES: usize = 3;

/// Between the title and the lines at the bottom, in pixels.
const GAP: f64 = 48.0;

/// Draws the cover of `request`.
pub(super) fn compose(request: &CoverRequest) -> Drawing {
    let look = Look::of(request);
    let (palette, display) = (look.palette, look.display);
    let mut canvas = Canvas::new(palette.ground);
    if !request.has_text {
        look.filling(&mut canvas);
        let (svg, fonts) = (canvas.finish(), Vec::new());
        return Drawing { svg, fonts };
    }

    let subtitle: Vec<Block> = request
        .subtitle
        .iter()
        .take(SUBTITLE_LINES)
        .filter_map(|line| subtitle_line(line))
        .collect();
    let title = title(&request.title, display, subtitle.len());
    let right_to_left = title.as_ref().is_some_and(Block::is_right_to_left);

    if right_to_left {
        canvas.mirrored(|canvas| look.beside_title(canvas));
    } else {
        look.beside_title(&mut canvas);
    }
    if let Some(title) = &title {
        set(
            &mut canvas,
            title,
            MARGIN + title.rise(),
            right_to_left,
            palette.ink,
        );
    }
    set_subtitle(&mut canvas, &subtitle, right_to_left, &palette);

    let fonts = unique(title.iter().chain(&subtitle).flat_map(Block::fonts));
    Drawing {
        svg: canvas.finish(),
        fonts,
    }
}

/// None when nothing in the title can be shown.
fn title(title: &str, display: &'static Font, subtitle_lines: usize) -> Option<Block> {
    let text = Text::new(title, display);
    let below = if subtitle_lines == 0 {
        0.0
    } else {
        as_pixels(subtitle_lines) * SUBTITLE_LINE + GAP
    };
    let room = Room {
        width: COLUMN,
        height: f64::from(HEIGHT) - 2.0 * MARGIN - below,
    };
    (!text.as_str().is_empty()).then(|| layout::fit(text, room, &TITLE_SIZES))
}

fn subtitle_line(line: &str) -> Option<Block> {
    let text = Text::new(line, &SANS);
    let room = Room {
        width: COLUMN,
        height: SUBTITLE_LINE,
    };
    (!text.as_str().is_empty()).then(|| layout::fit(text, room, &[SUBTITLE_SIZE]))
}

/// The lines stand on the bottom margin, the first in full ink.
fn set_subtitle(canvas: &mut Canvas, lines: &[Block], right_to_left: bool, palette: &Palette) {
    for (index, line) in lines.iter().enumerate() {
        let lines_below = as_pixels(lines.len() - 1 - index);
        let colour = if index == 0 {
            palette.ink
        } else {
            palette.quiet_ink()
        };
        set(
            canvas,
            line,
            f64::from(HEIGHT) - MARGIN - lines_below * SUBTITLE_LINE,
            right_to_left,
            colour,
        );
    }
}

/// Sets a block with its first baseline at `baseline`.
fn set(canvas: &mut Canvas, block: &Block, baseline: f64, from_right: bool, colour: Colour) {
    for (index, pieces) in block.lines().enumerate() {
        let width: f64 = pieces.iter().map(|piece| piece.width).sum::<f64>() * block.size;
        let mut x = if from_right {
            f64::from(WIDTH) - MARGIN - width
        } else {
            MARGIN
        };
        let y = baseline + as_pixels(index) * block.line_height();
        for piece in pieces {
            let style = TextStyle {
                size: block.size,
                family: piece.font.family,
                colour,
            };
            if piece.right_to_left {
                canvas.text(x, y, &style, &overridden(piece.text));
            } else {
                canvas.text(x, y, &style, piece.text);
            }
            x += piece.width * block.size;
        }
    }
}

/// Text that runs from right to left for a renderer that takes every text to run from left to right: without the override it
/// would put a full stop at the wrong end, and a space at the end on the wrong side.
fn overridden(text: &str) -> String {
    format!("\u{202e}{}\u{202c}", text.replace(' ', "\u{a0}"))
}

fn unique(fonts: impl Iterator<Item = &'static Font>) -> Vec<&'static Font> {
    let mut found: Vec<&'static Font> = Vec::new();
    for font in fonts {
        if !found.iter().any(|known| std::ptr::eq(*known, font)) {
            found.push(font);
        }
    }
    found
}

#[expect(clippy::cast_precision_loss, reason = "a handful of lines")]
fn as_pixels(count: usize) -> f64 {
    count as f64
}
