//! What happened on an account, as its members read it: the audit log with the names that belong to it.

mod sentence;

use serde_json::{Map, Value};
use uuid::Uuid;

use super::{ids::EventId, instant::Instant};

/// The characters of a value that are shown.
const MAX_VALUE_LENGTH: usize = 200;

/// A row of the audit log, with names as they are now. Who was erased has none.
#[derive(Debug, Clone, PartialEq)]
pub struct Activity {
    /// The row.
    pub id: Uuid,
    /// When.
    pub at: Instant,
    /// The kind of actor, as stored.
    pub actor: String,
    /// The label of the key, or the name of the app or the person who did it.
    pub actor_name: Option<String>,
    /// The name of the person for whom an app or a key did it.
    pub on_behalf_of: Option<String>,
    /// What, for example `event.cancel`.
    pub action: String,
    /// To what.
    pub subject_id: Uuid,
    /// The event that it is about.
    pub event_id: Option<EventId>,
    /// The event's title.
    pub event_title: Option<String>,
    /// The name of the registrant whom it is about.
    pub attendee: Option<String>,
    /// The label of the key that it is about.
    pub key_label: Option<String>,
    /// The name of the app that it is about.
    pub app: Option<String>,
    /// The name of the member whom it is about.
    pub member: Option<String>,
    /// The changed fields before.
    pub before: Option<Value>,
    /// The changed fields after.
    pub after: Option<Value>,
    /// Why.
    pub reason: Option<String>,
    /// How often it happened on its day, if that is counted.
    pub times: i32,
}

/// A changed field, with values as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldChange {
    /// Its name in the API.
    pub field: String,
    /// Its value before; `None` if it had none.
    pub before: Option<String>,
    /// Its value after; `None` if it has none.
    pub after: Option<String>,
}

impl Activity {
    /// The same without the names of registrants, for those who may not list them.
    #[must_use]
    pub fn without_attendees(self) -> Self {
        let is_attendee = self.actor == "attendee";
        Self {
            attendee: None,
            actor_name: self.actor_name.filter(|_| !is_attendee),
            ..self
        }
    }

    /// The same on a site with a name of its own, which is what people know as the system.
    #[must_use]
    pub fn on_site(self, name: Option<&str>) -> Self {
        let name = name.filter(|_| self.actor == "system");
        Self {
            actor_name: name.map(str::to_owned).or(self.actor_name),
            ..self
        }
    }

    /// The kind of actor, as it is shown.
    pub fn actor_kind(&self) -> &str {
        match &*self.actor {
            "admin" => "operator",
            other => other,
        }
    }

    /// The registration that it is about.
    pub fn registration_id(&self) -> Option<Uuid> {
        self.is_about_registration().then_some(self.subject_id)
    }

    /// Whether it is about a registration.
    pub fn is_about_registration(&self) -> bool {
        self.action.starts_with("registration.")
    }

    /// The changed fields. Long values are cut.
    pub fn changes(&self) -> Vec<FieldChange> {
        let fields = |side: &Option<Value>| match side {
            Some(Value::Object(fields)) => fields.clone(),
            _ => Map::new(),
        };
        let (before, after) = (fields(&self.before), fields(&self.after));
        let mut names: Vec<&String> = after.keys().collect();
        names.extend(before.keys().filter(|name| !after.contains_key(*name)));
        let change = |name: &String| FieldChange {
            field: name.clone(),
            before: before.get(name).and_then(shown),
            after: after.get(name).and_then(shown),
        };
        names.into_iter().map(change).collect()
    }
}

fn shown(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Some(text.chars().take(MAX_VALUE_LENGTH).collect())
}
