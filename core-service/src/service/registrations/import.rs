//! Registering the people of a list, for an organizer. Each line is decided on as one added person is, in the order of lines.

mod outcome;

use std::iter;

use bytes::Bytes;
use domain::{
    event::Event,
    ids::EventId,
    registration::Requester,
    violation::{Checked, FieldViolation},
};
use server::traces;

use crate::service::{
    Error, Invocation, NewRegistration, Principal, Registrations, events,
    guest_list::GuestList,
    registrations::{
        batch::{FirstMail, Placed, Request},
        import::outcome::{Decided, outcomes, words},
        register::valid,
    },
    table::{Piece, Separator, safe},
};

pub use self::outcome::{Imported, ImportedLine, Outcome, ReadPerson};

/// The header of the column that says why a line is wrong.
const WHY: &str = "why";

/// Said of someone who does not come.
const CANCELLED: &str = "the list says that this person does not come";

/// A list to bring in.
#[derive(Debug, Clone)]
pub struct NewList {
    /// The file.
    pub bytes: Bytes,
    /// Whether nothing is to be changed.
    pub is_dry_run: bool,
    /// Whether the people get a mail.
    pub is_mailed: bool,
}

/// A list that was read, for an event.
struct ReadList {
    event: Event,
    guests: GuestList,
}

impl Registrations {
    /// Registers the people of a list for one of the caller's events, in one transaction. `check` finds what is wrong with a line by
    /// itself, as with a request to add someone.
    pub async fn import(
        &self,
        by: impl Into<Invocation<'_, Imported>>,
        event: EventId,
        list: NewList,
        check: impl Fn(NewRegistration) -> Checked<NewRegistration> + Sync,
    ) -> Result<Imported, Error> {
        let by = by.into();
        let read = self.read_list(by.caller, event, &list).await?;
        self.decide_list(by, &read, &list, check).await
    }

    /// The lines of a list that are left out, with all their cells, and why: a file for spreadsheets.
    pub async fn rejected_lines(
        &self,
        caller: &Principal,
        event: EventId,
        list: NewList,
        check: impl Fn(NewRegistration) -> Checked<NewRegistration> + Sync,
    ) -> Result<Bytes, Error> {
        let is_dry_run = true;
        let list = NewList { is_dry_run, ..list };
        let read = self.read_list(caller, event, &list).await?;
        let decided = self.decide_list(caller.into(), &read, &list, check).await?;
        let separator = match read.guests.separator {
            ';' => Separator::Semicolon,
            _ => Separator::Comma,
        };
        let width = read.guests.width();
        let headers = read.guests.headers.iter().map(|header| &**header);
        let headers = headers.chain(iter::repeat("")).take(width);
        let mut rejected = Piece::first(separator, headers.chain([WHY]));
        for (line, outcome) in read.guests.lines.iter().zip(decided.lines) {
            if outcome.outcome == Outcome::Wrong {
                let cells = line.cells.iter().map(|cell| safe(cell));
                let cells = cells.chain(iter::repeat(String::new())).take(width);
                rejected.line(cells.chain([safe(&outcome.why.unwrap_or_default())]));
            }
        }
        Ok(rejected.bytes())
    }

    async fn read_list(
        &self,
        caller: &Principal,
        event: EventId,
        list: &NewList,
    ) -> Result<ReadList, Error> {
        let (event, _) = events::find(self.commands.store(), caller, event).await?;
        let requester = Requester::Owner(caller.account);
        event.check_open(requester, self.commands.now())?;
        let guests = GuestList::read(&list.bytes, &event.custom_fields, event.max_party);
        let guests = guests.map_err(|unreadable| {
            Error::Invalid(vec![FieldViolation {
                field: "file".to_owned(),
                message: unreadable.to_string(),
            }])
        })?;
        Ok(ReadList { event, guests })
    }

    async fn decide_list(
        &self,
        by: Invocation<'_, Imported>,
        ReadList { event, guests }: &ReadList,
        list: &NewList,
        check: impl Fn(NewRegistration) -> Checked<NewRegistration> + Sync,
    ) -> Result<Imported, Error> {
        let mut requests = Vec::with_capacity(guests.lines.len());
        let lines: Vec<Decided<'_>> = guests
            .lines
            .iter()
            .map(|line| {
                let guest = guests.guest(line, &event.custom_fields);
                let new = NewRegistration {
                    name: guest.name.clone(),
                    email: guest.email.clone(),
                    party: guest.party.clone(),
                    answers: guest.answers.clone(),
                };
                if guest.is_cancelled {
                    return Decided::Wrong(line, guest, CANCELLED.to_owned());
                }
                match valid(check(new)) {
                    Err(invalid) => Decided::Wrong(line, guest, words(&invalid.mistakes)),
                    Ok((new, email)) => {
                        requests.push(Request {
                            slug: event.slug.clone(),
                            requester: Requester::Owner(by.caller.account),
                            actor: by.caller.into(),
                            name: new.name,
                            email,
                            party: new.party,
                            answers: new.answers,
                            mail: if list.is_mailed {
                                FirstMail::OfList
                            } else {
                                FirstMail::Later
                            },
                            asker: None,
                            link: None,
                            span: traces::current(),
                        });
                        Decided::Requested(line, guest)
                    }
                }
            })
            .collect();
        let columns = guests
            .meanings()
            .map(|(header, meaning)| (header.to_owned(), meaning.name()));
        let columns: Vec<_> = columns.collect();
        let (requests, is_dry_run) = (&requests, list.is_dry_run);
        let answer = |placed: Vec<Result<Placed, Error>>, quota: Result<(), Error>| {
            let refused_because = match quota {
                Err(limited) if is_dry_run => Some(limited.to_string()),
                quota => {
                    quota?;
                    None
                }
            };
            Ok(Imported {
                is_dry_run,
                is_mailed: list.is_mailed,
                refused_because,
                columns,
                lines: outcomes(&lines, requests, placed, is_dry_run)?,
            })
        };
        // What a dry run answers is not kept: it changes with every registration.
        let by = if is_dry_run { by.caller.into() } else { by };
        let batchers = &self.batchers;
        batchers
            .register_list(by, requests, is_dry_run, answer)
            .await
    }
}
