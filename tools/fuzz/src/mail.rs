//! Mails as they are sent. Whatever the texts hold, a mail is to one person, has the headers that every mail has, and another program
//! reads in it what was written.

use core_service::email::{Mail, Mailer, unchecked};
use mail_parser::{Message, MessageParser};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::{
    Target,
    letter::{NOW, SENDER, seeds, words, written},
    surface::runtime,
};

pub(crate) const TARGET: Target = Target {
    name: "mail",
    seeds,
    words,
    run,
};

/// RFC 5322, without the line's break.
const LINE_OCTETS: usize = 998;

const HEADERS: [&str; 9] = [
    "From",
    "To",
    "Subject",
    "Message-ID",
    "Date",
    "Auto-Submitted",
    "MIME-Version",
    "Content-Type",
    "X-PM-Metadata-muster",
];

/// Sends into a folder.
pub(crate) struct Postbox {
    runtime: Runtime,
    mailer: Mailer,
    folder: TempDir,
}

thread_local! {
    static POSTBOX: Postbox = Postbox::new();
}

impl Postbox {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("there is room for a mail");
        let sender = format!("Muster <{SENDER}>").parse().expect("an address");
        Self {
            runtime: runtime(),
            mailer: Mailer::files(folder.path().to_owned(), sender),
            folder,
        }
    }

    /// The mail as it would go to a server.
    pub(crate) fn sent(&self, letter: &Mail) -> Vec<u8> {
        let sent = self
            .runtime
            .block_on(self.mailer.send(letter, NOW, &unchecked));
        sent.unwrap_or_else(|error| panic!("{error}: {letter:?}"));
        let path = self.folder.path().join(format!("{}.eml", letter.key));
        std::fs::read(path).expect("the mail is there")
    }
}

fn run(input: &[u8]) {
    let Some(written) = written(input) else {
        return;
    };
    let letter = written.letter;
    let source = POSTBOX.with(|postbox| postbox.sent(&letter));
    check(&letter, &source);
}

/// Checks a mail against the letter that it is made from.
pub(crate) fn check(letter: &Mail, source: &[u8]) {
    let text = std::str::from_utf8(source).expect("a mail is ASCII");
    assert!(text.is_ascii(), "not ASCII: {text}");
    for line in text.split("\r\n") {
        assert!(
            line.len() <= LINE_OCTETS && !line.contains(['\r', '\n', '\0']),
            "{line:?}"
        );
    }
    let (head, _) = text.split_once("\r\n\r\n").expect("headers end");
    let begun = head
        .split("\r\n")
        .filter(|line| !line.starts_with([' ', '\t']));
    let mut names: Vec<&str> = begun
        .map(|line| line.split(':').next().unwrap_or_default())
        .collect();
    names.sort_unstable();
    let mut expected = HEADERS.to_vec();
    expected.extend(letter.stop.as_ref().map(|_| "List-Unsubscribe"));
    expected.sort_unstable();
    assert_eq!(names, expected, "{head}");

    let message = MessageParser::default()
        .parse(source)
        .expect("a mail can be read");
    let to = message.to().expect("it is to someone");
    let addresses: Vec<&str> = to.iter().filter_map(|one| one.address()).collect();
    assert_eq!(addresses, [letter.address.as_str()], "{head}");
    let subject = message.subject().expect("it has a subject");
    assert!(!subject.contains(['\r', '\n']), "{subject:?}");
    // With a ticket, the HTML and the image of its code are parts of a part.
    let (html, body) = if letter.ticket_image.is_some() {
        (3, 5)
    } else {
        (2, 3)
    };
    let parts = body + usize::from(letter.calendar.is_some());
    assert_eq!(message.parts.len(), parts, "{text}");
    assert_eq!(part(&message, 1), lines(&letter.text));
    assert_eq!(part(&message, html), lines(&letter.html));
    if let Some(calendar) = &letter.calendar {
        assert_eq!(part(&message, body), lines(&calendar.text));
    }
}

fn part(message: &Message<'_>, index: usize) -> String {
    let text = message.parts[index].text_contents();
    lines(text.expect("it is a text"))
}

/// The text with one kind of line break: mail has no other.
fn lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}
