//! What strangers write for the mails of others: it becomes no link, no sender and no contact that someone else is.

use core_service::service::NewRegistration;
use domain::{
    change::Change,
    event::{NewEvent, WindowChange},
    organizer_mail::MailChoice,
};
use test_postgres::Database;

use super::{Mail, Mailbox};
use crate::{
    fixtures::{HOUR, migrate},
    service::{Instance, guests::guest, public_event},
};

fn lure() -> NewEvent {
    NewEvent {
        description: "Details at https://evil.example/d.".to_owned(),
        location: "www.evil.example".to_owned(),
        organizer_name: Some("evil.example/o".to_owned()),
        ..public_event("You won: https://evil.example/x")
    }
}

/// Every part that a mail program shows, as it reads it.
fn parts(mail: &Mail) -> [String; 4] {
    let calendar = mail.calendar_lines().join("\n");
    [
        mail.subject.clone(),
        mail.text.clone(),
        mail.html.clone(),
        calendar,
    ]
}

async fn texts_of_a_new_account_become_no_links(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let nora = instance.someone("nora@example.org", 1).await;
    let nora = instance.standing_of(&nora).await;
    let event = instance.create(&nora, lure()).await;
    instance.register_guest(&event, "ada").await;
    let registered = mailbox.collect_one().await;
    for part in parts(&registered) {
        assert!(!part.contains("evil.example"), "{part}");
        assert!(!part.contains("https://evil"), "{part}");
    }
    let title = "You won: https‹:›//evil‹dot›example/x";
    let subject = format!("You are registered: {title}");
    assert_eq!(registered.subject, subject);
    for shown in [title, "www‹dot›evil‹dot›example", "by evil‹dot›example/o"] {
        assert!(registered.text.contains(shown), "{}", registered.text);
    }
    let reason = Some("Read evil.example/r instead.".to_owned());
    let cancelled = instance.events.cancel(&nora, event.id, reason).await;
    cancelled.unwrap();
    let cancelled = mailbox.collect_one().await;
    for part in parts(&cancelled) {
        assert!(!part.contains("evil.example"), "{part}");
    }
    assert!(
        cancelled
            .text
            .contains("> Read evil‹dot›example/r instead.")
    );

    // Who is trusted may name pages.
    instance.accounts.trust(nora.account).await.unwrap();
    let event = instance.create(&nora, lure()).await;
    instance.register_guest(&event, "ada").await;
    let mail = mailbox.collect_one().await;
    assert!(
        mail.text.contains("https://evil.example/x"),
        "{}",
        mail.text
    );
}

async fn members_of_a_new_account_read_its_titles_without_links(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let someone = instance.someone("nora@example.org", 1).await;
    let nora = instance.standing_of(&someone).await;
    let mails = &instance.organizer_mails;
    let choice = mails.choose(&nora, &someone.by, MailChoice::All);
    choice.await.unwrap();
    let lasting = NewEvent {
        end_date: Some("2100-01-01T00:00:00Z".to_owned()),
        window: WindowChange {
            closes: Change::Set("2100-01-01T00:00:00Z".to_owned()),
            ..WindowChange::default()
        },
        ..lure()
    };
    let event = instance.create(&nora, lasting).await;
    let digest = async |guest: &str| {
        instance.register_guest(&event, guest).await;
        instance.clock.advance_seconds(HOUR);
        let mut mails = mailbox.collect().await;
        mails.retain(|mail| mail.to.1 == "nora@example.org");
        assert_eq!(mails.len(), 1);
        mails.remove(0)
    };
    let mail = digest("ada").await;
    let title = "You won: https‹:›//evil‹dot›example/x";
    assert_eq!(mail.subject, format!("1 new registration: {title}"));
    for part in [&mail.text, &mail.html] {
        assert!(part.contains(title), "{part}");
        assert!(!part.contains("evil.example"), "{part}");
    }
    instance.accounts.trust(nora.account).await.unwrap();
    let mail = digest("bob").await;
    assert!(mail.text.contains("https://evil.example/x"));
}

async fn a_name_with_a_link_is_not_in_the_calendar(database: Database) {
    let instance = Instance::open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    let event = instance.create(&olga, lure()).await;
    let new = NewRegistration {
        name: "Visit evil.example".to_owned(),
        ..guest("ada")
    };
    let registered = instance.registrations.register(&event.slug, new, None);
    registered.await.unwrap();
    let mail = mailbox.collect_one().await;
    let lines = mail.calendar_lines();
    let line = |begin: &str| lines.iter().find(|line| line.starts_with(begin)).unwrap();
    assert!(line("ORGANIZER").starts_with("ORGANIZER;CN=\"Muster\":"));
    assert!(line("ATTENDEE").starts_with("ATTENDEE;CN=\"ada@example.org\";"));
}

/// Whether a mail leads answers to an address.
fn names_contact(mail: &Mail, address: &str) -> bool {
    let reply_to = format!("Reply-To: {address}");
    let written = format!("Write to {address}");
    let has_header = mail.headers().contains(&reply_to);
    assert_eq!(mail.text.contains(&written), has_header, "{}", mail.text);
    assert_eq!(mail.html.contains(&written), has_header, "{}", mail.html);
    assert_eq!(mail.source.contains(address), has_header, "{}", mail.source);
    has_header
}

async fn mails_name_a_contact_that_is_a_members_or_was_proven(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let nora = instance.someone("nora@example.org", 1).await;
    let caller = instance.standing_of(&nora).await;
    let contact = "support@bank.example";
    let event_of = |address: &str| NewEvent {
        contact_email: Some(address.to_owned()),
        ..public_event("Rust Meetup")
    };
    let bank = instance.create(&caller, event_of(contact)).await;
    instance.register_guest(&bank, "ada").await;
    assert!(!names_contact(&mailbox.collect_one().await, contact));
    let own = instance.create(&caller, event_of("Nora@example.org")).await;
    instance.register_guest(&own, "ada").await;
    assert!(names_contact(
        &mailbox.collect_one().await,
        "Nora@example.org"
    ));

    let contacts = &instance.contacts;
    contacts.start(&caller, &nora.by, contact).await.unwrap();
    let code = mailbox.collect_one().await;
    assert_eq!(code.to.1, contact);
    let (code, _) = code.subject.split_once(" is your Muster code").unwrap();
    let wrong = contacts.finish(&caller, &nora.by, "00000000").await;
    wrong.unwrap_err();
    let eve = instance.someone("eve@example.org", 2).await;
    let stranger = instance.standing_of(&eve).await;
    let stolen = contacts.finish(&stranger, &eve.by, code).await;
    stolen.unwrap_err();
    assert!(!contacts.is_proven(&caller, contact).await.unwrap());
    let proven = contacts.finish(&caller, &nora.by, code).await;
    assert_eq!(proven.unwrap(), contact);
    instance.register_guest(&bank, "bob").await;
    assert!(names_contact(&mailbox.collect_one().await, contact));

    // It is proven for one account alone, until its owner is erased.
    assert!(!contacts.is_proven(&stranger, contact).await.unwrap());
    let erased = instance
        .people
        .erase(contact, &core_service::service::LastOwner::Refuse);
    erased.await.unwrap();
    assert!(!contacts.is_proven(&caller, contact).await.unwrap());
}

test_postgres::on_both_engines!(prepare: migrate;
    texts_of_a_new_account_become_no_links,
    members_of_a_new_account_read_its_titles_without_links,
    a_name_with_a_link_is_not_in_the_calendar,
    mails_name_a_contact_that_is_a_members_or_was_proven,
);
