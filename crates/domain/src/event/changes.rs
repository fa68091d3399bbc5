//! The changed fields of an event, for the audit log.

use serde_json::{Map, Value, json};

use super::Event;

/// Fields that may be about a person: the audit log, which outlives them, says only that they are set.
const PERSONAL: [&str; 2] = ["organizer_name", "contact_email"];

/// The changed fields of an event, before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    /// Their values before; `None` for a new event.
    pub before: Option<Value>,
    /// Their values after.
    pub after: Value,
}

impl Event {
    /// All fields, for the creation of the event.
    pub fn creation(&self) -> Changes {
        Changes {
            before: None,
            after: without_persons(self.fields()),
        }
    }

    /// The fields in which `after` differs; `None` if it does not differ.
    pub fn changes_to(&self, after: &Self) -> Option<Changes> {
        let old = self.fields();
        let new = after.fields();
        let differing = |one: &Map<String, Value>, other: &Map<String, Value>| {
            let fields = one
                .iter()
                .filter(|(name, value)| other.get(*name) != Some(value));
            fields
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect::<Map<_, _>>()
        };
        let before = differing(&old, &new);
        let after = differing(&new, &old);
        (!after.is_empty()).then_some(Changes {
            before: Some(without_persons(before)),
            after: without_persons(after),
        })
    }

    /// The names of the fields in which `after` differs.
    pub fn changed_fields(&self, after: &Self) -> Vec<String> {
        let old = self.fields();
        let differs =
            |(name, value): (String, Value)| (old.get(&name) != Some(&value)).then_some(name);
        after.fields().into_iter().filter_map(differs).collect()
    }

    /// The fields that the owner sets, by their names in the API.
    fn fields(&self) -> Map<String, Value> {
        let fields = json!({
            "title": self.title,
            "description": self.description,
            "location": self.location,
            "is_location_private": self.is_location_private,
            "attendee_info": self.attendee_info,
            "city": self.city,
            "start_date": self.schedule.start.rfc3339(),
            "end_date": self.schedule.end.map(|end| end.rfc3339()),
            "timezone": self.schedule.timezone,
            "registration_opens": self.registration_opens(),
            "registration_closes": self.registration_closes(),
            "is_registration_open": self.window.is_open,
            "max_capacity": self.max_capacity,
            "is_published": self.is_published,
            "is_listed": self.is_listed,
            "requires_approval": self.requires_approval,
            "confirm_by_email": self.confirm_by_email,
            "allows_answer_changes": self.allows_answer_changes,
            "max_party": self.max_party,
            "is_cancelled": self.is_cancelled,
            "series_id": self.series.map(|series| series.to_string()),
            "image_query": self.image_query,
            "image_variant": self.image_variant,
            "custom_fields": self.custom_fields,
            "organizer_name": self.organizer_name,
            "contact_email": self.contact_email,
            "reminders": self.reminders,
        });
        match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }
}

fn without_persons(mut fields: Map<String, Value>) -> Value {
    for name in PERSONAL {
        if let Some(value) = fields.get_mut(name).filter(|value| !value.is_null()) {
            *value = json!("(set)");
        }
    }
    Value::Object(fields)
}

#[cfg(test)]
mod tests {
    use super::super::create::tests::event_from;
    use super::*;
    use crate::instant::Instant;

    const NOW: Instant = Instant::from_micros(1_800_000_000_000_000);

    #[test]
    fn only_the_changed_fields_are_told_of() {
        let event = event_from(NOW);
        let after = Event {
            city: Some("Berlin".to_owned()),
            ..event.published(NOW).unwrap()
        };
        let changes = event.changes_to(&after).unwrap();
        assert_eq!(
            changes.before,
            Some(json!({"city": null, "is_published": false}))
        );
        assert_eq!(
            changes.after,
            json!({"city": "Berlin", "is_published": true})
        );
        assert_eq!(event.changes_to(&event), None);
    }

    #[test]
    fn who_organizes_is_not_told() {
        let event = event_from(NOW);
        let named = |name: &str| Event {
            organizer_name: Some(name.to_owned()),
            ..event.clone()
        };
        let changes = event.changes_to(&named("Olga")).unwrap();
        assert_eq!(changes.before, Some(json!({"organizer_name": null})));
        assert_eq!(changes.after, json!({"organizer_name": "(set)"}));
        assert!(named("Olga").changes_to(&named("Otto")).is_some());
        assert_eq!(named("Olga").creation().after["organizer_name"], "(set)");
    }

    #[test]
    fn a_creation_tells_of_every_field() {
        let creation = event_from(NOW).creation();
        assert_eq!(creation.before, None);
        assert_eq!(creation.after["start_date"], "2027-05-01T18:00:00+02:00");
    }
}
