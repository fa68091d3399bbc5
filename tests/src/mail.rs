//! The mails that a system has sent, as a mail program reads them.

use std::path::{Path, PathBuf};

use mail_parser::{Message, MessageParser};

use crate::TestApp;

/// A mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// Its Message-ID, without the brackets.
    pub id: String,
    /// The address that it is for.
    pub to: String,
    /// Its subject.
    pub subject: String,
    /// Its plain text.
    pub text: String,
    /// Its HTML.
    pub html: String,
    /// Its iCalendar object, unfolded.
    pub calendar: Option<String>,
    /// Its headers, unfolded.
    headers: Vec<(String, String)>,
}

impl TestApp {
    /// All mails so far but those of security, by Message-ID.
    pub fn mails(&self) -> Vec<Mail> {
        let mut mails = self.all_mails();
        mails.retain(|mail| !mail.is_notice());
        mails
    }

    /// All security mails so far, by Message-ID.
    pub fn notices(&self) -> Vec<Mail> {
        let mut mails = self.all_mails();
        mails.retain(Mail::is_notice);
        mails
    }

    fn all_mails(&self) -> Vec<Mail> {
        let mut mails: Vec<Mail> = files(self.mail.path())
            .iter()
            .map(|file| read(file))
            .collect();
        mails.sort_by(|one, other| one.id.cmp(&other.id));
        mails
    }
}

impl TestApp {
    /// All mails so far but those of security, in the order in which they were sent.
    pub fn mails_by_time(&self) -> Vec<Mail> {
        let mut paths = files(self.mail.path());
        paths.sort_by_key(|path| std::fs::metadata(path).unwrap().modified().unwrap());
        let mails = paths.iter().map(|path| read(path));
        mails.filter(|mail| !mail.is_notice()).collect()
    }
}

impl Mail {
    /// The first header of this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let (_, value) = headers.find(|(one, _)| one.eq_ignore_ascii_case(name))?;
        Some(value)
    }

    fn is_notice(&self) -> bool {
        self.id.starts_with("security_mail.")
    }
}

/// The files of mails in a folder, without those that are being written.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(files) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = files.map(|file| file.unwrap().path());
    let is_whole = |path: &PathBuf| path.extension().is_some_and(|end| end == "eml");
    paths.filter(is_whole).collect()
}

fn read(path: &Path) -> Mail {
    let bytes = std::fs::read(path).unwrap();
    let message = MessageParser::default().parse(&bytes).unwrap();
    let to = message.to().unwrap().first().unwrap();
    Mail {
        id: message.message_id().unwrap().to_owned(),
        to: to.address().unwrap().to_owned(),
        subject: message.subject().unwrap().to_owned(),
        text: message.body_text(0).unwrap().replace("\r\n", "\n"),
        html: message.body_html(0).unwrap().into_owned(),
        calendar: calendar(&message),
        headers: message
            .headers_raw()
            .map(|(name, value)| {
                let value = value.replace("\r\n", "");
                (name.to_owned(), value.trim().to_owned())
            })
            .collect(),
    }
}

fn calendar(message: &Message<'_>) -> Option<String> {
    use mail_parser::MimeHeaders as _;
    let is_calendar = |part: &&mail_parser::MessagePart<'_>| {
        let kind = part.content_type();
        kind.is_some_and(|kind| kind.subtype() == Some("calendar"))
    };
    let part = message.parts.iter().find(is_calendar)?;
    Some(
        part.text_contents()?
            .replace("\r\n ", "")
            .replace("\r\n", "\n"),
    )
}
