//! What a registrant is written: one [`Wording`] for each kind of news, shown by one template for text and one for HTML.

use askama::Template;

use super::{Letter, Method, calendar::calendar};
use crate::domain::{
    instant::Instant,
    job::JobKey,
    registration::{News, Registrant, Standing},
    schedule::Schedule,
};

/// Names longer than this are not addressed by, since nobody's is.
const NAME_CHARACTERS: usize = 80;

/// From where to where a letter goes, and what it links to.
#[derive(Debug, Clone, Copy)]
pub struct Addressing<'a> {
    /// The address that it is from.
    pub sender: &'a str,
    /// The host of every URL that is handed out.
    pub host: &'a str,
    /// The event's public page.
    pub event_url: &'a str,
    /// The registrant's private page, for news that lead there.
    pub private_url: Option<&'a str>,
}

/// What is said of one kind of news. The event follows, and what the organizer writes.
struct Wording {
    /// Before the event's title.
    subject: &'static str,
    headline: &'static str,
    lead: &'static str,
    calendar: Option<Method>,
}

#[derive(Template)]
#[template(path = "letter.txt")]
struct Text<'a>(Shown<'a>);

#[derive(Template)]
#[template(path = "letter.html")]
struct Html<'a>(Shown<'a>);

/// What both templates show.
#[derive(Clone, Copy)]
struct Shown<'a> {
    name: Option<&'a str>,
    headline: &'a str,
    lead: &'a str,
    title: &'a str,
    when: &'a str,
    place: &'a str,
    organizer: Option<&'a str>,
    event_url: &'a str,
    reason: Option<&'a str>,
    private_url: Option<&'a str>,
}

/// Writes the mail of a job.
///
/// # Errors
/// When a template can't be rendered.
pub fn letter(
    job: &JobKey,
    news: News,
    registrant: &Registrant,
    addressing: &Addressing<'_>,
    now: Instant,
) -> Result<Letter, askama::Error> {
    let (event, wording) = (&registrant.event, wording(news));
    let name = greeted(&registrant.name);
    let shown = Shown {
        name,
        headline: wording.headline,
        lead: wording.lead,
        title: &event.title,
        when: &when(&event.schedule),
        place: &registrant.place(),
        organizer: registrant.organizer.as_deref(),
        event_url: addressing.event_url,
        reason: event.cancel_reason.as_deref(),
        private_url: addressing.private_url,
    };
    Ok(Letter {
        key: format!("{}.{}.{}", job.kind, job.subject_id, job.generation),
        host: addressing.host.to_owned(),
        name: name.map(str::to_owned),
        address: registrant.email.clone(),
        subject: format!("{}: {}", wording.subject, event.title),
        text: Text(shown).render()?,
        html: Html(shown).render()?,
        calendar: wording
            .calendar
            .map(|method| calendar(method, registrant, addressing, now)),
    })
}

/// The name, unless a link could hide in it: whoever registers somebody else chooses the name, and must not write to them.
fn greeted(name: &str) -> Option<&str> {
    let name = name.trim();
    let is_spaced = |(at, _)| matches!(name[at + 1..].chars().next(), None | Some(' '));
    let is_name = name.chars().count() <= NAME_CHARACTERS
        && !name.contains(['/', '@', ':', '<', '>', '\n'])
        && name.match_indices('.').all(is_spaced);
    (is_name && !name.is_empty()).then_some(name)
}

/// The wall time at the place, with the zone's name.
fn when(schedule: &Schedule) -> String {
    let (start, zone) = (schedule.start.local, &schedule.timezone);
    let mut text = start.strftime("%A, %-d %B %Y, %H:%M").to_string();
    let end = schedule.end.map(|end| end.local);
    if let Some(end) = end.filter(|end| *end != start) {
        let format = if end.date() == start.date() {
            " to %H:%M"
        } else {
            " to %A, %-d %B %Y, %H:%M"
        };
        text += &end.strftime(format).to_string();
    }
    format!("{text} ({zone})")
}

const fn wording(news: News) -> Wording {
    use Standing::{Pending, Seated, Waiting};
    match news {
        News::Registered(Seated) => Wording {
            subject: "You are registered",
            headline: "You are registered",
            lead: "You have a seat at this event. Should you not be able to come, please cancel, so that somebody else can.",
            calendar: Some(Method::Request),
        },
        News::Registered(Waiting) => Wording {
            subject: "You are on the waitlist",
            headline: "You are on the waitlist",
            lead: "All seats at this event are taken. Those that come free go to who has waited longest; you get a mail when \
                   one is yours.",
            calendar: None,
        },
        News::Registered(Pending) => Wording {
            subject: "Your registration awaits approval",
            headline: "Your registration awaits approval",
            lead: "The organizer decides on each registration for this event. You get a mail when yours is approved.",
            calendar: None,
        },
        News::RegisteredAgain(Seated) => Wording {
            subject: "You were registered already",
            headline: "You were registered already",
            lead: "This address was used to register once more. Nothing has changed by that: you have a seat.",
            calendar: Some(Method::Request),
        },
        News::RegisteredAgain(Waiting) => Wording {
            subject: "You were on the waitlist already",
            headline: "You were on the waitlist already",
            lead: "This address was used to register once more. Nothing has changed by that: you keep your place on the \
                   waitlist, and get a mail when a seat is yours.",
            calendar: None,
        },
        News::RegisteredAgain(Pending) => Wording {
            subject: "Your registration awaits approval",
            headline: "Your registration still awaits approval",
            lead: "This address was used to register once more. Nothing has changed by that: you get a mail when the organizer \
                   has approved your registration.",
            calendar: None,
        },
        News::Promoted => Wording {
            subject: "You have a seat",
            headline: "A seat came free, and it is yours",
            lead: "You have left the waitlist and have a seat at this event. Should you not be able to come, please cancel, so \
                   that the next in line can.",
            calendar: Some(Method::Request),
        },
        News::Approved(Seated) => Wording {
            subject: "Your registration is approved",
            headline: "Your registration is approved",
            lead: "You have a seat at this event. Should you not be able to come, please cancel, so that somebody else can.",
            calendar: Some(Method::Request),
        },
        News::Approved(Pending | Waiting) => Wording {
            subject: "Approved, and on the waitlist",
            headline: "Your registration is approved, and you are on the waitlist",
            lead: "All seats at this event are taken. Those that come free go to who has waited longest; you get a mail when \
                   one is yours.",
            calendar: None,
        },
        News::RegistrationCancelled { held_a_seat } => Wording {
            subject: "Your registration is cancelled",
            headline: "Your registration is cancelled",
            lead: "You are no longer registered for this event.",
            calendar: cancel_if(held_a_seat),
        },
        News::EventCancelled { held_a_seat } => Wording {
            subject: "Cancelled",
            headline: "This event is cancelled",
            lead: "The organizer has called this event off. There is nothing that you need to do.",
            calendar: cancel_if(held_a_seat),
        },
        News::EventChanged(Seated) => Wording {
            subject: "New time or place",
            headline: "This event has a new time or place",
            lead: "You keep your seat. Should you not be able to come, please cancel, so that somebody else can. This is what \
                   holds now:",
            calendar: Some(Method::Request),
        },
        News::EventChanged(Waiting) => Wording {
            subject: "New time or place",
            headline: "This event has a new time or place",
            lead: "You are still on the waitlist. This is what holds now:",
            calendar: None,
        },
        News::EventChanged(Pending) => Wording {
            subject: "New time or place",
            headline: "This event has a new time or place",
            lead: "Your registration still awaits approval. This is what holds now:",
            calendar: None,
        },
    }
}

const fn cancel_if(held_a_seat: bool) -> Option<Method> {
    if held_a_seat {
        Some(Method::Cancel)
    } else {
        None
    }
}
