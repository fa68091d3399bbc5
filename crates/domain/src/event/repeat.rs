//! Repeating an event: on which dates, and what each of them is (rule 55 of docs/rules.md).

mod moved;
mod read;

use std::collections::BTreeSet;

use jiff::{
    ToSpan as _,
    civil::{Date, Weekday},
};

use self::{
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

/// A call names up to so many dates that it left out, and looks at no more once it has so many.
const MAX_LEFT_OUT: usize = 52;

/// A call looks at so many days: ten years of those of which each is left out.
const MAX_LOOKED_AT: usize = 4_000;

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
    /// The series has an event at that time.
    Exists,
}

/// When the events of a repetition take place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dates {
    /// The schedules, in order.
    pub schedules: Vec<Schedule>,
    /// The dates that were left out.
    pub left_out: Vec<LeftOut>,
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

    /// When an event with this schedule takes place again, if some of its starts are `taken`. Days that are over at `now` are passed over.
    /// A date that the calendar or the clocks do not have is no date, and so counts for nothing; one of `except` counts, as one that
    /// is taken does.
    pub fn dates(
        &self,
        schedule: &Schedule,
        taken: &BTreeSet<Instant>,
        now: Instant,
    ) -> Result<Dates, Vec<FieldViolation>> {
        let mut found = Dates::default();
        let mut violations = Violations::default();
        let zone = violations.check("timezone", Zone::find(&schedule.timezone));
        let Some(zone) = zone else {
            return violations.unless_any(None);
        };
        let first = schedule.start.local.date();
        let today = EventTime::of_instant(now, &zone).local.date();
        let mut counted = 0;
        for Day { text, date } in self.days(first, today) {
            if self.end.is_passed(&text, counted) || found.left_out.len() >= MAX_LEFT_OUT {
                break;
            }
            let Some(date) = date else {
                found.leave_out(text, LeftOutReason::NoSuchDay);
                continue;
            };
            if self.except.contains(&date) {
                counted += usize::from(date >= today);
                continue;
            }
            let Some(moved) = on_date(schedule, date, &zone) else {
                found.leave_out(text, LeftOutReason::SkippedTime);
                continue;
            };
            if moved.effective_end() <= now {
                continue;
            }
            counted += 1;
            if taken.contains(&moved.start.at) {
                found.leave_out(text, LeftOutReason::Exists);
            } else {
                found.schedules.push(moved);
            }
            if found.schedules.len() > MAX_REPEATS {
                let message =
                    format!("must leave at most {MAX_REPEATS} dates: choose an earlier day");
                violations.add("until", message);
                break;
            }
        }
        let exists = |one: &LeftOut| one.reason == LeftOutReason::Exists;
        if found.schedules.is_empty() && !found.left_out.iter().any(exists) {
            let field = match self.end {
                End::On(_) => "until",
                End::After(_) if !self.except.is_empty() => "except",
                End::After(_) => "count",
            };
            let message = "must leave at least one date after the event and after today";
            violations.add(field, message);
        }
        violations.unless_any(Some(found))
    }

    /// The days of the rule after the first one, from today on. An event that takes days may still take place again then, if it began before.
    fn days(&self, first: Date, today: Date) -> impl Iterator<Item = Day> + '_ {
        let (first_text, today_text) = (first.to_string(), today.to_string());
        let periods = (self.periods_before(first, today)..).map_while(move |number| {
            let passed = number.checked_mul(self.interval)?;
            self.days_of_period(first, passed)
        });
        let is_ahead = move |day: &Day| {
            let is_over = day.date.is_none() && day.text < today_text;
            day.text > first_text && !is_over
        };
        periods.flatten().filter(is_ahead).take(MAX_LOOKED_AT)
    }

    /// The number of whole periods that are surely over. None is longer than 31 days times the interval.
    fn periods_before(&self, first: Date, today: Date) -> i32 {
        let days = today.since(first).map_or(0, |passed| passed.get_days());
        let length = match self.rule {
            Rule::Weekdays(_) => 7,
            Rule::MonthDay(_) | Rule::NthWeekday(..) => 31,
        };
        // An event may take as long as one.
        (days / (length * self.interval) - 1).max(0)
    }

    /// The days of the week or month that is so many after the first; `None` where the calendar ends.
    fn days_of_period(&self, first: Date, passed: i32) -> Option<Vec<Day>> {
        if let Rule::Weekdays(weekdays) = &self.rule {
            let offset = i32::from(first.weekday().to_monday_zero_offset());
            let monday = first.checked_sub(offset.days()).ok()?;
            let monday = monday.checked_add(passed.weeks()).ok()?;
            let days = weekdays
                .iter()
                .map(|day| monday.checked_add(i32::from(*day).days()));
            return days.map(|day| day.ok().map(Day::of)).collect();
        }
        let month = first.first_of_month().checked_add(passed.months()).ok()?;
        Some(vec![match self.rule {
            Rule::MonthDay(day) => Day::of_month(month, day),
            Rule::NthWeekday(nth, weekday) => {
                Day::of(month.nth_weekday_of_month(nth, weekday).ok()?)
            }
            Rule::Weekdays(_) => return None,
        }])
    }
}

/// A day of a rule.
struct Day {
    /// ISO 8601, so that days are in the order of their texts.
    text: String,
    /// `None` if its month does not have it.
    date: Option<Date>,
}

impl Day {
    fn of(date: Date) -> Self {
        Self {
            text: date.to_string(),
            date: Some(date),
        }
    }

    fn of_month(month: Date, day: i8) -> Self {
        let (year, number) = (month.year(), month.month());
        Self {
            text: format!("{year:04}-{number:02}-{day:02}"),
            date: Date::new(year, number, day).ok(),
        }
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
}

#[cfg(test)]
mod tests {
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
        let taken = BTreeSet::from([second.start.at]);
        let again = repetition.dates(&old, &taken, NOW).unwrap();
        assert_eq!(again.schedules, std::slice::from_ref(first));
        assert_eq!(again.left_out[0].reason, LeftOutReason::Exists);
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
