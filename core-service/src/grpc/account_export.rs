//! An account's export: a ZIP archive with a file of JSON and a table for each part.

mod columns;
mod rows;

use std::collections::VecDeque;

use bytes::Bytes;
use futures_util::{Stream, stream};
use serde_json::Value;
use zip::result::{ZipError, ZipResult};

use self::{
    columns::{columns, name},
    rows::{cell, rows},
};
use super::archive::Archive;
use crate::service::{AccountExport, After, Error, Links, Part, Piece, Separator};

/// Bytes in one file of an archive. After them its next part begins: programs that read archives of more than 4 GiB are few.
const MAX_BYTES: u64 = 1 << 30;

/// The form of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// An array of objects, or one object.
    Json,
    /// The same objects as lines of a table.
    Table,
}

/// An archive that is made while it is sent.
pub(super) struct Export {
    source: AccountExport,
    links: Links,
    /// `None` once it is finished.
    archive: Option<Archive>,
    waiting: VecDeque<(Part, Form)>,
    open: Option<File>,
}

/// The file that is being written.
struct File {
    part: Part,
    form: Form,
    /// Counts the parts of a file that is too large.
    number: u32,
    after: Option<After>,
    /// Whether it has a row.
    has_rows: bool,
    /// None before its beginning.
    bytes: u64,
}

impl Export {
    pub(super) fn start(source: AccountExport, links: Links) -> Result<Self, Error> {
        Self::started(source, links).map_err(|error| unwritable(&error))
    }

    fn started(source: AccountExport, links: Links) -> ZipResult<Self> {
        let forms = |part: Part| {
            let forms = match part {
                Part::Account | Part::Person => vec![Form::Json],
                _ => vec![Form::Json, Form::Table],
            };
            forms.into_iter().map(move |form| (part, form))
        };
        let parts = source.parts();
        let mut archive = Archive::new(source.now());
        archive.start("README.txt")?;
        archive.write(readme(&source, &parts).as_bytes())?;
        Ok(Self {
            archive: Some(archive),
            source,
            links,
            waiting: parts.into_iter().flat_map(forms).collect(),
            open: None,
        })
    }

    /// Its pieces, each of which is made when it is asked for.
    pub(super) fn pieces(self) -> impl Stream<Item = Result<Bytes, Error>> + Send {
        stream::try_unfold(self, |mut export| async move {
            let piece = Box::pin(export.next()).await?;
            Ok(piece.map(|piece| (piece, export)))
        })
    }

    /// The next piece, which has bytes; `None` after the last.
    async fn next(&mut self) -> Result<Option<Bytes>, Error> {
        self.source.may_go_on()?;
        while let Some(mut archive) = self.archive.take() {
            let ready = if self.step(&mut archive).await? {
                let ready = archive.take();
                self.archive = Some(archive);
                ready
            } else {
                archive.finish().map_err(|error| unwritable(&error))?
            };
            if !ready.is_empty() {
                self.source.read(ready.len());
                return Ok(Some(ready));
            }
        }
        Ok(None)
    }

    /// Writes a page; false if there is none left.
    async fn step(&mut self, archive: &mut Archive) -> Result<bool, Error> {
        let waiting = &mut self.waiting;
        let next = || waiting.pop_front().map(File::new);
        let Some(file) = self.open.take().or_else(next) else {
            return Ok(false);
        };
        let page = Box::pin(self.source.page(file.part, file.after));
        let (records, after) = page.await?;
        let rows = rows(records, &self.links)
            .map_err(|error| Error::unreadable("export", error.to_string()))?;
        self.open = file
            .write(archive, &rows, after)
            .map_err(|error| unwritable(&error))?;
        Ok(true)
    }
}

impl File {
    const fn new((part, form): (Part, Form)) -> Self {
        Self {
            part,
            form,
            number: 1,
            after: None,
            has_rows: false,
            bytes: 0,
        }
    }

    fn name(&self) -> String {
        let ending = match self.form {
            Form::Json => "json",
            Form::Table => "csv",
        };
        match self.number {
            1 => format!("{}.{ending}", name(self.part)),
            number => format!("{}-{number}.{ending}", name(self.part)),
        }
    }

    /// Adds rows; returns the file that goes on after them.
    fn write(
        mut self,
        archive: &mut Archive,
        rows: &[Value],
        after: Option<After>,
    ) -> ZipResult<Option<Self>> {
        let is_new = self.bytes == 0;
        if is_new {
            archive.start(&self.name())?;
        }
        let is_last = after.is_none();
        let ends = is_last || self.bytes > MAX_BYTES;
        let text = match self.form {
            Form::Json => self.json(rows, is_new, ends),
            Form::Table => self.table(rows, is_new),
        };
        archive.write(&text)?;
        self.after = after;
        self.has_rows |= !rows.is_empty();
        self.bytes += text.len() as u64;
        Ok(match (is_last, ends) {
            (true, _) => None,
            (false, false) => Some(self),
            (false, true) => Some(Self {
                number: self.number + 1,
                has_rows: false,
                bytes: 0,
                ..self
            }),
        })
    }

    fn json(&self, rows: &[Value], is_new: bool, ends: bool) -> Bytes {
        if columns(self.part).is_empty() {
            let object = rows.first().map(Value::to_string);
            return (object.unwrap_or_default() + "\n").into();
        }
        let mut text = String::from(if is_new { "[" } else { "" });
        for (number, row) in rows.iter().enumerate() {
            let is_first = number == 0 && !self.has_rows;
            text.push_str(if is_first { "\n" } else { ",\n" });
            text.push_str(&row.to_string());
        }
        text.push_str(if ends { "\n]\n" } else { "" });
        text.into()
    }

    fn table(&self, rows: &[Value], is_new: bool) -> Bytes {
        let columns = columns(self.part);
        let mut lines = if is_new {
            Piece::first(Separator::Comma, columns.iter().copied())
        } else {
            Piece::next(Separator::Comma)
        };
        for row in rows {
            lines.line(columns.iter().map(|column| cell(&row[*column])));
        }
        lines.bytes()
    }
}

fn readme(source: &AccountExport, parts: &[Part]) -> String {
    let registrations = if source.is_paid() {
        "the credential lacks the scope registrations:read"
    } else {
        "they need a paid plan"
    };
    let left_out = [
        (
            Part::Webhooks,
            "the credential lacks the scope webhooks:read",
        ),
        (Part::Events, "the credential lacks the scope events:read"),
        (Part::Registrations, registrations),
    ];
    let note = |(part, why)| format!("\nNot in it: {}, since {why}.\n", name(part));
    let is_missing = |(part, _): &(Part, &str)| !parts.contains(part);
    let notes: String = left_out.into_iter().filter(is_missing).map(note).collect();
    format!(
        "What this site holds of your account, made at {}.\n\n\
         Each file of JSON has the fields of the API, and each table the same rows for spreadsheets. In tables, an\n\
         apostrophe stands before what a spreadsheet would take for a formula.\n{notes}",
        source.now()
    )
}

fn unwritable(error: &ZipError) -> Error {
    Error::unreadable("archive", error.to_string())
}
