//! Mails to registrants: one [`MailText`] for each notification, with one template for text and one for HTML.

use askama::Template;
use domain::{
    event::{Event, WhenAndWhere},
    instant::Instant,
    job::JobKey,
    person::greeted,
    registration::{ActiveStatus, Notification, Registrant},
};

use super::{Mail, qr_image, stranger_text::without_links};
use crate::calendar::{Addresses, Method, invitation, plain_text};

/// The sender and the links of a mail.
#[derive(Debug, Clone, Copy)]
pub struct Addressing<'a> {
    /// The sender's address.
    pub sender: &'a str,
    /// The host of every URL in mails.
    pub host: &'a str,
    /// The event's public page.
    pub event_url: &'a str,
    /// The registrant's private page, if the mail links to it.
    pub private_url: Option<&'a str>,
    /// The page on which they refuse mails of the organizer, if the organizer added them.
    pub refuse_url: Option<&'a str>,
    /// The page of the registrant's check-in code.
    pub check_in_url: &'a str,
    /// What the recipient was told before, if the mail is about a change and that is remembered.
    pub former: Option<&'a WhenAndWhere>,
    /// Whether that page offers the details of a repeated registration. The mail does not show them: anyone can write them.
    pub offers_details: bool,
}

/// The text of one notification. The event and the organizer's reason follow it.
struct MailText {
    /// Before the event's title.
    subject: &'static str,
    headline: &'static str,
    lead: &'static str,
}

#[derive(Template)]
#[template(path = "mail.txt")]
struct Text<'a>(Shown<'a>);

#[derive(Template)]
#[template(path = "mail.html")]
struct Html<'a>(Shown<'a>);

/// The values in both templates.
#[derive(Clone)]
struct Shown<'a> {
    name: Option<&'a str>,
    headline: &'a str,
    lead: &'a str,
    prospect: Option<&'a str>,
    title: &'a str,
    when: &'a str,
    place: &'a str,
    /// What the time was before, if it has changed.
    former_when: Option<String>,
    former_place: Option<&'a str>,
    organizer: Option<&'a str>,
    event_url: &'a str,
    reason: Option<&'a str>,
    contact: Option<&'a str>,
    ticket: Option<Ticket<'a>>,
    private_url: Option<&'a str>,
    link: &'a str,
    caution: &'a str,
    remedy: Option<&'a str>,
    refuse_url: Option<&'a str>,
    offers_details: bool,
}

/// What the attendee shows at the door: the code as text and, since there may be no network at the door, as an image in the mail itself.
#[derive(Clone, Copy)]
struct Ticket<'a> {
    code: &'a str,
    url: &'a str,
    /// What the HTML calls the image, unless there is none.
    image: Option<&'static str>,
}

/// Writes the mail of a job.
///
/// # Errors
/// When a template cannot be rendered.
pub fn mail(
    job: &JobKey,
    notification: Notification,
    registrant: &Registrant,
    addressing: &Addressing<'_>,
    now: Instant,
) -> Result<Mail, askama::Error> {
    // Read as Markdown first: its escapes must not make an address whole that was broken before.
    let mut description = plain_text(&registrant.event.description);
    if !registrant.is_organizer_trusted {
        description = without_links(&description);
    }
    let harmless;
    let registrant = if registrant.is_organizer_trusted {
        registrant
    } else {
        harmless = without_links_of_strangers(registrant);
        &harmless
    };
    let (event, text_of) = (&registrant.event, text_of(notification));
    let name = greeted(&registrant.name);
    let former = match notification {
        Notification::EventChanged(_) => addressing.former,
        _ => None,
    };
    let former = former.map(|former| WhenAndWhere {
        place: if registrant.is_organizer_trusted {
            former.place.clone()
        } else {
            without_links(&former.place)
        },
        ..former.clone()
    });
    let former = former.as_ref();
    let contact = event.contact_email.as_deref();
    let contact = contact.filter(|_| registrant.is_contact_proven);
    let current = event.when_and_where();
    let when = when(&current);
    // An online event has no door.
    let has_ticket =
        notification.active_status() == Some(ActiveStatus::Confirmed) && !event.is_online();
    let ticket_image = has_ticket
        .then(|| qr_image::png_of(addressing.check_in_url))
        .flatten();
    let shown = Shown {
        name,
        headline: text_of.headline,
        lead: text_of.lead,
        prospect: prospect(notification),
        title: &event.title,
        when: &when,
        place: &current.place,
        former_when: former.map(self::when).filter(|former| *former != when),
        former_place: former
            .map(|former| &*former.place)
            .filter(|place| *place != current.place),
        organizer: registrant.organizer.as_deref(),
        event_url: addressing.event_url,
        reason: match notification {
            Notification::EventCancelled { .. } => event.cancel_reason.as_deref(),
            Notification::Declined => registrant.decline_reason.as_deref(),
            _ => None,
        },
        contact,
        ticket: has_ticket.then_some(Ticket {
            code: registrant.check_in_code.as_str(),
            url: addressing.check_in_url,
            image: ticket_image.is_some().then_some(qr_image::CONTENT_ID),
        }),
        private_url: addressing.private_url,
        link: link(notification),
        caution: caution(notification),
        remedy: addressing
            .private_url
            .filter(|_| addressing.refuse_url.is_none())
            .map(|_| remedy(notification)),
        refuse_url: addressing.refuse_url,
        offers_details: addressing.offers_details,
    };
    Ok(Mail {
        key: job.to_string(),
        host: addressing.host.to_owned(),
        name: name.map(str::to_owned),
        address: registrant.email.clone(),
        reply_to: contact.map(str::to_owned),
        subject: format!("{}: {}", text_of.subject, event.title),
        text: Text(shown.clone()).render()?,
        html: Html(shown).render()?,
        stop_url: addressing
            .refuse_url
            .or(addressing.private_url)
            .map(str::to_owned),
        ticket_image,
        calendar: method(notification).map(|method| {
            let addresses = Addresses {
                host: addressing.host,
                event_url: addressing.event_url,
            };
            let sender = addressing.sender;
            invitation(method, registrant, &description, addresses, sender, now)
        }),
    })
}

/// The registrant, with texts of the organizer that no mail program makes links of.
fn without_links_of_strangers(registrant: &Registrant) -> Registrant {
    let event = &registrant.event;
    let optional = |text: &Option<String>| text.as_deref().map(without_links);
    Registrant {
        organizer: optional(&registrant.organizer),
        decline_reason: optional(&registrant.decline_reason),
        event: Event {
            title: without_links(&event.title),
            location: without_links(&event.location),
            city: optional(&event.city),
            organizer_name: optional(&event.organizer_name),
            cancel_reason: optional(&event.cancel_reason),
            ..event.clone()
        },
        ..registrant.clone()
    }
}

/// The event's wall time, with the zone's name.
fn when(time: &WhenAndWhere) -> String {
    let (start, zone) = (time.start, &time.timezone);
    let mut text = start.strftime("%A, %-d %B %Y, %H:%M").to_string();
    if let Some(end) = time.end.filter(|end| *end != start) {
        let format = if end.date() == start.date() {
            " to %H:%M"
        } else {
            " to %A, %-d %B %Y, %H:%M"
        };
        text += &end.strftime(format).to_string();
    }
    // As the pages of the site say it.
    match zone.rsplit_once('/') {
        Some((area, city)) if area != "Etc" => format!("{text} ({} time)", city.replace('_', " ")),
        _ => format!("{text} ({zone})"),
    }
}

const fn text_of(notification: Notification) -> MailText {
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
             links in earlier emails to you no longer work.",
        ),
        Notification::EventCancelled { .. } => (
            "Cancelled",
            "This event is cancelled",
            "We are sorry: the event will not take place. You do not need to do anything.",
        ),
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
            "Thank you for registering: you have a spot. See you there!",
        ),
        ActiveStatus::Waitlisted => (
            "You are on the waitlist",
            "You are on the waitlist",
            "Thank you for registering. All spots are taken at the moment.",
        ),
        ActiveStatus::Pending => (
            "Your registration awaits approval",
            "Your registration awaits approval",
            "Thank you for registering. The organizer looks at each registration before approving it.",
        ),
        ActiveStatus::Unconfirmed => (
            "Please confirm your registration",
            "Please confirm your registration",
            "Someone, perhaps you, registered this email address for the event below. If it was you, please open the link and confirm.",
        ),
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

/// What comes next, by the registration's status.
const fn prospect(notification: Notification) -> Option<&'static str> {
    match notification.active_status() {
        Some(ActiveStatus::Confirmed) => {
            Some("If you cannot come, please cancel, so that someone else can have your spot.")
        }
        Some(ActiveStatus::Waitlisted) => Some(
            "When a spot becomes free, it goes to the person who has waited longest. We will write to you when it is your turn.",
        ),
        Some(ActiveStatus::Pending) => Some("We will write to you as soon as there is a decision."),
        Some(ActiveStatus::Unconfirmed) => Some(
            "If a spot was free, we keep it for you for 30 minutes. If you do not confirm within 24 hours, the registration ends.",
        ),
        None => None,
    }
}

/// What the private page is for.
const fn link(notification: Notification) -> &'static str {
    match notification.active_status() {
        Some(ActiveStatus::Unconfirmed) => "Confirm or cancel your registration",
        _ => "See or cancel your registration",
    }
}

/// What others could do with the link.
const fn caution(notification: Notification) -> &'static str {
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
const fn remedy(notification: Notification) -> &'static str {
    match notification.active_status() {
        Some(ActiveStatus::Unconfirmed) => "If that was not you, you do not need to do anything.",
        _ => "If that was not you, please cancel the registration with the link above.",
    }
}

/// An attendee with a seat has the event in their calendar. After losing the seat, it must be removed there.
const fn method(notification: Notification) -> Option<Method> {
    match notification {
        Notification::RegistrationCancelled { held_a_seat: true }
        | Notification::EventCancelled { held_a_seat: true } => Some(Method::Cancel),
        _ => match notification.active_status() {
            Some(ActiveStatus::Confirmed) => Some(Method::Request),
            _ => None,
        },
    }
}
