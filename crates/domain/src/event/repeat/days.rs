//! The days of a rule.

use jiff::{ToSpan as _, civil::Date};

use super::{Repetition, Rule};

/// A call looks at so many days: ten years of those of which each is left out.
const MAX_LOOKED_AT: usize = 4_000;

impl Repetition {
    /// The days of the rule after the first one, from today on. An event that takes days may still take place again then, if it began before.
    pub(super) fn days(&self, first: Date, today: Date) -> impl Iterator<Item = Day> + '_ {
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
pub(super) struct Day {
    /// ISO 8601, so that days are in the order of their texts.
    pub(super) text: String,
    /// `None` if its month does not have it.
    pub(super) date: Option<Date>,
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
