//! What became of a registration, as organizers see it.

use muster_api::v1::Registration;

use super::event_head::Badge;

/// What became of a registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Cancelled,
    CheckedIn,
    /// It has a seat.
    Confirmed,
    Waitlisted,
    /// The attendee has not confirmed the address.
    Unconfirmed,
    /// The organizer decides about it.
    Waiting,
}

impl Standing {
    pub(super) fn of(one: &Registration) -> Self {
        match (&*one.status, one.awaits.as_deref()) {
            ("Cancelled", _) => Self::Cancelled,
            ("Confirmed", _) if one.checked_in => Self::CheckedIn,
            ("Confirmed", _) => Self::Confirmed,
            ("Waitlisted", _) => Self::Waitlisted,
            (_, Some("confirmation")) => Self::Unconfirmed,
            _ => Self::Waiting,
        }
    }

    pub(super) const fn badge(self) -> Badge {
        match self {
            Self::Cancelled => Badge::new("bad", "Cancelled"),
            Self::CheckedIn => Badge::new("good", "Checked in"),
            Self::Confirmed => Badge::new("good", "Confirmed"),
            Self::Waitlisted => Badge::new("warn", "On the waitlist"),
            Self::Unconfirmed => Badge::new("warn", "Has not confirmed"),
            Self::Waiting => Badge::new("warn", "Needs approval"),
        }
    }

    /// Whether the organizer decides about it.
    pub(super) fn waits(self) -> bool {
        self == Self::Waiting
    }

    /// Whether it waits for a spot.
    pub(super) fn is_waitlisted(self) -> bool {
        self == Self::Waitlisted
    }

    pub(super) const fn has_seat(self) -> bool {
        matches!(self, Self::Confirmed | Self::CheckedIn)
    }

    /// Whether it can still be approved or declined.
    pub(super) fn is_open(self) -> bool {
        !self.has_seat() && self != Self::Cancelled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_a_word_for_organizers() {
        let word = |status: &str, awaits: Option<&str>, checked_in| {
            let one = Registration {
                status: status.to_owned(),
                awaits: awaits.map(str::to_owned),
                checked_in,
                ..Registration::default()
            };
            Standing::of(&one).badge().word
        };
        assert_eq!(word("Pending", Some("approval"), false), "Needs approval");
        assert_eq!(
            word("Pending", Some("confirmation"), false),
            "Has not confirmed"
        );
        assert_eq!(word("Confirmed", None, true), "Checked in");
        assert_eq!(word("Cancelled", None, true), "Cancelled");
        assert_eq!(Badge::of(true, true, false).word, "Cancelled");
    }
}
