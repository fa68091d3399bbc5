//! All registrations of an event as CSV for spreadsheets, in pieces.

use bytes::Bytes;
use domain::{
    event::Event,
    fact,
    ids::EventId,
    registration::{Answer, Awaits, Registration},
    scope::Scope,
};
use futures_util::{Stream, stream};
use storage::Store;

use crate::service::{
    Error, Lacking, Principal, Registrations, exports,
    table::{Piece, Separator, safe},
};

/// Registrations per piece: about 100 kB.
const PAGE: i64 = 500;

/// The columns before those of the event's custom fields.
const COLUMNS: [&str; 13] = [
    "id",
    "name",
    "email",
    "status",
    "registered_at",
    "checked_in",
    "awaits",
    "check_in_code",
    "checked_in_at",
    "checked_in_by",
    "party_size",
    "companions",
    "people_checked_in",
];

/// The last column: answers to questions that the event no longer has. Their labels are known only after the last row, so they
/// have no columns of their own.
const OTHER_ANSWERS: &str = "other_answers";

/// A running export.
#[derive(Debug)]
pub struct Export {
    store: Store,
    event: Event,
    separator: Separator,
    /// The last number in the order of registering of the piece before; `None` before the first piece.
    after_seq: Option<i64>,
    is_over: bool,
}

impl Registrations {
    /// Begins an export of the registrations of one of the caller's events.
    pub async fn export(
        &self,
        caller: &Principal,
        id: EventId,
        separator: Separator,
    ) -> Result<Export, Error> {
        let (event, _) = self.require_paid(caller, id).await?;
        if !caller.sees_addresses {
            return Err(Error::InsufficientScope {
                needed: Scope::RegistrationsWrite,
                lacking: Lacking::Role,
            });
        }
        exports::record(&self.commands, caller, fact::Export::Registrations(id)).await?;
        Ok(Export {
            store: self.commands.store().clone(),
            event,
            separator,
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

    /// Its pieces, each of which is read when it is asked for.
    pub fn pieces(self) -> impl Stream<Item = Result<Bytes, Error>> + Send {
        stream::try_unfold(self, |mut export| async move {
            let piece = export.next().await?;
            Ok(piece.map(|piece| (piece, export)))
        })
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
        let mut lines = if self.after_seq.is_none() {
            let labels = self.event.custom_fields.iter().map(|field| &*field.label);
            let columns = COLUMNS.into_iter().chain(labels).chain([OTHER_ANSWERS]);
            Piece::first(self.separator, columns)
        } else {
            Piece::next(self.separator)
        };
        for registration in &page {
            lines.line(self.cells(registration));
        }
        self.is_over = i64::try_from(page.len()).unwrap_or(PAGE) < PAGE;
        self.after_seq = page.last().map(|last| last.seq).or(Some(after));
        Ok(Some(lines.bytes()))
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
            registration
                .checked_in_at
                .map(|at| at.to_string())
                .unwrap_or_default(),
            safe(
                registration
                    .checked_in_by_name
                    .as_deref()
                    .unwrap_or_default(),
            ),
            registration.party.size.to_string(),
            safe(&registration.party.companions.join("; ")),
            registration.arrived.to_string(),
        ];
        let fields = &self.event.custom_fields;
        let answers = fields.iter().map(|field| {
            let mut answers = registration.answers.iter();
            let answer = answers.find(|answer| answer.is_to(field));
            answer.map(shown).unwrap_or_default()
        });
        let is_asked = |answer: &&Answer| fields.iter().any(|field| answer.is_to(field));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stays_a_number_and_a_telephone_number_a_text() {
        let answer = |value: &str| Answer {
            field_id: None,
            label: String::new(),
            values: vec![value.to_owned()],
        };
        assert_eq!(shown(&answer("-5")), "-5");
        assert_eq!(shown(&answer("+493012345")), "'+493012345");
    }
}
