//! The page of an event.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::v1::{Event, GetEventRequest, bindings::GetEvent};

use crate::{
    event::{EventSource, ShownEvent},
    layout::{Page, Section, public},
    markdown::{Author, html, summary},
    place::PlaceKind,
    visit::{Site, Visit},
};

/// How much of a description search engines and previews show.
const DESCRIPTION_CHARACTERS: usize = 160;

/// Longer titles are set smaller.
const LONG_TITLE_CHARACTERS: usize = 80;

#[derive(Template)]
#[template(path = "event.html")]
struct EventPage {
    page: Page,
    event: ShownEvent,
    /// The absolute URL of the page, to share.
    link: String,
    is_title_long: bool,
    description_html: String,
    cover_credit: Option<String>,
    social_image_url: Option<String>,
}

pub(crate) fn resources(site: &Site) -> [Resource; 1] {
    [site.page("/events/{slug}", show)]
}

async fn show(visit: Visit) -> Result<Response, Problem> {
    let slug = visit.segment(1)?;
    let event = visit.ask::<GetEvent>(GetEventRequest { slug }).await?;
    public(&EventPage::of(event)?)
}

impl EventPage {
    fn of(event: Event) -> Result<Self, Problem> {
        let shown = ShownEvent::of(EventSource {
            slug: &event.slug,
            title: &event.title,
            location: &event.location,
            city: event.city.as_deref(),
            start_date: &event.start_date,
            end_date: event.end_date.as_deref(),
            timezone: &event.timezone,
            has_image: event.image_url.is_some(),
        })?;
        let description = summary(&event.description, DESCRIPTION_CHARACTERS);
        let page = Page::unlisted(&event.title, &description, Section::Events);
        Ok(Self {
            page: page.at(event.url.clone()),
            event: shown,
            link: event.url,
            is_title_long: event.title.chars().count() > LONG_TITLE_CHARACTERS,
            description_html: html(&event.description, Author::Stranger),
            cover_credit: event.image_credit,
            social_image_url: event.image_url,
        })
    }
}
