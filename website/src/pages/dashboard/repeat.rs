//! Repeating an event: when, then the dates to look at, then the button.

use askama::Template;
use http_kit::Problem;
use muster_api::{
    Scope,
    v1::{
        LeftOutDate, MyEventDetail, RepeatEventRequest, RepetitionPreview,
        bindings::{PreviewRepetition, RepeatEvent},
    },
};

use super::event_head::{EventHead, Part, path_of, read};
use crate::{
    caller::{Caller, Frame, Tab},
    date::{EventDates, short_day},
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
    caller.require(Scope::EventsWrite)?;
    let event = read(&caller).await?;
    caller.answer(&RepeatPage {
        page: caller.page(TITLE, Tab::Events),
        head: EventHead::of(&event, Part::Overview),
        model: caller.model(fields(&event)),
    })
}

pub(in crate::pages) async fn take(caller: Caller, form: Form) -> PageResult {
    caller.require(Scope::EventsWrite)?;
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
            repeat.await?;
            Ok(flash::see(&path_of(&event.id), Some(done)))
        }
        _ => review(caller, &event, form).await,
    }
}

async fn review(caller: Caller, event: &MyEventDetail, form: Form) -> PageResult {
    let request = request(event, &form);
    let is_public = request.is_public();
    let planned: Result<RepetitionPreview, Problem> =
        caller.ask::<PreviewRepetition>(request).await;
    let planned = match planned {
        Ok(planned) => planned,
        Err(problem) => return show(caller.refused(form, problem)).await,
    };
    let dates = planned.start_dates.iter();
    caller.answer(&ReviewPage {
        page: caller.page(TITLE, Tab::Events),
        head: EventHead::of(event, Part::Overview),
        dates: dates
            .filter_map(|start| EventDates::read(start, None, &event.timezone))
            .collect(),
        left_out: left_out(&planned.left_out),
        is_public,
        key: caller.key(),
        typed: form,
    })
}

/// The dates that are left out, and why. Of those that the series has only the number is said.
fn left_out(dates: &[LeftOutDate]) -> Vec<String> {
    let (existing, missing): (Vec<_>, Vec<_>) =
        dates.iter().partition(|one| one.reason == "EXISTS");
    let missing = missing.into_iter().map(|one| match &*one.reason {
        "NO_SUCH_DAY" => format!("{}: there is no such day.", one.date),
        _ => format!("{}: clocks skip that time of day.", short_day(&one.date)),
    });
    let existing = match existing.len() {
        0 => None,
        1 => Some("1 date that the series has already.".to_owned()),
        count => Some(format!("{count} dates that the series has already.")),
    };
    missing.chain(existing).collect()
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
            .path("except[0]")
            .hint("Separated by commas, for example 2030-12-24, 2030-12-31."),
        Field::tick("is_public", "Publish them at once")
            .hint("Otherwise they are drafts.")
            .checked(event.is_published),
    ]
}

/// The rules that this day has.
fn rules(weekday: &str, day: &str, of_month: Option<DayOfMonth>) -> Vec<Choice> {
    let choice = |value: &str, label: String| Choice {
        value: value.to_owned(),
        label,
        hint: None,
        is_chosen: value == "week",
    };
    let mut rules = vec![
        choice("week", "Every week".to_owned()),
        choice("day", format!("Every month on day {day}")),
    ];
    if let Some(DayOfMonth { nth, is_last }) = of_month {
        let word = match nth {
            1 => Some("first"),
            2 => Some("second"),
            3 => Some("third"),
            4 => Some("fourth"),
            _ => None,
        };
        rules
            .extend(word.map(|word| choice("nth", format!("Every month on the {word} {weekday}"))));
        if is_last {
            rules.push(choice("last", format!("Every month on the last {weekday}")));
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
    // What is no number is one that core refuses.
    let number = |name: &str| form.text(name).map(|text| text.parse().unwrap_or(0));
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
        interval: number("interval"),
        weekdays: weekdays.map(str::to_owned).collect(),
        month_day: None,
        nth_weekday: match rule {
            "nth" => day_of_month(event).map(|day| i32::from(day.nth)),
            "last" => Some(-1),
            _ => None,
        },
        count: number("count"),
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
