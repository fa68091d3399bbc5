//! Messages of organizers: their text as mail.

use askama::Template;
use domain::{
    job::JobKey,
    person::greeted,
    registration::{Registrant, Status},
};
use markdown::{Author, no_pictures, plain_text};
use server::brand::{Accent, Brand};

use super::{
    Mail, Stop,
    registration::when,
    stranger_text::{without_links, without_links_of_strangers},
};

/// What stands before the subject: none begins with a stranger's text (rule 42 of docs/rules.md).
const SUBJECT: &str = "Message: ";

/// What an organizer wrote.
#[derive(Debug, Clone, Copy)]
pub struct Written<'a> {
    /// The subject.
    pub subject: &'a str,
    /// The text, as Markdown.
    pub text: &'a str,
}

/// The links of a message.
#[derive(Debug, Clone, Copy)]
pub struct MessageAddressing<'a> {
    /// What the site is called, and its colour.
    pub brand: &'a Brand,
    /// The host of every URL in mails.
    pub host: &'a str,
    /// The event's public page.
    pub event_url: &'a str,
    /// The registrant's private page.
    pub private_url: &'a str,
    /// The page on which they stop messages of the organizer.
    pub stop_url: &'a str,
    /// The page on which they refuse all mails of the organizer, if the organizer added them.
    pub refuse_url: Option<&'a str>,
    /// Whether the links are those of a sample, which lead nowhere.
    pub is_sample: bool,
}

impl<'a> MessageAddressing<'a> {
    /// The addressing of a sample, whose `private_url` leads nowhere: a private page belongs to one recipient, and nobody else may see it.
    pub const fn sample(
        brand: &'a Brand,
        host: &'a str,
        event_url: &'a str,
        private_url: &'a str,
    ) -> Self {
        Self {
            brand,
            host,
            event_url,
            private_url,
            stop_url: private_url,
            refuse_url: None,
            is_sample: true,
        }
    }
}

#[derive(Template)]
#[template(path = "message.txt")]
struct Text<'a>(Shown<'a>);

#[derive(Template)]
#[template(path = "message.html")]
struct Html<'a>(Shown<'a>, &'a Accent);

/// The values in both templates.
#[derive(Clone)]
struct Shown<'a> {
    name: Option<&'a str>,
    headline: &'a str,
    text: &'a str,
    html: &'a str,
    title: &'a str,
    when: &'a str,
    place: &'a str,
    organizer: Option<&'a str>,
    contact: Option<&'a str>,
    event_url: &'a str,
    private_url: &'a str,
    stop_url: &'a str,
    refuse_url: Option<&'a str>,
}

/// Writes a message to a registrant.
///
/// # Errors
/// When a template cannot be rendered.
pub fn message(
    job: &JobKey,
    written: Written<'_>,
    registrant: &Registrant,
    addressing: &MessageAddressing<'_>,
) -> Result<Mail, askama::Error> {
    let plain = plain_text(written.text);
    let (subject, text, html);
    let seen = Registrant {
        event: registrant
            .event
            .seen_by(registrant.status == Status::Confirmed),
        ..registrant.clone()
    };
    let registrant = &seen;
    let harmless;
    let registrant = if registrant.is_organizer_trusted {
        subject = written.subject.to_owned();
        html = markdown::html(written.text, Author::Stranger, no_pictures);
        text = plain;
        registrant
    } else {
        // Without tags, since an address could be put together of several.
        subject = without_links(written.subject);
        text = without_links(&plain);
        html = paragraphs(&text)?;
        harmless = without_links_of_strangers(registrant);
        &harmless
    };
    let event = &registrant.event;
    let current = event.when_and_where();
    let contact = event.contact_email.as_deref();
    let contact = contact.filter(|_| registrant.is_contact_proven);
    let name = greeted(&registrant.name);
    let shown = Shown {
        name,
        headline: "A message from the organizer",
        text: &text,
        html: &html,
        title: &event.title,
        when: &when(&current),
        place: &current.place,
        organizer: registrant.organizer.as_deref(),
        contact,
        event_url: addressing.event_url,
        private_url: addressing.private_url,
        stop_url: addressing.stop_url,
        refuse_url: addressing.refuse_url,
    };
    Ok(Mail {
        key: job.to_string(),
        host: addressing.host.to_owned(),
        name: name.map(str::to_owned),
        address: registrant.email.clone(),
        reply_to: contact.map(str::to_owned),
        subject: format!("{SUBJECT}{subject}"),
        text: Text(shown.clone()).render()?,
        html: Html(shown, &addressing.brand.accent).render()?,
        stop: (!addressing.is_sample).then(|| Stop::OneClick(addressing.stop_url.to_owned())),
        ticket_image: None,
        calendar: None,
    })
}

#[derive(Template)]
#[template(
    source = "{% for line in self.0.lines() %}{% if !loop.first %}<br>\n{% endif %}{{ line }}{% endfor %}",
    ext = "html"
)]
struct Paragraphs<'a>(&'a str);

/// A plain text as HTML.
pub(super) fn paragraphs(text: &str) -> Result<String, askama::Error> {
    Ok(format!(
        "<p dir=\"auto\">{}</p>\n",
        Paragraphs(text).render()?
    ))
}
