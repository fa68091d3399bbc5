//! The encoding of a list: spreadsheets write three, and do not say which.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How many bytes are looked at for a guess.
const SAMPLE: usize = 1_000;

/// The text of a file; `None` if it is no text.
pub(super) fn text(bytes: &[u8]) -> Option<String> {
    let (encoding, mark) = Encoding::for_bom(bytes).unwrap_or_else(|| (guessed(bytes), 0));
    let bytes = bytes.get(mark..)?;
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    let is_binary = |character: char| {
        // Every byte is a character of Windows-1252, also those of pictures.
        character == '\0' || encoding == WINDOWS_1252 && is_unwritten(character)
    };
    (!text.chars().any(is_binary)).then(|| text.into_owned())
}

/// The encoding of a text without a mark.
fn guessed(bytes: &[u8]) -> &'static Encoding {
    let sample = bytes.get(..SAMPLE).unwrap_or(bytes);
    let has_zeros_at = |parity: usize| {
        let places = sample.iter().enumerate();
        places
            .filter(|(_, byte)| **byte == 0)
            .any(|(at, _)| at % 2 == parity)
    };
    match (has_zeros_at(0), has_zeros_at(1)) {
        // Separators and line breaks have a zero in UTF-16.
        (true, false) => UTF_16BE,
        (false, true) => UTF_16LE,
        _ if std::str::from_utf8(bytes).is_ok() => UTF_8,
        _ => WINDOWS_1252,
    }
}

/// Whether nobody writes such a character.
fn is_unwritten(character: char) -> bool {
    character.is_control() && !matches!(character, '\t' | '\n' | '\r' | '\u{b}' | '\u{c}')
}
