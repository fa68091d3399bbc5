//! Webhook messages in the documents: a page for each type, and what a receiver needs to write one.

use serde_json::{Value, json};

use crate::{
    documents::validator,
    sources::{json as output, muster, text, toy},
};

/// The messages of a document, by their types.
fn messages(document: &Value) -> Vec<(&str, &Value)> {
    let webhooks = document["webhooks"].as_object().unwrap();
    webhooks
        .iter()
        .map(|(name, webhook)| (name.as_str(), &webhook["post"]))
        .collect()
}

/// The examples of a message, by the content that they have.
fn examples(message: &Value) -> (&Value, Option<&Value>) {
    let examples = &message["requestBody"]["content"]["application/json"]["examples"];
    let full = examples.get("full").map(|full| &full["value"]);
    (&examples["thin"]["value"], full)
}

#[test]
fn every_type_has_a_message_with_headers_signature_and_examples_of_its_own() {
    let outputs = muster();
    let document = output(&outputs, "openapi.json");
    let messages = messages(&document);
    let types = text(&outputs, "webhook_types.rs");
    assert_eq!(messages.len(), types.matches("\n    /// `").count());
    for (name, message) in messages {
        let schema = &message["requestBody"]["content"]["application/json"]["schema"];
        let body = validator(&document, schema);
        let (thin, full) = examples(message);
        for example in full.into_iter().chain([thin]) {
            assert!(body.is_valid(example), "{name}: {example}");
            assert_eq!(example["type"], name);
        }
        let data = &thin["data"];
        assert!(data["event"].is_null() && data["registration"].is_null());
        let mut another = thin.clone();
        another["type"] = json!("event.rained_off");
        assert!(!body.is_valid(&another), "{name}");
        let parameters = message["parameters"].as_array().unwrap();
        let headers: Vec<&str> = parameters
            .iter()
            .map(|parameter| {
                document
                    .pointer(&parameter["$ref"].as_str().unwrap()[1..])
                    .unwrap()
            })
            .map(|parameter| parameter["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            headers,
            ["webhook-id", "webhook-timestamp", "webhook-signature"]
        );
        assert!(message["responses"]["2XX"].is_object(), "{name}");
        assert_eq!(message["security"], json!([{ "signature": [] }]));
    }
    let scheme = &document["components"]["securitySchemes"]["signature"];
    assert_eq!(scheme["name"], "webhook-signature");
}

/// An example that says `event.cancelled` and shows an event that takes place would mislead.
#[test]
fn the_data_of_an_example_fits_its_type() {
    let document = output(&muster(), "openapi.json");
    for (name, message) in messages(&document) {
        let (thin, full) = examples(message);
        let data = &full.unwrap_or(thin)["data"];
        let (subject, _) = name.split_once('.').unwrap();
        assert_eq!(
            data["registration_id"].is_string(),
            subject == "registration",
            "{name}"
        );
        assert_eq!(
            data["message_id"].is_string(),
            subject == "message",
            "{name}"
        );
        assert_eq!(data["event_id"].is_null(), subject == "webhook", "{name}");
        let changed = data["changed"].as_array().unwrap();
        assert_eq!(!changed.is_empty(), name.ends_with("updated"), "{name}");
        for (id, shown) in [("event_id", "event"), ("registration_id", "registration")] {
            if data[shown].is_object() {
                assert_eq!(data[shown]["id"], data[id], "{name}: {shown}");
            }
        }
        if data["registration"].is_object() {
            assert_eq!(data["registration"]["status"], data["status"], "{name}");
        } else if data["event"].is_object() && data["status"].is_string() {
            let event = &data["event"];
            let status = match (&event["is_cancelled"], &event["is_published"]) {
                (Value::Bool(true), _) => "cancelled",
                (_, Value::Bool(true)) => "published",
                _ => "draft",
            };
            assert_eq!(data["status"], status, "{name}");
        }
    }
}

#[test]
fn the_older_form_has_no_messages_and_nothing_that_is_there_for_them_alone() {
    let older = output(&toy(&[]).unwrap(), "openapi-3.0.json");
    assert!(older.get("webhooks").is_none());
    let components = &older["components"];
    for (kind, name) in [
        ("parameters", "webhook-id"),
        ("securitySchemes", "signature"),
        ("schemas", "Notice"),
    ] {
        assert!(components[kind].get(name).is_none(), "{kind}/{name}");
    }
    let tags = older["tags"].as_array().unwrap();
    assert!(tags.iter().all(|tag| tag["name"] != "Webhook messages"));
}

#[test]
fn the_reference_has_a_page_for_each_type() {
    let outputs = muster();
    let all = text(&outputs, "reference/webhook-messages.md");
    let document = output(&outputs, "openapi.json");
    for (name, message) in messages(&document) {
        let slug = name.replace(['.', '_'], "-");
        assert!(all.contains(&format!("| [{name}](/docs/{slug}) |")));
        let page = text(&outputs, &format!("reference/{slug}.md"));
        let when = message["description"].as_str().unwrap();
        assert!(page.starts_with(&format!("# {name}\n\n{when}\n")), "{page}");
        assert!(page.contains(&format!("\"type\": \"{name}\"")), "{name}");
    }
}

#[test]
fn what_the_documents_could_not_show_is_refused() {
    let named = r#"name: "book.created""#;
    for (old, new, expected) in [
        (
            r#"    full: "book""#,
            r#"    full: "page""#,
            "NoticeData has no field page",
        ),
        (
            r#"    body: "Notice""#,
            r#"    body: "Letter""#,
            "their body Letter is no message",
        ),
        (
            r#"    body: "Notice""#,
            r#"    body: "Book""#,
            "their body Book has no text `type`",
        ),
        (
            r#""reason":"worn""#,
            r#""cause":"worn""#,
            "the body has no cause",
        ),
        (
            r#"name: "book.thrown_away""#,
            named,
            "there are two types book.created",
        ),
        (named, r#"name: "created""#, "it needs a webhook.name"),
    ] {
        let refused = toy(&[(old, new)]).unwrap_err();
        let refused = format!("{refused:#}");
        assert!(refused.contains(expected), "{new}: {refused}");
    }
}
