//! Mails to registrants: the words of each notification, with one template for text and one for HTML.

mod words;

use askama::Template;
use domain::{
    event::WhenAndWhere,
    instant::Instant,
    job::JobKey,
    person::greeted,
    registration::{ActiveStatus, Notification, Party, Registrant},
};
use markdown::{Author, no_pictures, plain_text};
use server::brand::{Accent, Brand};

use self::words::{caution, lead_of_added, link, prospect, remedy, text_of};
use super::{
    Mail, Stop,
    message::paragraphs,
    qr_image,
    stranger_text::{without_links, without_links_of_strangers},
};
use crate::calendar::{Addresses, Method, invitation};

/// The sender and the links of a mail.
#[derive(Debug, Clone, Copy)]
pub struct Addressing<'a> {
    /// The sender's address.
    pub sender: &'a str,
    /// What the site is called, and its colour.
    pub brand: &'a Brand,
    /// The host of every URL in mails.
    pub host: &'a str,
    /// The event's public page.
    pub event_url: &'a str,
    /// The registrant's private page, if the mail links to it.
    pub private_url: Option<&'a str>,
    /// The page on which they refuse mails of the organizer, if the organizer added them.
    pub refuse_url: Option<&'a str>,
    /// The page on which they refuse reminders of the event, if it is one.
    pub refuse_reminders_url: Option<&'a str>,
    /// The page of the registrant's check-in code.
    pub check_in_url: &'a str,
    /// What the recipient was told before, if the mail is about a change and that is remembered.
    pub former: Option<&'a WhenAndWhere>,
    /// Whether that page offers the details of a repeated registration. The mail does not show them: anyone can write them.
    pub offers_details: bool,
}

#[derive(Template)]
#[template(path = "mail.txt")]
struct Text<'a>(Shown<'a>);

#[derive(Template)]
#[template(path = "mail.html")]
struct Html<'a>(Shown<'a>, &'a Accent);

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
    /// For whom it is, if they are several.
    party: Option<String>,
    /// Information for guests only, as text and as HTML.
    guest_text: Option<&'a str>,
    guest_html: Option<&'a str>,
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
    refuse_reminders_url: Option<&'a str>,
    offers_details: bool,
    /// Whether each person registers with an address of their own.
    is_one_each: bool,
    calendars: Option<Calendars>,
}

/// Where the event can be put into a calendar, for people whose mail program does not read the entry.
#[derive(Clone)]
struct Calendars {
    google: String,
    outlook: String,
    /// The file, for all others.
    file: String,
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
    let registrant = &as_read(notification, registrant);
    let (event, mut text_of) = (&registrant.event, text_of(notification));
    let name = greeted(&registrant.name);
    let former = former(notification, registrant, addressing);
    let former = former.as_ref();
    let (guest_text, guest_html) = for_guests(registrant)?;
    if let Some(info) = &guest_text {
        description = format!("{info}\n\n{description}");
    }
    let contact = event.contact_email.as_deref();
    let contact = contact.filter(|_| registrant.is_contact_proven);
    let current = event.when_and_where();
    let when = when(&current);
    // Known for those alone of whom it is remembered what they were told.
    if former.is_some_and(|former| *former == current) {
        text_of.subject = "News for guests";
        text_of.headline = "There is news for guests of this event";
    }
    if let (Notification::Registered(status), Some(_)) = (notification, addressing.refuse_url) {
        text_of.lead = lead_of_added(status);
    }
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
        party: party(notification, &registrant.party),
        guest_text: guest_text.as_deref(),
        guest_html: guest_html.as_deref(),
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
        refuse_reminders_url: addressing.refuse_reminders_url,
        offers_details: addressing.offers_details,
        is_one_each: event.max_party == 1,
        calendars: (method(notification) == Some(Method::Request)).then(|| calendars(addressing)),
    };
    Ok(Mail {
        key: job.to_string(),
        host: addressing.host.to_owned(),
        name: name.map(str::to_owned),
        address: registrant.email.clone(),
        reply_to: contact.map(str::to_owned),
        subject: format!("{}: {}", text_of.subject, event.title),
        text: Text(shown.clone()).render()?,
        html: Html(shown, &addressing.brand.accent).render()?,
        stop: Stop::at(
            addressing.refuse_reminders_url,
            addressing.refuse_url.or(addressing.private_url),
        ),
        ticket_image,
        calendar: method(notification).map(|method| {
            let addresses = Addresses {
                host: addressing.host,
                event_url: addressing.event_url,
            };
            let from = (addressing.brand.name.as_str(), addressing.sender);
            invitation(method, registrant, &description, addresses, from, now)
        }),
    })
}

/// The registrant with what the reader of a mail may see of the event. Whoever holds no seat, or none any more, reads what everybody may.
fn as_read(notification: Notification, registrant: &Registrant) -> Registrant {
    let is_guest = notification.active_status() == Some(ActiveStatus::Confirmed);
    let mut seen = Registrant {
        event: registrant.event.seen_by(is_guest),
        ..registrant.clone()
    };
    if seen.is_organizer_trusted {
        return seen;
    }
    // As the description.
    let info = seen.event.attendee_info;
    seen.event.attendee_info = info.as_deref().map(plain_text);
    without_links_of_strangers(&seen)
}

/// When and where a changed event was to take place, as far as the reader may see it.
fn former(
    notification: Notification,
    registrant: &Registrant,
    addressing: &Addressing<'_>,
) -> Option<WhenAndWhere> {
    if !matches!(notification, Notification::EventChanged(_)) {
        return None;
    }
    let mut former = addressing.former?.clone();
    if !registrant.is_organizer_trusted {
        former.place = without_links(&former.place);
    }
    Some(former)
}

/// For whom a registration is, if it is for several people. A stranger may have typed the names: all of them must be such as a mail greets.
/// Someone who has lost the registration does not read it: perhaps they never made it.
fn party(notification: Notification, Party { size, companions }: &Party) -> Option<String> {
    if *size == 1 || notification.active_status().is_none() {
        return None;
    }
    let names: Option<Vec<&str>> = companions.iter().map(|name| greeted(name)).collect();
    Some(match names.filter(|names| !names.is_empty()) {
        Some(names) => format!("For {size} people, with {}", names.join(", ")),
        None => format!("For {size} people"),
    })
}

/// Information for guests only, as text and as HTML.
fn for_guests(registrant: &Registrant) -> Result<(Option<String>, Option<String>), askama::Error> {
    let info = registrant.event.attendee_info.as_deref();
    Ok(if registrant.is_organizer_trusted {
        let html = |info| markdown::html(info, Author::Stranger, no_pictures);
        (info.map(plain_text), info.map(html))
    } else {
        (info.map(str::to_owned), info.map(paragraphs).transpose()?)
    })
}

/// The site makes the links to others' calendars, so that they lead to the times and the place that the event has when they are followed:
/// by the private page, with what only guests see.
fn calendars(addressing: &Addressing<'_>) -> Calendars {
    let page = addressing.private_url.unwrap_or(addressing.event_url);
    Calendars {
        google: format!("{page}/calendar/google"),
        outlook: format!("{page}/calendar/outlook"),
        file: format!("{page}/event.ics"),
    }
}

/// The event's wall time, with the zone's name.
pub(super) fn when(time: &WhenAndWhere) -> String {
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

/// An attendee with a seat has the event in their calendar. After losing the seat, it must be removed there.
const fn method(notification: Notification) -> Option<Method> {
    match notification {
        Notification::RegistrationCancelled { held_a_seat: true }
        | Notification::EventCancelled { held_a_seat: true } => Some(Method::Cancel),
        // They have it already: mail programs would ask again whether they come.
        Notification::Reminder => None,
        _ => match notification.active_status() {
            Some(ActiveStatus::Confirmed) => Some(Method::Request),
            _ => None,
        },
    }
}
