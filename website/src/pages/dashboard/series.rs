//! The dates of an event's series.

use http_kit::Problem;
use muster_api::v1::{ListMyEventsRequest, MyEvent, MyEventDetail, bindings::ListMyEvents};

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

/// As many as a list has on a page; a series with more shows its latest.
const MAX_DATES: i32 = 100;

/// One date of a series.
pub(crate) struct SeriesDate {
    pub(crate) event: MyEvent,
    pub(crate) dates: EventDates,
    pub(crate) badge: Badge,
    /// Whether it is the event that is shown.
    pub(crate) is_this: bool,
}

/// The dates of the event's series in their order; none if it is in none.
pub(crate) async fn read(
    caller: &Caller,
    event: &MyEventDetail,
) -> Result<Vec<SeriesDate>, Problem> {
    if event.series_id.is_none() {
        return Ok(Vec::new());
    }
    let request = ListMyEventsRequest {
        status: Some("all".to_owned()),
        limit: Some(MAX_DATES),
        series: event.series_id.clone(),
        ..ListMyEventsRequest::default()
    };
    let list = caller.ask::<ListMyEvents>(request).await?;
    let dates = list.items.into_iter().rev().filter_map(|one| {
        Some(SeriesDate {
            dates: EventDates::read(&one.start_date, None, &event.timezone)?,
            badge: Badge::of_listed(&one),
            is_this: one.id == event.id,
            event: one,
        })
    });
    Ok(dates.collect())
}

/// The choice of the dates that a change is for; `None` if no later date of the event's series could change with it.
pub(crate) async fn choice(
    caller: &Caller,
    event: &MyEventDetail,
    typed: Option<&Form>,
) -> Result<Option<Field>, Problem> {
    let dates = read(caller, event).await?;
    let later = dates.iter().skip_while(|one| !one.is_this).skip(1);
    let following = match later.filter(|one| !one.event.is_cancelled).count() {
        0 => return Ok(None),
        1 => "This date and the next one".to_owned(),
        count => format!("This date and the {count} after it"),
    };
    let options = [("this", "This date alone"), (FOLLOWING, &*following)];
    let mut field = Field::new(FieldKind::Radio, SCOPE, "Which dates?").options(options, &["this"]);
    if let Some(typed) = typed.filter(|typed| typed.has(SCOPE)) {
        field.fill(typed);
    }
    Ok(Some(field))
}

/// The dates that a form asks for, as core takes them.
pub(crate) fn scope(form: &Form) -> Option<String> {
    form.text(SCOPE)
}

/// Whether a form is for later dates as well.
pub(crate) fn is_for_following(form: &Form) -> bool {
    form.value(SCOPE) == Some(FOLLOWING)
}
