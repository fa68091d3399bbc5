//! Mails to organizers about new registrations, with one template for text and one for HTML.

use std::borrow::Cow;

use askama::Template;
use domain::{
    job::JobKey,
    organizer_mail::{EventUpdates, Organizer},
    person::greeted,
};
use server::brand::{Accent, Brand};

use super::{Mail, stranger_text::without_links};

/// News for an organizer.
#[derive(Clone, Copy)]
pub struct Digest<'a> {
    /// Who gets it.
    pub organizer: &'a Organizer,
    /// What is new; not empty.
    pub updates: &'a [EventUpdates],
    /// The page of an event's registrations.
    pub registrations_url: &'a (dyn Fn(&EventUpdates) -> String + Sync),
    /// The page on which members choose what they are told.
    pub choice_url: &'a str,
    /// The host of every URL in mails.
    pub host: &'a str,
    /// What the site is called, and its colour.
    pub brand: &'a Brand,
}

#[derive(Template)]
#[template(path = "digest.txt")]
struct Text<'a>(&'a Shown<'a>);

#[derive(Template)]
#[template(path = "digest.html")]
struct Html<'a>(&'a Shown<'a>, &'a Accent);

/// The values in both templates.
struct Shown<'a> {
    name: Option<&'a str>,
    headline: &'a str,
    events: Vec<ShownEvent<'a>>,
    account: &'a str,
    host: &'a str,
    choice_url: &'a str,
}

struct ShownEvent<'a> {
    title: Cow<'a, str>,
    summary: String,
    names: Option<String>,
    url: String,
}

/// Writes the mail of a job.
///
/// # Errors
/// When a template cannot be rendered.
pub fn digest(job: &JobKey, digest: &Digest<'_>) -> Result<Mail, askama::Error> {
    let Digest {
        organizer, updates, ..
    } = digest;
    let headline = headline(updates);
    let name = greeted(&organizer.name);
    let event = |event| shown(event, digest);
    let events: Vec<ShownEvent<'_>> = updates.iter().map(event).collect();
    let subject = match &*events {
        [one] => format!("{headline}: {}", one.title),
        several => format!("{headline} at {} events", several.len()),
    };
    let shown = Shown {
        name,
        headline: &headline,
        events,
        account: greeted(&organizer.account_name).unwrap_or("your account"),
        host: digest.host,
        choice_url: digest.choice_url,
    };
    Ok(Mail {
        key: job.to_string(),
        host: digest.host.to_owned(),
        name: name.map(str::to_owned),
        address: organizer.email.clone(),
        reply_to: None,
        subject,
        text: Text(&shown).render()?,
        html: Html(&shown, &digest.brand.accent).render()?,
        stop: None,
        ticket_image: None,
        calendar: None,
    })
}

/// What matters most: that someone waits for a decision.
fn headline(updates: &[EventUpdates]) -> String {
    let sum = |count: fn(&EventUpdates) -> i32| {
        let counts = updates.iter().map(count);
        counts.fold(0, i32::saturating_add)
    };
    match (sum(|event| event.awaiting), sum(|event| event.new)) {
        (0, 0) => changed(sum(|event| event.changed)).unwrap_or_default(),
        (0, 1) => "1 new registration".to_owned(),
        (0, new) => format!("{new} new registrations"),
        (1, _) => "1 registration awaits your approval".to_owned(),
        (awaiting, _) => format!("{awaiting} registrations await your approval"),
    }
}

fn shown<'a>(event: &'a EventUpdates, digest: &Digest<'_>) -> ShownEvent<'a> {
    let changed = changed(event.changed).map(|words| format!(" {words}."));
    let new = match event.new {
        0 if changed.is_some() => String::new(),
        1 => "1 new registration.".to_owned(),
        new => format!("{new} new registrations."),
    };
    let changed = changed.unwrap_or_default();
    let awaiting = match event.awaiting {
        0 => String::new(),
        1 => " 1 awaits your approval.".to_owned(),
        awaiting => format!(" {awaiting} await your approval."),
    };
    let seats = format!(
        " {} of {} spots are taken.",
        event.taken, event.max_capacity
    );
    ShownEvent {
        title: title(event, digest.organizer),
        summary: format!("{new}{changed}{awaiting}{seats}").trim().to_owned(),
        names: names(event),
        url: (digest.registrations_url)(event),
    }
}

/// A member of a new account reads what others of it wrote, who may have added them to mail them (rule 42 of docs/rules.md).
fn title<'a>(event: &'a EventUpdates, organizer: &Organizer) -> Cow<'a, str> {
    if organizer.is_account_trusted {
        Cow::Borrowed(&event.title)
    } else {
        Cow::Owned(without_links(&event.title))
    }
}

/// How many guests changed their answers, in words; none if nobody did.
fn changed(guests: i32) -> Option<String> {
    match guests {
        0 => None,
        1 => Some("1 guest changed their answers".to_owned()),
        guests => Some(format!("{guests} guests changed their answers")),
    }
}

/// The names, but for those that may contain a link: anyone can register under any name.
fn names(event: &EventUpdates) -> Option<String> {
    let names: Vec<&str> = event
        .names
        .iter()
        .filter_map(|name| greeted(name))
        .collect();
    let shown = i32::try_from(names.len()).unwrap_or(i32::MAX);
    match event.new.saturating_sub(shown) {
        _ if names.is_empty() => None,
        0 => Some(names.join(", ")),
        others => Some(format!("{} and {others} more", names.join(", "))),
    }
}
