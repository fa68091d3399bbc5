//! Repeating an event: when, then the dates to look at, then the button.

use askama::Template;
use http_kit::Problem;
use muster_api::v1::{
    MyEventDetail, RepeatEventRequest, RepetitionPreview,
    bindings::{PreviewRepetition, RepeatEvent},
};

use super::{
    event_head::{EventHead, Part, path_of, read},
    series,
};
use crate::{
    caller::{Caller, Frame, Tab},
    date::{EventDates, long_day, short_day},
    field::{Choice, Field, FieldKind, FormModel},
    flash::{self, Flash},
    form::Form,
    layout::PageResult,
};

const TITLE: &str = "Repeat the event";

const WEEKDAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

#[derive(Template)]
#[template(path = "dashboard/repeat.html")]
struct RepeatPage {
    page: Frame,
    head: EventHead,
    model: FormModel,
}

#[derive(Template)]
#[template(path = "dashboard/repeat_review.html")]
struct ReviewPage {
    page: Frame,
    head: EventHead,
    dates: Vec<EventDates>,
    /// Whether the series has all of the dates already.
    has_all: bool,
    left_out: Vec<String>,
    is_public: bool,
    /// What was typed, to be sent again.
    typed: Form,
    /// Repeats once, however often the form is sent.
    key: String,
}

/// On which day of the month an event is, as rules name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DayOfMonth {
    /// The number of its weekdays it is.
    nth: i8,
    is_last: bool,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    caller.require_creating()?;
    let event = read(&caller).await?;
    caller.answer(&RepeatPage {
        page: caller.page(TITLE, Tab::Events),
        head: EventHead::of(&event, Part::Overview),
        model: caller.model(fields(&event)),
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    caller.require_creating()?;
    let event = read(&caller).await?;
    match form.value("action") {
        Some("back") => show(caller.typed(form)).await,
        Some("repeat") => {
            let request = request(&event, &form);
            let done = if request.is_public() {
                Flash::EVENT_REPEATED
            } else {
                Flash::EVENT_REPEATED_AS_DRAFTS
            };
            let repeat = caller.context.ask_once::<RepeatEvent>(request, form.key());
            match repeat.await {
                Err(problem) => refused(caller, form, problem).await,
                Ok(_) => Ok(flash::see(&path_of(&event.id), Some(done))),
            }
        }
        _ => review(caller, &event, form).await,
    }
}

async fn review(caller: Caller, event: &MyEventDetail, form: Form) -> PageResult {
    let request = request(event, &form);
    let is_public = request.is_public();
    let excepted = request.except.clone();
    let planned: Result<RepetitionPreview, Problem> =
        caller.ask::<PreviewRepetition>(request).await;
    let planned = match planned {
        Ok(planned) => planned,
        Err(problem) => return refused(caller, form, problem).await,
    };
    let dates = series::named(&planned.start_dates, &event.timezone);
    caller.answer(&ReviewPage {
        page: caller.page(TITLE, Tab::Events),
        head: EventHead::of(event, Part::Overview),
        has_all: planned.existing > 0 && dates.is_empty(),
        dates,
        left_out: left_out(&planned, &excepted),
        is_public,
        key: caller.key(),
        typed: form.without(&["action", "key"]),
    })
}

/// The form as it was typed, with what core refused, also because of the plan.
async fn refused(caller: Caller, form: Form, problem: Problem) -> PageResult {
    match problem.code {
        "QUOTA_EXCEEDED" | "PLAN_REQUIRED" => show(caller.refused(form, problem)).await,
        _ => Err(problem),
    }
}

/// The dates that are left out, and why: also those that the form excepts. Of those that the series has only the number is said.
fn left_out(planned: &RepetitionPreview, excepted: &[String]) -> Vec<String> {
    let named = planned.left_out.iter().filter(|one| one.reason != "EXISTS");
    let mut lines: Vec<String> = named
        .clone()
        .map(|one| match &*one.reason {
            "NO_SUCH_DAY" => format!("{}: there is no such day.", one.date),
            "NOT_IN_RULE" => format!(
                "{}: you left it out, but it is none of the dates anyway. Is it the right day?",
                long_day(&one.date)
            ),
            _ => format!("{}: clocks skip that time of day.", short_day(&one.date)),
        })
        .collect();
    let is_named = |day: &&String| named.clone().any(|one| one.date == **day);
    let excepted = excepted.iter().filter(|day| !is_named(day));
    lines.extend(excepted.map(|day| format!("{}, as you asked.", long_day(day))));
    lines.extend(match planned.existing {
        0 => None,
        1 => Some("1 date that the series has already.".to_owned()),
        count => Some(format!("{count} dates that the series has already.")),
    });
    lines
}

fn fields(event: &MyEventDetail) -> Vec<Field> {
    let first = EventDates::read(&event.start_date, None, &event.timezone);
    let (weekday, day) = first.map_or_else(
        || (String::new(), String::new()),
        |first| (first.weekday(), first.day_of_month()),
    );
    let rule = Field::new(FieldKind::Radio, "rule", "How often?").path("every");
    let number = |name, label| Field::new(FieldKind::Number, name, label);
    let days = WEEKDAYS.map(|name| (name, name));
    vec![
        rule.choices(rules(&weekday, &day, day_of_month(event)).into_iter()),
        number("interval", "Every how many weeks or months?")
            .value("1")
            .required(),
        Field::new(FieldKind::Ticks, "weekdays", "Days of the week")
            .hint("For every week. Otherwise they stay as they are.")
            .options(days, &[&*weekday]),
        number("count", "How many more dates?")
            .hint("Up to 52, or leave it empty and give the last day."),
        Field::new(FieldKind::Date, "until", "Last day"),
        Field::line("except", "Days to leave out")
            .hint("Separated by commas, for example 2030-12-24, 2030-12-31."),
        Field::tick("is_public", "Publish them at once")
            .hint("Otherwise they are drafts.")
            .checked(event.is_published),
    ]
}

/// The rules that this day has.
fn rules(weekday: &str, day: &str, of_month: Option<DayOfMonth>) -> Vec<Choice> {
    let mut rules = vec![
        Choice::new("week", "Every week").chosen(true),
        Choice::new("day", format!("Every month on day {day}")),
    ];
    if let Some(DayOfMonth { nth, is_last }) = of_month {
        let word = match nth {
            1 => Some("first"),
            2 => Some("second"),
            3 => Some("third"),
            4 => Some("fourth"),
            _ => None,
        };
        let monthly = |word| format!("Every month on the {word} {weekday}");
        rules.extend(word.map(|word| Choice::new("nth", monthly(word))));
        if is_last {
            rules.push(Choice::new("last", monthly("last")));
        }
    }
    rules
}

fn day_of_month(event: &MyEventDetail) -> Option<DayOfMonth> {
    let date: jiff::civil::Date = event.start_date.get(..10)?.parse().ok()?;
    Some(DayOfMonth {
        nth: (date.day() - 1) / 7 + 1,
        is_last: date.day() + 7 > date.days_in_month(),
    })
}

fn request(event: &MyEventDetail, form: &Form) -> RepeatEventRequest {
    let rule = form.value("rule").unwrap_or_default();
    let is_weekly = rule == "week";
    let weekdays = form.values("weekdays").filter(|_| is_weekly);
    let except = form.text("except").unwrap_or_default();
    let except = except
        .split(',')
        .map(str::trim)
        .filter(|day| !day.is_empty());
    RepeatEventRequest {
        id: event.id.clone(),
        every: Some(if is_weekly { "week" } else { "month" }.to_owned()),
        interval: form.number("interval"),
        weekdays: weekdays.map(str::to_owned).collect(),
        month_day: None,
        nth_weekday: match rule {
            "nth" => day_of_month(event).map(|day| i32::from(day.nth)),
            "last" => Some(-1),
            _ => None,
        },
        count: form.number("count"),
        until: form.text("until"),
        except: except.map(str::to_owned).collect(),
        is_public: Some(form.is_ticked("is_public")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(start: &str) -> MyEventDetail {
        MyEventDetail {
            start_date: start.to_owned(),
            timezone: "Europe/Berlin".to_owned(),
            ..MyEventDetail::default()
        }
    }

    fn labels(start: &str) -> Vec<String> {
        let fields = fields(&event(start));
        let options = fields[0].options.iter();
        options.map(|option| option.label.clone()).collect()
    }

    #[test]
    fn an_event_is_offered_the_rules_that_its_day_has() {
        let expected = [
            "Every week",
            "Every month on day 14",
            "Every month on the second Tuesday",
        ];
        assert_eq!(labels("2030-05-14T19:00:00+02:00"), expected);
        let expected = [
            "Every week",
            "Every month on day 31",
            "Every month on the last Friday",
        ];
        assert_eq!(labels("2030-05-31T19:00:00+02:00"), expected);
    }

    #[test]
    fn the_form_is_read_as_core_takes_it() {
        let form = Form::parse(
            b"rule=nth&interval=2&weekdays=Monday&count=&until=2030-12-31&except=2030-07-09,%202030-08-13&is_public=true",
        );
        let request = request(&event("2030-05-14T19:00:00+02:00"), &form);
        let expected = RepeatEventRequest {
            every: Some("month".to_owned()),
            interval: Some(2),
            nth_weekday: Some(2),
            until: Some("2030-12-31".to_owned()),
            except: vec!["2030-07-09".to_owned(), "2030-08-13".to_owned()],
            is_public: Some(true),
            ..RepeatEventRequest::default()
        };
        assert_eq!(request, expected);
    }
}
