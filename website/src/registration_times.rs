//! When people can register for an event, in words.

use muster_api::v1::{Event, MyEventDetail};

use crate::{date::EventDates, event::EventState};

/// When people can register for an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RegistrationTimes {
    /// `None`: at once.
    opens: Option<String>,
    /// `None`: when the event starts.
    closes: Option<String>,
    /// Whether the organizer has closed it by hand.
    is_closed_by_hand: bool,
}

impl RegistrationTimes {
    pub(crate) fn of(event: &Event) -> Self {
        let words = |time| in_words(time, &event.timezone);
        Self {
            opens: words(event.registration_opens.as_deref()),
            closes: words(event.registration_closes.as_deref()),
            is_closed_by_hand: !event.is_registration_open,
        }
    }

    pub(crate) fn of_owner(event: &MyEventDetail) -> Self {
        let words = |time| in_words(time, &event.timezone);
        Self {
            opens: words(event.registration_opens.as_deref()),
            closes: words(event.registration_closes.as_deref()),
            is_closed_by_hand: !event.is_registration_open,
        }
    }

    /// Why nobody can register now, if these times are the reason.
    pub(crate) fn refusal(&self, state: EventState) -> Option<String> {
        match (state, &self.opens, &self.closes) {
            (EventState::NotYetOpen, Some(opens), _) => {
                Some(format!("Registration opens on {opens}."))
            }
            (EventState::Closed, _, Some(closes)) if !self.is_closed_by_hand => {
                Some(format!("Registration closed on {closes}."))
            }
            (EventState::NotYetOpen, ..) => Some("Registration is not open yet.".to_owned()),
            (EventState::Closed, ..) if !self.is_closed_by_hand => {
                Some("Registration closed when the event started.".to_owned())
            }
            (EventState::Closed, ..) => Some("Registration is closed.".to_owned()),
            _ => None,
        }
    }

    /// Until when people can register.
    pub(crate) fn closing(&self) -> String {
        match &self.closes {
            Some(closes) => format!("Registration closes on {closes}."),
            None => "Registration closes when the event starts.".to_owned(),
        }
    }

    /// All of it for the organizer; empty if people can register until the event starts.
    pub(crate) fn summary(&self) -> String {
        let by_hand = self.is_closed_by_hand.then(|| "Closed by you.".to_owned());
        let opens = self.opens.iter().map(|time| format!("Opens on {time}."));
        let closes = self.closes.iter().map(|time| format!("Closes on {time}."));
        let all: Vec<String> = by_hand.into_iter().chain(opens).chain(closes).collect();
        all.join(" ")
    }
}

/// A time of an event, as mails have it. What is no date-time is left out.
fn in_words(time: Option<&str>, timezone: &str) -> Option<String> {
    Some(EventDates::read(time?, None, timezone)?.when())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(change: fn(&mut Event)) -> RegistrationTimes {
        let mut event = Event {
            timezone: "Europe/Berlin".to_owned(),
            is_registration_open: true,
            ..Event::default()
        };
        change(&mut event);
        RegistrationTimes::of(&event)
    }

    #[test]
    fn a_page_says_why_nobody_can_register() {
        let both = times(|event| {
            event.registration_opens = Some("2030-04-01T09:00:00+02:00".to_owned());
            event.registration_closes = Some("2030-05-13T20:00:00+02:00".to_owned());
        });
        assert_eq!(
            both.refusal(EventState::NotYetOpen).as_deref(),
            Some("Registration opens on Monday, 1 April 2030, 09:00 (Berlin time).")
        );
        assert_eq!(
            both.refusal(EventState::Closed).as_deref(),
            Some("Registration closed on Monday, 13 May 2030, 20:00 (Berlin time).")
        );
        assert_eq!(both.refusal(EventState::Open), None);
        let by_hand = times(|event| {
            event.is_registration_open = false;
            event.registration_closes = Some("2030-05-13T20:00:00+02:00".to_owned());
        });
        let words = by_hand.refusal(EventState::Closed);
        assert_eq!(words.as_deref(), Some("Registration is closed."));
        assert!(by_hand.summary().starts_with("Closed by you. Closes on "));
        let without_times = times(|_| {});
        assert_eq!(without_times.summary(), "");
        let words = without_times.refusal(EventState::Closed);
        let expected = "Registration closed when the event started.";
        assert_eq!(words.as_deref(), Some(expected));
        let words = without_times.closing();
        assert_eq!(words, "Registration closes when the event starts.");
    }
}
