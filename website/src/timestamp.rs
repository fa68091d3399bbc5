//! Timestamps on pages. Those about an account, which is at no place, are in UTC, until the page's script shows them as clocks where the
//! visitor is. Where days are chosen as well, and at events, they stay in one time zone. On all of them the script shows hours of twelve to those who
//! use them.

use askama::{Template, filters::HtmlSafe};
use jiff::tz::TimeZone;

/// A timestamp, as the HTML of a page. What is no timestamp is empty.
#[derive(Debug, Clone, PartialEq, Eq, Template)]
#[template(
    ext = "html",
    source = r#"{% if !self.is_empty() %}<time datetime="{{ iso }}"{% if let Some(shape) = shape %} data-moment="{{ shape }}"{% else %} data-clock{% endif %}>{{ words }}</time>{% endif %}"#
)]
pub(crate) struct Timestamp {
    /// RFC 3339, to the second.
    iso: String,
    words: String,
    /// The form in which the script shows it again; `None` if it stays as it is.
    shape: Option<&'static str>,
}

/// The template escapes what is in it.
impl HtmlSafe for Timestamp {}

impl Timestamp {
    /// `14 May 2030, 19:00 UTC`.
    pub(crate) fn new(text: &str) -> Self {
        Self::written(text, &TimeZone::UTC, "%-d %B %Y, %H:%M UTC", Some("time"))
    }

    /// The day alone: `14 May 2030`.
    pub(crate) fn day(text: &str) -> Self {
        Self::written(text, &TimeZone::UTC, "%-d %B %Y", Some("day"))
    }

    /// A timestamp as clocks in a time zone show it, for example at an event: `14 May 2030, 21:00`. In a zone that is not known it is in
    /// UTC.
    pub(crate) fn in_zone(text: &str, timezone: &str) -> Self {
        match TimeZone::get(timezone) {
            Ok(zone) => Self::written(text, &zone, "%-d %B %Y, %H:%M", None),
            Err(_) => Self::new(text),
        }
    }

    /// The same on the day of an event, which begins at `start`: there the clock is enough, `21:00`.
    pub(crate) fn at_event(text: &str, start: &str, timezone: &str) -> Self {
        let full = Self::in_zone(text, timezone);
        let Ok(zone) = TimeZone::get(timezone) else {
            return full;
        };
        let day = |text: &str| {
            let at = text.parse::<jiff::Timestamp>().ok()?;
            Some(at.to_zoned_datetime(zone.clone()).date())
        };
        if day(text) == day(start) {
            Self::written(text, &zone, "%H:%M", None)
        } else {
            full
        }
    }

    /// Whether it is no timestamp.
    pub(crate) const fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The text that people read.
    pub(crate) fn words(&self) -> &str {
        &self.words
    }

    fn written(text: &str, zone: &TimeZone, format: &str, shape: Option<&'static str>) -> Self {
        let Ok(timestamp) = text.parse::<jiff::Timestamp>() else {
            return Self {
                iso: String::new(),
                words: String::new(),
                shape: None,
            };
        };
        Self {
            iso: timestamp.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            words: timestamp
                .to_zoned_datetime(zone.clone())
                .strftime(format)
                .to_string(),
            shape,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "2030-05-14T22:30:00.123456Z";

    fn html(timestamp: &Timestamp) -> String {
        timestamp.render().unwrap()
    }

    #[test]
    fn moments_of_an_account_name_their_zone_and_can_be_shown_in_another() {
        let iso = "<time datetime=\"2030-05-14T22:30:00Z\"";
        assert_eq!(
            html(&Timestamp::new(TEXT)),
            format!("{iso} data-moment=\"time\">14 May 2030, 22:30 UTC</time>")
        );
        assert_eq!(
            html(&Timestamp::day(TEXT)),
            format!("{iso} data-moment=\"day\">14 May 2030</time>")
        );
        assert_eq!(
            html(&Timestamp::in_zone(TEXT, "Europe/Berlin")),
            format!("{iso} data-clock>15 May 2030, 00:30</time>")
        );
        assert_eq!(Timestamp::in_zone(TEXT, "Mars/Base"), Timestamp::new(TEXT));
        let at_door = |start| html(&Timestamp::at_event(TEXT, start, "Europe/Berlin"));
        assert_eq!(
            at_door("2030-05-15T19:00:00+02:00"),
            format!("{iso} data-clock>00:30</time>")
        );
        assert_eq!(
            at_door("2030-05-14T19:00:00+02:00"),
            format!("{iso} data-clock>15 May 2030, 00:30</time>")
        );
    }

    #[test]
    fn what_is_no_timestamp_is_empty() {
        for text in ["", "soon", "2030-05-14", "\"><b>"] {
            assert_eq!(html(&Timestamp::new(text)), "", "{text}");
        }
    }
}
