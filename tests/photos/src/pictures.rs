//! Picture files, good and bad.

use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

/// Red on the left, blue on the right.
fn pixels(width: u16, height: u16) -> Vec<u8> {
    let row = (0..width).flat_map(|x| {
        let right = x >= width / 2;
        if right { [0, 0, 255] } else { [255, 0, 0] }
    });
    let row: Vec<u8> = row.collect();
    row.repeat(height.into())
}

/// A JPEG file, red on the left, blue on the right.
pub fn jpeg(width: u16, height: u16) -> Vec<u8> {
    let mut file = Vec::new();
    let encoder = Encoder::new(&mut file, 90);
    let pixels = pixels(width, height);
    encoder
        .encode(&pixels, width, height, ColorType::Rgb)
        .unwrap();
    file
}

/// A JPEG file as cameras write it: slow changes of colour, edges, and grain in every pixel, so that it takes as long to decode.
pub fn photograph(width: u16, height: u16) -> Vec<u8> {
    let mut grain = 1_u32;
    let mut pixels = Vec::with_capacity(usize::from(width) * usize::from(height) * 3);
    for y in 0..u32::from(height) {
        for x in 0..u32::from(width) {
            // Marsaglia's xorshift.
            grain ^= grain << 13;
            grain ^= grain >> 17;
            grain ^= grain << 5;
            let edges = ((x / 90) ^ (y / 70)) % 5 * 12;
            let right = x * 160 / u32::from(width);
            let down = y * 160 / u32::from(height);
            for colour in [right, down, 160 - u32::midpoint(right, down)] {
                pixels.push(u8::try_from(colour + edges + grain % 24).unwrap());
            }
        }
    }
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, 90);
    encoder.set_sampling_factor(SamplingFactor::F_2_2);
    encoder
        .encode(&pixels, width, height, ColorType::Rgb)
        .unwrap();
    file
}

/// A PNG file, red on the left, blue on the right.
pub fn png(width: u16, height: u16) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width.into(), height.into());
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&pixels(width, height)).unwrap();
    writer.finish().unwrap();
    file
}

/// A few kilobytes that claim to be a picture of 30,000 by 30,000 pixels.
pub fn png_bomb() -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 30_000, 30_000);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::One);
    let mut writer = encoder.write_header().unwrap();
    writer
        .write_image_data(&vec![0; 30_000 / 8 * 30_000])
        .unwrap();
    writer.finish().unwrap();
    assert!(file.len() < 500_000);
    file
}

/// A small JPEG whose header claims 65,000 by 65,000 pixels.
pub fn jpeg_bomb() -> Vec<u8> {
    let mut file = jpeg(800, 450);
    let frame = file
        .windows(2)
        .position(|bytes| bytes == [0xff, 0xc0])
        .unwrap();
    for at in [frame + 5, frame + 7] {
        file[at..at + 2].copy_from_slice(&65_000_u16.to_be_bytes());
    }
    file
}

/// Asserts that a file is a JPEG of a cover's size, made from one of the pictures here by turning it to the right.
#[track_caller]
pub fn assert_is_turned_cover(jpeg: &[u8]) {
    let (width, height, pixels) = decoded(jpeg);
    assert_eq!((width, height), (1200, 630));
    let at = |y: usize| &pixels[(y * width + width / 2) * 3..][..3];
    let (top, bottom) = (at(50), at(height - 50));
    assert!(top[0] > 240 && top[2] < 15, "red above: {top:?}");
    assert!(bottom[2] > 240 && bottom[0] < 15, "blue below: {bottom:?}");
}

/// What a cover's file says of its size, and the colours near its left and right edges.
fn look_at(jpeg: &[u8]) -> (usize, usize, [u8; 3], [u8; 3]) {
    let (width, height, pixels) = decoded(jpeg);
    let row = height / 2 * width * 3;
    let at = |x: usize| pixels[row + x * 3..row + x * 3 + 3].try_into().unwrap();
    (width, height, at(100), at(width - 100))
}

/// Width, height and pixels.
fn decoded(jpeg: &[u8]) -> (usize, usize, Vec<u8>) {
    use zune_jpeg::{JpegDecoder, zune_core::bytestream::ZCursor};
    let mut decoder = JpegDecoder::new(ZCursor::new(jpeg));
    let pixels = decoder.decode().unwrap();
    let (width, height) = decoder.dimensions().unwrap();
    (width, height, pixels)
}

/// Asserts that a file is a JPEG of a cover's size, made from one of the pictures here.
#[track_caller]
pub fn assert_is_cover(jpeg: &[u8]) {
    let (width, height, left, right) = look_at(jpeg);
    assert_eq!((width, height), (1200, 630));
    assert!(left[0] > 240 && left[2] < 15, "red on the left: {left:?}");
    assert!(
        right[2] > 240 && right[0] < 15,
        "blue on the right: {right:?}"
    );
}
