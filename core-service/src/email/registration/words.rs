//! What a mail to a registrant says, by its notification.

use domain::registration::{ActiveStatus, Notification};

/// The text of one notification. The event and the organizer's reason follow it.
pub(super) struct MailText {
    /// Before the event's title.
    pub(super) subject: &'static str,
    pub(super) headline: &'static str,
    pub(super) lead: &'static str,
}

pub(super) const fn text_of(notification: Notification) -> MailText {
    let (subject, headline, lead) = match notification {
        Notification::Registered(status) => registered(status),
        Notification::RegisteredAgain(status) => registered_again(status),
        Notification::Promoted => (
            "You have a spot",
            "A spot has become free for you",
            "Good news: you are off the waitlist and have a spot.",
        ),
        Notification::Approved(ActiveStatus::Confirmed) => (
            "Your registration is approved",
            "Your registration is approved",
            "Good news: the organizer has approved it, and you have a spot. See you there!",
        ),
        Notification::Approved(
            ActiveStatus::Unconfirmed | ActiveStatus::Pending | ActiveStatus::Waitlisted,
        ) => (
            "Approved, and on the waitlist",
            "Your registration is approved, and you are on the waitlist",
            "The organizer has approved it, but all spots are taken at the moment.",
        ),
        Notification::RegistrationCancelled { .. } => (
            "Your registration is cancelled",
            "Your registration is cancelled",
            "You are no longer registered for this event.",
        ),
        Notification::Declined => (
            "Your registration was declined",
            "Your registration was declined",
            "Unfortunately, the organizer has not accepted your registration for this event.",
        ),
        Notification::AddressCorrected => (
            "Your registration has another email address",
            "Your registration has another email address",
            "The organizer corrected the email address of a registration. From now on, emails about the event go to that address, and the \
             links in earlier emails to you no longer lead to the registration.",
        ),
        Notification::EventCancelled { .. } => (
            "Cancelled",
            "This event is cancelled",
            "We are sorry: the event will not take place. You do not need to do anything.",
        ),
        // `message` writes these.
        Notification::Message(_) => ("Message", "A message from the organizer", ""),
        Notification::EventChanged(status) => (
            "New time or place",
            "This event has a new time or place",
            match status {
                ActiveStatus::Confirmed => "You keep your spot.",
                ActiveStatus::Waitlisted => "You keep your place on the waitlist.",
                ActiveStatus::Pending => "Your registration still awaits approval.",
                ActiveStatus::Unconfirmed => "Please confirm your registration.",
            },
        ),
        Notification::Reminder => (
            "Reminder",
            "Your event is coming up",
            "You have a spot. See you there!",
        ),
    };
    MailText {
        subject,
        headline,
        lead,
    }
}

const fn registered(status: ActiveStatus) -> (&'static str, &'static str, &'static str) {
    match status {
        ActiveStatus::Confirmed => (
            "You are registered",
            "You are registered",
            "You're in. See you there!",
        ),
        ActiveStatus::Waitlisted => (
            "You are on the waitlist",
            "You are on the waitlist",
            "Thanks for registering. All spots are taken at the moment.",
        ),
        ActiveStatus::Pending => (
            "Your registration awaits approval",
            "Your registration awaits approval",
            "Thanks for registering. The organizer decides who can join.",
        ),
        ActiveStatus::Unconfirmed => (
            "Please confirm your registration",
            "Please confirm your registration",
            "Someone, perhaps you, registered this email address for the event below. If it was you, please open the link and confirm.",
        ),
    }
}

/// The lead of the first mail to someone whom the organizer added.
pub(super) const fn lead_of_added(status: ActiveStatus) -> &'static str {
    match status {
        ActiveStatus::Confirmed => {
            "The organizer added you to this event. You're in. See you there!"
        }
        ActiveStatus::Waitlisted | ActiveStatus::Pending | ActiveStatus::Unconfirmed => {
            "The organizer added you to this event. All spots are taken at the moment."
        }
    }
}

const fn registered_again(status: ActiveStatus) -> (&'static str, &'static str, &'static str) {
    match status {
        ActiveStatus::Confirmed => (
            "You are already registered",
            "You are already registered",
            "This email address was registered again. Nothing has changed: you have a spot.",
        ),
        ActiveStatus::Waitlisted => (
            "You are already on the waitlist",
            "You are already on the waitlist",
            "This email address was registered again. Nothing has changed: you keep your place on the waitlist.",
        ),
        ActiveStatus::Pending => (
            "Your registration awaits approval",
            "Your registration still awaits approval",
            "This email address was registered again. Nothing has changed.",
        ),
        ActiveStatus::Unconfirmed => (
            "Please confirm your registration",
            "Please confirm your registration",
            "This email address was registered again. If that was you, open the link below and confirm it.",
        ),
    }
}

/// What comes next, by the registration's status; the link of a reminder says it.
pub(super) const fn prospect(notification: Notification) -> Option<&'static str> {
    match notification.active_status() {
        _ if matches!(notification, Notification::Reminder) => None,
        Some(ActiveStatus::Confirmed) => {
            Some("If you cannot come, please cancel, so that someone else can have your spot.")
        }
        Some(ActiveStatus::Waitlisted) => Some(
            "When spots become free, they go to the people who have waited longest. We will write to you when it is your turn.",
        ),
        Some(ActiveStatus::Pending) => Some("We will write to you as soon as there is a decision."),
        Some(ActiveStatus::Unconfirmed) => Some(
            "If a spot was free, we keep it for you for 30 minutes. If you do not confirm within 24 hours, the registration ends.",
        ),
        None => None,
    }
}

/// What the private page is for.
pub(super) const fn link(notification: Notification) -> &'static str {
    match notification.active_status() {
        Some(ActiveStatus::Unconfirmed) => "Confirm or cancel your registration",
        _ if matches!(notification, Notification::Reminder) => "Can't come? Free your spot",
        _ => "See or cancel your registration",
    }
}

/// What others could do with the link.
pub(super) const fn caution(notification: Notification) -> &'static str {
    match notification.active_status() {
        Some(ActiveStatus::Unconfirmed) => {
            "Anyone with this link can confirm or cancel your registration, so please keep it to yourself."
        }
        _ => {
            "Anyone with this link can see or cancel your registration, so please keep it to yourself."
        }
    }
}

/// For people who were registered by someone else.
pub(super) const fn remedy(notification: Notification) -> &'static str {
    match notification.active_status() {
        Some(ActiveStatus::Unconfirmed) => "If that was not you, you do not need to do anything.",
        _ => "If that was not you, please cancel the registration with the link above.",
    }
}
