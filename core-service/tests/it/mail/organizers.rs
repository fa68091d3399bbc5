//! Mails to organizers about registrations.

use core_service::service::{LastOwner, NewRegistration, Principal};
use domain::{
    change::Change,
    entropy::Entropy,
    event::{Event, NewEvent, WindowChange},
    ids::{AccountId, PersonId},
    job::JobKind,
    organizer_mail::MailChoice,
    person::{Person, Role},
    plan::Plan,
};
use test_postgres::Database;
use tokio::task::JoinSet;

use super::{Mail, Mailbox};
use crate::{
    fixtures::{HOUR, NOW, migrate},
    service::{Instance, guests::guest, public_event, until_served},
};

const MINUTE: i64 = 60;

fn asking(title: &str) -> NewEvent {
    NewEvent {
        requires_approval: true,
        end_date: Some("2100-01-01T00:00:00Z".to_owned()),
        window: WindowChange {
            closes: Change::Set("2100-01-01T00:00:00Z".to_owned()),
            ..WindowChange::default()
        },
        ..public_event(title)
    }
}

/// The mails to organizers, by whom they are for.
async fn collected(mailbox: &Mailbox) -> Vec<Mail> {
    let mut mails = mailbox.collect().await;
    mails.retain(|mail| mail.text.contains("because you organize events"));
    mails
}

fn recipients(mails: &[Mail]) -> Vec<(&str, &str)> {
    let shown = mails.iter().map(|mail| (&*mail.to.1, &*mail.subject));
    shown.collect()
}

impl Instance {
    /// Adds a member who chooses.
    async fn member(&self, account: AccountId, name: &str, role: Role, choice: MailChoice) {
        let mut tx = self.store.begin().await.unwrap();
        let id = PersonId::new(Entropy::system().uuid_v7(NOW));
        let person = Person {
            id,
            email: format!("{name}@example.org"),
            name: name.to_owned(),
            created_at: NOW,
        };
        assert!(tx.insert_person(&person).await.unwrap());
        tx.put_membership(account, id, role, NOW).await.unwrap();
        assert!(tx.set_mail_choice(account, id, choice).await.unwrap());
        tx.commit().await.unwrap();
    }

    async fn all_chosen(&self, olga: &Principal, choice: MailChoice) {
        let mut tx = self.store.begin().await.unwrap();
        let owner = self.owner(olga).await;
        assert!(
            tx.set_mail_choice(olga.account, owner, choice)
                .await
                .unwrap()
        );
        tx.commit().await.unwrap();
    }

    async fn owner(&self, olga: &Principal) -> PersonId {
        let members = self.store.list_organizers(olga.account, 10).await.unwrap();
        let mut members = members.into_iter();
        members.find(|one| one.1.name == "Olga Owner").unwrap().0
    }

    async fn collections(&self) -> usize {
        let jobs = self.store.list_jobs(JobKind::OrganizerNews, 100).await;
        jobs.unwrap().len()
    }

    async fn guests(&self, event: &Event, names: &[&str]) {
        for name in names {
            self.register_guest(event, name).await;
        }
    }
}

async fn what_awaits_approval_is_told_once_in_a_quarter_of_an_hour(database: Database) {
    let instance = Instance::open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    let event = instance.create(&olga, asking("Rust Meetup")).await;
    instance.guests(&event, &["ada", "bob", "cleo"]).await;
    assert_eq!(recipients(&collected(&mailbox).await), []);
    instance.clock.advance_seconds(MINUTE);
    let mails = collected(&mailbox).await;
    let subject = "3 registrations await your approval: Rust Meetup";
    assert_eq!(recipients(&mails), [("olga@example.org", subject)]);
    let page = format!(
        "https://muster.example/dashboard/events/{}/registrations",
        event.id
    );
    for part in [&mails[0].text, &mails[0].html] {
        assert!(part.contains(&page), "{part}");
        assert!(part.contains("https://muster.example/dashboard/account/mails"));
        assert!(part.contains("3 new registrations. 3 await your approval. 0 of 100"));
        for name in ["ada", "bob", "cleo"] {
            assert!(part.contains(name), "{part}");
        }
    }

    // What comes before the quarter of an hour is over is one mail after it.
    instance.clock.advance_seconds(2 * MINUTE);
    instance.guests(&event, &["dan", "eve"]).await;
    for _ in 0..12 {
        assert_eq!(recipients(&collected(&mailbox).await), []);
        instance.clock.advance_seconds(MINUTE);
    }
    instance.clock.advance_seconds(MINUTE);
    let mails = collected(&mailbox).await;
    let subject = "5 registrations await your approval: Rust Meetup";
    assert_eq!(recipients(&mails), [("olga@example.org", subject)]);
    assert!(mails[0].text.contains("2 new registrations. 5 await"));
    instance.clock.advance_seconds(HOUR);
    assert_eq!(recipients(&collected(&mailbox).await), []);
    assert_eq!(instance.collections().await, 0, "nothing waits any more");

    instance.guests(&event, &["fay"]).await;
    instance.clock.advance_seconds(MINUTE);
    assert_eq!(collected(&mailbox).await.len(), 1, "and it begins again");
}

async fn each_member_gets_what_they_chose(database: Database) {
    let instance = Instance::open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    let account = olga.account;
    for (name, role, choice) in [
        ("all", Role::Organizer, MailChoice::All),
        ("approvals", Role::Organizer, MailChoice::Approvals),
        ("nothing", Role::Owner, MailChoice::Nothing),
        ("door", Role::Door, MailChoice::All),
    ] {
        instance.member(account, name, role, choice).await;
    }
    instance.all_chosen(&olga, MailChoice::Nothing).await;
    let plain = instance.create(&olga, public_event("Open house")).await;
    let asking = instance.create(&olga, asking("By approval")).await;
    instance.guests(&plain, &["ada", "bob"]).await;
    instance.guests(&asking, &["cleo"]).await;
    instance.clock.advance_seconds(MINUTE);
    let mails = collected(&mailbox).await;
    let expected = [
        (
            "all@example.org",
            "1 registration awaits your approval at 2 events",
        ),
        (
            "approvals@example.org",
            "1 registration awaits your approval: By approval",
        ),
    ];
    assert_eq!(recipients(&mails), expected);
    assert!(
        mails[0]
            .text
            .contains("2 new registrations. 2 of 100 spots")
    );
    assert!(!mails[1].text.contains("Open house"));
    // Nobody wants to know of these, so nothing is held back.
    instance.clock.advance_seconds(HOUR / 4);
    collected(&mailbox).await;
    assert_eq!(instance.collections().await, 0);
}

async fn who_is_no_member_by_then_and_what_is_off_by_then_is_not_told(database: Database) {
    let instance = Instance::open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    instance
        .member(olga.account, "gone", Role::Organizer, MailChoice::All)
        .await;
    instance
        .member(olga.account, "demoted", Role::Organizer, MailChoice::All)
        .await;
    let event = instance.create(&olga, asking("Rust Meetup")).await;
    let off = instance.create(&olga, asking("Called off")).await;
    instance.guests(&event, &["ada"]).await;
    instance.guests(&off, &["ada", "bob"]).await;
    let people = instance.store.list_registrations(event.id, 0, 1).await;
    let ada = people.unwrap().remove(0).id;
    instance.events.cancel(&olga, off.id, None).await.unwrap();
    let erased = instance
        .people
        .erase("gone@example.org", &LastOwner::Refuse)
        .await;
    erased.unwrap();
    let members = instance.store.list_organizers(olga.account, 9).await;
    let demoted = members.unwrap().into_iter();
    let (demoted, _) = demoted
        .into_iter()
        .find(|one| one.1.name == "demoted")
        .unwrap();
    let mut tx = instance.store.begin().await.unwrap();
    tx.put_membership(olga.account, demoted, Role::Door, NOW)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    instance.clock.advance_seconds(MINUTE);
    let mails = collected(&mailbox).await;
    let subject = "1 registration awaits your approval: Rust Meetup";
    assert_eq!(recipients(&mails), [("olga@example.org", subject)]);

    // What was decided meanwhile awaits nothing, and who cancelled is no news.
    instance.guests(&event, &["cleo", "dan"]).await;
    let people = instance.store.list_registrations(event.id, 0, 9).await;
    for person in people.unwrap() {
        let decided = if person.id == ada {
            instance
                .registrations
                .approve(&olga, event.id, person.id)
                .await
        } else {
            instance
                .registrations
                .cancel(&olga, event.id, person.id)
                .await
        };
        decided.unwrap();
    }
    instance.all_chosen(&olga, MailChoice::All).await;
    instance.clock.advance_seconds(HOUR);
    assert_eq!(recipients(&collected(&mailbox).await), []);
}

/// Registrants hear of theirs all the same: nothing of what they have is taken from them.
async fn of_a_suspended_account_organizers_are_told_nothing(database: Database) {
    let instance = Instance::open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    let event = instance.create(&olga, asking("Rust Meetup")).await;
    instance.guests(&event, &["ada", "bob"]).await;
    let suspensions = &instance.suspensions;
    assert!(suspensions.suspend(olga.account, None).await.unwrap());
    instance.clock.advance_seconds(MINUTE);
    assert!(mailbox.collect().await.is_empty());
    for _ in 0..4 {
        instance.clock.advance_seconds(HOUR / 4);
        assert_eq!(recipients(&mailbox.collect().await), []);
    }
    assert_eq!(instance.collections().await, 0, "nothing waits any more");

    assert!(suspensions.resume(olga.account).await.unwrap());
    instance.guests(&event, &["cleo"]).await;
    instance.clock.advance_seconds(MINUTE);
    let subject = "3 registrations await your approval: Rust Meetup";
    let mails = collected(&mailbox).await;
    assert_eq!(recipients(&mails), [("olga@example.org", subject)]);
}

async fn only_what_is_confirmed_is_told_and_not_what_organizers_add(database: Database) {
    let instance = Instance::open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    instance.all_chosen(&olga, MailChoice::All).await;
    let confirming = NewEvent {
        confirm_by_email: Some(true),
        ..asking("Rust Meetup")
    };
    let event = instance.create(&olga, confirming).await;
    let added = instance.registrations.add(&olga, event.id, guest("zoe"));
    added.await.unwrap();
    instance.guests(&event, &["ada", "bob"]).await;
    instance.clock.advance_seconds(MINUTE);
    assert_eq!(recipients(&collected(&mailbox).await), []);
    let people = instance.store.list_registrations(event.id, 1, 1).await;
    let own = &instance.own_registrations;
    let link = instance.private_link(people.unwrap()[0].id).await;
    let token = link.rsplit('/').next().unwrap();
    own.confirm(token).await.unwrap();
    instance.clock.advance_seconds(MINUTE);
    let mails = collected(&mailbox).await;
    let subject = "1 registration awaits your approval: Rust Meetup";
    assert_eq!(recipients(&mails), [("olga@example.org", subject)]);
    assert!(mails[0].text.contains("1 new registration. 1 awaits"));
}

async fn a_rush_is_one_mail(database: Database) {
    let instance = Instance::open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    let new = NewEvent {
        max_capacity: 10,
        ..asking("Rust Meetup")
    };
    let event = instance.create(&olga, new.clone()).await;
    let other = instance.create(&olga, new).await;
    let mut people = JoinSet::new();
    for number in 0..600 {
        let registrations = instance.registrations.clone();
        let slug = if number % 2 == 0 {
            &event.slug
        } else {
            &other.slug
        };
        let slug = slug.clone();
        people.spawn(async move {
            let name = format!("guest{number}");
            until_served(|| registrations.register(&slug, guest(&name), None)).await
        });
    }
    for registered in people.join_all().await {
        registered.unwrap();
    }
    assert_eq!(instance.collections().await, 1);
    instance.clock.advance_seconds(MINUTE);
    // Among 600 mails to attendees.
    let mails = collected(&mailbox).await;
    let subject = "600 registrations await your approval at 2 events";
    assert_eq!(recipients(&mails), [("olga@example.org", subject)]);
    assert!(mails[0].text.contains("and 295 more"), "{}", mails[0].text);
    instance.clock.advance_seconds(HOUR / 4);
    assert_eq!(recipients(&collected(&mailbox).await), []);
}

async fn names_of_strangers_are_no_messages_and_are_for_paid_plans(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let paying = instance.olga().await;
    let free = instance.caller("bob@example.org", Plan::Free).await;
    for caller in [&paying, &free] {
        instance.all_chosen(caller, MailChoice::All).await;
        let new = public_event("Win <b>now</b>\u{1f389} & more");
        let event = instance.create(caller, new).await;
        for (number, name) in [
            "Ada <img src=x onerror=alert(1)>",
            "see http://evil.example/now",
            "evil.example",
            "Zoë O'Hara",
            "x@evil.example",
        ]
        .into_iter()
        .enumerate()
        {
            let new = NewRegistration {
                name: name.to_owned(),
                ..guest(&format!("guest{number}"))
            };
            let registered = instance.registrations.register(&event.slug, new, None);
            registered.await.unwrap();
        }
    }
    instance.clock.advance_seconds(MINUTE);
    let mails = collected(&mailbox).await;
    assert_eq!(mails.len(), 2);
    for mail in &mails {
        assert_eq!(
            mail.subject,
            "5 new registrations: Win <b>now</b>\u{1f389} & more"
        );
        assert!(!mail.source.contains("evil.example") && !mail.source.contains("onerror"));
        assert!(!mail.html.contains("<b>now"), "{}", mail.html);
        assert!(mail.html.contains("Win &#60;b&#62;now"), "{}", mail.html);
    }
    assert!(
        !mails[0].source.contains("Hara"),
        "bob sees no registrations"
    );
    assert!(mails[1].text.contains("Zoë O'Hara and 4 more"));
}

test_postgres::on_both_engines!(prepare: migrate;
    what_awaits_approval_is_told_once_in_a_quarter_of_an_hour,
    each_member_gets_what_they_chose,
    who_is_no_member_by_then_and_what_is_off_by_then_is_not_told,
    of_a_suspended_account_organizers_are_told_nothing,
    only_what_is_confirmed_is_told_and_not_what_organizers_add,
    a_rush_is_one_mail,
    names_of_strangers_are_no_messages_and_are_for_paid_plans,
);
