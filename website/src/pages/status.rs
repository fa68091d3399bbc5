//! The status of a registration in words.

use muster_api::v1::OwnRegistration;

use crate::{date::timestamp_in, pages::dashboard::party::here};

/// A status, as pages show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Status {
    /// The class that colours it: `good`, `warn` or `bad`.
    pub(crate) tone: &'static str,
    pub(crate) mark: StatusMark,
    pub(crate) headline: &'static str,
    pub(crate) text: String,
}

/// The sign beside a status, for who does not tell colours apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatusMark {
    Tick,
    Clock,
    Cross,
}

impl Status {
    /// The status of a registration, for the registrant. What became of the event comes first: it overrules all else.
    pub(crate) fn of(own: &OwnRegistration) -> Self {
        match (&*own.status, own.awaits.as_deref()) {
            _ if own.is_event_cancelled => Self::bad(
                "This event is cancelled",
                "It will not take place. You do not need to do anything.",
            ),
            ("Cancelled", _) => Self::bad(
                "Your registration is cancelled",
                "You are no longer registered for this event.",
            ),
            ("Confirmed", _) if own.was_there => {
                Self::good("Thanks for coming!", "This event is over.")
            }
            ("Confirmed", _) if own.checked_in && !own.is_event_ended => {
                let here = here(own.people_checked_in, own.party_size);
                let some = here.filter(|_| own.people_checked_in < own.party_size);
                let text = match some {
                    Some(some) => format!("{some}. Enjoy the event."),
                    None => "Enjoy the event.".to_owned(),
                };
                Self::good("You’re checked in", text)
            }
            _ if own.is_event_ended => {
                Self::good("This event is over", "Thank you for your interest.")
            }
            ("Confirmed", _) => Self::good("You’re in", "See you there!"),
            ("Waitlisted", _) => Self::warn(
                "You are on the waitlist",
                "All spots are taken. If a spot becomes free for you, you get an email.",
            ),
            ("Pending", Some("confirmation")) => Self::warn("Please confirm", deadline(own)),
            _ => Self::warn(
                "Waiting for approval",
                "The organizer approves each registration. You get an email either way.",
            ),
        }
    }

    pub(crate) fn good(headline: &'static str, text: impl Into<String>) -> Self {
        Self::new("good", StatusMark::Tick, headline, text.into())
    }

    pub(crate) fn warn(headline: &'static str, text: impl Into<String>) -> Self {
        Self::new("warn", StatusMark::Clock, headline, text.into())
    }

    pub(crate) fn bad(headline: &'static str, text: impl Into<String>) -> Self {
        Self::new("bad", StatusMark::Cross, headline, text.into())
    }

    const fn new(
        tone: &'static str,
        mark: StatusMark,
        headline: &'static str,
        text: String,
    ) -> Self {
        Self {
            tone,
            mark,
            headline,
            text,
        }
    }
}

/// Whether the registrant has to confirm, and still can.
pub(crate) fn is_confirmable(own: &OwnRegistration) -> bool {
    own.awaits.as_deref() == Some("confirmation") && own.is_cancellable
}

/// Until when to confirm.
fn deadline(own: &OwnRegistration) -> String {
    let words = |text: &str| timestamp_in(text, &own.timezone);
    let held = own.held_until.as_deref().and_then(words);
    let confirm = own.confirm_until.as_deref().and_then(words);
    match (held, confirm) {
        (Some(held), _) => format!("A spot is held for you until {held}."),
        (None, Some(confirm)) => {
            format!("Without your confirmation the registration lapses on {confirm}.")
        }
        (None, None) => "Your registration counts once you confirm it.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headline(
        status: &str,
        awaits: Option<&str>,
        change: fn(&mut OwnRegistration),
    ) -> &'static str {
        let mut own = OwnRegistration {
            status: status.to_owned(),
            awaits: awaits.map(str::to_owned),
            ..OwnRegistration::default()
        };
        change(&mut own);
        Status::of(&own).headline
    }

    #[test]
    fn every_status_has_its_words() {
        let same = |_: &mut OwnRegistration| {};
        for (status, awaits, words) in [
            ("Confirmed", None, "You’re in"),
            ("Waitlisted", None, "You are on the waitlist"),
            ("Pending", Some("approval"), "Waiting for approval"),
            ("Pending", Some("confirmation"), "Please confirm"),
            ("Cancelled", None, "Your registration is cancelled"),
        ] {
            assert_eq!(headline(status, awaits, same), words);
        }
        let checked_in = |own: &mut OwnRegistration| own.checked_in = true;
        assert_eq!(headline("Confirmed", None, checked_in), "You’re checked in");
        let own = OwnRegistration {
            status: "Confirmed".to_owned(),
            checked_in: true,
            party_size: 3,
            people_checked_in: 2,
            ..OwnRegistration::default()
        };
        assert_eq!(Status::of(&own).text, "2 of 3 are here. Enjoy the event.");
    }

    #[test]
    fn what_became_of_the_event_overrules_the_status() {
        for status in ["Confirmed", "Waitlisted", "Pending", "Cancelled"] {
            let cancelled = |own: &mut OwnRegistration| own.is_event_cancelled = true;
            assert_eq!(headline(status, None, cancelled), "This event is cancelled");
        }
        let ended = |own: &mut OwnRegistration| own.is_event_ended = true;
        let came = |own: &mut OwnRegistration| (own.is_event_ended, own.was_there) = (true, true);
        assert_eq!(headline("Confirmed", None, came), "Thanks for coming!");
        assert_eq!(headline("Confirmed", None, ended), "This event is over");
        assert_eq!(
            headline("Cancelled", None, ended),
            "Your registration is cancelled"
        );
    }

    #[test]
    fn a_held_seat_has_a_time() {
        let own = OwnRegistration {
            status: "Pending".to_owned(),
            awaits: Some("confirmation".to_owned()),
            held_until: Some("2030-05-14T19:30:00+02:00".to_owned()),
            confirm_until: Some("2030-05-15T19:00:00+02:00".to_owned()),
            timezone: "Europe/Berlin".to_owned(),
            ..OwnRegistration::default()
        };
        let expected = "A spot is held for you until Tuesday, 14 May 2030, 19:30 (Berlin time).";
        assert_eq!(Status::of(&own).text, expected);
    }
}
