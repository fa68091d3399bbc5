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
    prospect: Option<&'a str>,
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
        prospect: prospect(news),
        title: &event.title,
        when: &when(&event.schedule),
        place: &registrant.place(),
        organizer: registrant.organizer.as_deref(),
        event_url: addressing.event_url,
        reason: match news {
            News::EventCancelled { .. } => event.cancel_reason.as_deref(),
            _ => None,
        },
        private_url: addressing.private_url,
    };
    Ok(Letter {
        key: job.to_string(),
        host: addressing.host.to_owned(),
        name: name.map(str::to_owned),
        address: registrant.email.clone(),
        subject: format!("{}: {}", wording.subject, event.title),
        text: Text(shown).render()?,
        html: Html(shown).render()?,
        calendar: method(news).map(|method| calendar(method, registrant, addressing, now)),
    })
}

/// The name, unless a link could hide in it: anyone can register any address under any name, and must not send messages by that.
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
    let (subject, headline, lead) = match news {
        News::Registered(standing) => registered(standing),
        News::RegisteredAgain(standing) => registered_again(standing),
        News::Promoted => (
            "You have a seat",
            "A seat has become free for you",
            "You are no longer on the waitlist.",
        ),
        News::Approved(Standing::Seated) => (
            "Your registration is approved",
            "Your registration is approved",
            "You have a seat at this event.",
        ),
        News::Approved(Standing::Pending | Standing::Waiting) => (
            "Approved, and on the waitlist",
            "Your registration is approved, and you are on the waitlist",
            "All seats at this event are taken.",
        ),
        News::RegistrationCancelled { .. } => (
            "Your registration is cancelled",
            "Your registration is cancelled",
            "You are no longer registered for this event.",
        ),
        News::EventCancelled { .. } => (
            "Cancelled",
            "This event is cancelled",
            "The event will not take place. You do not need to do anything.",
        ),
        News::EventChanged(standing) => (
            "New time or place",
            "This event has a new time or place",
            match standing {
                Standing::Seated => "You keep your seat.",
                Standing::Waiting => "You keep your place on the waitlist.",
                Standing::Pending => "Your registration still awaits approval.",
            },
        ),
    };
    Wording {
        subject,
        headline,
        lead,
    }
}

const fn registered(standing: Standing) -> (&'static str, &'static str, &'static str) {
    match standing {
        Standing::Seated => (
            "You are registered",
            "You are registered",
            "You have a seat at this event.",
        ),
        Standing::Waiting => (
            "You are on the waitlist",
            "You are on the waitlist",
            "All seats at this event are taken.",
        ),
        Standing::Pending => (
            "Your registration awaits approval",
            "Your registration awaits approval",
            "The organizer approves each registration for this event.",
        ),
    }
}

const fn registered_again(standing: Standing) -> (&'static str, &'static str, &'static str) {
    match standing {
        Standing::Seated => (
            "You are already registered",
            "You are already registered",
            "This e-mail address was registered again. Nothing has changed: you have a seat at this event.",
        ),
        Standing::Waiting => (
            "You are already on the waitlist",
            "You are already on the waitlist",
            "This e-mail address was registered again. Nothing has changed: you keep your place on the waitlist.",
        ),
        Standing::Pending => (
            "Your registration awaits approval",
            "Your registration still awaits approval",
            "This e-mail address was registered again. Nothing has changed.",
        ),
    }
}

/// What comes next, by the registration's status.
const fn prospect(news: News) -> Option<&'static str> {
    match news.standing() {
        Some(Standing::Seated) => {
            Some("If you cannot come, please cancel, so that somebody else can take your seat.")
        }
        Some(Standing::Waiting) => Some(
            "Free seats go to the person who has waited longest. You will get an e-mail when you have a seat.",
        ),
        Some(Standing::Pending) => Some("You will get an e-mail when it is approved."),
        None => None,
    }
}

/// An attendee with a seat has the event in their calendar; one who lost a seat had it there.
const fn method(news: News) -> Option<Method> {
    match news {
        News::RegistrationCancelled { held_a_seat: true }
        | News::EventCancelled { held_a_seat: true } => Some(Method::Cancel),
        _ => match news.standing() {
            Some(Standing::Seated) => Some(Method::Request),
            _ => None,
        },
    }
}
