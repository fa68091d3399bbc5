//! What became of the lines of a list.

use std::collections::HashMap;

use domain::{email, ids::RegistrationId, registration::Status, violation::FieldViolation};

use crate::service::{
    Error,
    guest_list::{Guest, Line},
    registrations::batch::{Placed, Request},
};

/// Said of someone who gets too many mails.
const TOO_MANY_MAILS: &str =
    "this mailbox gets no more emails within the hour: send the list again later";

/// Said of someone who was registered before.
const REGISTERED: &str = "the email address is registered already";

/// What became of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Whether nothing was changed.
    pub is_dry_run: bool,
    /// Whether the people get a mail.
    pub is_mailed: bool,
    /// Of a dry run: why the whole list would be refused.
    pub refused_because: Option<String>,
    /// The headers, and what their columns were taken for.
    pub columns: Vec<(String, &'static str)>,
    /// The lines, in their order.
    pub lines: Vec<ImportedLine>,
}

/// What became of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedLine {
    /// Its number in the file, from 1.
    pub number: i32,
    /// What became of it.
    pub outcome: Outcome,
    /// Why it is wrong, or already there.
    pub why: Option<String>,
    /// The registration that was made.
    pub id: Option<RegistrationId>,
    /// Of a dry run: who it is, as it was read.
    pub read: Option<ReadPerson>,
}

/// Who a line is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadPerson {
    /// The name.
    pub name: String,
    /// The address.
    pub email: String,
    /// For how many people it is.
    pub party_size: i32,
}

/// What becomes of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The person has a seat.
    Added,
    /// The person waits for one.
    Waitlisted,
    /// The person was registered before.
    AlreadyThere,
    /// The line is left out.
    Wrong,
}

impl Outcome {
    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Waitlisted => "waitlisted",
            Self::AlreadyThere => "already_there",
            Self::Wrong => "wrong",
        }
    }
}

impl Imported {
    /// How many lines came to this.
    pub fn count(&self, outcome: Outcome) -> i32 {
        let lines = self.lines.iter().filter(|line| line.outcome == outcome);
        i32::try_from(lines.count()).unwrap_or(i32::MAX)
    }

    /// How many people get a mail.
    pub fn recipients(&self) -> i32 {
        if self.is_mailed {
            self.count(Outcome::Added) + self.count(Outcome::Waitlisted)
        } else {
            0
        }
    }
}

/// A line that is decided on.
pub(super) enum Decided<'a> {
    /// By what it says itself, and why.
    Wrong(&'a Line, Guest, String),
    /// By the next request.
    Requested(&'a Line, Guest),
}

/// What became of each line.
///
/// # Errors
/// What is not about one line.
pub(super) fn outcomes(
    lines: &[Decided<'_>],
    requests: &[Request],
    placed: Vec<Result<Placed, Error>>,
    is_dry_run: bool,
) -> Result<Vec<ImportedLine>, Error> {
    let mut placed = requests.iter().zip(placed);
    let mut first: HashMap<String, i32> = HashMap::new();
    let mut outcomes = Vec::with_capacity(lines.len());
    for line in lines {
        let (line, guest, outcome, why, id) = match line {
            Decided::Wrong(line, guest, why) => {
                (line, guest, Outcome::Wrong, Some(why.clone()), None)
            }
            Decided::Requested(line, guest) => {
                let (request, placed) = placed.next().ok_or(Error::Busy)?;
                let address = email::normalised(request.email.as_str());
                let (outcome, why, id) = match placed {
                    Ok(Placed::Now { id, status, .. }) => {
                        first.insert(address, line.number);
                        let outcome = if status == Status::Waitlisted {
                            Outcome::Waitlisted
                        } else {
                            Outcome::Added
                        };
                        (outcome, None, Some(id).filter(|_| !is_dry_run))
                    }
                    Ok(Placed::Before) => {
                        let why = match first.get(&address) {
                            Some(line) => format!("line {line} has the same email address"),
                            None => REGISTERED.to_owned(),
                        };
                        (Outcome::AlreadyThere, Some(why), None)
                    }
                    Err(Error::Invalid(mistakes)) => (Outcome::Wrong, Some(words(&mistakes)), None),
                    Err(Error::RateLimited { .. }) => {
                        (Outcome::Wrong, Some(TOO_MANY_MAILS.to_owned()), None)
                    }
                    Err(other) => return Err(other),
                };
                (line, guest, outcome, why, id)
            }
        };
        outcomes.push(ImportedLine {
            number: line.number,
            outcome,
            why,
            id,
            read: is_dry_run.then(|| ReadPerson {
                name: guest.name.clone(),
                email: guest.email.clone(),
                party_size: guest.party.size,
            }),
        });
    }
    Ok(outcomes)
}

/// What is wrong with a line, in a sentence.
pub(super) fn words(mistakes: &[FieldViolation]) -> String {
    let word = |mistake: &FieldViolation| {
        let field = match &*mistake.field {
            "name" => "the name",
            "email" => "the address",
            "party_size" => "the number of people",
            name if name.starts_with("companions") => "the names of the others",
            _ => "an answer",
        };
        format!("{field} {}", mistake.message)
    };
    let all: Vec<String> = mistakes.iter().map(word).collect();
    all.join("; ")
}
