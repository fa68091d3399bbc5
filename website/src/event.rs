//! An event as pages show it: what it is called, when and where it takes place.

use http_kit::Problem;
use muster_api::{
    Reason,
    v1::{Event, EventPage},
};

use crate::{
    cover::{Cover, encoded},
    date::EventDates,
    place::Place,
};

/// What core says about an event, whatever message says it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EventSource<'a> {
    pub(crate) slug: &'a str,
    pub(crate) title: &'a str,
    pub(crate) location: &'a str,
    pub(crate) city: Option<&'a str>,
    pub(crate) start_date: &'a str,
    pub(crate) end_date: Option<&'a str>,
    pub(crate) timezone: &'a str,
    pub(crate) has_image: bool,
}

/// Whether people can register for an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventState {
    Open,
    Full,
    Ended,
    Cancelled,
}

impl EventState {
    pub(crate) fn of(page: &EventPage) -> Self {
        if page.is_cancelled {
            Self::Cancelled
        } else if page.is_ended {
            Self::Ended
        } else if page.seats_left <= 0 {
            Self::Full
        } else {
            Self::Open
        }
    }

    /// Whether a registration, or a place on the waitlist, can be had.
    pub(crate) fn takes_registrations(self) -> bool {
        matches!(self, Self::Open | Self::Full)
    }
}

impl<'a> EventSource<'a> {
    /// An event of the catalogue.
    pub(crate) fn of(event: &'a Event) -> Self {
        Self {
            slug: &event.slug,
            title: &event.title,
            location: &event.location,
            city: event.city.as_deref(),
            start_date: &event.start_date,
            end_date: event.end_date.as_deref(),
            timezone: &event.timezone,
            has_image: event.image_url.is_some(),
        }
    }
}

/// An event in words, for templates.
#[derive(Debug, Clone)]
pub(crate) struct ShownEvent {
    /// The path of its page.
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) cover: Cover,
    pub(crate) place: Place,
    pub(crate) start_iso: String,
    pub(crate) timezone: String,
    /// Date, hours and zone in one line.
    pub(crate) when: String,
    pub(crate) month: String,
    pub(crate) day: String,
    pub(crate) date: String,
    pub(crate) hours: String,
    pub(crate) zone: String,
}

impl ShownEvent {
    /// The event in words.
    ///
    /// # Errors
    /// When its dates are not in the form of core's answers.
    pub(crate) fn of(event: EventSource<'_>) -> Result<Self, Problem> {
        let dates = EventDates::read(event.start_date, event.end_date, event.timezone);
        let dates = dates.ok_or_else(|| {
            Problem::new(Reason::Internal, "Muster failed")
                .caused_by("core's answer has dates in an unknown form")
        })?;
        Ok(Self {
            url: format!("/events/{}", encoded(event.slug)),
            title: event.title.to_owned(),
            cover: Cover::of(event.slug, event.title, event.has_image),
            place: Place::of(event.location, event.city),
            start_iso: event.start_date.to_owned(),
            timezone: event.timezone.to_owned(),
            when: dates.when(),
            month: dates.month(),
            day: dates.day_of_month(),
            date: dates.date(),
            hours: dates.hours(),
            zone: dates.zone(),
        })
    }
}
