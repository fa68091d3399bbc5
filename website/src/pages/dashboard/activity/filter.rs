//! The parameters of the activity. Days are those of one time zone, in which the page shows times, too.

use jiff::{civil::Date, tz::TimeZone};
use muster_api::v1::ListActivityRequest;
use serde::{Deserialize, Serialize};

use super::CSV;
use crate::form::link;

/// Lines on a page.
const PAGE_SIZE: i32 = 50;

/// The form of a day, as browsers send it.
const DAY_FORM: &str = "2030-04-01";

/// What is looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Filter {
    pub(super) q: Option<String>,
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
    pub(super) cursor: Option<String>,
    /// The event, in the address of a file; the path of a page names it.
    pub(super) event_id: Option<String>,
}

impl Filter {
    /// What core is asked for a page.
    pub(super) fn request(self) -> ListActivityRequest {
        ListActivityRequest {
            event_id: self.event_id,
            q: self.q,
            from: self.from,
            to: self.to,
            limit: Some(PAGE_SIZE),
            cursor: self.cursor,
        }
    }

    /// The address of the page that begins at a cursor.
    pub(super) fn page(&self, path: &str, cursor: Option<String>) -> String {
        let page = Self {
            cursor,
            event_id: None,
            ..self.clone()
        };
        link(path, &page)
    }

    /// The address of the file with all that is found. It says the instants, since it has no time zone.
    pub(super) fn csv_url(&self, timezone: &str) -> String {
        let whole = Self {
            cursor: None,
            ..self.in_zone(timezone)
        };
        link(CSV, &whole)
    }

    pub(super) const fn is_set(&self) -> bool {
        self.q.is_some() || self.from.is_some() || self.to.is_some()
    }

    /// The same filter from the beginning of the first day to the end of the last one, in a time zone by its IANA name.
    pub(super) fn in_zone(&self, timezone: &str) -> Self {
        let zone = TimeZone::get(timezone).unwrap_or(TimeZone::UTC);
        let begin = |day: Date| {
            Some(
                day.to_zoned_datetime(zone.clone())
                    .ok()?
                    .timestamp()
                    .to_string(),
            )
        };
        let first = day(self.from.as_deref()).and_then(begin);
        let last = day(self.to.as_deref()).and_then(|day| begin(day.tomorrow().ok()?));
        Self {
            from: first.or_else(|| self.from.clone()),
            to: last.or_else(|| self.to.clone()),
            ..self.clone()
        }
    }
}

/// A day; core says what is wrong with any other text.
fn day(text: Option<&str>) -> Option<Date> {
    let text = text.filter(|text| text.len() == DAY_FORM.len())?;
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::Form;

    const PATH: &str = "/dashboard/activity";

    fn filter(query: &str) -> Filter {
        Form::parse(query.as_bytes()).read().unwrap()
    }

    fn bounds(query: &str, timezone: &str) -> (String, String) {
        let request = filter(query).in_zone(timezone).request();
        (
            request.from.unwrap_or_default(),
            request.to.unwrap_or_default(),
        )
    }

    #[test]
    fn pages_keep_what_was_looked_for() {
        let looked_for = filter("q=Ada+L&from=2030-01-01&cursor=x");
        let next = "/dashboard/activity?q=Ada+L&from=2030-01-01&cursor=y";
        assert_eq!(looked_for.page(PATH, Some("y".to_owned())), next);
        assert_eq!(looked_for.clone().request().cursor.as_deref(), Some("x"));
        assert!(looked_for.is_set() && !Filter::default().is_set());
        let all = filter("");
        assert_eq!((&*all.page(PATH, None), &*all.csv_url("UTC")), (PATH, CSV));
        let of_event = filter("q=Ada+L&from=2030-01-01&event_id=e");
        let file = "/dashboard/activity.csv?q=Ada+L&from=2029-12-31T23%3A00%3A00Z&event_id=e";
        assert_eq!(of_event.csv_url("Europe/Berlin"), file);
    }

    #[test]
    fn days_are_those_of_the_time_zone_also_where_clocks_change() {
        let day = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        for (query, timezone, expected) in [
            (
                "from=2030-05-14&to=2030-05-14",
                "Europe/Berlin",
                day("2030-05-13T22:00:00Z", "2030-05-14T22:00:00Z"),
            ),
            // 23 hours.
            (
                "from=2030-03-31&to=2030-03-31",
                "Europe/Berlin",
                day("2030-03-30T23:00:00Z", "2030-03-31T22:00:00Z"),
            ),
            // In Beirut, this day begins at one o'clock.
            (
                "from=2030-03-31",
                "Asia/Beirut",
                day("2030-03-30T22:00:00Z", ""),
            ),
            (
                "to=2030-05-14",
                "Mars/Base",
                day("", "2030-05-15T00:00:00Z"),
            ),
            (
                "from=2030-05-14T10:00:00Z&to=soon",
                "Europe/Berlin",
                day("2030-05-14T10:00:00Z", "soon"),
            ),
            ("to=9999-12-31", "UTC", day("", "9999-12-31")),
        ] {
            assert_eq!(bounds(query, timezone), expected, "{query}");
        }
    }
}
