//! An event as pages show it: what it is called, when and where it takes place.

use http_kit::Problem;
use jiff::Timestamp;
use muster_api::{
    Reason,
    v1::{Event, EventPage},
};

use crate::{
    cover::{Cover, encoded},
    date::EventDates,
    place::Place,
};

/// Whether people can register for an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventState {
    Open,
    Full,
    /// Registration has not begun.
    NotYetOpen,
    /// Registration is closed.
    Closed,
    Ended,
    Cancelled,
}

impl EventState {
    pub(crate) fn of(page: &EventPage) -> Self {
        if page.is_cancelled {
            Self::Cancelled
        } else if page.is_ended {
            Self::Ended
        } else if page.is_registration_closed {
            Self::Closed
        } else if page.is_registration_ahead {
            Self::NotYetOpen
        } else if page.seats_left <= 0 {
            Self::Full
        } else {
            Self::Open
        }
    }

    /// That of an upcoming event in a list, at this moment.
    pub(crate) fn of_listed(event: &Event, now: Timestamp) -> Self {
        let has_come = |time: &str| time.parse::<Timestamp>().is_ok_and(|time| time <= now);
        // Without a time of its own, registration closes when the event starts.
        let closes = event.registration_closes.as_deref();
        let closes = closes.unwrap_or(&event.start_date);
        let opens = event.registration_opens.as_deref();
        if !event.is_registration_open || has_come(closes) {
            Self::Closed
        } else if opens.is_some_and(|opens| !has_come(opens)) {
            Self::NotYetOpen
        } else if event.is_full {
            Self::Full
        } else {
            Self::Open
        }
    }

    /// Whether a registration, or a place on the waitlist, can be had.
    pub(crate) const fn takes_registrations(self) -> bool {
        matches!(self, Self::Open | Self::Full)
    }

    /// Whether the event will take place, or does.
    pub(crate) const fn is_ahead(self) -> bool {
        !matches!(self, Self::Ended | Self::Cancelled)
    }
}

/// Spots that are few in an event of any size; a tenth of them is few, too.
const FEW: i32 = 10;

/// How many spots are left, if people who do not organize the event are told: once they are few.
pub(crate) fn spots_left(page: &EventPage, capacity: i32) -> Option<i32> {
    let left = page.seats_left;
    (left <= FEW.max(capacity / 10)).then_some(left)
}

/// An event in words, for templates.
#[derive(Debug, Clone)]
pub(crate) struct ShownEvent {
    /// The path of its page.
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) cover: Cover,
    pub(crate) place: Place,
    pub(crate) dates: EventDates,
    /// Whether only guests see the place.
    pub(crate) is_place_private: bool,
    pub(crate) start_iso: String,
    pub(crate) timezone: String,
    pub(crate) is_full: bool,
}

impl ShownEvent {
    /// Whether the title is Japanese, which browsers break at phrases once they are told.
    pub(crate) fn is_japanese(&self) -> bool {
        let is_kana = |one| matches!(one, '\u{3041}'..='\u{30ff}');
        self.title.contains(is_kana)
    }

    /// The event in words.
    ///
    /// # Errors
    /// When its dates are not in the form of core's answers.
    pub(crate) fn of(event: &Event) -> Result<Self, Problem> {
        let end = event.end_date.as_deref();
        let dates = EventDates::read(&event.start_date, end, &event.timezone);
        let dates = dates.ok_or_else(|| malformed("core's answer has dates in an unknown form"))?;
        Ok(Self {
            url: format!("/events/{}", encoded(&event.slug)),
            title: event.title.clone(),
            cover: Cover::of(&event.slug),
            place: Place::of(&event.location, event.city.as_deref()),
            is_place_private: event.is_location_private,
            dates,
            start_iso: event.start_date.clone(),
            timezone: event.timezone.clone(),
            is_full: event.is_full,
        })
    }
}

/// The event of an answer, which always has one.
///
/// # Errors
/// It has none.
pub(crate) fn expected(event: Option<Event>) -> Result<Event, Problem> {
    event.ok_or_else(|| malformed("core's answer has no event"))
}

fn malformed(cause: &str) -> Problem {
    Problem::new(Reason::Internal, "Muster failed").caused_by(cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listed_event_takes_no_registrations_once_it_goes_on() {
        let event = |closes: Option<&str>| Event {
            start_date: "2030-05-14T19:00:00+02:00".to_owned(),
            registration_closes: closes.map(str::to_owned),
            is_registration_open: true,
            ..Event::default()
        };
        let later = Some("2030-05-14T20:00:00+02:00");
        for (closes, now, state) in [
            (None, "2030-05-14T16:59:59Z", EventState::Open),
            (None, "2030-05-14T17:00:00Z", EventState::Closed),
            (later, "2030-05-14T17:00:00Z", EventState::Open),
            (later, "2030-05-14T18:00:00Z", EventState::Closed),
        ] {
            let listed = EventState::of_listed(&event(closes), now.parse().unwrap());
            assert_eq!(listed, state, "{closes:?} {now}");
        }
    }
}
