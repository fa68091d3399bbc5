//! Which activity somebody looks for. Days are those of one time zone, in which the page shows times, too.

use jiff::{civil::Date, tz::TimeZone};
use muster_api::v1::ListActivityRequest;

use super::CSV;
use crate::form::Form;

/// Lines on a page.
const PAGE_SIZE: i32 = 50;

/// The form of a day, as browsers send it.
const DAY_FORM: &str = "2030-04-01";

/// What is looked for, and where.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Filter {
    pub(super) path: String,
    /// The IANA name of the time zone.
    pub(super) timezone: String,
    pub(super) event_id: Option<String>,
    pub(super) q: String,
    pub(super) from: String,
    pub(super) to: String,
    pub(super) cursor: String,
}

impl Filter {
    pub(super) fn of(
        query: &Form,
        path: String,
        timezone: String,
        event_id: Option<String>,
    ) -> Self {
        let value = |name| query.value(name).unwrap_or_default().to_owned();
        Self {
            path,
            timezone,
            event_id,
            q: value("q"),
            from: value("from"),
            to: value("to"),
            cursor: value("cursor"),
        }
    }

    pub(super) fn request(&self) -> ListActivityRequest {
        let given = |text: String| (!text.is_empty()).then_some(text);
        ListActivityRequest {
            event_id: self.event_id.clone(),
            q: given(self.q.clone()),
            from: given(self.first_moment()),
            to: given(self.last_moment()),
            limit: Some(PAGE_SIZE),
            cursor: given(self.cursor.clone()),
        }
    }

    /// The address of the page that begins at a cursor.
    pub(super) fn at(&self, cursor: &str) -> String {
        let days = (&*self.from, &*self.to);
        self.url(&self.path, days, ("cursor", cursor))
    }

    /// The address of the file with all that is found. It says the moments, since it has no time zone.
    pub(super) fn csv_url(&self) -> String {
        let event_id = self.event_id.as_deref().unwrap_or_default();
        let (from, to) = (self.first_moment(), self.last_moment());
        self.url(CSV, (&from, &to), ("event_id", event_id))
    }

    fn url(&self, path: &str, (from, to): (&str, &str), more: (&str, &str)) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let fields = [("q", &*self.q), ("from", from), ("to", to), more];
        query.extend_pairs(fields.into_iter().filter(|(_, value)| !value.is_empty()));
        match &*query.finish() {
            "" => path.to_owned(),
            query => format!("{path}?{query}"),
        }
    }

    pub(super) fn is_set(&self) -> bool {
        [&self.q, &self.from, &self.to]
            .iter()
            .any(|text| !text.is_empty())
    }

    /// The beginning of the first day.
    fn first_moment(&self) -> String {
        let begin = day(&self.from).and_then(|day| self.begin(day));
        begin.unwrap_or_else(|| self.from.clone())
    }

    /// The end of the last day.
    fn last_moment(&self) -> String {
        let next = day(&self.to).and_then(|day| day.tomorrow().ok());
        let end = next.and_then(|next| self.begin(next));
        end.unwrap_or_else(|| self.to.clone())
    }

    fn begin(&self, day: Date) -> Option<String> {
        let zone = TimeZone::get(&self.timezone).unwrap_or(TimeZone::UTC);
        Some(day.to_zoned(zone).ok()?.timestamp().to_string())
    }
}

/// A day; core says what is wrong with any other text.
fn day(text: &str) -> Option<Date> {
    let has_form = text.len() == DAY_FORM.len();
    has_form.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "/dashboard/activity";

    fn filter(query: &str, timezone: &str, event_id: Option<&str>) -> Filter {
        Filter::of(
            &Form::parse(query.as_bytes()),
            PATH.to_owned(),
            timezone.to_owned(),
            event_id.map(str::to_owned),
        )
    }

    fn bounds(query: &str, timezone: &str) -> (String, String) {
        let request = filter(query, timezone, None).request();
        (
            request.from.unwrap_or_default(),
            request.to.unwrap_or_default(),
        )
    }

    #[test]
    fn pages_keep_what_was_looked_for() {
        let looked_for = filter("q=Ada+L&from=2030-01-01&cursor=x", "Europe/Berlin", None);
        let next = "/dashboard/activity?q=Ada+L&from=2030-01-01&cursor=y";
        assert_eq!(looked_for.at("y"), next);
        assert_eq!(looked_for.request().cursor.as_deref(), Some("x"));
        assert!(looked_for.is_set() && !Filter::default().is_set());
        let all = filter("", "UTC", None);
        assert_eq!((&*all.at(""), &*all.csv_url()), (PATH, CSV));
        let of_event = filter("q=Ada+L&from=2030-01-01", "Europe/Berlin", Some("e"));
        let file = "/dashboard/activity.csv?q=Ada+L&from=2029-12-31T23%3A00%3A00Z&event_id=e";
        assert_eq!(of_event.csv_url(), file);
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
