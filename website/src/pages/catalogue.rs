//! The catalogue of public events: the home page, and `/events` with its pages.

pub(super) mod filter;
pub(super) mod listing;

use askama::Template;
use http::{HeaderValue, StatusCode, header::CACHE_CONTROL};
use muster_api::v1::{
    EventList, ListCitiesRequest,
    bindings::{ListCities, ListEvents},
};

use crate::{
    date,
    layout::{Page, PageResult, Section, public},
    place::PlaceKind,
    request_context::RequestContext,
};
use filter::Filter;
use listing::{Listing, Order, found};

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
    /// The same search for the present day; `None` if it is that one.
    today_url: Option<String>,
    list: Listing,
    /// The cities that have events, to choose from.
    cities: Vec<String>,
    /// The same events for programs.
    calendar_url: String,
    feed_url: String,
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
    let today = date::today(&page.links.default_timezone);
    public(&CataloguePage {
        today_url: filter.url_of_day(&today),
        page,
        is_home,
        found: found(list),
        list: Listing::of(list, Order::EarliestFirst, |offset| filter.url(offset)),
        cities,
        calendar_url: filter.path("/events.ics"),
        feed_url: filter.path("/events.atom"),
        filter,
    })
}
