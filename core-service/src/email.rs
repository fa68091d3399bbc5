//! Mails: their content, their encoding, and how they are sent.
//!
//! `registration`, `message`, `person`, `security` and `organizer` write the texts, `encode` makes a message of them and of the calendar entry that no name or title can break, and `mailer` sends it by `smtp` or writes it to a folder.

mod bounces;
mod encode;
mod events;
mod mailer;
mod message;
mod organizer;
mod person;
mod qr_image;
mod registration;
mod report;
mod security;
mod smtp;
mod stranger_text;
mod template;

pub use bounces::{BounceAddress, InvalidMailSetting};
pub use events::{MAX_EVENTS, MailEvents, UnknownEvents, read_events};
pub use mailer::{Check, Mailer, Sender, Undelivered, unchecked};
pub use message::{MessageAddressing, Written, message};
pub use organizer::{Digest, digest};
pub use person::{Letter, letter};
pub use registration::{Addressing, mail};
pub use report::{Ignored, MAX_REPORT_BYTES, read_report};
pub use security::{AccountIncident, ChangedClocks, Concerned, Incident, Named, TroubledWebhook};
pub use smtp::{InvalidSmtpUrl, Smtp, SmtpUrl};
pub use template::Site;

use base64::{Engine as _, engine::general_purpose::STANDARD};

use crate::calendar::Calendar;

/// Where a recipient stops mails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// A page that asks: on it they refuse mails of the organizer who added them, or cancel.
    Page(String),
    /// An address that stops them at once when it is posted to (RFC 8058). It stops nothing else.
    OneClick(String),
}

impl Stop {
    /// At the address that needs one click, else on the page.
    fn at(one_click: Option<&str>, page: Option<&str>) -> Option<Self> {
        match one_click {
            Some(url) => Some(Self::OneClick(url.to_owned())),
            None => page.map(|url| Self::Page(url.to_owned())),
        }
    }
}

/// A mail to one person, before it is encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// Its unique key, in characters that are valid in a file name. It stays the same when the mail is sent twice, so that mail
    /// programs show it once.
    pub key: String,
    /// The host within which the key is unique.
    pub host: String,
    /// The recipient's name, if there is one to show.
    pub name: Option<String>,
    /// The recipient's address.
    pub address: String,
    /// Who gets the answers, if not the sender.
    pub reply_to: Option<String>,
    /// Its subject.
    pub subject: String,
    /// The plain text.
    pub text: String,
    /// The HTML.
    pub html: String,
    /// Where the recipient stops such mails.
    pub stop: Option<Stop>,
    /// The image of the ticket's code, as PNG.
    pub ticket_image: Option<Vec<u8>>,
    /// The calendar entry.
    pub calendar: Option<Calendar>,
}

impl Mail {
    /// The HTML with its picture in it, for readers that are no mail programs.
    pub fn html_with_pictures(&self) -> String {
        let Some(png) = &self.ticket_image else {
            return self.html.clone();
        };
        let part = format!("cid:{}", qr_image::CONTENT_ID);
        let data = format!("data:image/png;base64,{}", STANDARD.encode(png));
        self.html.replace(&part, &data)
    }
}
