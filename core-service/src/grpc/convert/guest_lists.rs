//! Lists of people to register: messages and domain values.

use domain::{
    registration::Answer,
    violation::{Checked, FieldViolation},
};
use muster_api::{
    v1,
    validation::{Validate as _, check},
};

use super::new_registration;
use crate::service::{Imported, ImportedLine, NewList, NewRegistration, Outcome};

/// A list to bring in.
pub(in crate::grpc) fn new_list(request: v1::ImportRegistrationsRequest) -> NewList {
    NewList {
        is_dry_run: request.dry_run(),
        is_mailed: request.notify(),
        // The validation requires it.
        bytes: request.file.unwrap_or_default().data,
    }
}

/// A line as a request to register a person, with what the proto finds wrong with it.
pub(in crate::grpc) fn added_by_list(line: NewRegistration) -> Checked<NewRegistration> {
    let answer = |answer: Answer| v1::Answer {
        label: Some(answer.label),
        values: answer.values,
        field_id: answer.field_id.map(|id| id.to_string()),
    };
    let filled = |text: String| (!text.is_empty()).then_some(text);
    let mut request = v1::AddRegistrationRequest {
        id: String::new(),
        name: filled(line.name),
        email: filled(line.email),
        answers: line.answers.into_iter().map(answer).collect(),
        party_size: Some(line.party.size),
        companions: line.party.companions,
    };
    request.fill_defaults();
    let mistakes: Vec<FieldViolation> = check(&request).err().unwrap_or_default();
    Checked {
        message: new_registration(request),
        mistakes,
    }
}

/// What became of a list.
pub(in crate::grpc) fn imported(imported: Imported) -> v1::ImportedRegistrations {
    let column = |(header, meaning): (String, &'static str)| v1::ImportedColumn {
        header,
        meaning: meaning.to_owned(),
    };
    v1::ImportedRegistrations {
        is_dry_run: imported.is_dry_run,
        added: imported.count(Outcome::Added),
        waitlisted: imported.count(Outcome::Waitlisted),
        already_there: imported.count(Outcome::AlreadyThere),
        wrong: imported.count(Outcome::Wrong),
        recipients: imported.recipients(),
        refused_because: imported.refused_because,
        columns: imported.columns.into_iter().map(column).collect(),
        lines: imported.lines.into_iter().map(line).collect(),
    }
}

fn line(line: ImportedLine) -> v1::ImportedLine {
    let read = line
        .read
        .map(|read| (read.party_size, (read.name, read.email)));
    let (party_size, person) = read.unzip();
    let (name, email) = person.unzip();
    v1::ImportedLine {
        party_size,
        line: line.number,
        outcome: line.outcome.name().to_owned(),
        why: line.why,
        registration_id: line.id.map(|id| id.to_string()),
        name,
        email,
    }
}
