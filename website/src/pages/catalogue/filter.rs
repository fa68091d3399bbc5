//! The parameters of the catalogue: the fields above it, and where its page begins.

use muster_api::{
    v1::{GetCatalogueCalendarRequest, ListEventsRequest},
    violation::Violation,
};
use serde::{Deserialize, Serialize};

use crate::form::link;

/// The fields as they were filled, and what core says is wrong with them.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
pub(in crate::pages) struct Filter {
    pub(super) q: Option<String>,
    pub(super) city: Option<String>,
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
    pub(super) offset: Option<i32>,
    /// Whose dates are listed, instead of events.
    pub(super) series: Option<String>,
    /// The handle of the organizer whose page has the list; the page's path says it.
    #[serde(skip)]
    pub(super) organizer: Option<String>,
    #[serde(skip)]
    pub(super) problems: Vec<Violation>,
}

impl Filter {
    /// All events of an organizer.
    pub(in crate::pages) fn of_organizer(handle: &str) -> Self {
        Self {
            organizer: Some(handle.to_owned()),
            ..Self::default()
        }
    }

    /// Whether anything is looked for.
    pub(super) fn is_set(&self) -> bool {
        let fields = [&self.q, &self.city, &self.from, &self.to, &self.series];
        fields.into_iter().any(Option::is_some)
    }

    /// Whether more than words are looked for.
    pub(super) fn is_narrowed(&self) -> bool {
        let fields = [&self.city, &self.from, &self.to];
        fields.into_iter().any(Option::is_some)
    }

    /// What core is asked for a page.
    pub(in crate::pages) fn request(&self, limit: i32, offset: i32) -> ListEventsRequest {
        ListEventsRequest {
            limit: Some(limit),
            offset: Some(offset),
            q: self.q.clone(),
            city: self.city.clone(),
            from: self.from.clone(),
            to: self.to.clone(),
            running: self.from.as_ref().map(|_| true),
            organizer: self.organizer.clone(),
            past: None,
            series: self.series.clone(),
        }
    }

    /// Completes a city of which the beginning was typed, if only one begins so.
    pub(super) fn complete(&mut self, cities: &[String]) {
        let Some(typed) = self.city.as_ref().map(|city| city.to_lowercase()) else {
            return;
        };
        let mut begun = cities
            .iter()
            .filter(|city| city.to_lowercase().starts_with(&typed));
        if let (Some(only), None) = (begun.next(), begun.next()) {
            self.city = Some(only.clone());
        }
    }

    /// What core is asked for a calendar file.
    pub(in crate::pages) fn calendar_request(self) -> GetCatalogueCalendarRequest {
        GetCatalogueCalendarRequest {
            q: self.q,
            city: self.city,
            running: self.from.as_ref().map(|_| true),
            from: self.from,
            to: self.to,
            organizer: self.organizer,
            series: self.series,
        }
    }

    /// The address of a page with the same filter.
    pub(super) fn url(&self, offset: i32) -> String {
        let offset = Some(offset).filter(|offset| *offset > 0);
        let page = Self {
            offset,
            ..self.clone()
        };
        link("/events", &page)
    }

    /// The address of the same search on a day; `None` if it is that one.
    pub(super) fn url_of_day(&self, day: &str) -> Option<String> {
        let of_day = Self {
            from: Some(day.to_owned()),
            to: Some(day.to_owned()),
            offset: None,
            ..self.clone()
        };
        let is_same = self.from == of_day.from && self.to == of_day.to;
        (!is_same).then(|| of_day.url(0))
    }

    /// A path with the same filter.
    pub(in crate::pages) fn path(&self, path: &str) -> String {
        let whole = Self {
            offset: None,
            ..self.clone()
        };
        link(path, &whole)
    }

    /// Takes what core says of the fields; answers whether it says anything of them.
    pub(super) fn refused(&mut self, violations: &[Violation]) -> bool {
        let is_field =
            |one: &&Violation| ["q", "city", "from", "to", "series"].contains(&&*one.field);
        self.problems = violations.iter().filter(is_field).cloned().collect();
        // No field shows it, so the next search would be refused, too.
        if self.is_wrong("series") {
            self.series = None;
        }
        !self.problems.is_empty()
    }

    /// Whether core refused a field.
    pub(super) fn is_wrong(&self, name: &str) -> bool {
        self.problems.iter().any(|one| one.field == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::Form;

    fn read(query: &str) -> Filter {
        Form::parse(query.as_bytes()).read().unwrap()
    }

    #[test]
    fn pages_keep_what_was_looked_for() {
        let filter = read("q=a%26b+c&city=&to=2030-05-01&x=1&offset=40");
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
        assert!(!read("q=+&x=1").is_set());
    }

    #[test]
    fn a_search_leads_to_the_same_on_a_day() {
        let day = "2030-05-01";
        let of_day = read("q=rust&from=2030-01-01&offset=40").url_of_day(day);
        let url = "/events?q=rust&from=2030-05-01&to=2030-05-01";
        assert_eq!(of_day.as_deref(), Some(url));
        assert_eq!(read("from=2030-05-01&to=2030-05-01").url_of_day(day), None);
    }

    #[test]
    fn the_beginning_of_a_city_is_completed() {
        let cities = ["Berlin", "Bern", "Köln"].map(str::to_owned);
        for (typed, city) in [
            ("berl", "Berlin"),
            ("ber", "ber"),
            ("kö", "Köln"),
            ("x", "x"),
        ] {
            let mut filter = read(&format!("city={typed}"));
            filter.complete(&cities);
            assert_eq!(filter.city.as_deref(), Some(city));
        }
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
        let mut filter = read("q=rust&series=none");
        assert!(filter.refused(&[violation("series")]));
        assert_eq!(filter.url(0), "/events?q=rust");
    }
}
