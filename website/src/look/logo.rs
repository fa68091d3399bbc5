//! The operator's logo. The file is checked when the program starts, so that no page shows a broken picture.

use std::{fs::File, io::Read as _, path::Path};

use bytes::Bytes;
use roxmltree::Document;

/// Maximum size of the file in bytes: every page shows it.
const MAX_BYTES: u64 = 256 * 1024;

/// Maximum width and height of a PNG in pixels.
const MAX_PIXELS: u32 = 2048;

/// The first bytes of every PNG.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// A logo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logo {
    pub(crate) kind: LogoKind,
    pub(crate) bytes: Bytes,
}

/// The format of a logo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogoKind {
    Svg,
    Png,
}

/// Why a file is no logo.
#[derive(Debug, thiserror::Error)]
pub enum InvalidLogo {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] std::io::Error),
    /// It is too large.
    #[error("has more than 256 KiB, and every page loads it; save a smaller picture")]
    TooLarge,
    /// It has another format.
    #[error("must be an SVG or PNG file")]
    OtherFormat,
    /// It is a broken PNG.
    #[error("is no valid PNG: {0}")]
    BrokenPng(#[from] png::DecodingError),
    /// It has too many pixels.
    #[error("has {width} × {height} pixels, and at most 2048 × 2048 are taken")]
    TooManyPixels {
        /// Its width.
        width: u32,
        /// Its height.
        height: u32,
    },
    /// It is a broken SVG.
    #[error("is no valid SVG: {0}")]
    BrokenSvg(#[from] roxmltree::Error),
}

impl Logo {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// When it is no logo.
    pub fn open(path: &Path) -> Result<Self, InvalidLogo> {
        let mut bytes = Vec::new();
        // One byte more tells a file that is too large, without reading all of it.
        File::open(path)?
            .take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)?;
        Self::read(bytes)
    }

    /// Checks the content of a file.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn read(bytes: Vec<u8>) -> Result<Self, InvalidLogo> {
        if u64::try_from(bytes.len()).is_ok_and(|length| length > MAX_BYTES) {
            return Err(InvalidLogo::TooLarge);
        }
        let kind = if bytes.starts_with(PNG) {
            check_png(&bytes)?;
            LogoKind::Png
        } else {
            check_svg(&bytes)?;
            LogoKind::Svg
        };
        let bytes = bytes.into();
        Ok(Self { kind, bytes })
    }
}

impl LogoKind {
    pub(crate) const fn media_type(self) -> &'static str {
        match self {
            Self::Svg => "image/svg+xml",
            Self::Png => "image/png",
        }
    }

    pub(crate) const fn ending(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }
}

fn check_png(bytes: &[u8]) -> Result<(), InvalidLogo> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info()?;
    let (width, height) = reader.info().size();
    if width > MAX_PIXELS || height > MAX_PIXELS {
        return Err(InvalidLogo::TooManyPixels { width, height });
    }
    while reader.next_row()?.is_some() {}
    Ok(())
}

/// Only its form is checked: scripts in it are not run, since pages show it as a picture and its own address forbids them.
fn check_svg(bytes: &[u8]) -> Result<(), InvalidLogo> {
    let text = std::str::from_utf8(bytes).map_err(|_| InvalidLogo::OtherFormat)?;
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if !text.starts_with('<') {
        return Err(InvalidLogo::OtherFormat);
    }
    let options = roxmltree::ParsingOptions {
        // Older programs write a document type.
        allow_dtd: true,
        ..roxmltree::ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options)?;
    let name = document.root_element().tag_name();
    let is_svg = name.name() == "svg" && name.namespace() == Some("http://www.w3.org/2000/svg");
    if is_svg {
        Ok(())
    } else {
        Err(InvalidLogo::OtherFormat)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SVG: &str = "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 8 8\"><path d=\"M0 0h8v8\"/></svg>";

    fn refused(bytes: &[u8]) -> String {
        Logo::read(bytes.to_vec()).unwrap_err().to_string()
    }

    #[test]
    fn svg_and_png_are_taken() {
        let svg = Logo::read(SVG.as_bytes().to_vec()).unwrap();
        assert_eq!(svg.kind, LogoKind::Svg);
        let png = include_bytes!("../../assets/touch-icon.png");
        assert_eq!(Logo::read(png.to_vec()).unwrap().kind, LogoKind::Png);
    }

    #[test]
    fn a_file_that_is_no_logo_is_refused_with_words() {
        let png = include_bytes!("../../assets/touch-icon.png");
        let half = &png[..png.len() / 2];
        assert!(refused(half).starts_with("is no valid PNG: "));
        assert!(
            refused(SVG.trim_end_matches("</svg>").as_bytes()).starts_with("is no valid SVG: ")
        );
        for other in [
            &b"GIF89a"[..],
            b"",
            b"\xff\xd8\xff\xe0",
            b"<html xmlns=\"http://www.w3.org/1999/xhtml\"/>",
            b"<svg/>",
        ] {
            assert_eq!(refused(other), "must be an SVG or PNG file");
        }
        let large = SVG.replace("M0 0", &"M0 0".repeat(70_000));
        assert!(refused(large.as_bytes()).starts_with("has more than 256 KiB"));
    }

    #[test]
    fn a_png_of_too_many_pixels_is_refused() {
        let mut bytes = Vec::new();
        let encoder = png::Encoder::new(&mut bytes, 2049, 1);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&[0; 2049]).unwrap();
        writer.finish().unwrap();
        assert!(refused(&bytes).starts_with("has 2049 × 1 pixels"));
    }
}
