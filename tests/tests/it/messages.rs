//! Messages of organizers to the people who registered for an event.

mod audience;
mod counting;
mod mail;
mod members;
mod quota;
mod stopping;
mod writing;

use std::time::Duration;

use domain::registration::{Registration, Status};
use muster_api::v1::bindings::{CreateMessage, GetMessage};
use serde_json::{Value, json};
use tests::{Client, Created, Mail, TestApp};

/// How long a message that is sent now can be cancelled.
const GRACE: Duration = Duration::from_mins(2);

/// A message to an event, with these fields added or replaced.
fn to(event: &Created, fields: Value) -> Value {
    let mut message = json!({
        "id": event.id,
        "subject": "How to find the door",
        "text": "It is in the **second** yard.",
    });
    let Value::Object(fields) = fields else {
        panic!("fields of a message: {fields}");
    };
    message.as_object_mut().unwrap().extend(fields);
    message
}

/// Which message.
fn which(event: &Created, message: &Value) -> Value {
    json!({"id": event.id, "message_id": message["id"]})
}

async fn sent_to(owner: &Client, event: &Created, fields: Value) -> Value {
    owner.ok::<CreateMessage>(to(event, fields)).await
}

/// A message as it is now.
async fn now(owner: &Client, event: &Created, message: &Value) -> Value {
    owner.ok::<GetMessage>(which(event, message)).await
}

/// People with seats at an event.
async fn guests(app: &TestApp, event: &Created, count: usize) -> Vec<Registration> {
    app.register(&event.id, &vec![Status::Confirmed; count])
        .await
}

/// The mails of messages so far, by their recipient.
fn messages(app: &TestApp) -> Vec<Mail> {
    let mut mails = app.mails();
    mails.retain(|mail| mail.id.starts_with("message_mail."));
    mails.sort_by(|one, other| one.to.cmp(&other.to));
    mails
}

/// Who got messages so far.
fn reached(app: &TestApp) -> Vec<String> {
    messages(app).into_iter().map(|mail| mail.to).collect()
}

/// Begins what is due, and sends it.
async fn pass(app: &TestApp, time: Duration) {
    app.advance(time);
    app.drain_jobs().await;
}
