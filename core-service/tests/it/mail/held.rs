//! Mails that an operator holds, releases and drops.

use std::{
    future,
    sync::{Arc, mpsc},
    thread,
};

use domain::{job::JobKind, person::Role, plan::Plan};
use test_postgres::Database;
use test_smtp::{Reaction, Server, Step};

use super::Mailbox;
use crate::{
    delivery::{mailer, runner},
    fixtures::migrate,
    service::{
        Instance,
        guests::{guest, seats},
        people::to,
    },
};

impl Mailbox {
    /// Has everything sent that is due; answers to whom.
    async fn addresses(&self) -> Vec<String> {
        let mails = self.collect().await.into_iter();
        let mut addresses: Vec<_> = mails.map(|mail| mail.to.1).collect();
        addresses.sort();
        addresses
    }
}

async fn the_queued_mails_of_a_suspended_account_wait_until_it_is_resumed(database: Database) {
    let instance = Instance::open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    let fay = instance.caller("fay@example.org", Plan::Pro).await;
    let event = instance.create(&olga, seats(9)).await;
    let other = instance.create(&fay, seats(9)).await;
    let mut links = Vec::new();
    for name in ["ada", "bob", "cleo"] {
        let added = instance.registrations.add(&olga, event.id, guest(name));
        links.push(added.await.unwrap().cancel_url);
    }
    instance.register_guest(&other, "dan").await;
    let suspend = instance.suspensions.suspend(olga.account, Some("spam"));
    assert!(suspend.await.unwrap());
    // Those of others go out. What the people do meanwhile is held as well.
    assert_eq!(mailbox.addresses().await, ["dan@example.org"]);
    let token = links[1].rsplit('/').next().unwrap();
    instance.own_registrations.cancel(token).await.unwrap();
    for _ in 0..3 {
        instance.clock.advance_seconds(60);
        instance.maintain().await;
        assert!(mailbox.addresses().await.is_empty());
    }
    assert!(instance.suspensions.resume(olga.account).await.unwrap());
    let mut subjects: Vec<_> = mailbox.collect().await;
    subjects.sort_by(|one, other| one.to.1.cmp(&other.to.1));
    let told: Vec<_> = subjects
        .iter()
        .map(|mail| (&*mail.to.1, &*mail.subject))
        .collect();
    let expected = [
        ("ada@example.org", "You are registered: Rust Meetup"),
        (
            "bob@example.org",
            "Your registration is cancelled: Rust Meetup",
        ),
        ("cleo@example.org", "You are registered: Rust Meetup"),
    ];
    assert_eq!(told, expected);
}

async fn nobody_hears_of_an_event_that_was_over_when_its_account_was_resumed(database: Database) {
    let instance = Instance::open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    let event = instance.create(&olga, seats(9)).await;
    instance.register_guest(&event, "ada").await;
    instance.register_guest(&event, "bob").await;
    instance.events.cancel(&olga, event.id, None).await.unwrap();
    let suspend = instance.suspensions.suspend(olga.account, None);
    assert!(suspend.await.unwrap());
    let end = event.schedule.effective_end().micros();
    let left = (end - instance.clock.now().micros()) / 1_000_000;
    instance.clock.advance_seconds(left + 1);
    instance.suspensions.resume(olga.account).await.unwrap();
    assert!(mailbox.addresses().await.is_empty());
}

async fn only_the_mails_of_a_hidden_event_wait(database: Database) {
    let instance = Instance::open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    let hidden = instance.create(&olga, seats(9)).await;
    let shown = instance.create(&olga, seats(9)).await;
    instance.register_guest(&hidden, "ada").await;
    instance.register_guest(&shown, "bob").await;
    let hide = async |is_hidden| {
        let done = instance.suspensions.hide(&hidden.slug, is_hidden, None);
        done.await.unwrap();
    };
    hide(true).await;
    // Mails that come later are held when they are due.
    let cancelled = instance.events.cancel(&olga, hidden.id, None).await;
    assert_eq!(cancelled.unwrap().registrants_notified, 1);
    assert_eq!(mailbox.addresses().await, ["bob@example.org"]);
    hide(false).await;
    let mails = mailbox.collect().await;
    let told: Vec<_> = mails.iter().map(|mail| &*mail.subject).collect();
    assert_eq!(
        told,
        ["Cancelled: Rust Meetup"],
        "what was not true any more is not sent"
    );
}

async fn a_suspended_account_is_removed_with_its_mails_although_people_are_registered(
    database: Database,
) {
    let instance = Instance::open(&database).await;
    let (olga, mailbox) = (instance.olga().await, Mailbox::of(&instance));
    let event = instance.create(&olga, seats(9)).await;
    instance.register_guest(&event, "ada").await;
    let refused = instance.accounts.remove(olga.account).await;
    refused.unwrap_err();
    let suspend = instance.suspensions.suspend(olga.account, None);
    assert!(suspend.await.unwrap());
    instance.accounts.remove(olga.account).await.unwrap();
    assert!(mailbox.addresses().await.is_empty());
    for kind in JobKind::MAILS {
        assert_eq!(instance.store.list_jobs(kind, 10).await.unwrap(), []);
    }
}

async fn an_operator_holds_releases_and_drops_the_mails_of_an_account(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let someone = instance.someone("olga@example.org", 1).await;
    let olga = instance.standing_of(&someone).await;
    mailbox.collect().await;
    let event = instance.create(&olga, seats(9)).await;
    let add = async |name: &str| {
        let added = instance.registrations.add(&olga, event.id, guest(name));
        added.await.unwrap();
    };
    add("ada").await;
    let mails = &instance.mails;
    assert_eq!(mails.hold(olga.account).await.unwrap(), 1);
    add("bob").await;
    let invited = instance
        .members
        .invite(&olga, &someone.by, to("dora@example.org", Role::Door));
    invited.await.unwrap();
    assert!(mailbox.addresses().await.is_empty());
    let queued = mails.list_queued(Some(olga.account), 10).await.unwrap();
    assert_eq!(queued.len(), 3);
    assert!(queued.iter().all(|mail| mail.job.held_at.is_some()));
    assert_eq!(mails.release(olga.account).await.unwrap(), 3);
    let everyone = ["ada@example.org", "bob@example.org", "dora@example.org"];
    assert_eq!(mailbox.addresses().await, everyone);

    add("cleo").await;
    assert_eq!(mails.drop_queued(olga.account).await.unwrap(), 1);
    assert!(mailbox.addresses().await.is_empty());
}

/// A mail server with a thread of its own, which a script can make wait.
fn apart() -> Arc<Server> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.unwrap().block_on(async {
            let server = Arc::new(Server::start());
            sender.send(Arc::clone(&server)).unwrap();
            future::pending::<()>().await;
        });
    });
    receiver.recv().unwrap()
}

async fn a_claimed_mail_is_held_unless_the_server_has_begun_to_take_it(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(9)).await;
    instance.register_guest(&event, "ada").await;
    let server = apart();
    let (greeted, mut greetings) = tokio::sync::mpsc::unbounded_channel();
    let (go_on, may_go_on) = mpsc::channel::<()>();
    server.script(move |step| {
        if step == Step::Greeting {
            greeted.send(()).unwrap();
            may_go_on.recv().unwrap();
        }
        Reaction::Go
    });
    let runner = runner(&instance, &mailer(&server));
    let drained = tokio::spawn({
        let runner = runner.clone();
        async move { runner.drain().await }
    });
    greetings.recv().await.unwrap();
    let suspend = instance.suspensions.suspend(olga.account, None);
    assert!(suspend.await.unwrap());
    go_on.send(()).unwrap();
    drained.await.unwrap().unwrap();
    assert_eq!(server.count(), 0, "the mail was not begun");

    instance.suspensions.resume(olga.account).await.unwrap();
    let (begun, mut begins) = tokio::sync::mpsc::unbounded_channel();
    let (go_on, may_go_on) = mpsc::channel::<()>();
    server.script(move |step| {
        if matches!(step, Step::Recipient(_)) {
            begun.send(()).unwrap();
            may_go_on.recv().unwrap();
        }
        Reaction::Go
    });
    let drained = tokio::spawn(async move { runner.drain().await });
    begins.recv().await.unwrap();
    instance
        .suspensions
        .suspend(olga.account, None)
        .await
        .unwrap();
    go_on.send(()).unwrap();
    drained.await.unwrap().unwrap();
    assert_eq!(server.count(), 1, "the server had begun to take it");
    let jobs = instance.store.list_jobs(JobKind::RegisteredMail, 10).await;
    assert_eq!(jobs.unwrap(), [], "it is not sent again");
}

test_postgres::on_both_engines!(prepare: migrate;
    the_queued_mails_of_a_suspended_account_wait_until_it_is_resumed,
    nobody_hears_of_an_event_that_was_over_when_its_account_was_resumed,
    only_the_mails_of_a_hidden_event_wait,
    a_suspended_account_is_removed_with_its_mails_although_people_are_registered,
    an_operator_holds_releases_and_drops_the_mails_of_an_account,
    a_claimed_mail_is_held_unless_the_server_has_begun_to_take_it,
);
