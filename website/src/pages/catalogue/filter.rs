//! What the visitor looks for: the fields above the catalogue.

use muster_api::{
    v1::{GetCatalogueCalendarRequest, ListEventsRequest},
    violation::Violation,
};

use crate::form::Form;

/// The fields as they were filled, and what core says is wrong with them.
#[derive(Debug, Default)]
pub(in crate::pages) struct Filter {
    pub(super) q: String,
    pub(super) city: String,
    pub(super) from: String,
    pub(super) to: String,
    /// What is wrong, each with the name of its field.
    pub(super) problems: Vec<(&'static str, String)>,
}

impl Filter {
    /// The fields in a query.
    pub(in crate::pages) fn of(query: &Form) -> Self {
        let value = |name| query.value(name).unwrap_or_default().to_owned();
        Self {
            q: value("q"),
            city: value("city"),
            from: value("from"),
            to: value("to"),
            problems: Vec::new(),
        }
    }

    /// Whether anything is looked for.
    pub(super) fn is_set(&self) -> bool {
        self.fields().any(|(_, value)| !value.is_empty())
    }

    /// What core is asked for a page.
    pub(in crate::pages) fn request(&self, limit: i32, offset: i32) -> ListEventsRequest {
        ListEventsRequest {
            limit: Some(limit),
            offset: Some(offset),
            q: given(&self.q),
            city: given(&self.city),
            from: given(&self.from),
            to: given(&self.to),
        }
    }

    /// What core is asked for a calendar file.
    pub(in crate::pages) fn calendar_request(&self) -> GetCatalogueCalendarRequest {
        GetCatalogueCalendarRequest {
            q: given(&self.q),
            city: given(&self.city),
            from: given(&self.from),
            to: given(&self.to),
        }
    }

    /// The address of a page with the same filter.
    pub(super) fn url(&self, offset: i32) -> String {
        let offset = (offset > 0).then(|| ("offset", offset.to_string()));
        self.path_and("/events", offset)
    }

    /// A path with the same filter.
    pub(in crate::pages) fn path(&self, path: &str) -> String {
        self.path_and(path, None)
    }

    fn path_and(&self, path: &str, more: Option<(&str, String)>) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(self.fields().filter(|(_, value)| !value.is_empty()));
        query.extend_pairs(more);
        match &*query.finish() {
            "" => path.to_owned(),
            query => format!("{path}?{query}"),
        }
    }

    /// Takes what core says of the fields; answers whether it says anything of them.
    pub(super) fn refused(&mut self, violations: &[Violation]) -> bool {
        let names = ["q", "city", "from", "to"];
        for violation in violations {
            let name = names.into_iter().find(|name| *name == violation.field);
            self.problems
                .extend(name.map(|name| (name, violation.message.clone())));
        }
        !self.problems.is_empty()
    }

    /// Whether core refused a field.
    pub(super) fn is_wrong(&self, name: &str) -> bool {
        self.problems.iter().any(|(wrong, _)| *wrong == name)
    }

    fn fields(&self) -> impl Iterator<Item = (&'static str, &str)> {
        [
            ("q", &*self.q),
            ("city", &self.city),
            ("from", &self.from),
            ("to", &self.to),
        ]
        .into_iter()
    }
}

fn given(value: &str) -> Option<String> {
    (!value.is_empty()).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_keep_what_was_looked_for() {
        let filter = Filter::of(&Form::parse("q=a%26b+c&city=&to=2030-05-01&x=1".as_bytes()));
        assert!(filter.is_set());
        assert_eq!(filter.url(0), "/events?q=a%26b+c&to=2030-05-01");
        assert_eq!(filter.url(20), "/events?q=a%26b+c&to=2030-05-01&offset=20");
        assert_eq!(
            filter.path("/events.ics"),
            "/events.ics?q=a%26b+c&to=2030-05-01"
        );
        let request = filter.request(20, 0);
        assert_eq!((request.q.as_deref(), request.city), (Some("a&b c"), None));
        assert_eq!(Filter::default().url(0), "/events");
        assert!(!Filter::of(&Form::parse(b"q=+&x=1")).is_set());
    }

    #[test]
    fn only_problems_of_the_fields_are_shown_beside_them() {
        let violation = |field: &str| Violation {
            field: field.to_owned(),
            message: "must be right".to_owned(),
        };
        let mut filter = Filter::default();
        assert!(!filter.refused(&[violation("offset")]));
        assert!(filter.refused(&[violation("offset"), violation("to")]));
        assert!(filter.is_wrong("to") && !filter.is_wrong("from"));
    }
}
