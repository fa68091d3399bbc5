//! Makes a cover of a photograph: decodes, crops, scales and encodes it as JPEG.

use std::io::Cursor;

use jpeg_encoder::{ColorType, Encoder};
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
const SMALLEST: (u32, u32) = (WIDTH / 2, HEIGHT / 2);

/// What the PNG reader may take beside the picture itself.
const PNG_OVERHEAD_BYTES: usize = 16 * 1024 * 1024;

/// Of 100: no artefacts to be seen, and 100 to 250 kB.
const QUALITY: u8 = 82;

/// Bytes of a pixel.
const RGB: usize = 3;

/// Why a file is not usable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unusable {
    /// Not a supported format.
    #[error("the file is neither JPEG nor PNG")]
    OtherFormat,
    /// Too small to be shown or too large to be decoded.
    #[error("the picture has {width} by {height} pixels")]
    Size {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
    /// It begins like a picture, but is damaged.
    #[error("the picture is damaged")]
    Broken,
}

/// Whether a picture of that size makes a cover.
pub(super) fn is_fit(width: u32, height: u32) -> bool {
    let pixels = u64::from(width) * u64::from(height);
    width >= SMALLEST.0
        && height >= SMALLEST.1
        && width.max(height) <= MAX_SIDE
        && pixels <= MAX_PIXELS
}

/// The file as a JPEG of a cover's size. It needs one processor for about 100 ms.
pub(super) fn cover(file: &[u8]) -> Result<Vec<u8>, Unusable> {
    let picture = match file {
        [0xff, 0xd8, 0xff, ..] => decode_jpeg(file),
        [0x89, b'P', b'N', b'G', ..] => decode_png(file),
        _ => Err(Unusable::OtherFormat),
    }?;
    let cover = picture.fitted().ok_or(Unusable::Broken)?;
    let mut jpeg = Vec::new();
    let encoder = Encoder::new(&mut jpeg, QUALITY);
    let (width, height) = (side(WIDTH)?, side(HEIGHT)?);
    encoder
        .encode(&cover, width, height, ColorType::Rgb)
        .map_err(|_| Unusable::Broken)?;
    Ok(jpeg)
}

fn side(pixels: u32) -> Result<u16, Unusable> {
    u16::try_from(pixels).map_err(|_| Unusable::Broken)
}

fn check_size(width: usize, height: usize) -> Result<(), Unusable> {
    let pixels = |side| u32::try_from(side).unwrap_or(u32::MAX);
    let (width, height) = (pixels(width), pixels(height));
    if is_fit(width, height) {
        return Ok(());
    }
    Err(Unusable::Size { width, height })
}

fn decode_jpeg(file: &[u8]) -> Result<Picture, Unusable> {
    // Strict: a file that ends early would be grey from there on.
    let options = DecoderOptions::default()
        .set_strict_mode(true)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(file), options);
    decoder.decode_headers().map_err(|_| Unusable::Broken)?;
    let (width, height) = decoder.dimensions().ok_or(Unusable::Broken)?;
    check_size(width, height)?;
    let rgb = decoder.decode().map_err(|_| Unusable::Broken)?;
    Picture::new(width, height, rgb)
}

fn decode_png(file: &[u8]) -> Result<Picture, Unusable> {
    let limits = png::Limits {
        bytes: PNG_OVERHEAD_BYTES,
    };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(file), limits);
    decoder.set_ignore_text_chunk(true);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|_| Unusable::Broken)?;
    let (width, height) = reader.info().size();
    let (width, height) = (width as usize, height as usize);
    check_size(width, height)?;
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

/// Pixels of `channels` bytes and an alpha, laid upon white.
fn flattened(pixels: &[u8], channels: usize) -> Vec<u8> {
    let on_white = |value: u8, alpha: u8| {
        let (value, alpha) = (u16::from(value), u16::from(alpha));
        u8::try_from((value * alpha + 255 * (255 - alpha)) / 255).unwrap_or(u8::MAX)
    };
    pixels
        .chunks_exact(channels + 1)
        .flat_map(|pixel| {
            let alpha = pixel.last().copied().unwrap_or(u8::MAX);
            pixel
                .iter()
                .take(channels)
                .map(move |value| on_white(*value, alpha))
        })
        .collect()
}

fn tripled(grey: &[u8]) -> Vec<u8> {
    grey.iter().flat_map(|value| [*value; RGB]).collect()
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

    /// The largest part in the middle that has a cover's proportions, in a cover's size.
    fn fitted(self) -> Option<Vec<u8>> {
        let (target_width, target_height) = (WIDTH as usize, HEIGHT as usize);
        if (self.width, self.height) == (target_width, target_height) {
            return Some(self.rgb);
        }
        let width = self.width.min(self.height * target_width / target_height);
        let height = self.height.min(self.width * target_height / target_width);
        let columns = Scale::new((self.width - width) / 2, width, target_width);
        let rows = Scale::new((self.height - height) / 2, height, target_height);

        // Rows first become narrow, then few.
        let mut narrow = Vec::with_capacity(self.height * target_width * RGB);
        for row in self.rgb.chunks_exact(self.width * RGB) {
            for taps in &columns.taps {
                narrow.extend(taps.mix(|x| row.get(x * RGB..(x + 1) * RGB))?);
            }
        }
        let line = target_width * RGB;
        let mut cover = Vec::with_capacity(target_height * line);
        for taps in &rows.taps {
            for x in 0..target_width {
                let pixel = |y: usize| narrow.get(y * line + x * RGB..y * line + (x + 1) * RGB);
                cover.extend(taps.mix(pixel)?);
            }
        }
        Some(cover)
    }
}

/// How a row or column of one length becomes one of another.
struct Scale {
    taps: Vec<Taps>,
}

/// Which pixels a new one is mixed from, from `first` on, and how much of each; the shares add up to 1.
struct Taps {
    first: usize,
    shares: Vec<f32>,
}

impl Scale {
    /// `length` pixels from `start` on become `target`. Each new pixel sees as far as the new pixels are apart (a tent), so
    /// that nothing is left out when there are fewer and nothing is jagged when there are more.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positions within a picture of at most 12,000 pixels a side"
    )]
    fn new(start: usize, length: usize, target: usize) -> Self {
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
        Self {
            taps: taps.collect(),
        }
    }
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
