//! The status of a registration in words.

use muster_api::v1::OwnRegistration;

/// A status, as the page shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Status {
    /// The class that colours it: `good`, `warn` or `bad`.
    pub(crate) tone: &'static str,
    pub(crate) mark: StatusMark,
    pub(crate) headline: &'static str,
    pub(crate) text: &'static str,
    /// Whether the registrant has to confirm.
    pub(crate) is_confirmable: bool,
}

/// The sign beside a status, for who does not tell colours apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatusMark {
    Tick,
    Clock,
    Cross,
}

impl Status {
    /// The status of a registration. What became of the event comes first: it overrules all else.
    pub(crate) fn of(own: &OwnRegistration) -> Self {
        // Of what is neither cancelled nor can be, the event has ended.
        let is_cancelled = own.status == "Cancelled";
        let is_over = !is_cancelled && !own.is_cancellable;
        match (&*own.status, own.awaits.as_deref()) {
            _ if own.is_event_cancelled => Self::bad(
                "This event is cancelled",
                "It will not take place. You do not need to do anything.",
            ),
            ("Cancelled", _) => Self::bad(
                "Your registration is cancelled",
                "You are no longer registered for this event.",
            ),
            _ if is_over => Self::good("This event is over", "Thank you for coming."),
            ("Confirmed", _) => Self::good("You have a seat", "We look forward to seeing you."),
            ("Waitlisted", _) => Self::warn(
                "You are on the waitlist",
                "All seats are taken. If a seat becomes free for you, you get an e-mail.",
            ),
            ("Pending", Some("confirmation")) => Self {
                is_confirmable: true,
                ..Self::warn(
                    "Please confirm",
                    "If there was a seat for you, it is held for 30 minutes. Without a confirmation the registration lapses after \
                     24 hours.",
                )
            },
            _ => Self::warn(
                "Waiting for approval",
                "The organizer approves each registration. You get an e-mail either way.",
            ),
        }
    }

    const fn good(headline: &'static str, text: &'static str) -> Self {
        Self::new("good", StatusMark::Tick, headline, text)
    }

    const fn warn(headline: &'static str, text: &'static str) -> Self {
        Self::new("warn", StatusMark::Clock, headline, text)
    }

    const fn bad(headline: &'static str, text: &'static str) -> Self {
        Self::new("bad", StatusMark::Cross, headline, text)
    }

    const fn new(
        tone: &'static str,
        mark: StatusMark,
        headline: &'static str,
        text: &'static str,
    ) -> Self {
        Self {
            tone,
            mark,
            headline,
            text,
            is_confirmable: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headline(
        status: &str,
        awaits: Option<&str>,
        changes: fn(&mut OwnRegistration),
    ) -> &'static str {
        let mut own = OwnRegistration {
            status: status.to_owned(),
            awaits: awaits.map(str::to_owned),
            is_cancellable: status != "Cancelled",
            ..OwnRegistration::default()
        };
        changes(&mut own);
        Status::of(&own).headline
    }

    #[test]
    fn every_status_has_its_words() {
        let same = |_: &mut OwnRegistration| {};
        for (status, awaits, words) in [
            ("Confirmed", None, "You have a seat"),
            ("Waitlisted", None, "You are on the waitlist"),
            ("Pending", Some("approval"), "Waiting for approval"),
            ("Pending", Some("confirmation"), "Please confirm"),
            ("Cancelled", None, "Your registration is cancelled"),
        ] {
            assert_eq!(headline(status, awaits, same), words);
        }
    }

    #[test]
    fn what_became_of_the_event_overrules_the_status() {
        for status in ["Confirmed", "Waitlisted", "Pending", "Cancelled"] {
            let cancelled = |own: &mut OwnRegistration| own.is_event_cancelled = true;
            assert_eq!(headline(status, None, cancelled), "This event is cancelled");
        }
        let ended = |own: &mut OwnRegistration| own.is_cancellable = false;
        assert_eq!(headline("Confirmed", None, ended), "This event is over");
        assert_eq!(
            headline("Cancelled", None, ended),
            "Your registration is cancelled"
        );
    }
}
