//! Quoted-printable (RFC 2045, section 6.7): text as ASCII in short lines, of which most can be read as they are.

/// The longest line, without its break. One that goes on in the next line ends with `=`.
const LONGEST: usize = 76;

/// A text with line breaks of either kind. What is no end of a line in it is none in the mail.
pub(super) fn encoded(text: &str) -> Vec<u8> {
    // Room for some characters that need three.
    let mut out = Vec::with_capacity(text.len() + text.len() / 4);
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        let is_last = lines.peek().is_none();
        let ended = line.strip_suffix('\r').filter(|_| !is_last);
        write_line(&mut out, ended.unwrap_or(line).as_bytes());
        if !is_last {
            out.extend_from_slice(b"\r\n");
        }
    }
    out
}

fn write_line(out: &mut Vec<u8>, line: &[u8]) {
    // Programs on the way may take away a space at the end of a line.
    let (mut rest, space) = match line.split_last() {
        Some((last, before)) if matches!(last, b' ' | b'\t') => (before, Some(*last)),
        _ => (line, None),
    };
    let mut line = Line { out, column: 0 };
    while let Some((first, after)) = rest.split_first() {
        let plain = rest.iter().position(|byte| !is_plain(*byte));
        let (run, others) = rest.split_at(plain.unwrap_or(rest.len()));
        if run.is_empty() {
            line.code(*first, after.is_empty() && space.is_none());
            rest = after;
        } else {
            line.copy(run, others.is_empty() && space.is_none());
            rest = others;
        }
    }
    if let Some(space) = space {
        line.code(space, true);
    }
}

/// Whether a byte stands for itself.
const fn is_plain(byte: u8) -> bool {
    matches!(byte, b'\t' | b' '..=b'~') && byte != b'='
}

/// A line while it is written.
struct Line<'o> {
    out: &'o mut Vec<u8>,
    column: usize,
}

impl Line<'_> {
    /// Adds bytes that stand for themselves. Unless they end the line, there is room for its `=` behind them.
    fn copy(&mut self, mut run: &[u8], ends: bool) {
        while !self.has_room(run.len(), ends) {
            let (now, later) = run.split_at(LONGEST - 1 - self.column);
            self.out.extend_from_slice(now);
            self.go_on();
            run = later;
        }
        self.out.extend_from_slice(run);
        self.column += run.len();
    }

    /// Adds a byte by its number.
    fn code(&mut self, byte: u8, ends: bool) {
        if !self.has_room(3, ends) {
            self.go_on();
        }
        self.out
            .extend_from_slice(&[b'=', digit(byte >> 4), digit(byte & 0xf)]);
        self.column += 3;
    }

    const fn has_room(&self, bytes: usize, ends: bool) -> bool {
        let room = if ends { LONGEST } else { LONGEST - 1 };
        self.column + bytes <= room
    }

    fn go_on(&mut self) {
        self.out.extend_from_slice(b"=\r\n");
        self.column = 0;
    }
}

const fn digit(number: u8) -> u8 {
    match number {
        0..=9 => b'0' + number,
        _ => b'A' + number - 10,
    }
}

#[cfg(test)]
mod tests {
    use lettre::message::{Body, header::ContentTransferEncoding};
    use proptest::prelude::*;

    use super::*;

    /// As lettre encodes it.
    fn by_lettre(text: &str) -> String {
        let body =
            Body::new_with_encoding(text.to_owned(), ContentTransferEncoding::QuotedPrintable);
        String::from_utf8(body.unwrap().into_vec()).unwrap()
    }

    fn ours(text: &str) -> String {
        String::from_utf8(encoded(text)).unwrap()
    }

    #[test]
    fn lines_of_every_length_and_end_are_as_lettre_writes_them() {
        for length in 0..=160 {
            for end in ["", " ", "\t", "=", "ü", "\r", "\r\r", " ü", "= "] {
                for after in ["", "\n", "\r\n", "\nx", "\r\n\r\n"] {
                    let text = "x".repeat(length) + end + after;
                    assert_eq!(ours(&text), by_lettre(&text), "{text:?}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn every_text_is_as_lettre_writes_it(text in "([ =a-zü\t\r\n]|.){0,400}") {
            prop_assert_eq!(ours(&text), by_lettre(&text));
        }
    }
}
