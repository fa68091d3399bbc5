//! Common steps of tests.

use muster_api::v1::bindings::{CreateEvent, GetMyEvent};
use serde_json::{Value, json};

use crate::Client;

/// An event that was just created.
#[derive(Debug, Clone)]
pub struct Created {
    /// Its identifier.
    pub id: String,
    /// Its name in paths.
    pub slug: String,
}

/// What [`CreateEvent`] asks for, and nothing more, with these fields added or replaced.
pub fn new_event(fields: Value) -> Value {
    let mut event = json!({
        "title": "Rust Meetup",
        "description": "Two talks and an open table.",
        "location": "c-base",
        "start_date": "2027-05-01T18:00:00Z",
    });
    let Value::Object(fields) = fields else {
        panic!("fields are an object, not {fields}")
    };
    event.as_object_mut().unwrap().extend(fields);
    event
}

impl Client {
    /// Creates a [`new_event`].
    pub async fn create(&self, fields: Value) -> Created {
        let created = self.ok::<CreateEvent>(new_event(fields)).await;
        let text = |field: &str| created[field].as_str().unwrap().to_owned();
        Created {
            id: text("id"),
            slug: text("slug"),
        }
    }

    /// Creates a [`new_event`] that the public sees.
    pub async fn publish_new(&self, mut fields: Value) -> Created {
        fields["is_public"] = json!(true);
        self.create(fields).await
    }

    /// One of the caller's events in full.
    pub async fn detail(&self, event: &Created) -> Value {
        self.ok::<GetMyEvent>(json!({ "id": event.id })).await
    }
}
