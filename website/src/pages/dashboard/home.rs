//! The events of the account, by state, with a search, and how many the plan has left.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::v1::{ListMyEventsRequest, MyEvent, MyEventList, bindings::ListMyEvents};

use super::{
    event_head::{Badge, path_of},
    invitations::{Invited, invited},
    list_filter::{Chip, ListFilter},
    plan::Plan,
};
use crate::{
    caller::{Caller, Frame, Tab},
    date::EventDates,
    form::Form,
    layout::Page,
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
    page: Page,
    frame: Frame,
    filter: ListFilter,
    chips: Vec<Chip>,
    found: String,
    events: Vec<Row>,
    next_url: Option<String>,
    /// What is wrong with the words that are looked for.
    problem: Option<String>,
    plan: Option<Plan>,
    invitations: Vec<Invited>,
}

/// An event in the list.
struct Row {
    url: String,
    title: String,
    month: String,
    day: String,
    when: String,
    start_iso: String,
    seats: String,
    badge: Badge,
}

pub(in crate::pages) async fn show(caller: Caller) -> Result<Response, Problem> {
    let filter = filter(&caller.context.query())?;
    let (listed, plan) = tokio::join!(
        caller.ask::<ListMyEvents>(request(&filter)),
        Plan::read(&caller)
    );
    let plan = plan?;
    match listed {
        Ok(list) => caller.answer(&HomePage::of(&caller, filter, list, plan)),
        Err(problem) if problem.http_status == 400 => {
            let mut page = HomePage::of(&caller, filter, none(), plan);
            page.problem = Some(sentence(&problem));
            caller.answer_refused(&page, &problem)
        }
        Err(problem) => Err(problem),
    }
}

/// A list without events.
fn none() -> MyEventList {
    MyEventList {
        count_is_exact: true,
        ..MyEventList::default()
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

impl HomePage {
    fn of(caller: &Caller, filter: ListFilter, list: MyEventList, plan: Option<Plan>) -> Self {
        let (page, frame) = caller.frame("Your events", Tab::Events);
        let next = list.next_cursor;
        Self {
            page,
            frame,
            chips: filter.chips(DASHBOARD, &STATES),
            found: match list.count {
                1 => "1 event".to_owned(),
                count if !list.count_is_exact => format!("more than {count} events"),
                count => format!("{count} events"),
            },
            next_url: next.map(|cursor| filter.page(DASHBOARD, Some(cursor))),
            problem: None,
            events: list.items.into_iter().filter_map(Row::of).collect(),
            filter,
            plan,
            invitations: invited(&caller.viewer),
        }
    }
}

impl Row {
    /// `None` if the dates are in no form of core's, which they always are.
    fn of(event: MyEvent) -> Option<Self> {
        let dates = EventDates::read(&event.start_date, None, "")?;
        Some(Self {
            url: path_of(&event.id),
            month: dates.month(),
            day: dates.day_of_month(),
            when: format!("{}, {}", dates.date(), dates.time()),
            seats: format!("{} of {}", event.registration_count, event.max_capacity),
            badge: Badge::of(event.is_published, event.is_cancelled),
            title: event.title,
            start_iso: event.start_date,
        })
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
