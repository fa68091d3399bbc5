//! The events of the account, by state, with a search, and how many the plan has left.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::v1::{ListMyEventsRequest, MyEvent, MyEventList, bindings::ListMyEvents};

use super::{
    event_head::{Badge, path_of},
    invitations::{Invited, invited},
    plan::Plan,
};
use crate::{
    date::EventDates,
    desk::{Desk, Frame, Tab, sentence},
    form::Form,
    layout::Page,
    next::DASHBOARD,
    visit::Site,
};

/// Events on a page.
const PAGE_SIZE: i32 = 50;

/// The states to choose from: their names in the API, and for people.
const STATES: [(&str, &str); 3] = [(FIRST, "Upcoming"), ("past", "Past"), ("all", "All")];

/// The state that people see who chose none.
const FIRST: &str = "active";

#[derive(Template)]
#[template(path = "dashboard/home.html")]
struct HomePage {
    page: Page,
    frame: Frame,
    filter: Filter,
    states: Vec<State>,
    found: String,
    events: Vec<Row>,
    next_url: Option<String>,
    /// What is wrong with the words that are looked for.
    problem: Option<String>,
    plan: Option<Plan>,
    invitations: Vec<Invited>,
}

/// What the person looks for.
#[derive(Debug, Clone, Default)]
struct Filter {
    status: String,
    q: String,
    cursor: String,
}

struct State {
    name: &'static str,
    url: String,
    is_chosen: bool,
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

pub(super) fn resources(site: &Site) -> [Resource; 1] {
    [site.desk("/dashboard", show)]
}

async fn show(desk: Desk) -> Result<Response, Problem> {
    let filter = Filter::of(&desk.visit.query());
    let (listed, plan) = tokio::join!(
        desk.ask::<ListMyEvents>(filter.request()),
        Plan::read(&desk)
    );
    let plan = plan?;
    match listed {
        Ok(list) => desk.answer(&HomePage::of(&desk, filter, list, plan)),
        Err(problem) if problem.http_status == 400 => {
            let mut page = HomePage::of(&desk, filter, none(), plan);
            page.problem = Some(format!("{}.", sentence(&problem.message)));
            desk.answer_refused(&page, &problem)
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

impl Filter {
    /// A state that there is not is the first one.
    fn of(query: &Form) -> Self {
        let value = |name| query.value(name).unwrap_or_default().to_owned();
        let asked = value("status");
        let known = STATES.iter().find(|(status, _)| *status == asked);
        Self {
            status: known.map_or(FIRST, |(status, _)| status).to_owned(),
            q: value("q"),
            cursor: value("cursor"),
        }
    }

    fn request(&self) -> ListMyEventsRequest {
        let given = |text: &String| (!text.is_empty()).then(|| text.clone());
        ListMyEventsRequest {
            status: Some(self.status.clone()),
            limit: Some(PAGE_SIZE),
            q: given(&self.q),
            cursor: given(&self.cursor),
            ..ListMyEventsRequest::default()
        }
    }

    fn is_set(&self) -> bool {
        self.status != FIRST || !self.q.is_empty()
    }

    /// The address of the page.
    fn url(&self) -> String {
        let status = Some(&*self.status).filter(|status| *status != FIRST);
        let fields = [
            ("status", status.unwrap_or_default()),
            ("q", &self.q),
            ("cursor", &self.cursor),
        ];
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(fields.into_iter().filter(|(_, value)| !value.is_empty()));
        match &*query.finish() {
            "" => DASHBOARD.to_owned(),
            query => format!("{DASHBOARD}?{query}"),
        }
    }

    /// The states, each with the same words.
    fn states(&self) -> Vec<State> {
        let state = |(status, name): (&str, &'static str)| State {
            name,
            is_chosen: self.status == status,
            url: Self {
                status: status.to_owned(),
                q: self.q.clone(),
                cursor: String::new(),
            }
            .url(),
        };
        STATES.into_iter().map(state).collect()
    }
}

impl HomePage {
    fn of(desk: &Desk, filter: Filter, list: MyEventList, plan: Option<Plan>) -> Self {
        let (page, frame) = desk.frame("Your events", Tab::Events);
        let next = list.next_cursor.map(|cursor| Filter {
            cursor,
            ..filter.clone()
        });
        Self {
            page,
            frame,
            states: filter.states(),
            found: match list.count {
                1 => "1 event".to_owned(),
                count if !list.count_is_exact => format!("more than {count} events"),
                count => format!("{count} events"),
            },
            next_url: next.map(|next| next.url()),
            problem: None,
            events: list.items.into_iter().filter_map(Row::of).collect(),
            filter,
            plan,
            invitations: invited(&desk.viewer),
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
            let filter = Filter::of(&Form::parse(query.as_bytes()));
            assert_eq!(filter.status, status, "{query}");
            assert_eq!(filter.request().status.as_deref(), Some(status));
        }
    }

    #[test]
    fn pages_keep_what_was_looked_for() {
        let filter = Filter::of(&Form::parse(b"status=all&q=a%26b&cursor=x&other=y"));
        assert_eq!(filter.url(), "/dashboard?status=all&q=a%26b&cursor=x");
        let urls: Vec<_> = filter.states().into_iter().map(|state| state.url).collect();
        assert_eq!(
            urls[..2],
            ["/dashboard?q=a%26b", "/dashboard?status=past&q=a%26b"]
        );
        assert_eq!(Filter::of(&Form::default()).url(), "/dashboard");
    }
}
