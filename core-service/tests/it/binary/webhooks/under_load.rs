//! Cores are killed and started again in turn while 500 registrations a second are imported through them, and their messages are posted.

use std::{
    collections::HashSet,
    fmt::Write as _,
    time::{Duration, Instant},
};

use muster_api::{
    http_body::HttpBody,
    v1::{ImportRegistrationsRequest, registration_service_client::RegistrationServiceClient},
};
use test_postgres::Database;
use test_receiver::Receiver;
use tokio::{sync::mpsc, task::JoinSet};
use tonic::{Status, transport::Channel};

use super::{SETTINGS, post_the_rest, subjects, subscribe};
use crate::{
    binary::{EventServiceClient, Running, TIMEOUT, key, public_event, with_key},
    fixtures::migrate,
};

/// Clients, of all cores together.
const CLIENTS: usize = 4;
/// Registrations that a call imports.
const LINES: usize = 25;
/// How often a client calls, so that all of them make 500 changes a second.
const PACE: Duration = Duration::from_millis(200);
/// How often each core is killed.
const DEATHS: usize = 2;
/// Registrations that are acknowledged between two deaths: those of a second.
const BETWEEN_DEATHS: usize = 500;

/// The registrations of a call, by their ids, or why it has no answer.
type Answer = Result<Vec<String>, Status>;

/// A list of people who are on no other.
fn list(event: &str, client: usize, call: usize) -> ImportRegistrationsRequest {
    let mut lines = "name,email\n".to_owned();
    for line in 0..LINES {
        writeln!(lines, "Ada,ada-{client}-{call}-{line}@example.org").unwrap();
    }
    ImportRegistrationsRequest {
        id: event.to_owned(),
        file: Some(HttpBody {
            content_type: "text/csv".to_owned(),
            data: lines.into(),
        }),
        dry_run: None,
        notify: Some(false),
    }
}

/// Imports lists, whatever becomes of the core, until nobody takes the answers.
async fn import_on_and_on(
    channel: Channel,
    key: String,
    event: String,
    client: usize,
    answers: mpsc::UnboundedSender<Answer>,
) {
    let mut registrations = RegistrationServiceClient::new(channel);
    let mut ticks = tokio::time::interval(PACE);
    for call in 0.. {
        ticks.tick().await;
        let request = with_key(&key, list(&event, client, call));
        let answer = registrations.import_registrations(request).await;
        let ids = answer.map(|imported| {
            let lines = imported.into_inner().lines.into_iter();
            lines.filter_map(|line| line.registration_id).collect()
        });
        if answers.send(ids).is_err() {
            return;
        }
    }
}

/// Waits until so many more registrations are acknowledged.
async fn await_imports(
    answers: &mut mpsc::UnboundedReceiver<Answer>,
    imported: &mut HashSet<String>,
) {
    let (enough, mut refused) = (imported.len() + BETWEEN_DEATHS, None);
    let come = tokio::time::timeout(TIMEOUT, async {
        while imported.len() < enough {
            match answers.recv().await.unwrap() {
                Ok(ids) => imported.extend(ids),
                Err(status) => refused = Some(status),
            }
        }
    });
    let come = come.await;
    assert!(come.is_ok(), "{} of {enough}: {refused:?}", imported.len());
}

async fn no_message_is_lost_while_cores_die_in_turn_under_500_changes_a_second(database: Database) {
    let key = key(database.url()).await;
    let receiver = Receiver::start().await;
    // One core serves a file of SQLite.
    let number = if database.is_postgres() { 2 } else { 1 };
    let mut cores = Vec::new();
    for _ in 0..number {
        cores.push(Running::start_with(database.url(), &SETTINGS).await);
    }
    subscribe(&cores[0], &key, &receiver).await;
    let mut events = EventServiceClient::new(cores[0].channel().await);
    let event = with_key(&key, public_event("Many".to_owned()));
    let event = events.create_event(event).await.unwrap().into_inner().id;

    let (sender, mut answers) = mpsc::unbounded_channel();
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let channel = cores[client % number].channel().await;
        let (key, event, sender) = (key.clone(), event.clone(), sender.clone());
        clients.spawn(import_on_and_on(channel, key, event, client, sender));
    }
    let (began, mut imported) = (Instant::now(), HashSet::new());
    for _ in 0..DEATHS * number {
        await_imports(&mut answers, &mut imported).await;
        // Its clients connect to the socket again.
        let folder = cores.remove(0).kill();
        let again = Running::start_in(folder, database.url(), &SETTINGS);
        again.channel().await;
        cores.push(again);
    }
    await_imports(&mut answers, &mut imported).await;
    let rate = imported.len() as u128 * 1_000 / began.elapsed().as_millis();
    println!("{rate} changes a second over {number} cores, of which one was down at times");
    for core in cores {
        core.kill();
    }
    clients.shutdown().await;
    while let Ok(answer) = answers.try_recv() {
        imported.extend(answer.into_iter().flatten());
    }

    post_the_rest(&database).await;
    let told = subjects(receiver.taken(), "registration.created", "registration_id");
    let lost = imported.difference(&told).count();
    assert_eq!(lost, 0, "of {}", imported.len());
}

test_postgres::on_both_engines!(
    prepare: migrate;
    no_message_is_lost_while_cores_die_in_turn_under_500_changes_a_second,
);
