//! The public page of an organizer, with its events as a list, a calendar file, a feed, and a page for frames of other sites.

use askama::Template;
use axum::response::Response;
use http_kit::{Problem, moved};
use muster_api::v1::{
    Event, EventList, GetOrganizerRequest, ListEventsRequest, Organizer,
    bindings::{GetOrganizer, ListEvents},
};
use serde::{Deserialize, Serialize};

use crate::{
    date,
    event::{EventState, ShownEvent},
    form::link,
    json_ld,
    layout::{Page, PageResult, Section, public},
    markdown::{Author, summary},
    pages::{
        catalogue::{
            filter::Filter,
            listing::{Listing, Order},
        },
        embed,
        event::DESCRIPTION_CHARACTERS,
        feeds,
    },
    place::PlaceKind,
    request_context::RequestContext,
};

/// Events on a page.
const PAGE_SIZE: i32 = 20;

/// Past events below the upcoming ones.
const LATEST: i32 = 5;

/// Events of a page for frames.
const FRAMED: i32 = 10;

#[derive(Template)]
#[template(path = "organizer.html")]
struct OrganizerPage {
    page: Page,
    organizer: Organizer,
    path: String,
    /// The page of past events shows nothing else.
    is_past: bool,
    upcoming: Listing,
    past: Listing,
    /// Whether there are more past events than the page has, which the page of past events shows.
    has_more_past: bool,
    json_ld: String,
    oembed_url: String,
    /// The line that shows the events on another site.
    embed_line: String,
}

#[derive(Template)]
#[template(path = "organizer_embed.html")]
struct OrganizerEmbed {
    organizer: Organizer,
    events: Vec<FramedEvent>,
    style_url: String,
    script_url: String,
    site_name: String,
}

/// An event of the list for frames, and whether people can register.
struct FramedEvent {
    event: ShownEvent,
    state: EventState,
    requires_approval: bool,
}

/// Where a page of a list begins.
#[derive(Default, Deserialize, Serialize)]
struct Beginning {
    offset: Option<i32>,
}

/// The page, or a file of its events: handles have no dots.
pub(in crate::pages) async fn show(context: RequestContext) -> PageResult {
    let name = context.segment(1)?;
    match name.rsplit_once('.') {
        Some((handle, "ics")) => calendar(&context, handle).await,
        Some((handle, "atom")) => feed(&context, handle).await,
        _ => page(&context, &name).await,
    }
}

async fn page(context: &RequestContext, handle: &str) -> PageResult {
    let Beginning { offset } = context.query().read()?;
    let request = Filter::of_organizer(handle).request(PAGE_SIZE, offset.unwrap_or(0));
    let (organizer, upcoming, past) = tokio::join!(
        find(context, handle, ""),
        context.ask::<ListEvents>(request),
        past(context, handle, LATEST, 0),
    );
    match organizer? {
        Found::Here(organizer) => shown(context, organizer, &upcoming?, &past?, false),
        Found::Moved(response) => Ok(response),
    }
}

pub(in crate::pages) async fn past_events(context: RequestContext) -> PageResult {
    let handle = context.segment(1)?;
    let Beginning { offset } = context.query().read()?;
    let (organizer, past) = tokio::join!(
        find(&context, &handle, "/past"),
        past(&context, &handle, PAGE_SIZE, offset.unwrap_or(0)),
    );
    match organizer? {
        Found::Here(organizer) => shown(&context, organizer, &EventList::default(), &past?, true),
        Found::Moved(response) => Ok(response),
    }
}

async fn calendar(context: &RequestContext, handle: &str) -> PageResult {
    match find(context, handle, ".ics").await? {
        Found::Here(organizer) => {
            feeds::calendar_of(context, Filter::of_organizer(&organizer.handle)).await
        }
        Found::Moved(response) => Ok(response),
    }
}

async fn feed(context: &RequestContext, handle: &str) -> PageResult {
    let organizer = match find(context, handle, ".atom").await? {
        Found::Here(organizer) => organizer,
        Found::Moved(response) => return Ok(response),
    };
    let home = path(&organizer.handle);
    let source = feeds::Source {
        title: format!("Events · {}", organizer.name),
        own: format!("{home}.atom"),
        home,
    };
    feeds::atom_of(context, &Filter::of_organizer(&organizer.handle), source).await
}

pub(in crate::pages) async fn embedded(context: RequestContext) -> PageResult {
    let handle = context.segment(1)?;
    let request = Filter::of_organizer(&handle).request(FRAMED, 0);
    let (organizer, list) = tokio::join!(
        find(&context, &handle, "/embed"),
        context.ask::<ListEvents>(request),
    );
    let organizer = match organizer? {
        Found::Here(organizer) => organizer,
        Found::Moved(response) => return Ok(response),
    };
    embed::framed(&OrganizerEmbed {
        organizer,
        events: list?.items.iter().flat_map(FramedEvent::of).collect(),
        style_url: context.site.assets().style.path.clone(),
        script_url: context.site.assets().script.path.clone(),
        site_name: context.site.name().to_string(),
    })
}

impl FramedEvent {
    fn of(event: &Event) -> Result<Self, Problem> {
        Ok(Self {
            event: ShownEvent::of(event)?,
            state: EventState::of_listed(event, date::now()),
            requires_approval: event.requires_approval,
        })
    }
}

/// Who is meant by a handle.
enum Found {
    Here(Organizer),
    /// The handle is a former one, or written otherwise: the page is elsewhere.
    Moved(Response),
}

/// Reads the organizer of a page whose path ends so.
async fn find(context: &RequestContext, handle: &str, end: &str) -> Result<Found, Problem> {
    let request = GetOrganizerRequest {
        handle: handle.to_owned(),
    };
    let organizer = context.ask::<GetOrganizer>(request).await?;
    if organizer.handle == handle {
        return Ok(Found::Here(organizer));
    }
    let present = path(&organizer.handle) + end;
    Ok(Found::Moved(moved(&present)))
}

async fn past(
    context: &RequestContext,
    handle: &str,
    limit: i32,
    offset: i32,
) -> Result<EventList, Problem> {
    let request = ListEventsRequest {
        past: Some(true),
        ..Filter::of_organizer(handle).request(limit, offset)
    };
    context.ask::<ListEvents>(request).await
}

fn path(handle: &str) -> String {
    format!("/o/{handle}")
}

fn shown(
    context: &RequestContext,
    organizer: Organizer,
    upcoming: &EventList,
    past: &EventList,
    is_past: bool,
) -> PageResult {
    let (site, path) = (&context.site, path(&organizer.handle));
    let about = organizer.about.as_deref().unwrap_or_default();
    let description = match summary(about, DESCRIPTION_CHARACTERS) {
        text if text.is_empty() => format!("Events of {}.", organizer.name),
        text => text,
    };
    let is_first = upcoming.offset == 0 && past.offset == 0;
    let has_events = upcoming.count > 0 || past.count > 0;
    let mut page = Page::unlisted(site.links(), &organizer.name, &description, Section::Events);
    if is_first && has_events && !is_past {
        page = page.at(organizer.url.clone());
    }
    let url = |path: &str, offset: i32| {
        let offset = Some(offset).filter(|offset| *offset > 0);
        link(path, &Beginning { offset })
    };
    let of_past = |offset| url(&format!("{path}/past"), offset);
    public(&OrganizerPage {
        page,
        is_past,
        upcoming: Listing::of(upcoming, Order::EarliestFirst, |offset| url(&path, offset)),
        has_more_past: past.next_offset.is_some(),
        past: if is_past {
            Listing::of(past, Order::LatestFirst, of_past)
        } else {
            Listing::of(past, Order::LatestFirst, of_past).without_links()
        },
        json_ld: json_ld::of_organizer(&organizer, &description),
        oembed_url: embed::oembed_url(site, &organizer.url),
        embed_line: embed::line_of_list(site, &organizer.handle, &organizer.name),
        organizer,
        path,
    })
}

impl OrganizerPage {
    /// The address of the website, as people read it.
    fn website_words(website: &str) -> &str {
        website.trim_start_matches("https://").trim_end_matches('/')
    }
}
