//! Date-times in requests and in answers.

use std::{cmp::Ordering, str::FromStr};

use jiff::{
    SignedDuration,
    civil::{DateTime, Time},
    fmt::temporal::Pieces,
    tz::Offset,
};

use super::{
    instant::Instant,
    zone::{Gap, Zone},
};

/// Clocks nowhere are further from UTC.
const ANY_ZONE: SignedDuration = SignedDuration::from_hours(24);

/// RFC 3339 ends at offsets of 23:59 hours; jiff reads two hours more.
const SECONDS_PER_DAY: i32 = 86_400;

/// A date-time in an event's zone, stored as the moment and as the wall time, so that neither has to be derived again
/// from rules that may have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventTime {
    /// The moment.
    pub at: Instant,
    /// What a clock on the wall of the event's zone shows.
    pub local: DateTime,
}

/// Why a text is no valid date-time in a zone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTime {
    /// Not ISO 8601, or a date that the calendar does not have.
    #[error("must be an ISO 8601 date-time that exists, for example 2027-05-01T18:00:00+02:00")]
    Form,
    /// A date without a time of day.
    #[error("must have a time of day after the date, for example 2027-05-01T18:00")]
    DateOnly,
    /// A zone in brackets after the date-time.
    #[error("must not name a zone in brackets: give it as timezone")]
    Bracketed,
    /// Outside the years that RFC 3339 and its readers share.
    #[error("must lie in the years 1 to 9999")]
    Year,
    /// A wall time that the zone's clocks skip.
    #[error(
        "must be a time that clocks in {zone} show: {local} is skipped when they are put forward"
    )]
    Skipped {
        /// The zone's name.
        zone: String,
        /// The wall time.
        local: DateTime,
    },
}

/// A date-time in a request: with an offset it is an instant, without one a wall time in a zone that is still unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenTime {
    local: DateTime,
    offset: Option<Offset>,
}

impl FromStr for WrittenTime {
    type Err = InvalidTime;

    /// Reads ISO 8601 in its extended and its basic form, with `T` or a space, with or without seconds, a fraction and an
    /// offset. It is truncated to microseconds.
    fn from_str(text: &str) -> Result<Self, InvalidTime> {
        let pieces = Pieces::parse(text).map_err(|_| InvalidTime::Form)?;
        if pieces.time_zone_annotation().is_some() {
            return Err(InvalidTime::Bracketed);
        }
        let time = pieces.time().ok_or(InvalidTime::DateOnly)?;
        let whole_micros = time.subsec_nanosecond() / 1_000 * 1_000;
        let time = time
            .with()
            .subsec_nanosecond(whole_micros)
            .build()
            .map_err(|_| InvalidTime::Form)?;
        let offset = pieces.to_numeric_offset();
        if offset.is_some_and(|offset| offset.seconds().abs() >= SECONDS_PER_DAY) {
            return Err(InvalidTime::Form);
        }
        Ok(Self {
            local: pieces.date().to_datetime(time),
            offset,
        })
    }
}

impl WrittenTime {
    /// The date-time in `zone`: an offset fixes the moment; without one it is wall time, the earlier where clocks show
    /// it twice.
    pub fn in_zone(self, zone: &Zone) -> Result<EventTime, InvalidTime> {
        let Some(offset) = self.offset else {
            return EventTime::of_wall_time(self.local, zone);
        };
        let at = instant(self.local, offset)?;
        let local = shifted(at.to_utc(), zone.offset_at(at).duration_since(Offset::UTC))?;
        Ok(EventTime { at, local })
    }

    /// The moment that an offset fixes; `None` without one.
    pub fn instant(self) -> Option<Result<Instant, InvalidTime>> {
        self.offset.map(|offset| instant(self.local, offset))
    }

    /// What is known of it in any zone.
    pub(crate) fn without_zone(self) -> ZonelessTime {
        ZonelessTime {
            at: self.instant().and_then(Result::ok),
            local: self.offset.is_none().then_some(self.local),
        }
    }
}

/// A time of which the zone is unknown: its moment, its wall time, or both.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ZonelessTime {
    at: Option<Instant>,
    local: Option<DateTime>,
}

impl ZonelessTime {
    /// Its wall time alone.
    pub(crate) const fn of_wall_time(local: DateTime) -> Self {
        Self {
            at: None,
            local: Some(local),
        }
    }

    /// Which one comes first; `None` if that depends on the zone.
    pub(crate) fn compared(self, other: Self) -> Option<Ordering> {
        let moments = self.at.zip(other.at).map(|(one, other)| one.cmp(&other));
        moments.or_else(|| {
            let (one, other) = self.local.zip(other.local)?;
            Some(one.cmp(&other))
        })
    }

    /// Whether it has passed in every zone.
    pub(crate) fn has_passed(self, now: Instant) -> bool {
        let latest = self.at.or_else(|| {
            let utc = shifted(self.local?, ANY_ZONE).ok()?;
            Some(Instant::from_utc(utc))
        });
        latest.is_some_and(|at| at <= now)
    }
}

impl From<EventTime> for ZonelessTime {
    fn from(time: EventTime) -> Self {
        Self {
            at: Some(time.at),
            local: Some(time.local),
        }
    }
}

impl EventTime {
    /// A moment that was stored, as clocks in `zone` show it.
    pub fn of_instant(at: Instant, zone: &Zone) -> Self {
        let ahead = zone.offset_at(at).duration_since(Offset::UTC);
        let local = at.to_utc().saturating_add(ahead);
        Self { at, local }
    }

    /// The moment when clocks in `zone` show `local`, the earlier where they show it twice.
    pub fn of_wall_time(local: DateTime, zone: &Zone) -> Result<Self, InvalidTime> {
        let offset = zone.offset_of(local).map_err(|Gap| InvalidTime::Skipped {
            zone: zone.name().to_owned(),
            local,
        })?;
        let local = shifted(local, SignedDuration::ZERO)?;
        let at = instant(local, offset)?;
        Ok(Self { at, local })
    }

    /// The same wall time by the clocks of `zone`; unchanged if they show it at that moment.
    pub(crate) fn by_clocks_of(self, zone: &Zone) -> Result<Self, InvalidTime> {
        if Self::of_instant(self.at, zone).local == self.local {
            return Ok(self);
        }
        Self::of_wall_time(self.local, zone)
    }

    /// The moment when clocks in `zone` begin the day after that of `local`, or go on after a midnight that they skip.
    pub(crate) fn midnight_after(local: DateTime, zone: &Zone) -> Option<Instant> {
        let midnight = local.date().tomorrow().ok()?.to_datetime(Time::midnight());
        instant(midnight, zone.offset_at_or_after(midnight)).ok()
    }

    /// RFC 3339 with the event's own offset, a fraction only when there is one: `2027-05-01T18:00:00+02:00`.
    ///
    /// RFC 3339 has no seconds in offsets; local mean time before about 1900 has. There the offset is cut to the
    /// minute and the wall time with it, so that the text names the same moment.
    pub fn rfc3339(&self) -> String {
        let utc = self.at.to_utc();
        let minutes = self.local.duration_since(utc).as_mins();
        if minutes == 0 {
            return format!("{utc}Z");
        }
        let local = utc.saturating_add(SignedDuration::from_mins(minutes));
        let sign = if minutes < 0 { '-' } else { '+' };
        let (hours, minutes) = (minutes.abs() / 60, minutes.abs() % 60);
        format!("{local}{sign}{hours:02}:{minutes:02}")
    }
}

/// The moment when clocks that are `offset` ahead of UTC show `local`.
fn instant(local: DateTime, offset: Offset) -> Result<Instant, InvalidTime> {
    let utc = shifted(local, Offset::UTC.duration_since(offset))?;
    Ok(Instant::from_utc(utc))
}

/// The date-time that much later, within the years that are allowed.
fn shifted(civil: DateTime, by: SignedDuration) -> Result<DateTime, InvalidTime> {
    match civil.checked_add(by) {
        Ok(civil) if (1..=9999).contains(&civil.year()) => Ok(civil),
        _ => Err(InvalidTime::Year),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads `text` in `zone` and prints it again, or says why not.
    fn answered(text: &str, zone: &str) -> Result<String, String> {
        let zone = Zone::find(zone).unwrap();
        text.parse::<WrittenTime>()
            .and_then(|written| written.in_zone(&zone))
            .map(|time| time.rfc3339())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn every_lenient_form_means_the_same() {
        for text in [
            "2027-05-01T18:00:00+02:00",
            "2027-05-01T18:00:00",
            "2027-05-01t18:00",
            "2027-05-01 18:00",
            "20270501T180000",
            "20270501T1800+0200",
            "2027-05-01T16:00:00Z",
            "2027-05-01 16:00z",
            "2027-05-01T16:00:00-00:00",
            "2027-05-01T18:00:00.0000009+02",
            "2027-05-01T18:00:00,000000+02",
            "2027-05-02T01:30:00+09:30",
        ] {
            assert_eq!(
                answered(text, "Europe/Berlin").as_deref(),
                Ok("2027-05-01T18:00:00+02:00"),
                "{text}"
            );
        }
    }

    #[test]
    fn an_answer_has_the_offset_of_the_events_own_zone() {
        for (text, zone, answer) in [
            ("2027-01-01T00:00Z", "UTC", "2027-01-01T00:00:00Z"),
            ("2027-01-01T00:00Z", "Europe/London", "2027-01-01T00:00:00Z"),
            (
                "2027-07-01T00:00Z",
                "Europe/London",
                "2027-07-01T01:00:00+01:00",
            ),
            (
                "2027-01-01T00:00Z",
                "Asia/Kathmandu",
                "2027-01-01T05:45:00+05:45",
            ),
            (
                "2027-01-01T00:00",
                "America/St_Johns",
                "2027-01-01T00:00:00-03:30",
            ),
            (
                "2027-01-01T00:00:00.123456789Z",
                "UTC",
                "2027-01-01T00:00:00.123456Z",
            ),
            ("2027-01-01T00:00:00.120Z", "UTC", "2027-01-01T00:00:00.12Z"),
        ] {
            assert_eq!(answered(text, zone).as_deref(), Ok(answer), "{text} {zone}");
        }
    }

    #[test]
    fn a_wall_time_that_clocks_skip_is_refused() {
        assert_eq!(
            answered("2027-03-28T02:30", "Europe/Berlin"),
            Err(
                "must be a time that clocks in Europe/Berlin show: 2027-03-28T02:30:00 is skipped when they are put forward"
                    .to_owned()
            )
        );
        // An offset fixes the moment, whatever the zone's clocks do.
        assert_eq!(
            answered("2027-03-28T02:30+01:00", "Europe/Berlin").as_deref(),
            Ok("2027-03-28T03:30:00+02:00")
        );
    }

    #[test]
    fn a_wall_time_that_clocks_show_twice_is_the_earlier() {
        assert_eq!(
            answered("2027-10-31T02:30", "Europe/Berlin").as_deref(),
            Ok("2027-10-31T02:30:00+02:00")
        );
        assert_eq!(
            answered("2027-10-31T02:30+01:00", "Europe/Berlin").as_deref(),
            Ok("2027-10-31T02:30:00+01:00")
        );
    }

    #[test]
    fn a_date_without_a_time_says_what_is_missing() {
        for text in ["2027-05-01", "20270501"] {
            assert_eq!(text.parse::<WrittenTime>(), Err(InvalidTime::DateOnly));
        }
    }

    #[test]
    fn what_is_no_date_time_is_refused() {
        for text in [
            "",
            "now",
            "2027",
            "18:00",
            "2027-02-29T18:00",
            "2027-13-01T18:00",
            "2027-04-31T18:00",
            "2027-05-01T24:00",
            "2027-05-01T18:60",
            "2027-05-01T18:00:00+25:00x",
            "1777651200",
            "2027-W17-6T18:00",
            "2027-05-01T",
            "2027-05-01T18:00:00Z ",
            " 2027-05-01T18:00:00Z",
            "01/05/2027 18:00",
            "2027-05-01T18:00:00 Z",
            "2027-05-01T18.5",
            "\u{0}",
            "٢٠٢٧-٠٥-٠١T18:00",
        ] {
            assert_eq!(
                text.parse::<WrittenTime>(),
                Err(InvalidTime::Form),
                "{text:?}"
            );
        }
        assert_eq!(
            "2027-05-01T18:00[Europe/Berlin]".parse::<WrittenTime>(),
            Err(InvalidTime::Bracketed)
        );
    }

    #[test]
    fn the_years_1_to_9999_are_allowed_in_utc_and_in_the_zone() {
        for (text, zone, answer) in [
            ("0001-01-01T00:00:00Z", "UTC", Ok("0001-01-01T00:00:00Z")),
            (
                "9999-12-31T23:59:59.999999Z",
                "UTC",
                Ok("9999-12-31T23:59:59.999999Z"),
            ),
            (
                "9999-12-31T12:00",
                "America/New_York",
                Ok("9999-12-31T12:00:00-05:00"),
            ),
            ("9999-12-31T23:00", "America/New_York", Err(())),
            ("9999-12-31T23:59:59Z", "Asia/Tokyo", Err(())),
            ("0001-01-01T00:00:00Z", "America/New_York", Err(())),
            ("0001-01-01T00:00", "Asia/Tokyo", Err(())),
            ("0000-12-31T23:59:59Z", "UTC", Err(())),
            ("0000-12-31T23:59:59", "UTC", Err(())),
            ("-000001-01-01T00:00:00Z", "UTC", Err(())),
        ] {
            let expected = answer
                .map(str::to_owned)
                .map_err(|()| "must lie in the years 1 to 9999".to_owned());
            assert_eq!(answered(text, zone), expected, "{text} {zone}");
        }
    }

    proptest! {
        #[test]
        fn an_answer_read_again_is_the_same_moment(
            micros in -62_135_510_400_000_000_i64..253_402_214_400_000_000,
            zone in prop::sample::select(vec![
                "UTC", "Europe/Berlin", "Europe/Dublin", "America/St_Johns", "Asia/Kathmandu", "Pacific/Apia",
                "Africa/Monrovia", "Australia/Lord_Howe", "America/Caracas",
            ]),
        ) {
            let zone = Zone::find(zone).unwrap();
            let at = Instant::from_micros(micros);
            let text = at.to_string();
            let time = text.parse::<WrittenTime>().unwrap().in_zone(&zone).unwrap();
            prop_assert_eq!(time.at, at);
            let again = time.rfc3339().parse::<WrittenTime>().unwrap().in_zone(&zone).unwrap();
            prop_assert_eq!(again, time);
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,40}") {
            let _ = text.parse::<WrittenTime>().and_then(|written| written.in_zone(&Zone::utc()));
        }
    }
}
