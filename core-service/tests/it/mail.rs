//! Mails to registrants, from what happens to the mailbox.

mod announcing;
mod branded;
mod held;
mod hostile;
mod hostile_people;
mod kinds;
mod moved_on;
mod one_mailbox;
mod organizers;
mod refused;
mod strangers;

use std::{os::unix::fs::PermissionsExt as _, path::Path, sync::Arc};

use core_service::{
    email::Mailer,
    jobs::{
        EventAnnouncement, EventReminder, Handler, OrganizerMail, PersonMail, Post,
        RegistrationMail, Runner,
    },
};
use domain::event::Event;
use mail_parser::{Message, MessageParser, MessagePart, MimeHeaders as _};
use server::brand::Brand;
use tempfile::TempDir;

use crate::service::{Instance, guests::guest};

/// Sends into a folder, and takes from it.
pub(crate) struct Mailbox {
    runner: Runner,
    folder: TempDir,
}

/// A mail as another program than the one that wrote it reads it.
pub(crate) struct Mail {
    pub(crate) source: String,
    pub(crate) to: (Option<String>, String),
    pub(crate) subject: String,
    pub(crate) text: String,
    pub(crate) html: String,
    pub(crate) calendar: Option<String>,
}

impl Mailbox {
    pub(crate) fn of(instance: &Instance) -> Self {
        Self::with(instance, "events@muster.example", Brand::default())
    }

    /// The mailbox of a site of this name.
    pub(crate) fn with(instance: &Instance, sender: &str, brand: Brand) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mailer = Mailer::files(folder.path().join("mail"), sender.parse().unwrap());
        let mailer = mailer.with_brand(brand);
        let (store, clock) = (instance.store.clone(), instance.clock.clone());
        let permits = instance.mail_permits.clone();
        let post = Post::new(store.clone(), clock.clone(), permits, mailer);
        let (links, sign_up) = (instance.links.clone(), instance.sign_in.sign_up());
        let letters = PersonMail::new(post.clone(), links.clone(), sign_up);
        let digests = OrganizerMail::new(post.clone(), instance.organizer_mails.clone(), links);
        let mails = RegistrationMail::new(post, instance.own_registrations.clone());
        let announcements = EventAnnouncement::new(instance.events.clone());
        let reminders = EventReminder::new(instance.events.clone());
        let handlers: Vec<Arc<dyn Handler>> = vec![
            Arc::new(mails),
            Arc::new(letters),
            Arc::new(digests),
            Arc::new(announcements),
            Arc::new(reminders),
        ];
        let runner = Runner::new(store, clock, handlers);
        Self { runner, folder }
    }

    /// Has everything sent that is due, and takes it out. Security mails are left out: see [`Self::notices`].
    pub(crate) async fn collect(&self) -> Vec<Mail> {
        let mut mails = self.all().await;
        mails.retain(|mail| !mail.is_notice());
        mails
    }

    /// Has everything sent that is due, takes it out, and returns the security mails.
    pub(crate) async fn notices(&self) -> Vec<Mail> {
        let mut mails = self.all().await;
        mails.retain(Mail::is_notice);
        mails
    }

    async fn all(&self) -> Vec<Mail> {
        self.runner.drain().await.unwrap();
        take(&self.folder.path().join("mail"))
    }

    /// Has everything sent that is due, which is one mail.
    async fn collect_one(&self) -> Mail {
        let mut mails = self.collect().await;
        assert_eq!(mails.len(), 1);
        mails.remove(0)
    }
}

/// Takes all mails out of a folder, by whom they are for.
fn take(folder: &Path) -> Vec<Mail> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let read = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry.unwrap().path();
        let mail = Mail::read(&std::fs::read(&path).unwrap());
        std::fs::remove_file(path).unwrap();
        mail
    };
    let mut mails: Vec<Mail> = entries.map(read).collect();
    mails.sort_by(|one, other| one.to.cmp(&other.to));
    mails
}

impl Mail {
    fn read(bytes: &[u8]) -> Self {
        let message = MessageParser::default().parse(bytes).unwrap();
        let to = message.to().unwrap();
        assert_eq!(to.iter().count(), 1);
        let to = to.first().unwrap();
        let kinds: Vec<String> = message.parts[1..].iter().map(kind).collect();
        // A mail with a ticket has the image of its code beside the HTML.
        let (html, rest) = if kinds.iter().any(|kind| kind == "related") {
            assert_eq!(&kinds[1..4], ["related", "html", "png"]);
            (3, &kinds[4..])
        } else {
            (2, &kinds[2..])
        };
        assert_eq!((&*kinds[0], &*kinds[html - 1]), ("plain", "html"));
        assert!(rest.is_empty() || rest == ["calendar"], "{kinds:?}");
        Self {
            to: (
                to.name().map(str::to_owned),
                to.address().unwrap().to_owned(),
            ),
            subject: message.subject().unwrap().to_owned(),
            text: part(&message, 1),
            html: part(&message, html),
            calendar: (!rest.is_empty()).then(|| part(&message, kinds.len())),
            source: String::from_utf8(bytes.to_vec()).unwrap(),
        }
    }

    /// Whether it is a security mail.
    fn is_notice(&self) -> bool {
        self.source.contains("<security_mail.")
    }

    /// The headers as they are sent.
    fn headers(&self) -> &str {
        self.source.split_once("\r\n\r\n").unwrap().0
    }

    /// The lines of the calendar, unfolded.
    fn calendar_lines(&self) -> Vec<String> {
        let calendar = self.calendar.as_deref().unwrap_or_default();
        let unfolded = calendar.replace("\r\n ", "").replace("\n ", "");
        unfolded.lines().map(str::to_owned).collect()
    }

    /// The value of a property of the calendar.
    fn calendar_value(&self, property: &str) -> Option<String> {
        let lines = self.calendar_lines();
        let value =
            |line: &String| Some(line.strip_prefix(property)?.strip_prefix(':')?.to_owned());
        lines.iter().find_map(value)
    }

    /// The token of the private link.
    fn token(&self) -> &str {
        let (_, rest) = self.text.split_once("/registrations/").unwrap();
        rest.split_whitespace().next().unwrap()
    }
}

fn kind(part: &MessagePart<'_>) -> String {
    let kind = part.content_type().unwrap().subtype();
    kind.unwrap().to_owned()
}

fn part(message: &Message<'_>, index: usize) -> String {
    let text = message.parts[index].text_contents().unwrap();
    text.replace("\r\n", "\n")
}

impl Instance {
    /// Someone registers.
    pub(crate) async fn register_guest(&self, event: &Event, name: &str) {
        let registered = self.registrations.register(&event.slug, guest(name), None);
        registered.await.unwrap();
    }
}

/// What others on the machine may do with a file or folder, and its owner.
fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}
