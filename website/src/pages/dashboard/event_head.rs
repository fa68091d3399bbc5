//! What every page of one event has at its top: what it is called, in which state it is, and the way to its other pages.

use http_kit::Problem;
use muster_api::v1::{GetMyEventRequest, MyEvent, MyEventDetail, bindings::GetMyEvent};

use crate::{caller::Caller, cover::encoded, date::EventDates};

/// The top of an event's pages.
#[derive(Debug, Clone)]
pub(crate) struct EventHead {
    /// `/dashboard/events/{id}`, below which all its pages are.
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) when: String,
    /// The IANA name of its time zone.
    pub(crate) timezone: String,
    pub(crate) badge: Badge,
    pub(crate) part: Part,
    pub(crate) is_cancelled: bool,
    /// Whether nobody can be added, approved or declined any more: it is cancelled or over.
    pub(crate) is_closed: bool,
    /// How many await the organizer's approval.
    pub(crate) waiting: i32,
    /// The path of its public page.
    pub(crate) public_url: String,
}

/// A page of an event, in its navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Overview,
    Edit,
    Registrations,
    Messages,
    Door,
    Activity,
}

/// A state in a word and a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Badge {
    pub(crate) tone: &'static str,
    pub(crate) word: &'static str,
}

impl Badge {
    /// The state of an event.
    pub(crate) const fn of(is_published: bool, is_cancelled: bool, is_ended: bool) -> Self {
        match (is_cancelled, is_published, is_ended) {
            (true, ..) => Self::new("bad", "Cancelled"),
            (false, true, true) => Self::new("", "Ended"),
            (false, true, false) => Self::new("good", "Published"),
            (false, false, _) => Self::new("", "Draft"),
        }
    }

    /// The state of an event in a list.
    pub(crate) const fn of_listed(event: &MyEvent) -> Self {
        Self::of(event.is_published, event.is_cancelled, event.is_ended)
    }

    pub(crate) const fn new(tone: &'static str, word: &'static str) -> Self {
        Self { tone, word }
    }
}

impl EventHead {
    pub(crate) fn of(event: &MyEventDetail, part: Part) -> Self {
        let end = event.end_date.as_deref();
        let dates = EventDates::read(&event.start_date, end, &event.timezone);
        Self {
            url: path_of(&event.id),
            title: event.title.clone(),
            when: dates.map(|dates| dates.when()).unwrap_or_default(),
            timezone: event.timezone.clone(),
            badge: if event.is_hidden && !event.is_cancelled {
                Badge::new("bad", "Taken down")
            } else {
                Badge::of(event.is_published, event.is_cancelled, event.is_ended)
            },
            part,
            is_cancelled: event.is_cancelled,
            is_closed: event.is_cancelled || event.is_ended,
            waiting: event.registrations_pending - event.registrations_unconfirmed,
            public_url: format!("/events/{}", encoded(&event.slug)),
        }
    }
}

/// Below which path the pages of an event are.
pub(crate) fn path_of(id: &str) -> String {
    format!("/dashboard/events/{}", encoded(id))
}

/// Reads the event of the path `/dashboard/events/{id}/…`.
pub(crate) async fn read(caller: &Caller) -> Result<MyEventDetail, Problem> {
    let id = caller.context.segment(2)?;
    caller.ask::<GetMyEvent>(GetMyEventRequest { id }).await
}
