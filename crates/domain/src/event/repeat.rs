//! Repeating an event: on which dates, and what each of them is (rule 55 of docs/rules.md).

mod days;
mod moved;
mod read;

use std::collections::BTreeSet;

use jiff::civil::{Date, Weekday};

use self::{
    days::Day,
    moved::on_date,
    read::{read_date, read_end, read_rule},
};
use crate::{
    date_time::EventTime,
    instant::Instant,
    schedule::Schedule,
    violation::{FieldViolation, Violations},
    zone::Zone,
};

pub use read::NewRepetition;

/// One call makes up to so many events.
pub const MAX_REPEATS: usize = 52;

/// A call names up to so many dates that it left out.
const MAX_LEFT_OUT: usize = 52;

/// How an event repeats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repetition {
    rule: Rule,
    interval: i32,
    end: End,
    except: BTreeSet<Date>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Rule {
    Weekdays(BTreeSet<i8>),
    MonthDay(i8),
    NthWeekday(i8, Weekday),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    After(usize),
    On(Date),
}

/// A date without the event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The day, such as `2030-02-31`, which need not exist.
    pub date: String,
    /// Why.
    pub reason: LeftOutReason,
}

/// Why a date is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOutReason {
    /// The month has no such day.
    NoSuchDay,
    /// The clocks skip the time of day.
    SkippedTime,
    /// The series has an event on that day.
    Exists,
    /// The day of `except` is none of the dates.
    NotInRule,
}

/// When the events of a repetition take place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dates {
    /// The schedules, in order.
    pub schedules: Vec<Schedule>,
    /// The dates that were left out, in order. Those that the series has are named as far as there is room.
    pub left_out: Vec<LeftOut>,
    /// How many of the dates the series has already.
    pub existing: usize,
}

impl Repetition {
    /// Reads how an event repeats that begins on `first` by the clocks there.
    pub fn read(new: &NewRepetition, first: Date) -> Result<Self, Vec<FieldViolation>> {
        let mut violations = Violations::default();
        let rule = read_rule(new, first, &mut violations);
        let end = read_end(new, first, &mut violations);
        let mut except = BTreeSet::new();
        for (index, text) in new.except.iter().enumerate() {
            except.extend(read_date(
                &format!("except[{index}]"),
                text,
                &mut violations,
            ));
        }
        let repetition = rule.zip(end).map(|(rule, end)| Self {
            rule,
            interval: new.interval,
            end,
            except,
        });
        violations.unless_any(repetition)
    }

    /// When an event with this schedule takes place again, if its series has events on the days that are `taken`. Days that are over at
    /// `now` are passed over. A date that the calendar or the clocks do not have is no date, and so counts for nothing; one of `except`
    /// counts, as one that is taken does.
    pub fn dates(
        &self,
        schedule: &Schedule,
        taken: &BTreeSet<Date>,
        now: Instant,
    ) -> Result<Dates, Vec<FieldViolation>> {
        let mut violations = Violations::default();
        let zone = violations.check("timezone", Zone::find(&schedule.timezone));
        let Some(zone) = zone else {
            return violations.unless_any(None);
        };
        let found = self.found(schedule, taken, (&zone, now));
        if found.schedules.len() > MAX_REPEATS {
            let message = format!("must leave at most {MAX_REPEATS} dates: choose an earlier day");
            violations.add("until", message);
        }
        if found.schedules.is_empty() && found.existing == 0 {
            let field = match self.end {
                End::On(_) => "until",
                End::After(_) if !self.except.is_empty() => "except",
                End::After(_) => "count",
            };
            let message = "must leave at least one date after the event and after today";
            violations.add(field, message);
        }
        violations.unless_any(Some(found.shortened()))
    }

    /// The dates, until there is one too many.
    fn found(
        &self,
        schedule: &Schedule,
        taken: &BTreeSet<Date>,
        (zone, now): (&Zone, Instant),
    ) -> Dates {
        let mut found = Dates::default();
        let first = schedule.start.local.date();
        let today = EventTime::of_instant(now, zone).local.date();
        let mut unmatched = self.except.clone();
        let mut counted = 0;
        for Day { text, date } in self.days(first, today) {
            if self.end.is_passed(&text, counted) || found.schedules.len() > MAX_REPEATS {
                break;
            }
            let Some(date) = date else {
                found.leave_out(text, LeftOutReason::NoSuchDay);
                continue;
            };
            if self.except.contains(&date) {
                unmatched.remove(&date);
                counted += usize::from(date >= today);
                continue;
            }
            let Some(moved) = on_date(schedule, date, zone) else {
                found.leave_out(text, LeftOutReason::SkippedTime);
                continue;
            };
            if moved.effective_end() <= now {
                continue;
            }
            counted += 1;
            if taken.contains(&date) {
                found.existing += 1;
                found.leave_out(text, LeftOutReason::Exists);
            } else {
                found.schedules.push(moved);
            }
        }
        for date in unmatched {
            found.leave_out(date.to_string(), LeftOutReason::NotInRule);
        }
        found
    }
}

impl End {
    /// Whether a day comes after the last one, after so many.
    fn is_passed(self, day: &str, counted: usize) -> bool {
        match self {
            Self::After(count) => counted >= count,
            Self::On(last) => *day > *last.to_string(),
        }
    }
}

impl Dates {
    fn leave_out(&mut self, date: String, reason: LeftOutReason) {
        self.left_out.push(LeftOut { date, reason });
    }

    /// The same with as many left out as a call names, in order. What nobody would guess goes before the dates that the series has.
    fn shortened(mut self) -> Self {
        self.left_out.sort_by(|one, other| {
            let exists = |one: &LeftOut| one.reason == LeftOutReason::Exists;
            (exists(one), &one.date).cmp(&(exists(other), &other.date))
        });
        self.left_out.truncate(MAX_LEFT_OUT);
        self.left_out
            .sort_by(|one, other| one.date.cmp(&other.date));
        self
    }
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan as _;

    use super::*;

    const NOW: Instant = Instant::from_micros(1_800_000_000_000_000); // 2027-01-15T08:00:00Z

    fn schedule(start: &str, end: &str) -> Schedule {
        let mut violations = Violations::default();
        let zone = Zone::find("Europe/Berlin").unwrap();
        Schedule::read(start, Some(end), None, &zone, &mut violations).unwrap()
    }

    fn weekly(count: i32) -> NewRepetition {
        NewRepetition {
            every: "week".to_owned(),
            interval: 1,
            count: Some(count),
            ..NewRepetition::default()
        }
    }

    fn monthly(count: i32) -> NewRepetition {
        NewRepetition {
            every: "month".to_owned(),
            ..weekly(count)
        }
    }

    fn dates(new: &NewRepetition, start: &str, end: &str) -> Dates {
        let schedule = schedule(start, end);
        let repetition = Repetition::read(new, schedule.start.local.date()).unwrap();
        repetition.dates(&schedule, &BTreeSet::new(), NOW).unwrap()
    }

    fn starts(new: &NewRepetition, start: &str) -> Vec<String> {
        let found = dates(new, start, start);
        let start = |schedule: &Schedule| schedule.start.local.date().to_string();
        found.schedules.iter().map(start).collect()
    }

    fn blamed(new: &NewRepetition) -> Vec<String> {
        let first = schedule("2027-05-01T18:00", "2027-05-01T20:00");
        let read = Repetition::read(new, first.start.local.date());
        let refused = read.and_then(|read| read.dates(&first, &BTreeSet::new(), NOW));
        refused
            .unwrap_err()
            .into_iter()
            .map(|one| one.field)
            .collect()
    }

    #[test]
    fn a_week_keeps_its_weekday_and_its_wall_time_across_a_change_of_clocks() {
        let found = dates(&weekly(2), "2027-03-23T18:00", "2027-03-23T21:30");
        let texts = found.schedules.iter().map(|one| one.start.rfc3339());
        let texts: Vec<_> = texts.collect();
        assert_eq!(
            texts,
            ["2027-03-30T18:00:00+02:00", "2027-04-06T18:00:00+02:00"]
        );
        let end = found.schedules[0].end.map(|end| end.rfc3339());
        assert_eq!(end.as_deref(), Some("2027-03-30T21:30:00+02:00"));
    }

    #[test]
    fn weekdays_of_every_other_week_begin_in_the_week_of_the_event() {
        let new = NewRepetition {
            interval: 2,
            weekdays: vec!["Friday".to_owned(), "Monday".to_owned()],
            ..weekly(4)
        };
        let expected = ["2027-05-07", "2027-05-17", "2027-05-21", "2027-05-31"];
        assert_eq!(starts(&new, "2027-05-05T18:00"), expected);
    }

    #[test]
    fn a_month_that_has_no_such_day_is_left_out_and_named() {
        let found = dates(&monthly(3), "2027-01-31T18:00", "2027-01-31T18:00");
        let days = found
            .schedules
            .iter()
            .map(|one| one.start.local.date().to_string());
        assert_eq!(
            days.collect::<Vec<_>>(),
            ["2027-03-31", "2027-05-31", "2027-07-31"]
        );
        let left_out = found.left_out.iter().map(|one| (&*one.date, one.reason));
        let reason = LeftOutReason::NoSuchDay;
        let expected = [
            ("2027-02-31", reason),
            ("2027-04-31", reason),
            ("2027-06-31", reason),
        ];
        assert_eq!(left_out.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_second_and_the_last_weekday_of_a_month_are_found() {
        let nth = |nth| NewRepetition {
            nth_weekday: Some(nth),
            ..monthly(2)
        };
        // The first event is on the second Wednesday.
        assert_eq!(
            starts(&nth(2), "2027-05-12T18:00"),
            ["2027-06-09", "2027-07-14"]
        );
        let last = NewRepetition {
            weekdays: vec!["Friday".to_owned()],
            ..nth(-1)
        };
        assert_eq!(
            starts(&last, "2027-05-12T18:00"),
            ["2027-05-28", "2027-06-25"]
        );
    }

    #[test]
    fn a_time_that_clocks_skip_is_left_out_and_named() {
        let found = dates(&weekly(1), "2027-03-21T02:30", "2027-03-21T04:00");
        let day = found.schedules[0].start.local.date().to_string();
        assert_eq!(day, "2027-04-04");
        let left_out = LeftOut {
            date: "2027-03-28".to_owned(),
            reason: LeftOutReason::SkippedTime,
        };
        assert_eq!(found.left_out, [left_out]);
    }

    #[test]
    fn exceptions_and_the_last_day_are_respected() {
        let new = NewRepetition {
            count: None,
            until: Some("2027-05-29".to_owned()),
            except: vec!["2027-05-15".to_owned()],
            ..weekly(0)
        };
        let expected = ["2027-05-08", "2027-05-22", "2027-05-29"];
        assert_eq!(starts(&new, "2027-05-01T18:00"), expected);
        let counted = NewRepetition {
            except: vec!["2027-05-15".to_owned()],
            ..weekly(3)
        };
        assert_eq!(
            starts(&counted, "2027-05-01T18:00"),
            ["2027-05-08", "2027-05-22"]
        );
    }

    #[test]
    fn dates_that_are_over_are_passed_over_and_those_of_the_series_are_named() {
        let old = schedule("2026-12-25T18:00", "2026-12-25T20:00");
        let repetition = Repetition::read(&weekly(2), old.start.local.date()).unwrap();
        let found = repetition.dates(&old, &BTreeSet::new(), NOW).unwrap();
        let [first, second] = &*found.schedules else {
            panic!("two dates, not {found:?}");
        };
        assert_eq!(first.start.rfc3339(), "2027-01-15T18:00:00+01:00");
        let taken = BTreeSet::from([second.start.local.date()]);
        let again = repetition.dates(&old, &taken, NOW).unwrap();
        assert_eq!(again.schedules, std::slice::from_ref(first));
        assert_eq!(again.left_out[0].reason, LeftOutReason::Exists);
    }

    #[test]
    fn dates_that_the_series_has_end_nothing_and_are_named_after_what_nobody_would_guess() {
        let new = NewRepetition {
            count: None,
            until: Some("2028-12-31".to_owned()),
            ..weekly(0)
        };
        let first = schedule("2027-03-21T02:30", "2027-03-21T04:00");
        let repetition = Repetition::read(&new, first.start.local.date()).unwrap();
        let days = |until: &str| {
            let day: Date = "2027-03-22".parse().unwrap();
            let until: Date = until.parse().unwrap();
            let days = (0..1_000).map(move |more| day.checked_add(more.days()).unwrap());
            days.take_while(|day| *day <= until).collect()
        };
        let found = repetition.dates(&first, &days("2028-12-17"), NOW).unwrap();
        let starts = found.schedules.iter().map(|one| one.start.local.date());
        let starts: Vec<_> = starts.map(|day| day.to_string()).collect();
        assert_eq!(starts, ["2028-12-24", "2028-12-31"]);
        assert_eq!((found.existing, found.left_out.len()), (89, 52));
        let skipped = found.left_out.iter().map(|one| one.reason);
        assert!(skipped.clone().any(|one| one == LeftOutReason::SkippedTime));
        let found = repetition.dates(&first, &days("2028-12-31"), NOW).unwrap();
        assert_eq!((found.existing, found.schedules.len()), (91, 0));
    }

    #[test]
    fn a_day_of_except_that_is_no_date_is_named() {
        let new = NewRepetition {
            except: vec!["2027-05-14".to_owned(), "2027-05-15".to_owned()],
            ..weekly(3)
        };
        let found = dates(&new, "2027-05-01T18:00", "2027-05-01T20:00");
        let left_out = found.left_out.iter().map(|one| (&*one.date, one.reason));
        let expected = [("2027-05-14", LeftOutReason::NotInRule)];
        assert_eq!(left_out.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        let both = NewRepetition {
            until: Some("2027-06-01".to_owned()),
            ..weekly(2)
        };
        assert_eq!(blamed(&both), ["until"]);
        let neither = NewRepetition {
            count: None,
            ..weekly(2)
        };
        assert_eq!(blamed(&neither), ["count"]);
        let mixed = NewRepetition {
            month_day: Some(3),
            except: vec!["soon".to_owned()],
            ..weekly(2)
        };
        assert_eq!(blamed(&mixed), ["month_day", "except[0]"]);
        let aimless = NewRepetition {
            weekdays: vec!["Monday".to_owned()],
            ..monthly(2)
        };
        assert_eq!(blamed(&aimless), ["weekdays"]);
        let endless = NewRepetition {
            count: None,
            until: Some("2099-01-01".to_owned()),
            ..weekly(0)
        };
        assert_eq!(blamed(&endless), ["until"]);
    }

    #[test]
    fn what_is_long_over_is_not_named() {
        let found = dates(&monthly(2), "2012-01-31T18:00", "2012-01-31T20:00");
        let days = found.schedules.iter().map(|one| one.start.local.date());
        let days: Vec<_> = days.map(|day| day.to_string()).collect();
        assert_eq!(days, ["2027-01-31", "2027-03-31"]);
        let left_out: Vec<_> = found.left_out.iter().map(|one| &*one.date).collect();
        assert_eq!(left_out, ["2027-02-31"]);
        let found = dates(&weekly(1), "0001-01-01T18:00", "0001-01-01T20:00");
        assert_eq!(
            found.schedules[0].start.local.date().to_string(),
            "2027-01-18"
        );
    }

    #[test]
    fn nothing_is_named_after_the_last_date() {
        let found = dates(&monthly(1), "2027-01-31T18:00", "2027-01-31T20:00");
        let left_out: Vec<_> = found.left_out.iter().map(|one| &*one.date).collect();
        assert_eq!(left_out, ["2027-02-31"]);
    }
}
