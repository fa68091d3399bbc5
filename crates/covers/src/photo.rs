//! Makes a cover of a photograph: decodes, crops, scales, orients and encodes it as JPEG, without any metadata that it had.

use std::{io::Cursor, sync::Arc};

use bytes::Bytes;
use exif::{In, Reader, Tag};
use image_webp::WebPDecoder;
use jpeg_encoder::{ColorType, Encoder};
use tokio::{sync::Semaphore, task::spawn_blocking};
use zune_jpeg::{
    JpegDecoder,
    zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions},
};

use crate::{HEIGHT, WIDTH};

/// Pixels of a picture at most, as many as a usual camera's. Decoding a progressive JPEG takes nine bytes for each, and a
/// file of a few bytes may claim any size.
const MAX_PIXELS: u64 = 25_000_000;

/// The longest side, of strips that would have few pixels in all.
const MAX_SIDE: u32 = 12_000;

/// The smallest picture that still looks well when it is blown up to a cover.
const MIN_SIZE: (u32, u32) = (WIDTH / 2, HEIGHT / 2);

/// What the readers of PNG and WebP may take beside the picture itself.
const OVERHEAD_BYTES: usize = 16 * 1024 * 1024;

/// Of 100: no artefacts to be seen, and 100 to 250 kB.
const QUALITY: u8 = 82;

/// Bytes of a pixel.
const RGB: usize = 3;

/// Why a file is not usable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// Not a supported format.
    #[error("is {0}: send JPEG, PNG or WebP")]
    OtherFormat(&'static str),
    /// Too small to be shown or too large to be decoded.
    #[error(
        "has {width} by {height} pixels: send at least {} by {}, and at most 25 million pixels", MIN_SIZE.0, MIN_SIZE.1
    )]
    Size {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
    /// It begins like a picture, but is damaged.
    #[error("is damaged: save the picture again and send that")]
    Broken,
}

/// Makes covers of photographs, a few at a time: each needs up to 250 MB while it is decoded. Clones share the limit.
#[derive(Debug, Clone)]
pub struct Developer(Arc<Semaphore>);

impl Developer {
    /// Works on so many photographs at once.
    pub fn new(at_once: usize) -> Self {
        Self(Arc::new(Semaphore::new(at_once)))
    }

    /// The file as a JPEG of a cover's size.
    ///
    /// # Errors
    /// Why the file is not usable.
    pub async fn develop(&self, file: Bytes) -> Result<Vec<u8>, Unusable> {
        let permit = Arc::clone(&self.0).acquire_owned().await;
        // The task keeps the permit: if the caller is gone, it still uses memory until it is done.
        let work = spawn_blocking(move || {
            let _permit = permit;
            cover(&file)
        });
        work.await.unwrap_or(Err(Unusable::Broken))
    }
}

/// Whether a picture of that size makes a cover.
pub(crate) fn is_fit(width: u32, height: u32) -> bool {
    let pixels = u64::from(width) * u64::from(height);
    width >= MIN_SIZE.0
        && height >= MIN_SIZE.1
        && width.max(height) <= MAX_SIDE
        && pixels <= MAX_PIXELS
}

/// The file as a JPEG of a cover's size. It needs one processor for about 100 ms.
fn cover(file: &[u8]) -> Result<Vec<u8>, Unusable> {
    let orientation = orientation(file);
    let picture = match file {
        [0xff, 0xd8, 0xff, ..] => decode_jpeg(file, orientation),
        [0x89, b'P', b'N', b'G', ..] => decode_png(file, orientation),
        _ if is_webp(file) => decode_webp(file, orientation),
        _ => Err(Unusable::OtherFormat(format_of(file))),
    }?;
    let cover = picture.fitted(orientation);
    let cover = cover.ok_or(Unusable::Broken)?;
    let mut jpeg = Vec::new();
    let encoder = Encoder::new(&mut jpeg, QUALITY);
    let (width, height) = (side(WIDTH)?, side(HEIGHT)?);
    encoder
        .encode(&cover, width, height, ColorType::Rgb)
        .map_err(|_| Unusable::Broken)?;
    Ok(jpeg)
}

fn is_webp(file: &[u8]) -> bool {
    file.starts_with(b"RIFF") && file.get(8..12) == Some(b"WEBP")
}

/// What another file is, by its first bytes.
fn format_of(file: &[u8]) -> &'static str {
    match file {
        [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', ..] => "an AVIF file",
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => "an HEIC file or a video",
        [b'G', b'I', b'F', b'8', ..] => "a GIF file",
        [b'B', b'M', ..] => "a BMP file",
        [b'I', b'I', b'*', 0, ..] | [b'M', b'M', 0, b'*', ..] => "a TIFF file",
        [b'%', b'P', b'D', b'F', ..] => "a PDF file",
        _ if file.trim_ascii_start().starts_with(b"<") => "an SVG file or a page",
        _ => "no picture",
    }
}

/// How cameras say that a picture is to be turned (Exif 2.3, tag 274), from 1 to 8; 1 is as it is stored.
fn orientation(file: &[u8]) -> u8 {
    let read = Reader::new().read_from_container(&mut Cursor::new(file));
    let value = read.ok().and_then(|exif| {
        let field = exif.get_field(Tag::Orientation, In::PRIMARY)?;
        u8::try_from(field.value.get_uint(0)?).ok()
    });
    value.filter(|value| (1..=8).contains(value)).unwrap_or(1)
}

/// Whether what is stored as rows is shown as columns.
const fn swaps_sides(orientation: u8) -> bool {
    orientation >= 5
}

fn side(pixels: u32) -> Result<u16, Unusable> {
    u16::try_from(pixels).map_err(|_| Unusable::Broken)
}

/// Checks the size in which a picture is shown.
fn check_size(width: usize, height: usize, orientation: u8) -> Result<(), Unusable> {
    let pixels = |side| u32::try_from(side).unwrap_or(u32::MAX);
    let (mut width, mut height) = (pixels(width), pixels(height));
    if swaps_sides(orientation) {
        (width, height) = (height, width);
    }
    if is_fit(width, height) {
        return Ok(());
    }
    Err(Unusable::Size { width, height })
}

fn decode_jpeg(file: &[u8], orientation: u8) -> Result<Picture, Unusable> {
    // Strict: a file that ends early would be grey from there on.
    let options = DecoderOptions::default()
        .set_strict_mode(true)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(file), options);
    decoder.decode_headers().map_err(|_| Unusable::Broken)?;
    let (width, height) = decoder.dimensions().ok_or(Unusable::Broken)?;
    check_size(width, height, orientation)?;
    let rgb = decoder.decode().map_err(|_| Unusable::Broken)?;
    Picture::new(width, height, rgb)
}

fn decode_png(file: &[u8], orientation: u8) -> Result<Picture, Unusable> {
    let limits = png::Limits {
        bytes: OVERHEAD_BYTES,
    };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(file), limits);
    decoder.set_ignore_text_chunk(true);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|_| Unusable::Broken)?;
    let (width, height) = reader.info().size();
    let (width, height) = (width as usize, height as usize);
    check_size(width, height, orientation)?;
    let size = reader.output_buffer_size().ok_or(Unusable::Broken)?;
    let mut pixels = vec![0; size];
    let frame = reader
        .next_frame(&mut pixels)
        .map_err(|_| Unusable::Broken)?;
    pixels.truncate(frame.buffer_size());
    let rgb = match frame.color_type {
        png::ColorType::Rgb => pixels,
        png::ColorType::Rgba => flattened(&pixels, RGB),
        png::ColorType::Grayscale => tripled(&pixels),
        png::ColorType::GrayscaleAlpha => tripled(&flattened(&pixels, 1)),
        png::ColorType::Indexed => return Err(Unusable::Broken),
    };
    Picture::new(width, height, rgb)
}

fn decode_webp(file: &[u8], orientation: u8) -> Result<Picture, Unusable> {
    let mut decoder = WebPDecoder::new(Cursor::new(file)).map_err(|_| Unusable::Broken)?;
    let (width, height) = decoder.dimensions();
    let (width, height) = (width as usize, height as usize);
    check_size(width, height, orientation)?;
    decoder.set_memory_limit(OVERHEAD_BYTES);
    let size = decoder.output_buffer_size().ok_or(Unusable::Broken)?;
    let mut pixels = vec![0; size];
    decoder
        .read_image(&mut pixels)
        .map_err(|_| Unusable::Broken)?;
    let rgb = if decoder.has_alpha() {
        flattened(&pixels, RGB)
    } else {
        pixels
    };
    Picture::new(width, height, rgb)
}

/// Pixels of `channels` bytes and an alpha, laid upon white.
fn flattened(pixels: &[u8], channels: usize) -> Vec<u8> {
    let on_white = |value: u8, alpha: u8| {
        let (value, alpha) = (u16::from(value), u16::from(alpha));
        u8::try_from((value * alpha + 255 * (255 - alpha)) / 255).unwrap_or(u8::MAX)
    };
    let mut flat = Vec::with_capacity(pixels.len() / (channels + 1) * channels);
    for pixel in pixels.chunks_exact(channels + 1) {
        let alpha = pixel.last().copied().unwrap_or(u8::MAX);
        let values = pixel.iter().take(channels);
        flat.extend(values.map(|value| on_white(*value, alpha)));
    }
    flat
}

fn tripled(grey: &[u8]) -> Vec<u8> {
    let mut rgb = Vec::with_capacity(grey.len() * RGB);
    rgb.extend(grey.iter().flat_map(|value| [*value; RGB]));
    rgb
}

/// A decoded picture, three bytes a pixel.
struct Picture {
    width: usize,
    height: usize,
    rgb: Vec<u8>,
}

impl Picture {
    fn new(width: usize, height: usize, rgb: Vec<u8>) -> Result<Self, Unusable> {
        if rgb.len() != width * height * RGB {
            return Err(Unusable::Broken);
        }
        Ok(Self { width, height, rgb })
    }

    /// The largest part in the middle that has a cover's proportions, in a cover's size, turned as an orientation says. It is turned last,
    /// when it is small.
    fn fitted(self, orientation: u8) -> Option<Vec<u8>> {
        let (width, height) = (WIDTH as usize, HEIGHT as usize);
        if swaps_sides(orientation) {
            let cover = self.scaled(height, width)?;
            turned(&cover, (height, width), orientation)
        } else {
            let cover = self.scaled(width, height)?;
            turned(&cover, (width, height), orientation)
        }
    }

    /// The largest part in the middle that has these proportions, in this size.
    fn scaled(self, target_width: usize, target_height: usize) -> Option<Vec<u8>> {
        if (self.width, self.height) == (target_width, target_height) {
            return Some(self.rgb);
        }
        let width = self.width.min(self.height * target_width / target_height);
        let height = self.height.min(self.width * target_height / target_width);
        let columns = taps((self.width - width) / 2, width, target_width);
        let rows = taps((self.height - height) / 2, height, target_height);

        // Rows first become narrow, then few.
        let mut narrow = Vec::with_capacity(self.height * target_width * RGB);
        for row in self.rgb.chunks_exact(self.width * RGB) {
            for taps in &columns {
                narrow.extend(taps.mix(|x| row.get(x * RGB..(x + 1) * RGB))?);
            }
        }
        let line = target_width * RGB;
        let mut cover = Vec::with_capacity(target_height * line);
        for taps in &rows {
            for x in 0..target_width {
                let pixel = |y: usize| narrow.get(y * line + x * RGB..y * line + (x + 1) * RGB);
                cover.extend(taps.mix(pixel)?);
            }
        }
        Some(cover)
    }
}

/// A picture of this size as an orientation says that it is to be shown.
fn turned(rgb: &[u8], (width, height): (usize, usize), orientation: u8) -> Option<Vec<u8>> {
    if orientation == 1 {
        return Some(rgb.to_vec());
    }
    let (last_x, last_y) = (width - 1, height - 1);
    let (shown_width, shown_height) = if swaps_sides(orientation) {
        (height, width)
    } else {
        (width, height)
    };
    let mut shown = Vec::with_capacity(rgb.len());
    for y in 0..shown_height {
        for x in 0..shown_width {
            // Where the pixel that is shown at x and y is stored.
            let (from_x, from_y) = match orientation {
                2 => (last_x - x, y),
                3 => (last_x - x, last_y - y),
                4 => (x, last_y - y),
                5 => (y, x),
                6 => (y, last_y - x),
                7 => (last_x - y, last_y - x),
                _ => (last_x - y, x),
            };
            let at = (from_y * width + from_x) * RGB;
            shown.extend_from_slice(rgb.get(at..at + RGB)?);
        }
    }
    Some(shown)
}

/// Which pixels a new one is mixed from, from `first` on, and how much of each; the shares add up to 1.
struct Taps {
    first: usize,
    shares: Vec<f32>,
}

/// How a row or column of one length becomes one of another: `length` pixels from `start` on become `target`. Each new pixel sees as far as the new pixels are apart (a tent), so
/// that nothing is left out when there are fewer and nothing is jagged when there are more.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positions within a picture of at most 12,000 pixels a side"
)]
fn taps(start: usize, length: usize, target: usize) -> Vec<Taps> {
    let step = length as f32 / target as f32;
    let reach = step.max(1.0);
    let taps = (0..target).map(|index| {
        let centre = (index as f32 + 0.5) * step - 0.5;
        let first = (centre - reach).ceil().max(0.0) as usize;
        let last = ((centre + reach).floor() as usize).min(length.saturating_sub(1));
        let weights: Vec<f32> = (first..=last)
            .map(|at| (1.0 - (at as f32 - centre).abs() / reach).max(0.0))
            .collect();
        let sum: f32 = weights.iter().sum();
        Taps {
            first: start + first,
            shares: weights.iter().map(|weight| weight / sum).collect(),
        }
    });
    taps.collect()
}

impl Taps {
    fn mix<'p>(&self, pixel: impl Fn(usize) -> Option<&'p [u8]>) -> Option<[u8; RGB]> {
        let mut mixed = [0.0_f32; RGB];
        for (offset, share) in self.shares.iter().enumerate() {
            for (sum, value) in mixed.iter_mut().zip(pixel(self.first + offset)?) {
                *sum += f32::from(*value) * share;
            }
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a mean of bytes is one; the cast saturates"
        )]
        Some(mixed.map(|sum| sum.round() as u8))
    }
}
