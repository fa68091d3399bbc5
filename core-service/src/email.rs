//! Mail: what a letter holds, how it is written, and the ways by which it leaves.
//!
//! `registration` words what a registrant is told, `calendar` adds what their calendar needs, `encode` makes a message of
//! it that no name or title can break, `mailer` sends it, by `smtp` or into a folder.

mod calendar;
mod encode;
mod mailer;
mod registration;
mod smtp;

pub use calendar::{Calendar, Method};
pub use mailer::{InvalidMailSetting, Mailer, Sender, Undelivered};
pub use registration::{Addressing, letter};
pub use smtp::{InvalidSmtpUrl, Smtp, SmtpUrl};

/// A mail to one person, before it is encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// What tells it apart for ever, in characters that a file's name may have: sent twice it is the same, so that mail
    /// programs show it once.
    pub key: String,
    /// The host below which the key is unique.
    pub host: String,
    /// The recipient's name, where there is one to show.
    pub name: Option<String>,
    /// Where that person's mail goes.
    pub address: String,
    /// Its subject.
    pub subject: String,
    /// For programs that show plain text.
    pub text: String,
    /// For programs that show HTML.
    pub html: String,
    /// For programs that keep a calendar.
    pub calendar: Option<Calendar>,
}
