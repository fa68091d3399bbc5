//! `kill -9` between the mail server's taking a mail and the core's writing that down.

use domain::{
    clock::Clock,
    event::NewEvent,
    registration::{Registration, Status},
};
use test_postgres::Database;
use test_smtp::{Reaction, Server, Step};

use super::Running;
use crate::{
    delivery::{assert_one_mail_each, mailer, runner},
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
    assert_one_mail_each(&server.mails(), &guests);
}

test_postgres::on_both_engines!(prepare: migrate; a_core_that_is_killed_after_the_server_took_its_mails_loses_and_doubles_none);
