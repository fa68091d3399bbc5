//! The page of an event, and its calendar file.

use askama::Template;
use http_kit::{Problem, document, moved};
use muster_api::v1::{
    Event, EventPage as Answer, GetEventCalendarRequest, GetEventPageRequest, ListEventsRequest,
    bindings::{GetEventCalendar, GetEventPage, ListEvents},
};

use crate::{
    cover::{self, Cover},
    event::{EventState, ShownEvent, expected, spots_left},
    json_ld,
    layout::{FRESH, Page, PageResult, Section, private, public},
    markdown::{Author, summary},
    pages::{calendars::CalendarButtons, embed},
    place::PlaceKind,
    registration_times::RegistrationTimes,
    request_context::{RequestContext, Site},
};

/// How much of a description search engines and previews show.
pub(in crate::pages) const DESCRIPTION_CHARACTERS: usize = 160;

/// Longer titles are set smaller.
const LONG_TITLE_CHARACTERS: usize = 80;

pub(crate) const CALENDAR: &str = "text/calendar; charset=utf-8";

/// Other dates of a series on the page of one.
const OTHER_DATES: i32 = 10;
const LISTED_DATES: usize = 10;

#[derive(Template)]
#[template(path = "event.html")]
struct EventPage {
    page: Page,
    event: ShownEvent,
    state: EventState,
    seats: String,
    /// When people can register.
    times: RegistrationTimes,
    /// Why nobody can register now, if those times are the reason.
    refusal: Option<String>,
    answer: Answer,
    source: Event,
    json_ld: String,
    oembed_url: String,
    /// The line that shows the event's card on another site.
    embed_line: String,
    is_title_long: bool,
    social_image_url: String,
    calendars: CalendarButtons,
    /// Other dates of its series.
    others: Vec<ShownEvent>,
    /// Where the dashboard has the event, if this is the preview of a draft.
    preview_of: Option<String>,
}

/// A draft, as its page will show it.
pub(in crate::pages) struct Draft {
    pub(in crate::pages) answer: Answer,
    pub(in crate::pages) event: Event,
    /// Where its cover stands.
    pub(in crate::pages) cover: String,
    /// Where the dashboard has it.
    pub(in crate::pages) back: String,
}

pub(in crate::pages) async fn show(context: RequestContext) -> PageResult {
    let slug = context.segment(1)?;
    let (answer, event) = read(&context, slug.clone()).await?;
    if slug != event.slug {
        return Ok(moved(&format!("/events/{}", event.slug)));
    }
    let others = other_dates(&context, &event)
        .await
        .unwrap_or_else(|problem| {
            // The event itself is worth showing while the search is busy or made anew.
            tracing::warn!(
                code = problem.code,
                "the other dates of an event are not shown"
            );
            Vec::new()
        });
    let page = EventPage::of(&context.site, answer, event)?;
    public(&EventPage { others, ..page })
}

/// The next dates of the event's series but its own; none if it is in none.
async fn other_dates(context: &RequestContext, event: &Event) -> Result<Vec<ShownEvent>, Problem> {
    if event.series_id.is_none() {
        return Ok(Vec::new());
    }
    let request = ListEventsRequest {
        series: event.series_id.clone(),
        // With its own.
        limit: Some(OTHER_DATES + 1),
        ..ListEventsRequest::default()
    };
    let list = context.ask::<ListEvents>(request).await?;
    let others = list.items.iter().filter(|other| other.slug != event.slug);
    others.take(LISTED_DATES).map(ShownEvent::of).collect()
}

/// The page of a draft. It stays private: only members of the account get it, and no cache.
pub(in crate::pages) fn show_draft(context: &RequestContext, draft: Draft) -> PageResult {
    let mut page = EventPage::of(&context.site, draft.answer, draft.event)?;
    page.event.cover = Cover {
        picture: draft.cover.clone(),
        poster: draft.cover,
    };
    page.preview_of = Some(draft.back);
    private(&page)
}

pub(in crate::pages) async fn calendar(context: RequestContext) -> PageResult {
    let slug = context.segment(1)?;
    let request = GetEventCalendarRequest { slug };
    let file = context.ask::<GetEventCalendar>(request).await?;
    Ok(document(file.text, CALENDAR, FRESH))
}

/// Reads an event and all that its pages say beside it.
pub(crate) async fn read(
    context: &RequestContext,
    slug: String,
) -> Result<(Answer, Event), Problem> {
    let request = GetEventPageRequest { slug };
    let mut answer = context.ask::<GetEventPage>(request).await?;
    let event = expected(answer.event.take())?;
    Ok((answer, event))
}

/// What is left for who registers now: how many spots only once they are few, and nothing before.
pub(crate) fn seats(answer: &Answer, capacity: i32) -> String {
    let left = spots_left(answer, capacity);
    match (EventState::of(answer), left, answer.waitlisted) {
        (EventState::Full, _, 0) => "You’d be first on the waitlist.".to_owned(),
        (EventState::Full, _, 1) => "1 person on the waitlist.".to_owned(),
        (EventState::Full, _, waiting) => format!("{waiting} people on the waitlist."),
        (_, Some(1), _) => "1 spot left.".to_owned(),
        (_, Some(left), _) => format!("{left} spots left."),
        (_, None, _) => String::new(),
    }
}

impl EventPage {
    /// What the button says.
    const fn invitation(&self) -> &'static str {
        if self.answer.requires_approval {
            "Request to join"
        } else {
            "Register"
        }
    }

    fn of(site: &Site, answer: Answer, event: Event) -> Result<Self, Problem> {
        let description = summary(&event.description, DESCRIPTION_CHARACTERS);
        let mut page = Page::unlisted(site.links(), &event.title, &description, Section::Events);
        if answer.is_listed {
            page = page.at(event.url.clone());
        }
        // Every event has one, at least drawn from its title.
        let social_image_url = site.url(&cover::path(&event.slug));
        let shown = ShownEvent::of(&event)?;
        let (times, state) = (RegistrationTimes::of(&event), EventState::of(&answer));
        Ok(Self {
            page,
            calendars: CalendarButtons::of(&event, &shown, &shown.url, None),
            event: shown,
            state,
            seats: seats(&answer, event.capacity),
            refusal: times.refusal(state),
            times,
            json_ld: json_ld::of(&answer, &event, &description, &social_image_url),
            oembed_url: embed::oembed_url(site, &event.url),
            embed_line: embed::line(site, &event.slug, &event.title),
            is_title_long: event.title.chars().count() > LONG_TITLE_CHARACTERS,
            social_image_url,
            preview_of: None,
            others: Vec::new(),
            answer,
            source: event,
        })
    }
}
