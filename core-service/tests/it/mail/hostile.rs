//! With any names of people and events, a mail stays one mail, to one person, with our text.

use core_service::email::{Addressing, Mailer, mail, unchecked};
use domain::{
    event::Event,
    job::{Job, Task},
    registration::{Notification, Registrant, Status},
};
use proptest::prelude::*;
use server::brand::Brand;
use tempfile::TempDir;

use super::{Mail, take};
use crate::fixtures::{NOW, Rows};

/// What people choose.
#[derive(Debug, Clone)]
struct Texts {
    name: String,
    title: String,
    location: String,
    organizer: String,
    reason: String,
}

/// Texts with what headers, MIME, iCalendar and HTML are made of, and anything else.
pub(super) fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\r\nBcc: eve@example.org\r\n".to_owned()),
        Just("\n--=_muster\nContent-Type: text/html\n\n<b>x</b>".to_owned()),
        Just("\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:x".to_owned()),
        Just("\":mailto:eve@example.org".to_owned()),
        Just("=?utf-8?q?=0D=0ABcc:_eve@example.org?=".to_owned()),
        Just("</title><script>alert(1)</script><a href=\"https://evil.example\">".to_owned()),
        Just("<eve@example.org>, \"b\"".to_owned()),
        Just("\u{202e}\u{2066}\u{0}\u{85}\u{2028}".to_owned()),
        Just("ü漢🎉 ".repeat(60)),
        Just("{{ self.0.name }}{% raw %}".to_owned()),
        Just(".\r\n".to_owned()),
        any::<String>(),
        ".*",
    ];
    proptest::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

fn texts() -> impl Strategy<Value = Texts> {
    (text(), text(), text(), text(), text()).prop_map(
        |(name, title, location, organizer, reason)| Texts {
            name,
            title,
            location,
            organizer,
            reason,
        },
    )
}

async fn sent(texts: Texts, notification: Notification) -> Mail {
    let rows = Rows::new();
    let account = rows.account();
    let event = rows.event(account.id, 1);
    let registration = rows.registration(event.id, 1, Status::Confirmed);
    let registrant = Registrant {
        id: registration.id,
        name: texts.name,
        email: registration.email,
        status: registration.status,
        awaits_confirmation: false,
        is_added: false,
        refuses_reminders: false,
        party: registration.party,
        check_in_code: registration.check_in_code,
        announced: None,
        decline_reason: Some(texts.reason.clone()),
        event: Event {
            title: texts.title,
            location: texts.location,
            cancel_reason: Some(texts.reason),
            ..event
        },
        organizer: Some(texts.organizer),
        is_organizer_trusted: true,
        is_contact_proven: true,
    };
    let job = Job::mail(Task::CancellationMail, registration.id).key();
    let addressing = Addressing {
        sender: "events@muster.example",
        brand: &Brand::default(),
        host: "muster.example",
        event_url: "https://muster.example/events/slug",
        private_url: Some("https://muster.example/registrations/token"),
        refuse_url: None,
        refuse_reminders_url: None,
        check_in_url: "https://muster.example/check-in/code",
        former: None,
        offers_details: true,
    };
    let mail = mail(&job, notification, &registrant, &addressing, NOW).unwrap();
    let folder = TempDir::new().unwrap();
    let sender = "Muster <events@muster.example>".parse().unwrap();
    let mailer = Mailer::files(folder.path().to_owned(), sender);
    mailer.send(&mail, NOW, &unchecked).await.unwrap();
    take(folder.path()).remove(0)
}

/// The names of headers or properties, in order: what stands before the first colon or semicolon of a line that continues no
/// other.
pub(super) fn names(lines: &str) -> Vec<&str> {
    let begun = lines.lines().filter(|line| !line.starts_with([' ', '\t']));
    begun
        .map(|line| line.split([':', ';']).next().unwrap_or_default())
        .collect()
}

/// The tags of a page.
pub(super) fn tags(html: &str) -> Vec<&str> {
    let opened = html.split('<').skip(1);
    opened
        .map(|rest| rest.split([' ', '>']).next().unwrap_or_default())
        .filter(|tag| *tag != "br")
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_text_adds_a_header_a_recipient_a_property_or_a_tag(texts in texts()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let send = |texts| {
            let notification = Notification::EventCancelled { held_a_seat: true };
            runtime.block_on(sent(texts, notification))
        };
        let plain = send(Texts {
            name: "Ada".to_owned(),
            title: "Rust Meetup".to_owned(),
            location: "Hall".to_owned(),
            organizer: "Olga".to_owned(),
            reason: "Rain".to_owned(),
        });
        let mail = send(texts);
        prop_assert_eq!(mail.to.1.as_str(), "Guest1@example.org");
        prop_assert_eq!(names(mail.headers()), names(plain.headers()));
        prop_assert!(mail.source.lines().all(|line| line.len() <= 998));
        prop_assert!(mail.source.is_ascii());
        prop_assert_eq!(tags(&mail.html), tags(&plain.html));
        let calendar = |mail: &Mail| names(&mail.calendar_lines().join("\n")).join(" ");
        prop_assert_eq!(calendar(&mail), calendar(&plain));
        let line_lengths = mail.calendar.as_deref().unwrap().lines().map(str::len);
        prop_assert!(line_lengths.max() <= Some(75));
        let organizer = |mail: &Mail| mail.calendar_lines().iter().any(|line| {
            line.starts_with("ORGANIZER;CN=\"") && line.ends_with("\":mailto:events@muster.example")
        });
        prop_assert!(organizer(&mail));
    }
}

#[tokio::test]
async fn a_title_is_shown_as_it_is_and_not_decoded() {
    let texts = Texts {
        name: "Ada".to_owned(),
        title: "Meetup =?utf-8?q?=0D=0ACancelled?=".to_owned(),
        location: "Hall".to_owned(),
        organizer: "Olga".to_owned(),
        reason: "Rain".to_owned(),
    };
    let mail = sent(texts, Notification::Promoted).await;
    let shown = "You have a spot: Meetup = ?utf-8?q?=0D=0ACancelled?=";
    assert_eq!(mail.subject, shown);
}

#[tokio::test]
async fn a_name_in_which_a_link_could_hide_is_not_addressed() {
    for (name, addressed) in [
        ("Ada", true),
        ("J. R. R. Tolkien", true),
        ("Sammy Davis Jr.", true),
        ("漢字", true),
        ("win a prize at https://evil.example", false),
        ("evil.example", false),
        ("www.evil.example now", false),
        ("call me at +49:1", false),
        ("eve@example.org", false),
        (&*"a".repeat(200), false),
        ("two\nlines", false),
        ("  ", false),
    ] {
        let texts = Texts {
            name: name.to_owned(),
            title: "Rust Meetup".to_owned(),
            location: "Hall".to_owned(),
            organizer: "Olga".to_owned(),
            reason: "Rain".to_owned(),
        };
        let mail = sent(texts, Notification::Promoted).await;
        let greeting = mail.text.lines().next().unwrap();
        let expected = if addressed {
            format!("Hello {name},")
        } else {
            "Hello,".to_owned()
        };
        assert_eq!(greeting, expected);
        assert_eq!(mail.to.0.is_some(), addressed, "{name}");
    }
}
