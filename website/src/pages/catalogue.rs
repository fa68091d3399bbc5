//! The catalogue of public events: the home page, and `/events` with its pages.

pub(super) mod filter;

use askama::Template;
use http::{HeaderValue, StatusCode, header::CACHE_CONTROL};
use muster_api::v1::{
    Event, EventList, ListCitiesRequest,
    bindings::{ListCities, ListEvents},
};

use crate::{
    event::ShownEvent,
    layout::{Page, PageResult, Section, public},
    place::PlaceKind,
    request_context::RequestContext,
};
use filter::Filter;

/// Events on a page.
const PAGE_SIZE: i32 = 20;

const DESCRIPTION: &str =
    "Meetups, workshops, runs. Sign up with a name and an email. No account needed.";

#[derive(Template)]
#[template(path = "catalogue.html")]
struct CataloguePage {
    page: Page,
    is_home: bool,
    filter: Filter,
    found: String,
    days: Vec<Day>,
    /// The cities that have events, to choose from.
    cities: Vec<String>,
    previous_url: Option<String>,
    next_url: Option<String>,
    range: String,
    /// The same events for programs.
    calendar_url: String,
    feed_url: String,
}

/// The events that start on one day.
#[derive(Debug)]
struct Day {
    date: String,
    weekday: String,
    events: Vec<ShownEvent>,
}

pub(in crate::pages) async fn home(context: RequestContext) -> PageResult {
    let filter = Filter::default();
    let asked = context.ask::<ListEvents>(filter.request(PAGE_SIZE, 0));
    let (list, cities) = tokio::join!(asked, cities(&context));
    let list = list?;
    let title = "Find your next event";
    let page = Page::unlisted(context.site.links(), title, DESCRIPTION, Section::None)
        .at(context.site.url("/"));
    show(&list, cities, page, filter, true)
}

pub(in crate::pages) async fn events(context: RequestContext) -> PageResult {
    let mut filter: Filter = context.query().read()?;
    let offset = filter.offset.unwrap_or(0);
    let cities = cities(&context).await;
    filter.complete(&cities);
    let mut page = Page::unlisted(context.site.links(), "Events", DESCRIPTION, Section::Events);
    if offset == 0 && !filter.is_set() {
        page = page.at(context.site.url("/events"));
    }
    match context
        .ask::<ListEvents>(filter.request(PAGE_SIZE, offset))
        .await
    {
        Ok(list) => show(&list, cities, page, filter, false),
        Err(problem) if filter.refused(&problem.details) => {
            let mut response = show(&EventList::default(), cities, page, filter, false)?;
            *response.status_mut() = StatusCode::BAD_REQUEST;
            let caching = HeaderValue::from_static("no-store");
            response.headers_mut().insert(CACHE_CONTROL, caching);
            Ok(response)
        }
        Err(problem) => Err(problem),
    }
}

/// What the form suggests. A page without it is better than none.
async fn cities(context: &RequestContext) -> Vec<String> {
    let list = context.ask::<ListCities>(ListCitiesRequest {}).await;
    list.map(|list| list.items).unwrap_or_default()
}

fn show(
    list: &EventList,
    cities: Vec<String>,
    page: Page,
    filter: Filter,
    is_home: bool,
) -> PageResult {
    let end = list.offset.saturating_add(count(&list.items));
    public(&CataloguePage {
        page,
        is_home,
        found: found(list),
        previous_url: (list.offset > 0).then(|| filter.url((list.offset - PAGE_SIZE).max(0))),
        next_url: list.next_offset.map(|offset| filter.url(offset)),
        range: format!("{} to {end} of {}", list.offset + 1, total(list)),
        days: days(&list.items),
        cities,
        calendar_url: filter.path("/events.ics"),
        feed_url: filter.path("/events.atom"),
        filter,
    })
}

fn count(items: &[Event]) -> i32 {
    i32::try_from(items.len()).unwrap_or(i32::MAX)
}

fn found(list: &EventList) -> String {
    match list.count {
        0 => "No events".to_owned(),
        1 => "1 event".to_owned(),
        _ => format!("{} events", total(list)),
    }
}

fn total(list: &EventList) -> String {
    if list.count_is_exact {
        list.count.to_string()
    } else {
        format!("more than {}", list.count)
    }
}

/// The events by the day on which they start, in their order.
fn days(items: &[Event]) -> Vec<Day> {
    let mut days: Vec<Day> = Vec::new();
    // Core always sends dates in this form.
    for event in items.iter().flat_map(ShownEvent::of) {
        let (date, weekday) = (event.dates.day(), event.dates.weekday());
        match days.last_mut() {
            Some(day) if day.date == date => day.events.push(event),
            _ => days.push(Day {
                date,
                weekday,
                events: vec![event],
            }),
        }
    }
    days
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(slug: &str, start: &str, location: &str) -> Event {
        Event {
            slug: slug.to_owned(),
            title: slug.to_owned(),
            location: location.to_owned(),
            start_date: start.to_owned(),
            timezone: "Europe/Berlin".to_owned(),
            ..Event::default()
        }
    }

    #[test]
    fn events_are_shown_by_the_day_of_their_place() {
        let days = days(&[
            event("a", "2030-05-14T09:00:00+02:00", "c-base"),
            event("b", "2030-05-14T23:30:00+02:00", "https://meet.example"),
            event("c", "2030-05-15T00:30:00+02:00", "c-base"),
        ]);
        let shown: Vec<_> = days
            .iter()
            .map(|day| (&*day.date, day.events.len()))
            .collect();
        assert_eq!(shown, [("14 May 2030", 2), ("15 May 2030", 1)]);
        let events = &days[0].events;
        assert_eq!(events[0].place.summary(), "c-base");
        assert_eq!(events[1].place.summary(), "Online");
        assert_eq!(events[1].dates.zone_name(), "Berlin time");
    }
}
