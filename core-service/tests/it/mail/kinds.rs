//! Every kind of mail, as it is sent.

use core_service::service::Principal;
use domain::{
    change::Change,
    event::{Event, EventPatch, NewEvent},
    registration::Registration,
    schedule::ScheduleChange,
};
use test_postgres::Database;

use super::{Mail, Mailbox, mode};
use crate::{
    fixtures::migrate,
    service::{Instance, public_event},
};

/// In Berlin, where summer time begins the week before.
fn meetup(max_capacity: i32) -> NewEvent {
    NewEvent {
        start_date: "2030-04-05T18:30".to_owned(),
        end_date: Some("2030-04-05T21:00".to_owned()),
        timezone: Some("Europe/Berlin".to_owned()),
        location: "c-base, Rungestraße 20".to_owned(),
        city: Some("Berlin".to_owned()),
        max_capacity,
        contact_email: Some("hello@rust.berlin".to_owned()),
        ..public_event("Rust & Tea, \"live\"")
    }
}

fn elsewhere() -> EventPatch {
    EventPatch {
        location: Change::Set("Betahaus".to_owned()),
        schedule: ScheduleChange {
            end_date: Change::Set("2030-04-06T01:00".to_owned()),
            ..ScheduleChange::default()
        },
        ..EventPatch::default()
    }
}

/// The kinds that between them have all that HTML shows; the text of each kind is the same in both.
const SHOWN_AS_HTML: [&str; 2] = ["registered", "event_cancelled"];

/// Compares a mail with its snapshot, in which ids and tokens are named.
fn compare(name: &str, mail: &Mail, registration: &Registration, event: &Event) {
    let readable = |text: &str| {
        let text = text.replace(&registration.id.to_string(), "REGISTRATION");
        let text = text.replace(&event.slug, "SLUG").replace("\r\n", "\n");
        let text = text.replace(registration.check_in_code.as_str(), "CODE");
        if mail.text.contains("/registrations/") {
            return text.replace(mail.token(), "TOKEN");
        }
        text
    };
    let calendar = mail.calendar.as_deref().unwrap_or("none\n");
    let whole = format!(
        "{}\n\n=== text\n{}\n\n=== calendar\n{calendar}",
        mail.headers(),
        mail.text
    );
    insta::with_settings!({snapshot_path => "../snapshots/mail", prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!(name, readable(&whole));
        if SHOWN_AS_HTML.contains(&name) {
            insta::assert_snapshot!(format!("{name}_html"), readable(&mail.html));
        }
    });
}

struct Scene {
    instance: Instance,
    mailbox: Mailbox,
    event: Event,
}

impl Scene {
    /// A new event, and nobody registered; answers its owner, too.
    async fn set(database: &Database, event: NewEvent) -> (Self, Principal) {
        let instance = Instance::open(database).await;
        let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
        let event = instance.create(&olga, event).await;
        let contact = event.contact_email.as_deref().unwrap();
        let mut tx = instance.store.begin().await.unwrap();
        let proven = tx.put_proven_contact(olga.account, contact, instance.clock.now());
        proven.await.unwrap();
        tx.commit().await.unwrap();
        let scene = Self {
            instance,
            mailbox,
            event,
        };
        (scene, olga)
    }

    /// Has the one mail sent that is due, and compares it; `seq` says whose it is.
    async fn expect(&self, name: &str, seq: usize) -> Mail {
        let mail = self.mailbox.collect_one().await;
        let people = self.people().await;
        compare(name, &mail, &people[seq - 1], &self.event);
        assert_eq!(mail.to.1, people[seq - 1].email);
        mail
    }

    async fn people(&self) -> Vec<Registration> {
        let listed = self
            .instance
            .store
            .list_registrations(self.event.id, 0, 100);
        listed.await.unwrap()
    }
}

async fn seats_and_the_waitlist(database: Database) {
    let (scene, _) = Scene::set(&database, meetup(1)).await;
    let (instance, event) = (&scene.instance, &scene.event);

    instance.register_guest(event, "ada").await;
    let registered = scene.expect("registered", 1).await;
    instance.register_guest(event, "ada").await;
    let again = scene.expect("registered_again", 1).await;
    instance.register_guest(event, "bob").await;
    scene.expect("waitlisted", 2).await;
    instance.register_guest(event, "bob").await;
    scene.expect("waitlisted_again", 2).await;

    // Each mail has a link of its own, and both lead to the same registration.
    assert_ne!(registered.token(), again.token());
    for mail in [&registered, &again] {
        let own = instance.own_registrations.get(mail.token()).await;
        assert_eq!(own.unwrap().registration.name, "ada");
    }

    let cancelled = instance.own_registrations.cancel(again.token());
    cancelled.await.unwrap();
    let mails = scene.mailbox.collect().await;
    let people = scene.people().await;
    compare("registration_cancelled", &mails[0], &people[0], event);
    compare("promoted", &mails[1], &people[1], event);
    assert_eq!(mails.len(), 2);

    // A calendar lets go of the entry that it took in.
    assert_eq!(
        mails[0].calendar_value("UID"),
        registered.calendar_value("UID")
    );
    let sequences = [&registered, &again, &mails[0]].map(|mail| mail.calendar_value("SEQUENCE"));
    let expected = ["0", "0", "1"].map(|number| Some(number.to_owned()));
    assert_eq!(sequences, expected);
    assert_ne!(
        mails[1].calendar_value("UID"),
        registered.calendar_value("UID")
    );
}

async fn approval(database: Database) {
    let asking = NewEvent {
        requires_approval: true,
        ..meetup(1)
    };
    let (scene, olga) = Scene::set(&database, asking).await;
    let (instance, event) = (&scene.instance, &scene.event);

    instance.register_guest(event, "ada").await;
    scene.expect("pending", 1).await;
    instance.register_guest(event, "ada").await;
    scene.expect("pending_again", 1).await;
    let people = scene.people().await;
    let approve = |index: usize, people: &[Registration]| {
        let id = people[index].id;
        instance.registrations.approve(&olga, event.id, id)
    };
    approve(0, &people).await.unwrap();
    scene.expect("approved", 1).await;

    instance.register_guest(event, "bob").await;
    scene.mailbox.collect_one().await;
    let people = scene.people().await;
    approve(1, &people).await.unwrap();
    scene.expect("approved_waitlisted", 2).await;

    instance.register_guest(event, "cleo").await;
    scene.mailbox.collect_one().await;
    let cleo = scene.people().await[2].id;
    let reason = Some("This dinner is for members.\nSee you next time.".to_owned());
    let declined = instance
        .registrations
        .decline(&olga, event.id, cleo, reason);
    declined.await.unwrap();
    scene.expect("declined", 3).await;

    // Who never held a seat has nothing in their calendar.
    let cancelled = instance.registrations.cancel(&olga, event.id, people[1].id);
    cancelled.await.unwrap();
    let mail = scene.mailbox.collect_one().await;
    assert_eq!(mail.calendar, None);
}

async fn confirmation(database: Database) {
    let asking = NewEvent {
        confirm_by_email: Some(true),
        ..meetup(1)
    };
    let (scene, olga) = Scene::set(&database, asking).await;
    let (instance, event) = (&scene.instance, &scene.event);

    instance.register_guest(event, "ada").await;
    let asked = scene.expect("unconfirmed", 1).await;
    instance.register_guest(event, "ada").await;
    scene.expect("unconfirmed_again", 1).await;
    // Perhaps the address is that of someone who knows nothing of this.
    let changed = instance.events.update(&olga, event.id, elsewhere());
    changed.await.unwrap();
    assert!(scene.mailbox.collect().await.is_empty());

    let confirmed = instance.own_registrations.confirm(asked.token());
    confirmed.await.unwrap();
    let mail = scene.mailbox.collect_one().await;
    assert!(mail.subject.starts_with("You are registered"));
    assert!(mail.calendar.is_some());
}

async fn changes_of_the_event(database: Database) {
    let (scene, olga) = Scene::set(&database, meetup(1)).await;
    let (instance, event) = (&scene.instance, &scene.event);
    instance.register_guest(event, "ada").await;
    instance.register_guest(event, "bob").await;
    scene.mailbox.collect().await;
    let people = scene.people().await;

    let changed = instance.events.update(&olga, event.id, elsewhere());
    changed.await.unwrap();
    instance.clock.advance_seconds(5 * 60);
    let mails = scene.mailbox.collect().await;
    assert_eq!(mails.len(), 2);
    for (mail, name) in mails
        .iter()
        .zip(["event_changed", "event_changed_waitlisted"])
    {
        let person = people.iter().find(|one| one.email == mail.to.1).unwrap();
        compare(name, mail, person, event);
    }

    let reason = Some("The venue is flooded.\nSorry! <b>https://example.org</b>".to_owned());
    let cancelled = instance.events.cancel(&olga, event.id, reason);
    assert_eq!(cancelled.await.unwrap().registrants_notified, 2);
    let ended = scene.mailbox.collect().await;
    assert_eq!(ended.len(), 2);
    for (mail, name) in ended
        .iter()
        .zip(["event_cancelled", "event_cancelled_waitlisted"])
    {
        let person = people.iter().find(|one| one.email == mail.to.1).unwrap();
        compare(name, mail, person, event);
    }
    let sequences = [&mails[0], &ended[0]].map(|mail| mail.calendar_value("SEQUENCE"));
    let expected = ["1", "2"].map(|number| Some(number.to_owned()));
    assert_eq!(sequences, expected);
    assert_eq!(
        mails[0].calendar_value("UID"),
        ended[0].calendar_value("UID")
    );
}

async fn a_mail_is_for_its_owner_alone(database: Database) {
    let instance = Instance::open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    let event = instance.create(&olga, meetup(1)).await;
    instance.register_guest(&event, "ada").await;
    mailbox.runner.drain().await.unwrap();
    let folder = mailbox.folder.path().join("mail");
    assert_eq!(mode(&folder), 0o700);
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
    assert_eq!(files.len(), 1);
    assert_eq!(mode(&files[0].as_ref().unwrap().path()), 0o600);
}

test_postgres::on_both_engines!(prepare: migrate;
    seats_and_the_waitlist,
    approval,
    confirmation,
    changes_of_the_event,
    a_mail_is_for_its_owner_alone,
);
