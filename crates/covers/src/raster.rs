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

/// Renders a drawing; nothing outside it (files, system fonts, network) is looked at.
pub(super) fn png(drawing: &Drawing) -> Result<Bytes, Error> {
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
    let tree = Tree::from_str(&drawing.svg, &options)
        .map_err(|error| Error::Drawing(error.to_string()))?;
    let mut pixels = Pixmap::new(WIDTH, HEIGHT)
        .ok_or_else(|| Error::Drawing("no room for the picture".to_owned()))?;
    render(&tree, Transform::identity(), &mut pixels.as_mut());
    encode(&pixels).map_err(|error| Error::Drawing(error.to_string()))
}

/// Without the alpha channel: covers are opaque, and a quarter smaller that way.
fn encode(pixels: &Pixmap) -> Result<Bytes, png::EncodingError> {
    let rgb: Vec<u8> = pixels
        .data()
        .chunks_exact(4)
        .flat_map(|pixel| pixel.iter().take(3).copied())
        .collect();
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, WIDTH, HEIGHT);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&rgb)?;
    writer.finish()?;
    Ok(file.into())
}
