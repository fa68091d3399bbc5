//! The form of a message: its fields, what was typed, and what core is asked.

use http_kit::Problem;
use muster_api::{
    binding::PublicRpc as _,
    v1::{
        AnswerFilter, Audience, CreateMessageRequest, CustomField, Message, MyEventDetail,
        UpdateMessageRequest, bindings::UpdateMessage,
    },
    violation::Violation,
};

use crate::{
    date::wall_time,
    field::{Field, FieldKind, FormModel, Group},
    form::{Form, NO_NUMBER},
};

/// What a new form can begin with: thanks to those who came.
pub(super) const THANKS: &str = "thanks";

/// When a message is sent: the value in the form, for people, and what to fill for it.
const TIMES: [(&str, &str, &str); 4] = [
    ("now", "Now", "You have two minutes to cancel it."),
    ("at", "At a date and time", "On the clocks at the event."),
    (
        "before",
        "Hours before the start",
        "It moves with the event.",
    ),
    ("after", "Hours after the end", "It moves with the event."),
];

/// Statuses: their names in the API, and for people.
const STATUSES: [(&str, &str); 3] = [
    ("Confirmed", "People with a spot"),
    ("Waitlisted", "The waitlist"),
    ("Pending", "People who wait for your approval"),
];

/// Who was at the event: the values in the form, and for people.
const ARRIVALS: [(&str, &str); 3] = [
    ("", "Everyone"),
    ("true", "Only those who were checked in"),
    ("false", "Only those who were not checked in"),
];

/// The path of the statuses in the API.
const STATUSES_PATH: &str = "audience.statuses";

/// The fields of an event's message.
pub(super) fn model(event: &MyEventDetail, typed: &Form) -> FormModel {
    let subject = Field::line("subject", "Subject").required();
    let text = Field::paragraphs("text", "Message").required();
    let text = text.hint("Markdown: **bold**, lists, and links as https://…");
    let statuses = Field::new(FieldKind::Ticks, "statuses", "Who gets it");
    let checked_in = Field::new(FieldKind::Radio, "checked_in", "Check-in");
    let mut audience = vec![
        statuses
            .path(STATUSES_PATH)
            .options(STATUSES, &["Confirmed"]),
        checked_in
            .path("audience.checked_in")
            .options(ARRIVALS, &[""]),
    ];
    let chosen: Vec<&str> = event
        .custom_fields
        .iter()
        .filter_map(|question| question.id.as_deref())
        .filter(|id| typed.has(&answered(id)))
        .collect();
    let questions = event.custom_fields.iter();
    audience.extend(questions.filter_map(|question| answers(question, &chosen)));
    let since =
        Field::line("registered_after", "Registered from").path("audience.registered_after");
    let until = Field::line("registered_before", "Registered before");
    audience.push(since.hint("A date, such as 2030-04-01."));
    audience.push(until.path("audience.registered_before"));
    let when = Field::radio("when", "Send it", &TIMES, "now");
    let at = Field::new(FieldKind::WallTime, "send_at", "Date and time");
    let hours = Field::new(FieldKind::Number, "hours", "Hours");
    let hours = hours.path(match typed.value("when") {
        Some("after") => "hours_after_end",
        _ => "hours_before_start",
    });
    FormModel::grouped(vec![
        Group::of(vec![subject, text]),
        Group::titled("Recipients", audience),
        Group::titled("When", vec![when, at, hours]),
    ])
    .filled(typed)
}

/// Those who answered a question so; `None` for questions that have no options.
fn answers(question: &CustomField, chosen: &[&str]) -> Option<Field> {
    let id = question.id.as_deref()?;
    let mut field = Field::new(FieldKind::Ticks, &answered(id), question.label());
    if let Some(index) = chosen.iter().position(|one| *one == id) {
        field = field.path(format!("audience.answers[{index}]"));
    }
    let field = field.hint("Leave all unchecked for everyone.");
    match question.field_type() {
        "checkbox" => Some(field.options([("true", "Checked"), ("false", "Not checked")], &[])),
        "select" | "multi_select" => {
            let options = question.options.iter().map(|one| (&**one, &**one));
            Some(field.options(options, &[]))
        }
        _ => None,
    }
}

/// The form's name of the answers to a question.
fn answered(id: &str) -> String {
    format!("answered:{id}")
}

/// What a new form begins with.
pub(super) fn blank(is_thanks: bool) -> Form {
    let mut fields = vec![
        ("statuses", "Confirmed"),
        ("checked_in", if is_thanks { "true" } else { "" }),
        ("when", "now"),
    ];
    if is_thanks {
        fields.extend([
            ("subject", "Thanks for coming!"),
            ("text", "Thank you for coming. We hope to see you again!"),
        ]);
    }
    Form::of(fields)
}

/// A message as its form has it.
pub(super) fn stored(message: &Message) -> Form {
    let mut fields = vec![
        ("subject".to_owned(), message.subject.clone()),
        ("text".to_owned(), message.text.clone()),
    ];
    if let Some(audience) = &message.audience {
        let statuses = audience.statuses.iter();
        fields.extend(statuses.map(|status| ("statuses".to_owned(), status.clone())));
        let checked_in = audience.checked_in.map(|one| one.to_string());
        fields.push(("checked_in".to_owned(), checked_in.unwrap_or_default()));
        for filter in &audience.answers {
            let name = answered(filter.field_id());
            let options = filter.options.iter();
            fields.extend(options.map(|option| (name.clone(), option.clone())));
        }
        let bounds = [
            ("registered_after", &audience.registered_after),
            ("registered_before", &audience.registered_before),
        ];
        let bounds = bounds.into_iter();
        fields.extend(bounds.map(|(name, at)| (name.to_owned(), at.clone().unwrap_or_default())));
    }
    let (when, hours) = match (message.hours_before_start, message.hours_after_end) {
        (Some(hours), _) => ("before", hours.to_string()),
        (None, Some(hours)) => ("after", hours.to_string()),
        (None, None) => ("at", String::new()),
    };
    fields.push(("when".to_owned(), when.to_owned()));
    fields.push(("hours".to_owned(), hours));
    fields.push(("send_at".to_owned(), wall_time(&message.send_at)));
    Form::of(fields)
}

/// What core is asked to send.
///
/// # Errors
/// Nobody is chosen: core would take that for everyone with a spot.
pub(super) fn request(event: &MyEventDetail, form: &Form) -> Result<CreateMessageRequest, Problem> {
    let audience = audience(event, form);
    if audience.statuses.is_empty() {
        return Err(Problem::invalid(&[Violation {
            field: STATUSES_PATH.to_owned(),
            message: "must not be empty".to_owned(),
        }]));
    }
    let hours = || form.number("hours").or(Some(NO_NUMBER));
    let when = form.value("when");
    Ok(CreateMessageRequest {
        id: event.id.clone(),
        subject: form.text("subject"),
        text: form.text("text"),
        audience: Some(audience),
        send_at: (when == Some("at")).then(|| form.text("send_at").unwrap_or_default()),
        hours_before_start: (when == Some("before")).then(hours).flatten(),
        hours_after_end: (when == Some("after")).then(hours).flatten(),
        test: None,
    })
}

/// What a form changes of a message, with the version that the form was made from. What it shows as it was stays: a form cannot show
/// everything that a message has.
pub(super) fn change(
    event: &MyEventDetail,
    before: &Message,
    new: CreateMessageRequest,
    form: &Form,
) -> UpdateMessageRequest {
    let stored = stored(before);
    let is_typed = |name: &str| form.value(name) != stored.value(name);
    let is_rescheduled = is_typed("when") || is_typed("hours") || is_typed("send_at");
    let time = match form.value("when") {
        Some("before") => "hours_before_start",
        Some("after") => "hours_after_end",
        // Without a time it is sent now.
        _ => "send_at",
    };
    let fields = [
        ("version", true),
        ("subject", is_typed("subject")),
        ("text", form.text("text") != stored.text("text")),
        ("audience", new.audience != Some(audience(event, &stored))),
        (time, is_rescheduled),
    ];
    let changed = fields.into_iter().filter(|(_, is_changed)| *is_changed);
    let mask: Vec<String> = changed.map(|(name, _)| name.to_owned()).collect();
    let mut change = UpdateMessageRequest {
        update_mask: None,
        id: new.id,
        message_id: before.id.clone().unwrap_or_default(),
        subject: new.subject,
        text: new.text,
        audience: new.audience,
        send_at: new.send_at,
        hours_before_start: new.hours_before_start,
        hours_after_end: new.hours_after_end,
        version: form.value("version").and_then(|text| text.parse().ok()),
    };
    UpdateMessage::set_update_mask(&mut change, mask);
    change
}

/// Whether a message is limited by answers to a question that its event no longer asks.
pub(super) fn has_lost_question(event: &MyEventDetail, message: &Message) -> bool {
    let asked = |filter: &AnswerFilter| {
        let mut questions = event.custom_fields.iter();
        questions.any(|one| one.id.as_deref() == Some(filter.field_id()))
    };
    let audience = message.audience.iter();
    let mut filters = audience.flat_map(|audience| &audience.answers);
    !filters.all(asked)
}

fn audience(event: &MyEventDetail, form: &Form) -> Audience {
    let filters = event.custom_fields.iter().filter_map(|question| {
        let id = question.id.clone()?;
        let options: Vec<String> = form.values(&answered(&id)).map(str::to_owned).collect();
        (!options.is_empty()).then_some(AnswerFilter {
            field_id: Some(id),
            options,
        })
    });
    Audience {
        statuses: form.values("statuses").map(str::to_owned).collect(),
        checked_in: form.value("checked_in").map(|value| value == "true"),
        answers: filters.collect(),
        registered_after: form.text("registered_after"),
        registered_before: form.text("registered_before"),
    }
}
