//! `kill -9` while mails are sent, and between the mail server's taking a mail and the core's writing that down.

use core_service::service::NewMessage;
use domain::{
    clock::Clock,
    event::NewEvent,
    job::JobKind,
    message::{GRACE_SECONDS, WrittenAudience, WrittenTiming},
    registration::{Registration, Status},
};
use test_postgres::Database;
use test_smtp::{Reaction, Server, Step};

use super::Running;
use crate::{
    delivery::{CANCELLATION, assert_one_mail_each, mailer, runner},
    fixtures::migrate,
    service::{Instance, public_event},
};

/// More than a core sends at a time, so that some mails are under way and some not begun.
const GUESTS: usize = 20;

/// How many a core sends at a time.
const SLOTS: usize = 16;

/// When every lease of a killed core has ended.
const LEASES_END_SECONDS: i64 = 300;

/// An event whose guests are to get mails now, by the clock that a core of its own goes by.
async fn cancelled_event(database: &Database) -> Vec<Registration> {
    let instance = Instance::open_beside_at(database, Clock::system()).await;
    let olga = instance.olga().await;
    let new = NewEvent {
        start_date: "9000-01-01T12:00:00Z".to_owned(),
        end_date: None,
        ..public_event("Rust Meetup")
    };
    let event = instance.create(&olga, new).await;
    let guests = instance
        .register(event.id, &[Status::Confirmed; GUESTS])
        .await;
    let cancelled = instance.events.cancel(&olga, event.id, None).await;
    cancelled.unwrap();
    instance.store.close().await;
    guests
}

async fn a_core_that_is_killed_after_the_server_took_its_mails_loses_and_doubles_none(
    database: Database,
) {
    let server = Server::start();
    server.script(|step| match step {
        Step::Content(_) => Reaction::TakeAndHang,
        _ => Reaction::Go,
    });
    let guests = cancelled_event(&database).await;
    let url = server.url();
    let arguments = ["--smtp-url", &url, "--public-url", "https://muster.example"];
    let running = Running::start_with(database.url(), &arguments).await;
    server.await_mails(SLOTS).await;
    running.kill();

    server.script(|_| Reaction::Go);
    let later = Clock::system().now().plus_seconds(LEASES_END_SECONDS);
    let instance = Instance::open_beside_at(&database, Clock::manual(later)).await;
    let runner = runner(&instance, &mailer(&server));
    assert_eq!(runner.drain().await.unwrap(), GUESTS);
    assert_eq!(server.mails().len(), SLOTS + GUESTS);
    assert_one_mail_each(&server.mails(), CANCELLATION, &guests);
}

/// How many people get a message. `.ci/full` has as many as an event can seat.
fn recipients() -> usize {
    let number = std::env::var("MUSTER_MESSAGE_RECIPIENTS").ok();
    number.map_or(500, |number| number.parse().unwrap())
}

async fn a_core_that_is_killed_half_way_through_a_message_loses_and_doubles_none(
    database: Database,
) {
    let all = recipients();
    let server = Server::start();
    // Its author had time to think again before the core starts.
    let before = Clock::system().now().plus_seconds(-GRACE_SECONDS - 1);
    let instance = Instance::open_beside_at(&database, Clock::manual(before)).await;
    let olga = instance.olga().await;
    let new = NewEvent {
        start_date: "9000-01-01T12:00:00Z".to_owned(),
        end_date: None,
        max_capacity: i32::try_from(all).unwrap(),
        ..public_event("Rust Meetup")
    };
    let event = instance.create(&olga, new).await;
    let guests = instance
        .register(event.id, &vec![Status::Confirmed; all])
        .await;
    let message = NewMessage {
        subject: "How to find the door".to_owned(),
        text: "In the **second** yard.".to_owned(),
        audience: WrittenAudience::default(),
        timing: WrittenTiming::default(),
        is_test: false,
    };
    instance
        .messages
        .create(&olga, event.id, message)
        .await
        .unwrap();
    instance.store.close().await;

    let url = server.url();
    let arguments = ["--smtp-url", &url, "--public-url", "https://muster.example"];
    let running = Running::start_with(database.url(), &arguments).await;
    // Each step has the time that tests wait for.
    for sent in (0..=all / 2).step_by(250) {
        server.await_mails(sent).await;
    }
    running.kill();
    assert!(server.mails().len() < all, "it was killed too late");

    let later = Clock::system().now().plus_seconds(LEASES_END_SECONDS);
    let instance = Instance::open_beside_at(&database, Clock::manual(later)).await;
    let runner = runner(&instance, &mailer(&server));
    runner.drain().await.unwrap();
    assert_one_mail_each(&server.mails(), (JobKind::MessageMail, 1), &guests);
}

test_postgres::on_both_engines!(prepare: migrate;
    a_core_that_is_killed_after_the_server_took_its_mails_loses_and_doubles_none,
    a_core_that_is_killed_half_way_through_a_message_loses_and_doubles_none,
);
