//! Lists of people that organizers bring in: files for spreadsheets, whose columns are guessed.

mod columns;
mod encoding;
mod headers;

use domain::{
    event::CustomField,
    registration::{Answer, Party},
};

use self::columns::Columns;
use super::table::typed;

pub(crate) use self::columns::Meaning;

/// The most lines of a list: what an event can seat. The API describes it.
const MAX_LINES: usize = 10_000;

/// The most cells of a line: more than forms ask. The API describes it.
const MAX_COLUMNS: usize = 200;

/// What can be between two cells; of those that are equally frequent, the first counts.
const SEPARATORS: [char; 3] = [',', ';', '\t'];

/// A list that was read.
#[derive(Debug)]
pub(crate) struct GuestList {
    /// The separator of its cells.
    pub(crate) separator: char,
    /// The headers of its columns.
    pub(crate) headers: Vec<String>,
    columns: Columns,
    /// Its lines after the header, without empty ones. A line may have more or fewer cells than there are headers.
    pub(crate) lines: Vec<Line>,
}

/// A line of a list.
#[derive(Debug)]
pub(crate) struct Line {
    /// Its number in the file, from 1.
    pub(crate) number: i32,
    pub(crate) cells: Vec<String>,
}

/// What a line says of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Guest {
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) answers: Vec<Answer>,
    pub(crate) party: Party,
    /// Whether the list says that the person does not come.
    pub(crate) is_cancelled: bool,
}

/// Why a list cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unreadable {
    /// It is no text, or in another encoding.
    #[error("must be text in UTF-8, UTF-16 or Windows-1252: save a spreadsheet as CSV first")]
    NoText,
    /// There is no header, or nothing below it.
    #[error("must have a line with the names of the columns, and below it a line for each person")]
    Empty,
    /// No column has email addresses.
    #[error("must have a column with email addresses, whose header says so, for example \"Email\"")]
    NoEmail,
    /// No column has names.
    #[error("must have a column with names, whose header says so, for example \"Name\"")]
    NoName,
    /// It has too many lines.
    #[error("must have at most {MAX_LINES} lines below the header: send it in parts")]
    TooLong,
    /// A line has too many cells.
    #[error("must have at most {MAX_COLUMNS} columns: remove those that Muster does not need")]
    TooWide,
}

impl GuestList {
    /// Reads a file for an event with these questions and parties of at most `max_party` people.
    pub(crate) fn read(
        bytes: &[u8],
        questions: &[CustomField],
        max_party: i32,
    ) -> Result<Self, Unreadable> {
        let text = encoding::text(bytes).ok_or(Unreadable::NoText)?;
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let (said, table, first) = said_separator(&text);
        let separator = said.unwrap_or_else(|| guessed_separator(table));
        let mut lines = lines(table, separator, first)?;
        if lines.is_empty() {
            return Err(Unreadable::Empty);
        }
        let headers = lines.remove(0).cells;
        let columns = Columns::guessed(&headers, &lines, questions, max_party)?;
        if lines.is_empty() {
            return Err(Unreadable::Empty);
        }
        Ok(Self {
            separator,
            headers,
            columns,
            lines,
        })
    }

    /// The number of cells of the widest line.
    pub(crate) fn width(&self) -> usize {
        let widths = self.lines.iter().map(|line| line.cells.len());
        widths.fold(self.headers.len(), usize::max)
    }

    /// What a line says.
    pub(crate) fn guest(&self, line: &Line, questions: &[CustomField]) -> Guest {
        self.columns.guest(&line.cells, questions)
    }

    /// Each header with what its column was taken for. Columns without a header are left out.
    pub(crate) fn meanings(&self) -> impl Iterator<Item = (&str, Meaning)> {
        let headers = self.headers.iter().enumerate();
        let named = headers.filter(|(_, header)| !header.is_empty());
        named.map(|(at, header)| (&**header, self.columns.meaning(at)))
    }
}

/// The separator that the first line says (`sep=;`, for spreadsheets), what is below it, and the number of the line that begins there.
fn said_separator(text: &str) -> (Option<char>, &str, i32) {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let said = first.trim().strip_prefix("sep=");
    let said = said.and_then(|said| said.chars().next());
    match said.filter(|said| SEPARATORS.contains(said)) {
        Some(said) => (Some(said), rest, 2),
        None => (None, text, 1),
    }
}

/// The most frequent separator of the first line with text, outside quotes.
fn guessed_separator(table: &str) -> char {
    let mut counts = SEPARATORS.map(|separator| (separator, 0));
    let mut is_quoted = false;
    for character in table.trim_start_matches('\n').chars() {
        match character {
            '"' => is_quoted = !is_quoted,
            '\n' if !is_quoted => break,
            _ if is_quoted => {}
            _ => {
                let count = counts.iter_mut().find(|(one, _)| *one == character);
                if let Some((_, count)) = count {
                    *count += 1;
                }
            }
        }
    }
    let [comma, others @ ..] = counts;
    let most = |most: (char, u32), one: (char, u32)| if one.1 > most.1 { one } else { most };
    others.into_iter().fold(comma, most).0
}

/// All lines that have text. `first` is the number of the first one.
fn lines(table: &str, separator: char, first: i32) -> Result<Vec<Line>, Unreadable> {
    let mut reader = csv::ReaderBuilder::new();
    let separator = u8::try_from(separator).unwrap_or(b',');
    let reader = reader
        .has_headers(false)
        .flexible(true)
        .delimiter(separator);
    let mut reader = reader.from_reader(table.as_bytes());
    let (mut lines, mut number, mut counted) = (Vec::new(), first, 0);
    for record in reader.records() {
        let record = record.map_err(|_| Unreadable::NoText)?;
        if record.len() > MAX_COLUMNS {
            return Err(Unreadable::TooWide);
        }
        let start = record.position().map_or(0, csv::Position::byte);
        let start = usize::try_from(start).unwrap_or(0);
        // Empty lines are skipped, but counted.
        let rest = table.get(start..).unwrap_or_default();
        let start = start + rest.len() - rest.trim_start_matches('\n').len();
        let passed = table.get(counted..start).unwrap_or_default();
        let breaks = passed.bytes().filter(|byte| *byte == b'\n').count();
        number += i32::try_from(breaks).unwrap_or(0);
        counted = start;
        let cells: Vec<String> = record.iter().map(|cell| typed(cell.trim())).collect();
        if cells.iter().any(|cell| !cell.is_empty()) {
            lines.push(Line { number, cells });
        }
        if lines.len() > MAX_LINES + 1 {
            return Err(Unreadable::TooLong);
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests;
