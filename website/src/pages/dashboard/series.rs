//! The dates of an event's series.

use http_kit::Problem;
use muster_api::{
    v1::{
        CancelRequest, CancellationPreview, ListMyEventsRequest, MyEvent, MyEventDetail,
        MyEventList, UpdateEventRequest,
        bindings::{ListMyEvents, PreviewCancellation, PreviewEventUpdate},
    },
    violation::Violation,
};

use super::event_head::Badge;
use crate::{
    caller::Caller,
    date::EventDates,
    field::{Field, FieldKind},
    form::Form,
};

/// The field that says which dates a change is for.
const SCOPE: &str = "scope";
const FOLLOWING: &str = "following";

/// As many as a list has on a page. A series with more shows half of them until the event, and half from it on.
const MAX_DATES: i32 = 100;

/// One date of a series.
pub(crate) struct SeriesDate {
    pub(crate) event: MyEvent,
    pub(crate) dates: EventDates,
    pub(crate) badge: Badge,
    /// Whether it is the event that is shown.
    pub(crate) is_this: bool,
}

/// The dates of a series around an event, in their order.
#[derive(Default)]
pub(crate) struct Series {
    pub(crate) dates: Vec<SeriesDate>,
    /// How many there are.
    pub(crate) count: i32,
}

impl Series {
    /// Whether there are others than these.
    pub(crate) fn is_cut(&self) -> bool {
        i32::try_from(self.dates.len()).is_ok_and(|shown| shown < self.count)
    }
}

/// The dates of the event's series; none if it is in none.
pub(crate) async fn read(caller: &Caller, event: &MyEventDetail) -> Result<Series, Problem> {
    if event.series_id.is_none() {
        return Ok(Series::default());
    }
    let all = list(caller, event, ("all", MAX_DATES), (None, None)).await?;
    let count = all.count;
    let items = if all.next_cursor.is_none() {
        all.items
    } else {
        let start = || Some(event.start_date.clone());
        let (earlier, later) = tokio::try_join!(
            list(caller, event, ("all", MAX_DATES / 2), (None, start())),
            list(caller, event, ("active", MAX_DATES / 2), (start(), None)),
        )?;
        let known = |one: &MyEvent| earlier.items.iter().any(|other| other.id == one.id);
        let later: Vec<MyEvent> = later.items.into_iter().filter(|one| !known(one)).collect();
        later.into_iter().rev().chain(earlier.items).collect()
    };
    let dates = items.into_iter().rev().filter_map(|one| {
        Some(SeriesDate {
            dates: EventDates::read(&one.start_date, None, &event.timezone)?,
            badge: Badge::of_listed(&one),
            is_this: one.id == event.id,
            event: one,
        })
    });
    Ok(Series {
        dates: dates.collect(),
        count,
    })
}

async fn list(
    caller: &Caller,
    event: &MyEventDetail,
    (status, limit): (&str, i32),
    (from, to): (Option<String>, Option<String>),
) -> Result<MyEventList, Problem> {
    let request = ListMyEventsRequest {
        status: Some(status.to_owned()),
        limit: Some(limit),
        series: event.series_id.clone(),
        from,
        to,
        ..ListMyEventsRequest::default()
    };
    caller.ask::<ListMyEvents>(request).await
}

/// The choice of the dates that a change of the event is for; `None` if no later date of its series could change with it.
pub(crate) async fn choice(
    caller: &Caller,
    event: &MyEventDetail,
    typed: Option<&Form>,
) -> Result<Option<Field>, Problem> {
    if event.series_id.is_none() {
        return Ok(None);
    }
    let request = UpdateEventRequest {
        id: event.id.clone(),
        scope: Some(FOLLOWING.to_owned()),
        ..UpdateEventRequest::default()
    };
    let planned = caller.ask::<PreviewEventUpdate>(request).await;
    field(planned.map(|planned| planned.dates.len()), typed)
}

/// The same for a cancellation.
pub(super) async fn cancel_choice(
    caller: &Caller,
    event: &MyEventDetail,
) -> Result<Option<Field>, Problem> {
    if event.series_id.is_none() {
        return Ok(None);
    }
    let planned = cancellation(caller, &event.id, Some(FOLLOWING.to_owned())).await;
    field(planned.map(|planned| planned.dates.len()), caller.form())
}

/// What a cancellation would bring about.
pub(super) async fn cancellation(
    caller: &Caller,
    id: &str,
    scope: Option<String>,
) -> Result<CancellationPreview, Problem> {
    let request = CancelRequest {
        id: id.to_owned(),
        reason: None,
        scope,
    };
    caller.ask::<PreviewCancellation>(request).await
}

/// The choice, of so many dates.
fn field(dates: Result<usize, Problem>, typed: Option<&Form>) -> Result<Option<Field>, Problem> {
    const THIS: (&str, &str) = ("this", "This date alone");
    let choice = Field::new(FieldKind::Radio, SCOPE, "Which dates?");
    let mut field = match dates {
        Ok(0 | 1) => return Ok(None),
        Ok(dates) => {
            let following = match dates - 1 {
                1 => "This date and the next one".to_owned(),
                more => format!("This date and the {more} after it"),
            };
            choice.options([THIS, (FOLLOWING, &*following)], &["this"])
        }
        Err(problem) if problem.details.iter().any(is_about_dates) => choice
            .options([THIS], &["this"])
            .hint("Too many dates follow to change them together, or one of them prevents it."),
        Err(problem) => return Err(problem),
    };
    if let Some(typed) = typed.filter(|typed| typed.has(SCOPE)) {
        field.fill(typed);
    }
    Ok(Some(field))
}

/// Whether core refuses the choice of the dates.
pub(super) fn is_about_dates(violation: &Violation) -> bool {
    violation.field == SCOPE
}

/// Dates of a series that core names, in words.
pub(super) fn named(starts: &[String], timezone: &str) -> Vec<EventDates> {
    let dates = starts.iter();
    dates
        .filter_map(|start| EventDates::read(start, None, timezone))
        .collect()
}

/// The dates that a form asks for, as core takes them.
pub(crate) fn scope(form: &Form) -> Option<String> {
    form.text(SCOPE)
}

/// Whether a form is for later dates as well.
pub(crate) fn is_for_following(form: &Form) -> bool {
    form.value(SCOPE) == Some(FOLLOWING)
}
