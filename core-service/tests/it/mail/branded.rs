//! Mails of a site with a name and a colour of its own.

use domain::event::NewEvent;
use server::brand::Brand;
use test_postgres::Database;

use super::{Mail, Mailbox};
use crate::{
    fixtures::migrate,
    service::{Instance, public_event},
};

const SENDER: &str = "events@muster.example";

fn brand() -> Brand {
    Brand {
        name: "Ruhr Events".parse().unwrap(),
        accent: "#0b6e4f".parse().unwrap(),
    }
}

async fn mails_have_the_name_and_the_colour_that_the_operator_chose(database: Database) {
    let instance = Instance::open(&database).await;
    let nora = instance.someone("nora@example.org", 1).await;
    let caller = instance.standing_of(&nora).await;
    instance.accounts.trust(caller.account).await.unwrap();
    // A name with a link is not shown, so that the site stands for the organizer.
    let event = NewEvent {
        organizer_name: Some("evil.example".to_owned()),
        ..public_event("Rust Meetup")
    };
    let event = instance.create(&caller, event).await;
    for (guest, brand) in [("ada", Brand::default()), ("bob", brand())] {
        let mailbox = Mailbox::with(&instance, SENDER, brand.clone());
        instance.register_guest(&event, guest).await;
        let contact = format!("{guest}@bank.example");
        let contacts = &instance.contacts;
        contacts.start(&caller, &nora.by, &contact).await.unwrap();
        let mails = mailbox.collect().await;
        assert_eq!(mails.len(), 2);
        let name = brand.name.as_str();
        for mail in &mails {
            let headers = mail.headers();
            let from = headers.lines().find(|line| line.starts_with("From: "));
            let from = from.unwrap();
            assert!(from.contains(name) && from.contains(SENDER), "{from}");
            assert!(mail.html.contains(&brand.accent.dark), "{}", mail.html);
            let shown = [&*mail.subject, &*mail.text, &*mail.html].concat();
            assert!(name == "Muster" || !shown.contains("Muster"), "{shown}");
        }
        let is_code = |mail: &&Mail| mail.calendar.is_none();
        let code = mails.iter().find(is_code).unwrap();
        let end = format!(" is your {name} code");
        assert!(code.subject.ends_with(&end), "{}", code.subject);
        let registered = mails.iter().find(|mail| !is_code(mail)).unwrap();
        assert!(registered.html.contains(&brand.accent.light));
        let lines = registered.calendar_lines();
        let organizer = format!("ORGANIZER;CN=\"{name}\":");
        assert!(
            lines.iter().any(|line| line.starts_with(&organizer)),
            "{lines:?}"
        );
        assert!(
            lines
                .iter()
                .any(|line| line == "PRODID:-//Muster//Muster//EN")
        );
    }
}

async fn a_sender_with_a_name_keeps_it(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let mailbox = Mailbox::with(&instance, "Olga <events@muster.example>", brand());
    let event = instance.create(&olga, public_event("Rust Meetup")).await;
    instance.register_guest(&event, "ada").await;
    let mail = mailbox.collect().await.remove(0);
    assert!(
        mail.headers()
            .contains("From: Olga <events@muster.example>"),
        "{}",
        mail.headers()
    );
    assert!(!mail.headers().contains("Ruhr"), "{}", mail.headers());
}

test_postgres::on_both_engines!(prepare: migrate;
    mails_have_the_name_and_the_colour_that_the_operator_chose,
    a_sender_with_a_name_keeps_it,
);
