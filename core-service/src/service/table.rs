//! Tables for spreadsheets: CSV, in pieces of whole lines.

use bytes::Bytes;

/// What a cell may end with, for a spreadsheet whose list separator is not the comma.
const SEPARATORS: [char; 5] = [';', ',', '\t', '\r', '\n'];

/// Characters that begin formulas and commands in spreadsheets, including their full-width forms.
const FORMULA_STARTS: [char; 12] = [
    '=', '+', '-', '@', '\t', '\r', '\n', '|', '＝', '＋', '－', '＠',
];

/// Spreadsheets recognize UTF-8 by it.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// What is between two cells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Separator {
    /// Read everywhere but by spreadsheets of countries with a decimal comma.
    #[default]
    Comma,
    /// Read by those spreadsheets.
    Semicolon,
}

impl Separator {
    /// The separator of this name in the API.
    pub fn named(name: &str) -> Self {
        match name {
            "semicolon" => Self::Semicolon,
            _ => Self::Comma,
        }
    }

    const fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
        }
    }
}

/// A piece of a table. Texts are quoted, numbers are not.
pub(crate) struct Piece(csv::Writer<Vec<u8>>);

impl Piece {
    /// The first piece, with the names of the columns.
    pub(crate) fn first<'a>(
        separator: Separator,
        columns: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut piece = Self::begun_with(separator, BYTE_ORDER_MARK);
        piece.line(columns.into_iter().map(safe));
        piece
    }

    /// A piece after the first.
    pub(crate) fn next(separator: Separator) -> Self {
        Self::begun_with(separator, &[])
    }

    fn begun_with(separator: Separator, bytes: &[u8]) -> Self {
        let mut writer = csv::WriterBuilder::new();
        let writer = writer
            .quote_style(csv::QuoteStyle::NonNumeric)
            .delimiter(separator.byte());
        Self(writer.from_writer(bytes.to_vec()))
    }

    /// Adds a line. Cells with text that others have written must be [`safe`].
    pub(crate) fn line(&mut self, cells: impl IntoIterator<Item = String>) {
        self.0.write_record(cells).expect(
            "every line has as many cells as the header, and writing to memory cannot fail",
        );
    }

    /// The lines.
    pub(crate) fn bytes(self) -> Bytes {
        self.0.into_inner().unwrap_or_default().into()
    }
}

/// The text, with an apostrophe before anything that a spreadsheet would execute, wherever it may see a cell begin. A reader with
/// another separator takes quotes that are escaped in our cell for the quotes of a cell of its own.
pub(crate) fn safe(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut begins_a_cell = true;
    for character in text.chars() {
        if begins_a_cell && FORMULA_STARTS.contains(&character) {
            out.push('\'');
        }
        out.push(character);
        let is_before_a_cell = matches!(character, ' ' | '"');
        begins_a_cell = SEPARATORS.contains(&character) || (begins_a_cell && is_before_a_cell);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_spreadsheet_would_execute_begins_with_an_apostrophe() {
        for text in [
            "=1+1", "+49 30", "-1+2", "@sum(a1)", "\tx", "|calc", "＝1＋1",
        ] {
            assert_eq!(safe(text), format!("'{text}"));
        }
        for (text, harmless) in [
            ("  =1", "  '=1"),
            ("A;=cmd|' /C calc'!A0", "A;'=cmd|' /C calc'!A0"),
            ("a,b, +1", "a,b, '+1"),
            ("a\n=1\t@x", "a\n'=1\t'@x"),
            ("a;\"=1\"", "a;\"'=1\""),
        ] {
            assert_eq!(safe(text), harmless);
        }
        for text in ["Grace", "a=b", "1-2", "", "O'Neil"] {
            assert_eq!(safe(text), text);
        }
    }
}
