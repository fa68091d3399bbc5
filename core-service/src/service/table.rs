//! Tables for spreadsheets: CSV, in pieces of whole lines.

use bytes::Bytes;

/// What a cell may end with, for a spreadsheet whose list separator is not the comma.
const SEPARATORS: [char; 5] = [';', ',', '\t', '\r', '\n'];

/// Characters that begin formulas and commands in spreadsheets, including their full-width forms.
const FORMULA_STARTS: [char; 12] = [
    '=', '+', '-', '@', '\t', '\r', '\n', '|', '＝', '＋', '－', '＠',
];

/// What keeps a spreadsheet from executing what follows.
const GUARD: char = '\'';

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
    for (at, character) in text.char_indices() {
        if begins_a_cell && is_guarded(text.get(at..)) {
            out.push(GUARD);
        }
        out.push(character);
        begins_a_cell = may_begin_a_cell(begins_a_cell, character);
    }
    out
}

/// The text of a cell that was made [`safe`], as it was typed.
pub(crate) fn typed(cell: &str) -> String {
    let mut out = String::with_capacity(cell.len());
    let mut begins_a_cell = true;
    let mut characters = cell.char_indices();
    while let Some((at, mut character)) = characters.next() {
        if begins_a_cell && character == GUARD && is_guarded(cell.get(at..)) {
            character = characters.next().map_or(character, |(_, next)| next);
        }
        out.push(character);
        begins_a_cell = may_begin_a_cell(begins_a_cell, character);
    }
    out
}

/// Whether a cell that begins like this has a guard before it. Apostrophes that were typed before a formula count, so that they
/// are not taken for guards.
fn is_guarded(rest: Option<&str>) -> bool {
    let rest = rest.unwrap_or_default().trim_start_matches(GUARD);
    rest.starts_with(FORMULA_STARTS)
}

/// Whether a cell may begin after this character, for some reader.
fn may_begin_a_cell(before: bool, character: char) -> bool {
    SEPARATORS.contains(&character) || (before && matches!(character, ' ' | '"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_that_was_guarded_is_read_as_it_was_typed() {
        let alphabet = ['\'', '=', ';', ' ', '"', 'a', '\n'];
        let mut texts = vec![String::new()];
        for _ in 0..5 {
            let longer = |text: &String| alphabet.map(|one| format!("{text}{one}"));
            texts = texts.iter().flat_map(longer).collect();
            for text in &texts {
                assert_eq!(typed(&safe(text)), *text);
            }
        }
        for text in ["+49 30", "O'Neil", "'quoted'", "vegan; -nuts", "'=1"] {
            assert_eq!(typed(&safe(text)), text);
        }
    }

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
