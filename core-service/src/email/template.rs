//! The template of mails to people who sign in.

use askama::Template;
use domain::job::JobKey;
use server::brand::{Accent, Brand};

use super::Mail;

#[derive(Template)]
#[template(path = "letter.txt")]
struct Text<'a>(Shown<'a>);

#[derive(Template)]
#[template(path = "letter.html")]
struct Html<'a>(Shown<'a>, &'a Accent);

/// The site that writes.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a> {
    /// The host of every URL in mails.
    pub host: &'a str,
    /// What it is called, and its colour.
    pub brand: &'a Brand,
}

/// The values in both templates.
#[derive(Clone, Copy)]
pub(super) struct Shown<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) headline: &'a str,
    pub(super) lead: &'a str,
    pub(super) code: Option<&'a str>,
    pub(super) link: Option<Link<'a>>,
    /// Why the recipient gets it.
    pub(super) reason: &'a str,
}

#[derive(Clone, Copy)]
pub(super) struct Link<'a> {
    pub(super) text: &'a str,
    pub(super) url: &'a str,
}

/// A mail with these values.
///
/// # Errors
/// When a template cannot be rendered.
pub(super) fn mail(
    job: &JobKey,
    site: Site<'_>,
    address: &str,
    subject: String,
    shown: Shown<'_>,
) -> Result<Mail, askama::Error> {
    Ok(Mail {
        key: job.to_string(),
        host: site.host.to_owned(),
        name: shown.name.map(str::to_owned),
        address: address.to_owned(),
        reply_to: None,
        subject,
        text: Text(shown).render()?,
        html: Html(shown, &site.brand.accent).render()?,
        stop: None,
        ticket_image: None,
        calendar: None,
    })
}
