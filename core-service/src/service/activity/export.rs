//! The activity as CSV for spreadsheets, in pieces.

use bytes::Bytes;
use domain::{
    activity::{Activity, FieldChange},
    cursor::Place,
    fact::Export,
};
use futures_util::{Stream, stream};
use uuid::Uuid;

use super::{ActivityFilter, ActivityLog, ActivityPage, Readable, WINDOW};
use crate::service::{
    Error, Principal, exports,
    table::{Piece, Separator, safe},
};

/// Entries per piece: about 150 kB.
const PAGE: i32 = 500;

const COLUMNS: [&str; 9] = [
    "at",
    "actor",
    "actor_name",
    "action",
    "text",
    "event_id",
    "registration_id",
    "changes",
    "reason",
];

/// A running export.
#[derive(Debug)]
pub struct ActivityExport {
    log: ActivityLog,
    readable: Readable,
    after: Option<Place>,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Begun,
    Over,
}

impl ActivityLog {
    /// Begins an export of the activity. Registrants are named only to those who may list them.
    pub async fn export(
        &self,
        caller: &Principal,
        filter: ActivityFilter,
    ) -> Result<ActivityExport, Error> {
        let readable = self.readable(caller, filter).await?;
        exports::record(&self.commands, caller, Export::Activity).await?;
        Ok(ActivityExport {
            readable,
            log: self.clone(),
            after: None,
            state: State::New,
        })
    }
}

impl ActivityExport {
    /// Its pieces, each of which is read when it is asked for.
    pub fn pieces(self) -> impl Stream<Item = Result<Bytes, Error>> + Send {
        stream::try_unfold(self, |mut export| async move {
            let piece = export.next().await?;
            Ok(piece.map(|piece| (piece, export)))
        })
    }

    /// The next piece, of whole lines; `None` after the last one.
    async fn next(&mut self) -> Result<Option<Bytes>, Error> {
        let mut lines = match self.state {
            State::New => Piece::first(Separator::Comma, COLUMNS),
            State::Begun => Piece::next(Separator::Comma),
            State::Over => return Ok(None),
        };
        self.state = State::Begun;
        let entries = self.entries().await?;
        for entry in &entries {
            lines.line(cells(entry));
        }
        Ok(Some(lines.bytes()))
    }

    /// The next entries: some, unless these are the last.
    async fn entries(&mut self) -> Result<Vec<Activity>, Error> {
        let is_searched = self.readable.filter.text.is_some();
        let max = if is_searched { WINDOW } else { PAGE };
        loop {
            let page = self.log.read(&self.readable, self.after, max);
            let ActivityPage { entries, next } = page.await?;
            self.after = next;
            if next.is_none() {
                self.state = State::Over;
            }
            if next.is_none() || !entries.is_empty() {
                return Ok(entries);
            }
        }
    }
}

fn cells(entry: &Activity) -> [String; COLUMNS.len()] {
    let changes: Vec<String> = entry.changes().into_iter().map(change).collect();
    let registration = entry.registration_id().map(Uuid::hyphenated);
    [
        entry.at.to_string(),
        entry.actor_kind().to_owned(),
        safe(entry.actor_name.as_deref().unwrap_or_default()),
        entry.action.clone(),
        safe(&entry.sentence()),
        entry.event_id.map(|id| id.to_string()).unwrap_or_default(),
        registration.map(|id| id.to_string()).unwrap_or_default(),
        safe(&changes.join("\n")),
        safe(entry.reason.as_deref().unwrap_or_default()),
    ]
}

fn change(change: FieldChange) -> String {
    let value = |value: Option<String>| value.unwrap_or_else(|| "nothing".to_owned());
    let FieldChange {
        field,
        before,
        after,
    } = change;
    format!("{field}: {} -> {}", value(before), value(after))
}
