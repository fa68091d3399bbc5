//! The events of the account, by state, with a search, and how many the plan has left.

use askama::Template;
use http_kit::Problem;
use muster_api::v1::{ListMyEventsRequest, MyEvent, MyEventList, bindings::ListMyEvents};

use super::{
    event_head::Badge,
    list_filter::{Chip, ListFilter},
    plan::Plan,
};
use crate::{
    caller::{Caller, Frame, Tab},
    date::EventDates,
    form::Form,
    layout::PageResult,
    return_path::DASHBOARD,
    words::sentence,
};

/// Events on a page.
const PAGE_SIZE: i32 = 50;

/// The states to choose from: their names in the API, where the first one is `active`, and for people.
const STATES: [(Option<&str>, &str); 3] = [
    (None, "Upcoming"),
    (Some("past"), "Past"),
    (Some("all"), "All"),
];

#[derive(Template)]
#[template(path = "dashboard/home.html")]
struct HomePage {
    page: Frame,
    filter: ListFilter,
    chips: Vec<Chip>,
    found: String,
    events: Vec<(MyEvent, EventDates)>,
    next_url: Option<String>,
    /// What is wrong with the words that are looked for.
    problem: Option<String>,
    plan: Option<Plan>,
}

pub(in crate::pages) async fn show(caller: Caller) -> PageResult {
    let filter = filter(&caller.context.query())?;
    let (listed, going_on, plan) = tokio::join!(
        caller.ask::<ListMyEvents>(request(&filter)),
        going_on(&caller, &filter),
        Plan::read(&caller)
    );
    let (plan, (caller, mut list)) = (plan?, caller.listed(listed)?);
    let next = list.next_cursor.take();
    with_those_that_go_on(&mut list, going_on, &filter);
    // Core always sends dates in this form.
    let dated = |event: MyEvent| {
        let dates = EventDates::read(&event.start_date, None, "")?;
        Some((event, dates))
    };
    caller.answer(&HomePage {
        page: caller.page("Your events", Tab::Events),
        chips: filter.chips(DASHBOARD, &STATES),
        found: match list.count {
            1 => "1 event".to_owned(),
            count if !list.count_is_exact => format!("more than {count} events"),
            count => format!("{count} events"),
        },
        events: list.items.into_iter().filter_map(dated).collect(),
        next_url: next.map(|cursor| filter.page(DASHBOARD, Some(cursor))),
        problem: caller.problem().map(sentence),
        filter,
        plan,
    })
}

/// Events without an end that go on: people are there for the day (rule 2 of docs/rules.md). The contract lists them among those that are
/// past, where the latest come first.
async fn going_on(caller: &Caller, filter: &ListFilter) -> Vec<MyEvent> {
    if filter.status.as_deref() == Some("all") {
        return Vec::new();
    }
    let past = ListFilter {
        status: Some("past".to_owned()),
        cursor: None,
        ..filter.clone()
    };
    // What is wrong with the words is said of the list itself.
    let list = caller.ask::<ListMyEvents>(request(&past)).await;
    let mut events = list.unwrap_or_default().items;
    events.retain(goes_on);
    events.reverse();
    events
}

fn goes_on(event: &MyEvent) -> bool {
    !event.is_ended && !event.is_cancelled
}

/// Shows the events that go on with those to come, not with those that are past.
fn with_those_that_go_on(list: &mut MyEventList, going_on: Vec<MyEvent>, filter: &ListFilter) {
    let count = i32::try_from(going_on.len()).unwrap_or(i32::MAX);
    match filter.status.as_deref() {
        Some("all") => {}
        Some("past") => {
            list.items.retain(|event| !goes_on(event));
            list.count = list.count.saturating_sub(count);
        }
        _ => {
            list.count = list.count.saturating_add(count);
            if filter.cursor.is_none() {
                list.items.splice(..0, going_on);
            }
        }
    }
}

/// Reads the filter. A state that there is not is the first one.
fn filter(query: &Form) -> Result<ListFilter, Problem> {
    let mut filter: ListFilter = query.read()?;
    let is_known = |asked: &String| STATES.iter().any(|(name, _)| *name == Some(&**asked));
    filter.status = filter.status.filter(is_known);
    Ok(filter)
}

fn request(filter: &ListFilter) -> ListMyEventsRequest {
    let status = filter.status.as_deref().unwrap_or("active");
    ListMyEventsRequest {
        status: Some(status.to_owned()),
        limit: Some(PAGE_SIZE),
        q: filter.q.clone(),
        cursor: filter.cursor.clone(),
        ..ListMyEventsRequest::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_that_there_is_not_is_the_first_one() {
        for (query, status) in [
            ("", "active"),
            ("status=past", "past"),
            ("status=x", "active"),
        ] {
            let filter = filter(&Form::parse(query.as_bytes())).unwrap();
            assert_eq!(request(&filter).status.as_deref(), Some(status), "{query}");
        }
    }
}
