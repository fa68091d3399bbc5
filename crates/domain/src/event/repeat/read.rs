//! How an event repeats, as a request says it.

use jiff::civil::{Date, Weekday};

use super::{End, Rule};
use crate::violation::Violations;

/// Days as requests name them.
const WEEKDAYS: [(&str, Weekday); 7] = [
    ("Monday", Weekday::Monday),
    ("Tuesday", Weekday::Tuesday),
    ("Wednesday", Weekday::Wednesday),
    ("Thursday", Weekday::Thursday),
    ("Friday", Weekday::Friday),
    ("Saturday", Weekday::Saturday),
    ("Sunday", Weekday::Sunday),
];

/// How an event repeats, as the client wrote it. The proto's limits are already applied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewRepetition {
    /// `week` or `month`.
    pub every: String,
    /// Every so many weeks or months.
    pub interval: i32,
    /// English names of days.
    pub weekdays: Vec<String>,
    /// For months: the day, from 1.
    pub month_day: Option<i32>,
    /// For months: which of its weekdays, from 1, or -1 for the last.
    pub nth_weekday: Option<i32>,
    /// How many dates.
    pub count: Option<i32>,
    /// The last day that may be one of them, ISO 8601.
    pub until: Option<String>,
    /// Days without the event, ISO 8601.
    pub except: Vec<String>,
}

pub(super) fn read_rule(
    new: &NewRepetition,
    first: Date,
    violations: &mut Violations,
) -> Option<Rule> {
    let named = |name: &String| WEEKDAYS.iter().find(|(day, _)| day == name);
    let mut weekdays: Vec<Weekday> = new
        .weekdays
        .iter()
        .filter_map(named)
        .map(|(_, day)| *day)
        .collect();
    if weekdays.is_empty() {
        weekdays.push(first.weekday());
    }
    if new.every == "week" {
        for (field, is_given) in [
            ("month_day", new.month_day.is_some()),
            ("nth_weekday", new.nth_weekday.is_some()),
        ] {
            if is_given {
                violations.add(field, "must be left out with every week");
            }
        }
        let offsets = weekdays.into_iter().map(Weekday::to_monday_zero_offset);
        return Some(Rule::Weekdays(offsets.collect()));
    }
    match (new.month_day, new.nth_weekday) {
        (Some(_), Some(_)) => {
            violations.add("nth_weekday", "must be left out with month_day");
            None
        }
        (None, Some(nth)) => {
            if weekdays.len() > 1 {
                violations.add("weekdays", "must be one day with nth_weekday");
            }
            if nth == 0 {
                violations.add("nth_weekday", "must be 1 to 4, or -1 for the last");
            }
            let weekday = weekdays.first()?;
            Some(Rule::NthWeekday(i8::try_from(nth).ok()?, *weekday))
        }
        (day, None) => {
            if !new.weekdays.is_empty() {
                violations.add("weekdays", "needs nth_weekday with every month");
            }
            let day = day.map_or(Some(first.day()), |day| i8::try_from(day).ok());
            day.map(Rule::MonthDay)
        }
    }
}

pub(super) fn read_end(
    new: &NewRepetition,
    first: Date,
    violations: &mut Violations,
) -> Option<End> {
    match (new.count, &new.until) {
        (Some(_), Some(_)) => {
            violations.add("until", "must be left out with count");
            None
        }
        (None, None) => {
            violations.add("count", "is required, or until");
            None
        }
        (Some(count), None) => usize::try_from(count).ok().map(End::After),
        (None, Some(text)) => {
            let until = read_date("until", text, violations)?;
            if until <= first {
                violations.add("until", format!("must be after the event's date ({first})"));
            }
            Some(End::On(until))
        }
    }
}

pub(super) fn read_date(field: &str, text: &str, violations: &mut Violations) -> Option<Date> {
    let date = text
        .parse::<Date>()
        .ok()
        .filter(|date| text == date.to_string());
    if date.is_none() {
        violations.add(field, "must be a date that exists, for example 2030-05-31");
    }
    date
}
