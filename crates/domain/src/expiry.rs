//! When a credential expires, as an administrator enters it.

use std::str::FromStr;

use jiff::{Span, civil::Date};

use super::{date_time::WrittenTime, instant::Instant, zone::Zone};

const FORM: &str = "must be a time from now such as 90d or 12h, a date such as 2027-01-01 (its beginning in UTC), or a date-time";

/// A duration from now, or an instant.
#[derive(Debug, Clone, Copy)]
pub enum Expiry {
    /// This long from now.
    After(Span),
    /// At this instant.
    At(Instant),
}

impl FromStr for Expiry {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(span) = text.parse::<Span>() {
            return Ok(Self::After(span));
        }
        if let Ok(written) = text.parse::<WrittenTime>() {
            let time = written.in_zone(&Zone::utc());
            return time
                .map(|time| Self::At(time.at))
                .map_err(|error| error.to_string());
        }
        // `Date` also parses date-times and drops their time.
        let is_date = text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-');
        let date = text.parse::<Date>().ok().filter(|_| is_date);
        date.map(|date| Self::At(Instant::from_utc(date.at(0, 0, 0, 0))))
            .ok_or_else(|| FORM.to_owned())
    }
}

impl Expiry {
    /// The instant; `None` if it is in the past or beyond the supported calendar.
    pub fn instant(self, now: Instant) -> Option<Instant> {
        let moment = match self {
            Self::After(span) => Instant::from_utc(now.to_utc().checked_add(span).ok()?),
            Self::At(moment) => moment,
        };
        (moment > now).then_some(moment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_dates_and_date_times_are_understood() {
        let now = Instant::from_micros(1_800_014_400_000_000);
        assert_eq!(now.to_string(), "2027-01-15T12:00:00Z");
        for (text, moment) in [
            ("90d", "2027-04-15T12:00:00Z"),
            ("12h", "2027-01-16T00:00:00Z"),
            ("1 year", "2028-01-15T12:00:00Z"),
            ("P1M", "2027-02-15T12:00:00Z"),
            ("2027-02-01", "2027-02-01T00:00:00Z"),
            ("2027-02-01T08:00+02:00", "2027-02-01T06:00:00Z"),
            ("2027-02-01 08:00", "2027-02-01T08:00:00Z"),
        ] {
            let expiry: Expiry = text.parse().unwrap();
            assert_eq!(expiry.instant(now).unwrap().to_string(), moment, "{text}");
        }
        for past in [
            "0s",
            "-1d",
            "1d ago",
            "2027-01-15",
            "2027-01-15T12:00Z",
            "19998 years",
        ] {
            let expiry: Expiry = past.parse().unwrap();
            assert_eq!(expiry.instant(now), None, "{past}");
        }
        for wrong in ["", "soon", "90", "2027-02-30", "2027", "12:00"] {
            assert!(wrong.parse::<Expiry>().is_err(), "{wrong}");
        }
    }
}
