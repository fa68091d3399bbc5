//! The catalogue with its filters as an Atom feed and as a calendar file.

use askama::Template;
use http_kit::{Problem, document};
use muster_api::v1::{
    Event,
    bindings::{GetCatalogueCalendar, ListEvents},
};
use server::brand::SiteName;

use crate::{
    event::ShownEvent,
    layout::{FRESH, PageResult, rendered},
    markdown::{Author, html},
    pages::{catalogue::filter::Filter, event::CALENDAR},
    request_context::RequestContext,
};

/// Entries of a feed.
const MAX_ENTRIES: i32 = 200;

/// The most that core lists at once.
const AT_ONCE: i32 = 100;

const ATOM: &str = "application/atom+xml; charset=utf-8";

#[derive(Template)]
#[template(path = "feed.xml")]
struct Feed {
    title: String,
    home_url: String,
    own_url: String,
    updated: String,
    entries: Vec<Entry>,
}

struct Entry {
    title: String,
    url: String,
    updated: String,
    author: String,
    when: String,
    place: String,
    html: String,
}

/// What a feed is of.
pub(in crate::pages) struct Source {
    pub(in crate::pages) title: String,
    /// The paths of its page and of the feed.
    pub(in crate::pages) home: String,
    pub(in crate::pages) own: String,
}

pub(in crate::pages) async fn calendar(context: RequestContext) -> PageResult {
    let filter = context.query().read()?;
    calendar_of(&context, filter).await
}

pub(in crate::pages) async fn atom(context: RequestContext) -> PageResult {
    let filter: Filter = context.query().read()?;
    let source = Source {
        title: format!("Events · {}", context.site.name()),
        home: filter.path("/events"),
        own: filter.path("/events.atom"),
    };
    atom_of(&context, &filter, source).await
}

/// The calendar file of what a filter leaves.
pub(in crate::pages) async fn calendar_of(context: &RequestContext, filter: Filter) -> PageResult {
    let request = filter.calendar_request();
    let file = context.ask::<GetCatalogueCalendar>(request).await?;
    Ok(document(file.text, CALENDAR, FRESH))
}

/// The feed of what a filter leaves.
pub(in crate::pages) async fn atom_of(
    context: &RequestContext,
    filter: &Filter,
    source: Source,
) -> PageResult {
    let events = events(context, filter).await?;
    // A feed without entries has not changed since there is time.
    let none = "1970-01-01T00:00:00Z";
    let updated = events.iter().map(|event| &*event.updated_at).max();
    let feed = Feed {
        title: source.title,
        home_url: context.site.url(&source.home),
        own_url: context.site.url(&source.own),
        updated: updated.unwrap_or(none).to_owned(),
        entries: events
            .into_iter()
            .map(|event| entry(event, context.site.name()))
            .collect::<Result<_, _>>()?,
    };
    Ok(document(rendered(&feed)?, ATOM, FRESH))
}

/// The next events of the catalogue.
async fn events(context: &RequestContext, filter: &Filter) -> Result<Vec<Event>, Problem> {
    let mut events = Vec::new();
    let mut next = Some(0);
    while let Some(offset) = next.filter(|offset| *offset < MAX_ENTRIES) {
        let request = filter.request(AT_ONCE, offset);
        let list = context.ask::<ListEvents>(request).await?;
        next = list.next_offset;
        events.extend(list.items);
    }
    Ok(events)
}

fn entry(event: Event, site_name: &SiteName) -> Result<Entry, Problem> {
    let shown = ShownEvent::of(&event)?;
    Ok(Entry {
        when: shown.dates.when(),
        place: shown.place.text,
        html: html(&event.description, Author::Stranger),
        author: event.organizer.unwrap_or_else(|| site_name.to_string()),
        title: event.title,
        url: event.url,
        updated: event.updated_at,
    })
}
