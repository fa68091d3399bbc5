//! Changes to an event: what differs from what is stored, and what someone else changed while the form was open.

use muster_api::{
    binding::PublicRpc as _,
    v1::{CustomField, UpdateEventRequest, bindings::UpdateEvent},
};
use sha2::{Digest as _, Sha256};

use super::{
    EventForm, OPEN, Purpose, TEXTS, TICKS, is_open,
    questions::Questions,
    reminders::{self, REMINDERS},
    variant,
};
use crate::form::Form;

/// The field of the form that remembers what the event was when the form was opened: a fingerprint of each field.
pub(crate) const SEEN: &str = "seen";

pub(crate) const QUESTIONS: &str = "custom_fields";
const CAPACITY: &str = "max_capacity";
const CONFIRMATION: &str = "confirm_by_email";

/// All fields, by their names in the API.
fn names() -> impl Iterator<Item = &'static str> {
    let others = [CAPACITY, OPEN, CONFIRMATION, QUESTIONS, REMINDERS];
    TEXTS.into_iter().chain(TICKS).chain(others)
}

/// What a field has in a form, in one form for the same.
fn content(form: &Form, name: &str) -> String {
    match name {
        OPEN => is_open(form).to_string(),
        REMINDERS => reminders::described(&reminders::asked(form)).unwrap_or_default(),
        QUESTIONS => described(&Questions::of(form).asked()),
        _ if TICKS.contains(&name) => form.is_ticked(name).to_string(),
        _ => form.text(name).unwrap_or_default(),
    }
}

/// Questions in words.
fn described(questions: &[CustomField]) -> String {
    let one = |question: &CustomField| {
        let required = if question.required() {
            ", required"
        } else {
            ""
        };
        let options = question.options.join(", ");
        let options = if options.is_empty() {
            options
        } else {
            format!(": {options}")
        };
        format!(
            "{} ({}{required}){options}",
            question.label(),
            question.field_type()
        )
    };
    let all: Vec<String> = questions.iter().map(one).collect();
    all.join("; ")
}

/// The fingerprints of all fields.
pub(crate) fn fingerprints(stored: &Form) -> String {
    let one = |name| format!("{name}={:016x}", fingerprint(&content(stored, name)));
    names().map(one).collect::<Vec<_>>().join(" ")
}

/// A form may be opened at one release and sent to the next one.
fn fingerprint(text: &str) -> u64 {
    let digest: [u8; 32] = Sha256::digest(text).into();
    digest
        .first_chunk()
        .map_or(0, |first| u64::from_be_bytes(*first))
}

/// The names of the fields in which a form differs from what is stored.
pub(crate) fn changed(typed: &Form, stored: &Form) -> Vec<&'static str> {
    let differs = |name: &&str| content(typed, name) != content(stored, name);
    names().filter(differs).collect()
}

/// What core is asked: the fields that differ, on top of the version that was compared with.
pub(crate) fn request(
    id: String,
    version: i32,
    typed: &Form,
    changed: &[&str],
) -> UpdateEventRequest {
    let mut request = UpdateEventRequest {
        id,
        title: typed.text("title"),
        description: typed.text("description"),
        location: typed.text("location"),
        start_date: typed.text("start_date"),
        end_date: typed.text("end_date"),
        registration_opens: typed.text("registration_opens"),
        registration_closes: typed.text("registration_closes"),
        is_registration_open: Some(is_open(typed)),
        max_capacity: typed.number(CAPACITY),
        max_party: typed.number("max_party"),
        is_location_private: Some(typed.is_ticked("is_location_private")),
        attendee_info: typed.text("attendee_info"),
        city: typed.text("city"),
        image_query: typed.text("image_query"),
        image_variant: variant(typed),
        custom_fields: Questions::of(typed).asked(),
        timezone: typed.text("timezone"),
        is_listed: Some(typed.is_ticked("is_listed")),
        requires_approval: Some(typed.is_ticked("requires_approval")),
        confirm_by_email: Some(typed.value(CONFIRMATION) == Some("true")),
        allows_answer_changes: Some(typed.is_ticked("allows_answer_changes")),
        organizer_name: typed.text("organizer_name"),
        contact_email: typed.text("contact_email"),
        reminders: reminders::asked(typed),
        version: Some(version),
        update_mask: None,
        scope: None,
    };
    let mask = changed.iter().map(|&name| name.to_owned()).collect();
    UpdateEvent::set_update_mask(&mut request, mask);
    request
}

/// The form after someone else changed the event. Fields that only they changed have their values; beside those that both changed
/// theirs is said, and what was typed stays.
pub(crate) fn merged(purpose: Purpose, typed: &Form, stored: &Form) -> EventForm {
    let seen = typed.value(SEEN).unwrap_or_default();
    let was = |name: &str| {
        let found = seen
            .split(' ')
            .find_map(|one| one.strip_prefix(name)?.strip_prefix('='));
        found.and_then(|text| u64::from_str_radix(text, 16).ok())
    };
    let (mut theirs, mut both) = (Vec::new(), Vec::new());
    for name in names() {
        let (mine, now) = (content(typed, name), content(stored, name));
        if mine == now || was(name) == Some(fingerprint(&now)) {
            continue;
        }
        if was(name) == Some(fingerprint(&mine)) {
            theirs.push(name);
        } else {
            both.push((name, now));
        }
    }
    let mut form = EventForm::of(purpose, &taken_over(typed, stored, &theirs));
    for field in form.model.fields_mut() {
        let name = whole(&field.name);
        if theirs.contains(&name) {
            field.notice = Some("Someone else changed this. It has the new value now.".to_owned());
        }
        if let Some((_, now)) = both.iter().find(|(one, _)| *one == whole(&field.name)) {
            field.notice = Some(format!("Someone else has changed this to: {}", shown(now)));
        }
    }
    form.questions.notice = notice_of_questions(&theirs, &both);
    form
}

fn notice_of_questions(theirs: &[&str], both: &[(&str, String)]) -> Option<String> {
    if theirs.contains(&QUESTIONS) {
        return Some("Someone else changed the questions. These are the new ones.".to_owned());
    }
    let (_, now) = both.iter().find(|(name, _)| *name == QUESTIONS)?;
    Some(format!(
        "Someone else has changed the questions to: {}",
        shown(now)
    ))
}

/// The name of the list of which a field is one, or its own.
fn whole(field: &str) -> &str {
    field.split('[').next().unwrap_or_default()
}

/// A value of a field in words.
fn shown(value: &str) -> &str {
    match value {
        "" => "nothing",
        "true" => "yes",
        "false" => "no",
        other => other,
    }
}

/// What was typed, with these fields as they are stored.
fn taken_over(typed: &Form, stored: &Form, names: &[&str]) -> Form {
    let is_one = |field: &str| names.contains(&whole(field));
    let mine = typed.fields().filter(|(name, _)| !is_one(name));
    let theirs = stored.fields().filter(|(name, _)| is_one(name));
    Form::of(mine.chain(theirs))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(pairs: &[(&str, &str)]) -> Form {
        Form::of(pairs.iter().copied())
    }

    const STORED: [(&str, &str); 6] = [
        ("title", "Rust Night"),
        ("location", "c-base"),
        ("city", "Berlin"),
        ("max_capacity", "80"),
        ("confirm_by_email", "false"),
        ("is_listed", "true"),
    ];

    fn with(pairs: &[(&'static str, &'static str)]) -> Form {
        let rest = STORED
            .iter()
            .filter(|(name, _)| pairs.iter().all(|(other, _)| other != name));
        let all: Vec<_> = rest.chain(pairs).copied().collect();
        form(&all)
    }

    #[test]
    fn only_what_differs_is_asked_for() {
        let typed = with(&[("title", " Rust Evening "), ("city", ""), ("is_listed", "")]);
        let changed = changed(&typed, &form(&STORED));
        assert_eq!(changed, ["title", "city", "is_listed"]);
        let request = request("id".to_owned(), 3, &typed, &changed);
        assert_eq!(request.title.as_deref(), Some("Rust Evening"));
        assert_eq!((request.city, request.version), (None, Some(3)));
        assert_eq!(
            request.update_mask.unwrap().paths,
            ["title", "city", "is_listed"]
        );
    }

    #[test]
    fn without_words_there_is_no_cover_any_more() {
        let stored = with(&[("image_query", "crab"), ("image_variant", "2")]);
        let typed = with(&[("image_query", " "), ("image_variant", "2")]);
        let changed = changed(&typed, &stored);
        let request = request("id".to_owned(), 3, &typed, &changed);
        assert_eq!(request.image_query, None);
        assert_eq!(request.update_mask.unwrap().paths, ["image_query"]);
    }

    #[test]
    fn what_two_people_changed_at_once_is_told_and_nothing_typed_is_lost() {
        let seen = fingerprints(&form(&STORED));
        let mine = with(&[("title", "Mine"), ("city", "Potsdam")]);
        let mine = mine.fields().chain([(SEEN, &*seen)]);
        let theirs = with(&[("title", "Theirs"), ("max_capacity", "40")]);
        let merged = merged(Purpose::Change, &Form::of(mine), &theirs);
        let field = |name: &str| {
            let found = merged.model.fields().find(|field| field.name == name);
            let field = found.unwrap();
            (field.value.clone(), field.notice.clone())
        };
        let (title, notice) = field("title");
        assert_eq!(title, "Mine");
        assert!(notice.unwrap().ends_with("to: Theirs"));
        let (seats, notice) = field("max_capacity");
        assert_eq!(seats, "40");
        assert!(notice.unwrap().contains("new value"));
        assert_eq!(field("city"), ("Potsdam".to_owned(), None));
        assert_eq!(field("location"), ("c-base".to_owned(), None));
        assert_eq!(merged.questions.notice, None);
    }
}
