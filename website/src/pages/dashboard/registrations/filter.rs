//! Which registrations the organizer looks for.

use muster_api::v1::ListRegistrationsRequest;

use crate::{form::Form, pages::dashboard::event_head::path_of};

/// Registrations on a page.
const PAGE_SIZE: i32 = 50;

/// The statuses to choose from: their names in the API, and for people.
const STATES: [(&str, &str); 5] = [
    ("", "All"),
    ("Pending", "Pending"),
    ("Confirmed", "Confirmed"),
    ("Waitlisted", "Waitlist"),
    ("Cancelled", "Cancelled"),
];

/// What is looked for, and after whom the page begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Filter {
    pub(super) status: String,
    pub(super) q: String,
    pub(super) cursor: String,
}

/// A status to choose.
pub(super) struct State {
    pub(super) name: &'static str,
    pub(super) url: String,
    pub(super) is_chosen: bool,
}

impl Filter {
    pub(super) fn of(query: &Form) -> Self {
        let value = |name| query.value(name).unwrap_or_default().to_owned();
        Self {
            status: value("status"),
            q: value("q"),
            cursor: value("cursor"),
        }
    }

    pub(super) fn request(&self, id: String) -> ListRegistrationsRequest {
        let given = |value: &String| (!value.is_empty()).then(|| value.clone());
        ListRegistrationsRequest {
            id,
            limit: Some(PAGE_SIZE),
            status: given(&self.status),
            q: given(&self.q),
            cursor: given(&self.cursor),
            ..ListRegistrationsRequest::default()
        }
    }

    /// The same filter, from this cursor on.
    pub(super) fn at(&self, cursor: &str) -> Self {
        Self {
            cursor: cursor.to_owned(),
            ..self.clone()
        }
    }

    pub(super) fn is_set(&self) -> bool {
        !self.q.is_empty() || !self.status.is_empty()
    }

    /// The query of a page.
    pub(super) fn query(&self) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let fields = [
            ("status", &*self.status),
            ("q", &self.q),
            ("cursor", &self.cursor),
        ];
        query.extend_pairs(fields.into_iter().filter(|(_, value)| !value.is_empty()));
        query.finish()
    }

    /// The address of a page of this event.
    pub(super) fn url(&self, id: &str) -> String {
        let path = format!("{}/registrations", path_of(id));
        match &*self.query() {
            "" => path,
            query => format!("{path}?{query}"),
        }
    }

    /// The statuses, each with the same words.
    pub(super) fn states(&self, id: &str) -> Vec<State> {
        let state = |(status, name): (&str, &'static str)| State {
            name,
            is_chosen: self.status == status,
            url: Self {
                status: status.to_owned(),
                q: self.q.clone(),
                cursor: String::new(),
            }
            .url(id),
        };
        STATES.into_iter().map(state).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_keep_what_was_looked_for() {
        let query = "status=Pending&q=a%26b&cursor=x&other=y";
        let filter = Filter::of(&Form::parse(query.as_bytes()));
        assert_eq!(filter.query(), "status=Pending&q=a%26b&cursor=x");
        assert_eq!(
            filter.at("").url("id"),
            "/dashboard/events/id/registrations?status=Pending&q=a%26b"
        );
        assert!(filter.is_set());
        let states = filter.states("id");
        let chosen: Vec<_> = states.iter().map(|state| state.is_chosen).collect();
        assert_eq!(chosen, [false, true, false, false, false]);
        assert_eq!(states[0].url, "/dashboard/events/id/registrations?q=a%26b");
        let request = filter.request("id".to_owned());
        assert_eq!(request.cursor.as_deref(), Some("x"));
        assert_eq!((request.offset, request.limit), (None, Some(PAGE_SIZE)));
    }
}
