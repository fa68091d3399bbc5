//! Dates of events in words, as clocks at the event show them.

use jiff::{
    SignedDuration, Timestamp,
    civil::DateTime,
    fmt::temporal::Pieces,
    tz::{Offset, TimeZone},
};

/// A date-time of core: wall time with the offset of the event's zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventTime {
    local: DateTime,
    offset: Offset,
}

/// When an event takes place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EventDates {
    start: EventTime,
    /// `None` if the event has no end of its own.
    end: Option<EventTime>,
    /// The IANA name of the zone.
    timezone: String,
}

impl EventTime {
    /// Reads RFC 3339.
    fn read(text: &str) -> Option<Self> {
        let pieces = Pieces::parse(text).ok()?;
        Some(Self {
            local: pieces.date().to_datetime(pieces.time()?),
            offset: pieces.to_numeric_offset()?,
        })
    }

    /// The moment. No calendar has those beyond what it can hold.
    fn at(self) -> Timestamp {
        let at = self.offset.to_timestamp(self.local);
        at.unwrap_or(Timestamp::MAX)
    }
}

impl EventDates {
    /// Reads the dates of an event in core's answers; `None` if they are not in its form.
    pub(crate) fn read(start: &str, end: Option<&str>, timezone: &str) -> Option<Self> {
        let start = EventTime::read(start)?;
        let end = end.and_then(EventTime::read);
        Some(Self {
            start,
            end: end.filter(|end| end.local != start.local),
            timezone: timezone.to_owned(),
        })
    }

    /// Start and end for calendars: an event without an end of its own takes an hour there, as in its file.
    pub(crate) fn for_calendars(&self) -> (Timestamp, Timestamp) {
        const UNTIL_THE_END: SignedDuration = SignedDuration::from_hours(1);
        let start = self.start.at();
        let later = start.saturating_add(UNTIL_THE_END).unwrap_or(start);
        (start, self.end.map_or(later, EventTime::at))
    }

    /// `14 May 2030`.
    pub(crate) fn day(&self) -> String {
        self.start.local.strftime("%-d %B %Y").to_string()
    }

    /// `Tuesday`.
    pub(crate) fn weekday(&self) -> String {
        self.start.local.strftime("%A").to_string()
    }

    /// `May`, at most three letters.
    pub(crate) fn month(&self) -> String {
        self.start.local.strftime("%b").to_string()
    }

    /// `14`.
    pub(crate) fn day_of_month(&self) -> String {
        self.start.local.strftime("%-d").to_string()
    }

    /// `Tuesday, 14 May 2030`.
    pub(crate) fn date(&self) -> String {
        self.start.local.strftime("%A, %-d %B %Y").to_string()
    }

    /// `19:00`.
    pub(crate) fn time(&self) -> String {
        self.start.local.strftime("%H:%M").to_string()
    }

    /// `19:00 to 22:00`, with the date of the end if it is another one.
    pub(crate) fn hours(&self) -> String {
        let start = self.time();
        let Some(end) = self.end.map(|end| end.local) else {
            return start;
        };
        let format = if end.date() == self.start.local.date() {
            "%H:%M"
        } else {
            "%A, %-d %B %Y, %H:%M"
        };
        format!("{start} to {}", end.strftime(format))
    }

    /// Date, hours and zone, in the form of mails: `Tuesday, 14 May 2030, 19:00 to 22:00 (Berlin time)`.
    pub(crate) fn when(&self) -> String {
        format!("{}, {} ({})", self.date(), self.hours(), self.zone_name())
    }

    /// `Berlin time`, or `UTC`.
    pub(crate) fn zone_name(&self) -> String {
        city_time(&self.timezone).unwrap_or_else(|| utc(self.start.offset))
    }

    /// `Berlin time (UTC+2)`, or `UTC`.
    pub(crate) fn zone(&self) -> String {
        let (name, offset) = (self.zone_name(), utc(self.start.offset));
        if name == offset {
            return name;
        }
        format!("{name} ({offset})")
    }
}

/// `Berlin time`; `None` for zones that no city names.
fn city_time(timezone: &str) -> Option<String> {
    let (area, city) = timezone.rsplit_once('/')?;
    (area != "Etc").then(|| format!("{} time", city.replace('_', " ")))
}

/// A date-time of core in words, with its zone: `Tuesday, 14 May 2030, 19:00 (Berlin time)`.
pub(crate) fn timestamp_in(text: &str, timezone: &str) -> Option<String> {
    let zone = city_time(timezone).unwrap_or_else(|| timezone.to_owned());
    let time = EventTime::read(text)?.local;
    Some(format!(
        "{} ({zone})",
        time.strftime("%A, %-d %B %Y, %H:%M")
    ))
}

/// The present, by the clock of this process.
#[expect(
    clippy::disallowed_methods,
    reason = "pages suggest something by it; core decides by its own clock"
)]
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}

/// The present day in a time zone, in UTC if it is not known: `2030-05-14`.
pub(crate) fn today(timezone: &str) -> String {
    let zone = TimeZone::get(timezone).unwrap_or(TimeZone::UTC);
    now().to_zoned_datetime(zone).date().to_string()
}

/// Wall time as forms have it: `2030-05-14T19:00`, with seconds only where there are any, since browsers take no more. What is no date-time
/// is as it is.
pub(crate) fn wall_time(text: &str) -> String {
    let Some(time) = EventTime::read(text) else {
        return text.to_owned();
    };
    let format = if time.local.second() == 0 {
        "%Y-%m-%dT%H:%M"
    } else {
        "%Y-%m-%dT%H:%M:%S"
    };
    time.local.strftime(format).to_string()
}

/// A day as `14 May`. What is no day is as it is.
pub(crate) fn short_day(text: &str) -> String {
    day_as(text, "%-d %B")
}

/// The same with weekday and year: `Tuesday, 14 May 2030`.
pub(crate) fn long_day(text: &str) -> String {
    day_as(text, "%A, %-d %B %Y")
}

fn day_as(text: &str, format: &str) -> String {
    let day: Result<jiff::civil::Date, _> = text.parse();
    day.map_or_else(|_| text.to_owned(), |day| day.strftime(format).to_string())
}

/// `UTC`, `UTC+2` or `UTC+5:30`.
fn utc(offset: Offset) -> String {
    let minutes = offset.seconds() / 60;
    let sign = if minutes < 0 { '−' } else { '+' };
    let (hours, rest) = (minutes.abs() / 60, minutes.abs() % 60);
    match (hours, rest) {
        (0, 0) => "UTC".to_owned(),
        (_, 0) => format!("UTC{sign}{hours}"),
        _ => format!("UTC{sign}{hours}:{rest:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dates(start: &str, end: &str, zone: &str) -> EventDates {
        EventDates::read(start, Some(end), zone).unwrap()
    }

    #[test]
    fn an_evening_is_told_as_in_the_mails() {
        let evening = dates(
            "2030-05-14T19:00:00+02:00",
            "2030-05-14T22:00:00+02:00",
            "Europe/Berlin",
        );
        assert_eq!(evening.date(), "Tuesday, 14 May 2030");
        assert_eq!(evening.hours(), "19:00 to 22:00");
        assert_eq!(evening.zone(), "Berlin time (UTC+2)");
        assert_eq!(
            evening.when(),
            "Tuesday, 14 May 2030, 19:00 to 22:00 (Berlin time)"
        );
    }

    #[test]
    fn an_end_on_another_day_has_its_date() {
        let weekend = dates("2030-05-17T18:30:00Z", "2030-05-19T16:00:00Z", "Etc/UTC");
        assert_eq!(weekend.hours(), "18:30 to Sunday, 19 May 2030, 16:00");
        assert_eq!(weekend.zone(), "UTC");
    }

    #[test]
    fn an_event_without_an_end_of_its_own_has_a_start_only() {
        let start = "2030-05-14T19:00:00.5-03:30";
        assert_eq!(dates(start, start, "America/St_Johns").hours(), "19:00");
    }

    #[test]
    fn zones_have_the_names_of_their_cities_and_their_offsets() {
        for (zone, offset, words) in [
            (
                "America/Argentina/Buenos_Aires",
                "-03:00",
                "Buenos Aires time (UTC−3)",
            ),
            ("Asia/Kolkata", "+05:30", "Kolkata time (UTC+5:30)"),
            ("Europe/London", "+00:00", "London time (UTC)"),
            ("Etc/GMT+5", "-05:00", "UTC−5"),
            ("UTC", "+00:00", "UTC"),
        ] {
            let start = format!("2030-05-14T19:00:00{offset}");
            assert_eq!(dates(&start, &start, zone).zone(), words);
        }
    }

    #[test]
    fn forms_have_the_wall_time_of_an_event() {
        for (text, shown) in [
            ("2030-05-14T19:00:00+02:00", "2030-05-14T19:00"),
            ("2030-05-14T19:00:30+02:00", "2030-05-14T19:00:30"),
            ("2030-05-14T19:00:30.5Z", "2030-05-14T19:00:30"),
            ("tomorrow", "tomorrow"),
        ] {
            assert_eq!(wall_time(text), shown);
        }
    }

    #[test]
    fn what_is_no_date_is_not_read() {
        for text in ["", "2030-05-14", "2030-05-14T19:00:00", "soon"] {
            assert_eq!(EventDates::read(text, None, "UTC"), None, "{text}");
        }
    }
}
