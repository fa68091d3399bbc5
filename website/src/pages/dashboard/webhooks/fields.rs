//! The fields of a webhook, and what becomes of them.

use std::iter;

use http_kit::Problem;
use muster_api::{
    Reason, WebhookType,
    v1::{MyEvent, Webhook, WebhookData, WebhookMessage},
    violation::Violation,
};

use super::super::upcoming::day;
use crate::{
    field::{Choice, Field, FieldKind, FormModel, Group},
    form::Form,
    words::capitalized,
};

/// The kinds of types: how their names begin, and what they are called.
const KINDS: [(&str, &str, &str); 3] = [
    ("event.", "types-events", "Events"),
    ("registration.", "types-registrations", "Registrations"),
    ("message.", "types-messages", "Messages"),
];

/// How much a message says.
const CONTENTS: [(&str, &str, &str); 2] = [
    (
        "thin",
        "Ids and what changed",
        "No names and addresses leave Muster. Your program reads the rest by the API.",
    ),
    (
        "full",
        "The event and the registration as well",
        "With names, addresses and answers, as they are when it is sent. Needs a paid plan.",
    ),
];

/// How messages are signed.
const SIGNATURES: [(&str, &str, &str); 2] = [
    (
        "v1",
        "With a secret that you get",
        "HMAC-SHA256 (v1). Every library takes it.",
    ),
    (
        "v1a",
        "With a key of ours",
        "Ed25519 (v1a). You get the public part, so your side holds no secret.",
    ),
];

/// The fields of a webhook as it is.
pub(super) fn model(webhook: &Webhook) -> FormModel {
    grouped(webhook, Vec::new(), Vec::new())
}

/// The fields of a new one. What they ask cannot be changed later: for which of these events it is, and how it signs.
pub(super) fn new_model(events: Vec<MyEvent>) -> FormModel {
    let all = Choice::new("", "All events, also later ones").chosen(true);
    let offered = events.into_iter().map(|event| {
        let label = match day(&event.start_date) {
            Some(day) => format!("{} ({day})", event.title),
            None => event.title,
        };
        Choice::new(event.id, label)
    });
    let event = Field::new(FieldKind::Select, "event_id", "For which event?")
        .choices(iter::once(all).chain(offered));
    let signature = Field::radio("signature", "How it is signed", &SIGNATURES, "v1");
    let blank = Webhook {
        content: "thin".to_owned(),
        ..Webhook::default()
    };
    grouped(&blank, vec![event], vec![signature])
}

fn grouped(webhook: &Webhook, about: Vec<Field>, last: Vec<Field>) -> FormModel {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let url = Field::line("url", "URL")
        .hint("Where we post messages: https, and reachable from here. Without one, your program pulls them.")
        .value(text(&webhook.url));
    let description = Field::line("description", "What it is for")
        .hint("For example: our CRM.")
        .value(text(&webhook.description));
    let content = Field::radio(
        "content",
        "What a message says",
        &CONTENTS,
        &webhook.content,
    );
    FormModel::grouped(vec![
        Group::of([vec![url, description], about].concat()),
        Group::titled("Which messages", types(webhook)).hint("Leave all unchecked for all."),
        Group::of([vec![content], last].concat()),
    ])
}

/// The types of each kind. All have one name, since they are one list.
fn types(webhook: &Webhook) -> Vec<Field> {
    let of_kind = |(start, id, label): (&'static str, &str, &str)| {
        let types = WebhookType::ALL.iter().map(|one| one.name());
        let choices = types.filter_map(move |name| {
            let choice = Choice::new(name, words(name.strip_prefix(start)?)).hint(name);
            Some(choice.chosen(webhook.types.iter().any(|chosen| chosen == name)))
        });
        Field {
            id: id.to_owned(),
            ..Field::new(FieldKind::Ticks, "types", label).choices(choices)
        }
    };
    KINDS.map(of_kind).into()
}

/// A type for people: `checked_in` becomes `Checked in`.
fn words(name: &str) -> String {
    capitalized(&name.replace("check_in", "check-in").replace('_', " "))
}

/// The types that a form names.
pub(super) fn chosen_types(form: &Form) -> Vec<String> {
    form.values("types").map(str::to_owned).collect()
}

/// A refusal of the plan, said beside the field that needs it, so that nothing that was typed is lost.
pub(super) fn beside_content(problem: Problem) -> Problem {
    if problem.code != Reason::PlanRequired.code() {
        return problem;
    }
    Problem::invalid(&[Violation {
        field: "content".to_owned(),
        message: "this needs a paid plan".to_owned(),
    }])
}

/// A message as a program gets it.
pub(super) fn sample() -> String {
    let message = WebhookMessage {
        r#type: "registration.created".to_owned(),
        timestamp: "2030-05-10T08:00:00.123456Z".to_owned(),
        data: Some(WebhookData {
            event_id: Some("0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3d".to_owned()),
            registration_id: Some("0197a3c7-2c3d-7e4f-9a51-6b7c8d9e0f10".to_owned()),
            status: Some("Confirmed".to_owned()),
            version: 42,
            actor: "attendee".to_owned(),
            ..WebhookData::default()
        }),
    };
    pretty(&message)
}

/// A body, for people to read.
pub(super) fn pretty(message: &WebhookMessage) -> String {
    serde_json::to_string_pretty(message).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_but_the_test_can_be_chosen() {
        let model = new_model(Vec::new());
        let offered: Vec<_> = model
            .fields()
            .filter(|field| field.name == "types")
            .flat_map(|field| field.options.iter().map(|option| &*option.value))
            .collect();
        let all = WebhookType::ALL
            .iter()
            .filter(|one| **one != WebhookType::WebhookPing);
        assert_eq!(offered, all.map(|one| one.name()).collect::<Vec<_>>());
        assert_eq!(words("check_in_undone"), "Check-in undone");
        assert_eq!(words("checked_in"), "Checked in");
    }

    #[test]
    fn a_sample_is_as_the_api_writes_it() {
        let sample: serde_json::Value = serde_json::from_str(&sample()).unwrap();
        assert_eq!(sample["type"], "registration.created");
        assert_eq!(sample["data"]["version"], 42);
    }
}
