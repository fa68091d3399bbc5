//! The budget of one mailbox, over all causes, accounts and cores.

use core_service::service::{Error, NewRegistration, Policy};
use domain::{
    change::Change,
    event::{NewEvent, WindowChange},
    plan::Plan,
    rate::LimitSettings,
};
use test_postgres::Database;
use test_smtp::{Reaction, Server};

use super::Mailbox;
use crate::{
    delivery::{mailer, runner},
    fixtures::{HOUR, migrate},
    service::{
        Instance,
        guests::{guest, seats},
        policy,
        signing_in::browser,
    },
};

fn at(address: &str) -> NewRegistration {
    NewRegistration {
        email: address.to_owned(),
        ..guest("ada")
    }
}

fn is_allowed<T: std::fmt::Debug>(answer: Result<T, Error>) -> bool {
    match answer {
        Ok(_) => true,
        Err(Error::RateLimited { wait, .. }) => {
            assert!(wait.as_secs() <= 3_600, "{wait:?}");
            false
        }
        Err(error) => panic!("{error:?}"),
    }
}

/// The limits on mailboxes that an operator has who sets nothing, and no others, which might be met first.
fn limited() -> Policy {
    let limits = LimitSettings {
        mailboxes: LimitSettings::default().mailboxes,
        ..LimitSettings::OFF
    };
    Policy { limits, ..policy() }
}

async fn open(database: &Database) -> Instance {
    Instance::open_under(database, limited()).await
}

/// The same mailbox, in the forms that Gmail delivers to it.
const FORMS: [&str; 4] = [
    "victim@gmail.com",
    "v.ic.tim@gmail.com",
    "Victim@googlemail.com",
    "victim+x@gmail.com",
];

async fn five_accounts_cannot_send_more_than_ten_mails_to_one_mailbox(database: Database) {
    let instance = open(&database).await;
    let (store, clock) = (instance.store.clone(), instance.clock.clone());
    let replica = Instance::under(store, 9, clock, false, limited());
    let mailbox = Mailbox::of(&instance);
    let mut added = 0;
    for number in 0..5 {
        let owner = format!("owner{number}@example.org");
        let owner = instance.caller(&owner, Plan::Pro).await;
        for form in FORMS {
            let event = instance.create(&owner, seats(9)).await;
            let core = if added % 2 == 0 { &instance } else { &replica };
            let answer = core.registrations.add(&owner, event.id, at(form)).await;
            added += usize::from(is_allowed(answer));
        }
    }
    assert_eq!(added, 10);
    assert_eq!(mailbox.collect().await.len(), 10);

    // Half of the budget is left for what the person, or someone in their name, asks for.
    let owner = instance.caller("late@example.org", Plan::Pro).await;
    let mut registered = 0;
    for number in 0..12 {
        let event = instance.create(&owner, seats(9)).await;
        let core = if number % 2 == 0 { &instance } else { &replica };
        let form = FORMS[number % FORMS.len()];
        let answer = core.registrations.register(&event.slug, at(form), None);
        registered += usize::from(is_allowed(answer.await));
    }
    assert_eq!(registered, 10);
    assert_eq!(mailbox.collect().await.len(), 10);
    let refused = instance
        .sign_in
        .start("v.ictim@gmail.com", &browser(7))
        .await;
    assert!(!is_allowed(refused));
    instance.clock.advance_seconds(HOUR);
    let code = instance
        .sign_in
        .start("v.ictim@gmail.com", &browser(7))
        .await;
    assert!(is_allowed(code));
    // Another mailbox has its own budget.
    let event = instance.create(&owner, seats(9)).await;
    let other = instance
        .registrations
        .add(&owner, event.id, at("other@gmail.com"));
    assert!(is_allowed(other.await));
}

async fn registrations_from_one_network_leave_others_their_codes(database: Database) {
    let instance = open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    let registered = async |client: &str, times: usize| {
        let (client, mut count) = (Some(client.parse().unwrap()), 0);
        for number in 0..times {
            let long = NewEvent {
                end_date: Some("2100-01-01T00:00:00Z".to_owned()),
                window: WindowChange {
                    closes: Change::Set("2100-01-01T00:00:00Z".to_owned()),
                    ..WindowChange::default()
                },
                ..seats(9)
            };
            let event = instance.create(&olga, long).await;
            let form = at(FORMS[number % FORMS.len()]);
            let answer = instance.registrations.register(&event.slug, form, client);
            count += usize::from(is_allowed(answer.await));
        }
        count
    };
    assert_eq!(registered("192.0.2.7", 10).await, 10);
    // The whole network has no more, and takes no more of the mailbox's.
    assert_eq!(registered("192.0.2.8", 15).await, 0);
    assert_eq!(mailbox.collect().await.len(), 10);
    let code = instance.sign_in.start(FORMS[0], &browser(7)).await;
    assert!(is_allowed(code));
    assert_eq!(mailbox.collect().await.len(), 1);
    assert_eq!(registered("198.51.100.1", 15).await, 9);
    instance.clock.advance_seconds(HOUR);
    assert_eq!(registered("192.0.2.8", 1).await, 1);
}

async fn mails_that_organizers_cause_wait_until_the_mailbox_gets_more(database: Database) {
    let instance = open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    let mut events = Vec::new();
    for _ in 0..7 {
        let event = instance.create(&olga, seats(9)).await;
        let added = instance.registrations.add(&olga, event.id, guest("ada"));
        assert!(is_allowed(added.await));
        let registered = instance
            .registrations
            .register(&event.slug, guest("bob"), None);
        assert!(is_allowed(registered.await));
        events.push(event);
    }
    assert_eq!(mailbox.collect().await.len(), 14);
    for event in &events {
        instance.events.cancel(&olga, event.id, None).await.unwrap();
    }
    let told = async || {
        let mails = mailbox.collect().await;
        let to = |address: &str| mails.iter().filter(|mail| mail.to.1 == address).count();
        [to("ada@example.org"), to("bob@example.org")]
    };
    // Seven mails of the ten were for adding her, none for him.
    assert_eq!(told().await, [3, 7]);
    instance.clock.advance_seconds(HOUR + HOUR / 4);
    assert_eq!(told().await, [4, 0]);
}

async fn mails_that_the_server_did_not_take_take_nothing(database: Database) {
    let instance = open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(9)).await;
    let added = instance.registrations.add(&olga, event.id, guest("ada"));
    added.await.unwrap();
    instance.events.cancel(&olga, event.id, None).await.unwrap();
    let server = Server::start();
    server.script(|_| Reaction::Answer(451));
    let runner = runner(&instance, &mailer(&server));
    for _ in 0..12 {
        runner.drain().await.unwrap();
        instance.clock.advance_seconds(240);
    }
    server.script(|_| Reaction::Go);
    for _ in 0..4 {
        instance.clock.advance_seconds(HOUR / 4);
        runner.drain().await.unwrap();
    }
    assert_eq!(server.count(), 1);
    let mut left = 0;
    for _ in 0..12 {
        let event = instance.create(&olga, seats(9)).await;
        let added = instance.registrations.add(&olga, event.id, guest("ada"));
        left += usize::from(is_allowed(added.await));
    }
    assert!(left >= 8, "{left}");
}

test_postgres::on_both_engines!(prepare: migrate;
    five_accounts_cannot_send_more_than_ten_mails_to_one_mailbox,
    registrations_from_one_network_leave_others_their_codes,
    mails_that_organizers_cause_wait_until_the_mailbox_gets_more,
    mails_that_the_server_did_not_take_take_nothing,
);
