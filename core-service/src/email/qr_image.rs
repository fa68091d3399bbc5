//! The QR code of a ticket as an image in its mail, for doors without a network.

use png::{BitDepth, ColorType, Encoder};
use qrcode::{Color, EcLevel, QrCode};

/// Light modules around a code, by which cameras find it (ISO/IEC 18004).
const QUIET_ZONE: usize = 4;

/// Pixels of a module, so that mail programs need not enlarge the image.
const SCALE: usize = 6;

/// The name by which the HTML of a mail refers to the image (RFC 2392).
pub(super) const CONTENT_ID: &str = "ticket";

/// A QR code as PNG with one bit a pixel; `None` if the text is too long for one.
pub(super) fn png_of(text: &str) -> Option<Vec<u8>> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
    let modules = code.width();
    let size = (modules + 2 * QUIET_ZONE) * SCALE;
    let bytes_of_row = size.div_ceil(8);
    let mut pixels = vec![0xff_u8; bytes_of_row * size];
    let dark = code.to_colors().into_iter().enumerate();
    for (at, _) in dark.filter(|(_, color)| *color == Color::Dark) {
        let left = (at % modules + QUIET_ZONE) * SCALE;
        let top = (at / modules + QUIET_ZONE) * SCALE;
        for y in top..top + SCALE {
            for x in left..left + SCALE {
                pixels[y * bytes_of_row + x / 8] &= !(0x80 >> (x % 8));
            }
        }
    }
    let pixels_wide = u32::try_from(size).ok()?;
    let mut image = Vec::new();
    let mut encoder = Encoder::new(&mut image, pixels_wide, pixels_wide);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::One);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(&pixels).ok()?;
    writer.finish().ok()?;
    Some(image)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_has_a_small_square_image_with_dark_corners() {
        let image = png_of("https://muster.example/check-in/0123456789AB").unwrap();
        assert!(image.len() < 2_000, "{}", image.len());
        let mut reader = png::Decoder::new(std::io::Cursor::new(&image))
            .read_info()
            .unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let shown = reader.next_frame(&mut pixels).unwrap();
        assert_eq!(shown.width, shown.height);
        let is_dark = |module: usize| {
            let at = (module + QUIET_ZONE) * SCALE;
            pixels[at * shown.line_size + at / 8] & (0x80 >> (at % 8)) == 0
        };
        assert!(is_dark(0) && !is_dark(1), "the corner of a finder pattern");
        assert_eq!(png_of(&"x".repeat(5_000)), None);
    }
}
