//! Events that a form offers to choose from.

use http_kit::Problem;
use muster_api::v1::{ListMyEventsRequest, MyEvent, bindings::ListMyEvents};

use crate::{caller::Caller, date::EventDates};

/// Upcoming events that are offered: as many as core lists on a page.
const MAX_OFFERED: i32 = 100;

/// The next events of the account.
pub(super) struct Upcoming {
    pub(super) events: Vec<MyEvent>,
    /// Whether there are more than are offered.
    pub(super) has_more: bool,
}

pub(super) async fn upcoming(caller: &Caller) -> Result<Upcoming, Problem> {
    let request = ListMyEventsRequest {
        limit: Some(MAX_OFFERED),
        ..ListMyEventsRequest::default()
    };
    let list = caller.ask::<ListMyEvents>(request).await?;
    Ok(Upcoming {
        events: list.items,
        has_more: list.next_cursor.is_some(),
    })
}

/// The day of an event, by which one tells events with the same title apart. Core always sends dates in this form.
pub(super) fn day(start_date: &str) -> Option<String> {
    Some(EventDates::read(start_date, None, "")?.day())
}
