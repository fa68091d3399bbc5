//! The dates of an event's series.

use http_kit::Problem;
use muster_api::v1::{ListMyEventsRequest, MyEvent, MyEventDetail, bindings::ListMyEvents};

use super::event_head::Badge;
use crate::{caller::Caller, date::EventDates};

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
