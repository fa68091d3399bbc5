//! What every page of one event has at its top: what it is called, in which state it is, and the way to its other pages.

use http_kit::Problem;
use muster_api::v1::{GetMyEventRequest, MyEventDetail, bindings::GetMyEvent};

use crate::{caller::Caller, cover::encoded, date::EventDates};

/// The top of an event's pages.
#[derive(Debug, Clone)]
pub(crate) struct EventHead {
    /// `/dashboard/events/{id}`, below which all its pages are.
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) when: String,
    pub(crate) badge: Badge,
    pub(crate) part: Part,
    pub(crate) is_cancelled: bool,
    /// The path of its public page.
    pub(crate) public_url: String,
}

/// A page of an event, in its navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Overview,
    Edit,
    Registrations,
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
    pub(crate) const fn of(is_published: bool, is_cancelled: bool) -> Self {
        match (is_cancelled, is_published) {
            (true, _) => Self::new("bad", "Cancelled"),
            (false, true) => Self::new("good", "Published"),
            (false, false) => Self::new("", "Draft"),
        }
    }

    /// The status of a registration.
    pub(crate) fn of_registration(status: &str, awaits: Option<&str>, checked_in: bool) -> Self {
        match (status, awaits) {
            ("Confirmed", _) if checked_in => Self::new("good", "Checked in"),
            ("Confirmed", _) => Self::new("good", "Confirmed"),
            ("Waitlisted", _) => Self::new("warn", "On the waitlist"),
            ("Cancelled", _) => Self::new("bad", "Cancelled"),
            (_, Some("confirmation")) => Self::new("warn", "Has not confirmed"),
            _ => Self::new("warn", "Waits for you"),
        }
    }

    const fn new(tone: &'static str, word: &'static str) -> Self {
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
            badge: if event.is_hidden && !event.is_cancelled {
                Badge::new("bad", "Taken down")
            } else {
                Badge::of(event.is_published, event.is_cancelled)
            },
            part,
            is_cancelled: event.is_cancelled,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_a_word_for_organizers() {
        let word =
            |status, awaits, checked_in| Badge::of_registration(status, awaits, checked_in).word;
        assert_eq!(word("Pending", Some("approval"), false), "Waits for you");
        assert_eq!(
            word("Pending", Some("confirmation"), false),
            "Has not confirmed"
        );
        assert_eq!(word("Confirmed", None, true), "Checked in");
        assert_eq!(word("Cancelled", None, true), "Cancelled");
        assert_eq!(Badge::of(true, true).word, "Cancelled");
    }
}
