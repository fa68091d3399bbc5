//! All registrations of an event as CSV for spreadsheets, in pieces.

use bytes::Bytes;

use crate::{
    domain::{
        event::Event,
        ids::EventId,
        registration::{Answer, Awaits, Registration},
    },
    service::{Error, Principal, Registrations},
    storage::Store,
};

/// Registrations per piece: about 100 kB.
const PAGE: i64 = 500;

/// The columns before those of the event's custom fields.
const COLUMNS: [&str; 8] = [
    "id",
    "name",
    "email",
    "status",
    "registered_at",
    "checked_in",
    "awaits",
    "check_in_code",
];

/// The last column: answers to questions that the event no longer has. Their labels are known only after the last row, so they
/// have no columns of their own.
const OTHER_ANSWERS: &str = "other_answers";

/// What a cell may end with, for a spreadsheet whose list separator is not the comma.
const SEPARATORS: [char; 5] = [';', ',', '\t', '\r', '\n'];

/// Characters that begin formulas and commands in spreadsheets, including their full-width forms.
const FORMULA_STARTS: [char; 12] = [
    '=', '+', '-', '@', '\t', '\r', '\n', '|', '＝', '＋', '－', '＠',
];

/// Spreadsheets recognize UTF-8 by it.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A running export.
#[derive(Debug)]
pub struct Export {
    store: Store,
    event: Event,
    /// The last number in the order of registering of the piece before; `None` before the first piece.
    after_seq: Option<i64>,
    is_over: bool,
}

impl Registrations {
    /// Begins an export of the registrations of one of the caller's events.
    pub async fn export(&self, caller: &Principal, id: EventId) -> Result<Export, Error> {
        let (event, _) = self.require_paid(caller, id).await?;
        Ok(Export {
            store: self.commands.store().clone(),
            event,
            after_seq: None,
            is_over: false,
        })
    }
}

impl Export {
    /// A name for the file.
    pub fn file_name(&self) -> String {
        format!("{}-registrations.csv", self.event.slug)
    }

    /// The next piece, of whole lines; `None` after the last one. Registrations that are made meanwhile may be missing.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Error> {
        if self.is_over {
            return Ok(None);
        }
        let after = self.after_seq.unwrap_or(0);
        let page = self
            .store
            .list_registrations(self.event.id, after, PAGE)
            .await?;
        let is_first = self.after_seq.is_none();
        let before = if is_first { BYTE_ORDER_MARK } else { &[] };
        let mut lines = csv::WriterBuilder::new()
            .quote_style(csv::QuoteStyle::NonNumeric)
            .from_writer(before.to_vec());
        if is_first {
            let labels = self.event.custom_fields.iter().map(|field| &*field.label);
            let columns = COLUMNS.into_iter().chain(labels).chain([OTHER_ANSWERS]);
            write(&mut lines, columns.map(safe));
        }
        for registration in &page {
            write(&mut lines, self.cells(registration));
        }
        self.is_over = i64::try_from(page.len()).unwrap_or(PAGE) < PAGE;
        self.after_seq = page.last().map(|last| last.seq).or(Some(after));
        let lines = lines.into_inner().unwrap_or_default();
        Ok(Some(lines.into()))
    }

    fn cells(&self, registration: &Registration) -> impl Iterator<Item = String> {
        let fixed = [
            registration.id.to_string(),
            safe(&registration.name),
            safe(&registration.email),
            registration.status.to_string(),
            registration.registered_at.to_string(),
            registration.checked_in_at.is_some().to_string(),
            registration.awaits().map_or("", Awaits::name).to_owned(),
            registration.check_in_code.as_str().to_owned(),
        ];
        let fields = &self.event.custom_fields;
        let answers = fields.iter().map(|field| {
            let mut answers = registration.answers.iter();
            let answer = answers.find(|answer| answer.label == field.label);
            answer.map(shown).unwrap_or_default()
        });
        let is_asked = |answer: &&Answer| fields.iter().any(|field| field.label == answer.label);
        let others = registration.answers.iter().filter(|one| !is_asked(one));
        let others: Vec<String> = others.map(labelled).collect();
        fixed
            .into_iter()
            .chain(answers)
            .chain([safe(&others.join("\n"))])
    }
}

fn labelled(answer: &Answer) -> String {
    format!("{}: {}", answer.label, answer.values.join("; "))
}

fn shown(answer: &Answer) -> String {
    let text = answer.values.join("; ");
    // A number is no formula and stays a number. A text that starts with a plus may be a telephone number.
    if !text.starts_with('+') && text.parse::<i64>().is_ok() {
        return text;
    }
    safe(&text)
}

/// The text, with an apostrophe before anything that a spreadsheet would execute, wherever it may see a cell begin. A reader with
/// another separator takes quotes that are escaped in our cell for the quotes of a cell of its own.
fn safe(text: &str) -> String {
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

fn write(lines: &mut csv::Writer<Vec<u8>>, cells: impl IntoIterator<Item = String>) {
    lines
        .write_record(cells)
        .expect("every line has as many cells as the header, and writing to memory cannot fail");
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
        let answer = |value: &str| Answer {
            label: String::new(),
            values: vec![value.to_owned()],
        };
        assert_eq!(shown(&answer("-5")), "-5");
        assert_eq!(shown(&answer("+493012345")), "'+493012345");
    }
}
