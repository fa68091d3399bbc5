//! Numbers about an event by day: who saw its page and from where, and who registered.

use std::{
    collections::BTreeMap,
    fmt::{self, Display, Formatter},
};

use jiff::{
    ToSpan as _,
    civil::{Date, Time},
    tz::Offset,
};

use crate::{date_time::EventTime, instant::Instant, schedule::Schedule, zone::Zone};

/// Registrations are counted by parts of an hour, since the days of every time zone begin with one.
pub const BUCKET_MICROS: i64 = 15 * 60 * 1_000_000;

/// How many referring hosts of an event and day are stored one by one. Views from others count without their host.
pub const MAX_HOSTS_OF_A_DAY: i64 = 100;

/// The most days that are shown.
pub const MAX_DAYS: i32 = 90;

/// A day on the clocks at an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(Date);

/// The numbers of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayNumbers {
    /// The day.
    pub day: Day,
    /// Views of the event's page.
    pub views: i64,
    /// Registrations, whatever became of them.
    pub registrations: i64,
}

/// The days of a period, of which the last is today, or the last day of an event that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Days(Vec<Day>);

impl Day {
    /// The day at a moment.
    pub fn of(at: Instant, schedule: &Schedule) -> Self {
        Self(schedule.time_of(at).local.date())
    }

    /// The day at a moment, on clocks in a time zone.
    pub fn in_zone(at: Instant, zone: &Zone) -> Self {
        Self(EventTime::of_instant(at, zone).local.date())
    }
}

impl Display for Day {
    /// As in ISO 8601: `2030-05-14`.
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, out)
    }
}

impl Days {
    /// The last `count` days of an event.
    pub fn last(count: i32, schedule: &Schedule, now: Instant) -> Self {
        let last = Day::of(now.min(schedule.over_at()), schedule);
        let day = |back: i32| last.0.checked_sub(back.days()).ok().map(Day);
        let mut days: Vec<Day> = (0..count.clamp(1, MAX_DAYS)).filter_map(day).collect();
        days.reverse();
        Self(days)
    }

    /// The first and the last of them.
    pub fn bounds(&self) -> Option<(Day, Day)> {
        self.0.first().copied().zip(self.0.last().copied())
    }

    /// A moment before them, and one after them, in every time zone.
    pub fn around(&self) -> (Instant, Instant) {
        let at = |day: Option<&Day>, days: i64| {
            let date = day.and_then(|day| day.0.checked_add(days.days()).ok());
            let midnight = date.map(|date| date.to_datetime(Time::midnight()));
            let at = midnight.and_then(|midnight| Offset::UTC.to_timestamp(midnight).ok());
            at.map_or(Instant::from_micros(0), Instant::from)
        };
        (at(self.0.first(), -1), at(self.0.last(), 2))
    }

    /// The numbers of these days: views by day, and registrations by the beginnings of [buckets](BUCKET_MICROS).
    pub fn numbers(
        &self,
        views: &BTreeMap<String, i64>,
        registered: &[(i64, i64)],
        schedule: &Schedule,
    ) -> Vec<DayNumbers> {
        let mut registrations: BTreeMap<Day, i64> = BTreeMap::new();
        for (bucket, number) in registered {
            let at = Instant::from_micros(bucket.saturating_mul(BUCKET_MICROS));
            *registrations.entry(Day::of(at, schedule)).or_default() += number;
        }
        let numbers = |day: &Day| DayNumbers {
            day: *day,
            views: views.get(&day.to_string()).copied().unwrap_or(0),
            registrations: registrations.get(day).copied().unwrap_or(0),
        };
        self.0.iter().map(numbers).collect()
    }
}

/// How many of a hundred with a spot were checked in; `None` if nobody was.
pub fn came_percent(confirmed: i32, checked_in: i32) -> Option<i32> {
    if checked_in <= 0 || confirmed <= 0 {
        return None;
    }
    let (all, came) = (i64::from(confirmed), i64::from(checked_in));
    i32::try_from(((100 * came + all / 2) / all).min(100)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::violation::Violations;

    fn schedule(start: &str, timezone: &str) -> Schedule {
        let mut violations = Violations::default();
        let utc = Zone::utc();
        Schedule::read(start, None, Some(timezone), &utc, &mut violations).unwrap()
    }

    fn at(text: &str) -> Instant {
        text.parse::<jiff::Timestamp>().unwrap().into()
    }

    #[test]
    fn days_are_those_of_the_clocks_at_the_event() {
        let tokyo = schedule("2030-05-14T19:00", "Asia/Tokyo");
        let days = Days::last(3, &tokyo, at("2030-05-01T16:00:00Z"));
        let shown: Vec<String> = days.0.iter().map(Day::to_string).collect();
        assert_eq!(shown, ["2030-04-30", "2030-05-01", "2030-05-02"]);
        let (from, before) = days.around();
        assert_eq!(
            (from, before),
            (at("2030-04-29T00:00:00Z"), at("2030-05-04T00:00:00Z"))
        );
    }

    #[test]
    fn the_days_of_an_event_that_is_over_end_with_it() {
        let past = schedule("2030-05-14T19:00", "Europe/Berlin");
        let days = Days::last(2, &past, at("2031-01-01T00:00:00Z"));
        assert_eq!(days.bounds().unwrap().0.to_string(), "2030-05-14");
    }

    #[test]
    fn registrations_count_on_their_local_day() {
        let kathmandu = schedule("2030-05-14T19:00", "Asia/Kathmandu");
        let days = Days::last(2, &kathmandu, at("2030-05-02T00:00:00Z"));
        // 23:45 and 00:00 at the event.
        let bucket = |text: &str| at(text).micros() / BUCKET_MICROS;
        let registered = [
            (bucket("2030-05-01T18:00:00Z"), 2),
            (bucket("2030-05-01T18:15:00Z"), 3),
        ];
        let views = BTreeMap::from([("2030-05-02".to_owned(), 7)]);
        let numbers = days.numbers(&views, &registered, &kathmandu);
        let shown: Vec<_> = numbers
            .iter()
            .map(|one| (one.views, one.registrations))
            .collect();
        assert_eq!(shown, [(0, 2), (7, 3)]);
    }

    #[test]
    fn a_share_is_rounded_and_there_is_none_before_someone_came() {
        assert_eq!(came_percent(10, 0), None);
        assert_eq!(came_percent(3, 2), Some(67));
        assert_eq!(came_percent(200, 199), Some(100));
    }
}
