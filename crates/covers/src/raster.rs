//! SVG to PNG.

use std::sync::Arc;

use bytes::Bytes;
use resvg::{
    render,
    tiny_skia::{Pixmap, Transform},
    usvg::{FontResolver, Options, Tree, fontdb::Database},
};

use super::{Error, HEIGHT, WIDTH, fonts::Font};

/// A drawing that is ready to be rendered.
pub(super) struct Drawing {
    /// The SVG document.
    pub(super) svg: String,
    /// The fonts that it names.
    pub(super) fonts: Vec<&'static Font>,
}

/// Renders a drawing, with width and height divided by `reduction`.
pub(super) fn png(drawing: &Drawing, reduction: u8) -> Result<Bytes, Error> {
    let tree = tree(drawing)?;
    let (width, height) = (WIDTH / u32::from(reduction), HEIGHT / u32::from(reduction));
    let mut pixels = Pixmap::new(width, height)
        .ok_or_else(|| Error::Drawing("no room for the picture".to_owned()))?;
    let scale = 1.0 / f32::from(reduction);
    render(
        &tree,
        Transform::from_scale(scale, scale),
        &mut pixels.as_mut(),
    );
    encode(&pixels).map_err(|error| Error::Drawing(error.to_string()))
}

/// Reads a drawing; nothing outside it (files, system fonts, network) is looked at.
fn tree(drawing: &Drawing) -> Result<Tree, Error> {
    let mut fonts = Database::new();
    for font in &drawing.fonts {
        fonts.load_font_source(font.source());
    }
    let options = Options {
        fontdb: Arc::new(fonts),
        font_resolver: FontResolver {
            select_font: FontResolver::default_font_selector(),
            // Each text names a font that has all of it.
            select_fallback: Box::new(|_, _, _| None),
        },
        ..Options::default()
    };
    Tree::from_str(&drawing.svg, &options).map_err(|error| Error::Drawing(error.to_string()))
}

/// Without the alpha channel: covers are opaque, and a quarter smaller that way.
fn encode(pixels: &Pixmap) -> Result<Bytes, png::EncodingError> {
    let rgb: Vec<u8> = pixels
        .data()
        .chunks_exact(4)
        .flat_map(|pixel| pixel.iter().take(3).copied())
        .collect();
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&rgb)?;
    writer.finish()?;
    Ok(file.into())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Many covers on one PNG, small, four in a row.
    pub(in super::super) fn overview(covers: &[Drawing]) -> Vec<u8> {
        const ACROSS: u32 = 4;
        const SCALE: f32 = 0.3;
        let (width, height) = (360, 189);
        let rows = u32::try_from(covers.len()).unwrap().div_ceil(ACROSS);
        let mut pixels = Pixmap::new(ACROSS * (width + 6), rows * (height + 6)).unwrap();
        for (index, cover) in (0..).zip(covers) {
            let tree = tree(cover).unwrap();
            let mut small = Pixmap::new(width, height).unwrap();
            render(
                &tree,
                Transform::from_scale(SCALE, SCALE),
                &mut small.as_mut(),
            );
            let (x, y) = (index % ACROSS * (width + 6), index / ACROSS * (height + 6));
            pixels.draw_pixmap(
                i32::try_from(x).unwrap(),
                i32::try_from(y).unwrap(),
                small.as_ref(),
                &resvg::tiny_skia::PixmapPaint::default(),
                Transform::identity(),
                None,
            );
        }
        pixels.encode_png().unwrap()
    }
}
