//! Mails: their content, their encoding, and how they are sent.
//!
//! `registration`, `person`, `security` and `organizer` write the texts, `encode` makes a message of them and of the calendar entry that no name or title can break, and `mailer` sends it by `smtp` or writes it to a folder.

mod encode;
mod mailer;
mod organizer;
mod person;
mod qr_image;
mod registration;
mod security;
mod smtp;
mod stranger_text;
mod template;

pub use mailer::{Check, InvalidMailSetting, Mailer, Sender, Undelivered, unchecked};
pub use organizer::{Digest, digest};
pub use person::{Letter, letter};
pub use registration::{Addressing, mail};
pub use security::{AccountIncident, ChangedClocks, Concerned, Incident, Named};
pub use smtp::{InvalidSmtpUrl, Smtp, SmtpUrl};

use crate::calendar::Calendar;

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
    /// The page on which the recipient ends such mails: by refusing those of the organizer who added them, or by cancelling.
    pub stop_url: Option<String>,
    /// The image of the ticket's code, as PNG.
    pub ticket_image: Option<Vec<u8>>,
    /// The calendar entry.
    pub calendar: Option<Calendar>,
}
