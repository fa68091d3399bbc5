//! Stopping: running requests are finished, and hanging ones do not delay the stop.

use muster_api::v1::{GetMyEventRequest, ListUseCasesRequest};
use storage::{Options, Purpose, Store, Tx};
use test_postgres::Database;

use super::{
    CatalogueServiceClient, EventServiceClient, OWNER, Running, key, public_event, socket, with_key,
};
use crate::fixtures::migrate;

/// Holds the account's row, on SQLite the whole database, so that a create waits.
async fn hold_account(store: &Store) -> Tx {
    let mut held = store.begin().await.unwrap();
    let account = held.find_account_by_email(OWNER).await.unwrap().unwrap();
    held.lock_account(account.id).await.unwrap();
    held
}

/// Opens the database beside the core.
async fn open_beside(database: &Database) -> Store {
    let options = Options::new(database.url(), Purpose::Administer);
    Store::open(&options).await.unwrap()
}

async fn a_core_that_stops_finishes_the_request_under_way(database: Database) {
    let key = key(database.url()).await;
    let mut running = Running::start(database.url()).await;
    let store = open_beside(&database).await;
    let held = hold_account(&store).await;

    let channel = running.channel().await;
    let mut events = EventServiceClient::new(channel.clone());
    let mut catalogue = CatalogueServiceClient::new(channel);
    let request = with_key(&key, public_event("Under way".to_owned()));
    let mut create = Box::pin(events.create_event(request));
    // What comes over one connection is read in order: when the second request is answered, core has the first.
    tokio::select! {
        biased;
        created = &mut create => panic!("the account is held, but {created:?}"),
        answered = catalogue.list_use_cases(ListUseCasesRequest {}) => { answered.unwrap(); }
    }
    running.terminate();
    running.await_log("stopping");
    held.commit().await.unwrap();
    let created = create.await.unwrap().into_inner();
    assert!(running.ended().success());

    let running = Running::start(database.url()).await;
    let mut events = EventServiceClient::new(running.channel().await);
    let request = with_key(&key, GetMyEventRequest { id: created.id });
    assert!(events.get_my_event(request).await.is_ok());
}

async fn a_second_signal_ends_a_core_that_waits_for_a_request(database: Database) {
    let key = key(database.url()).await;
    let mut running = Running::start(database.url()).await;
    let store = open_beside(&database).await;
    let _held = hold_account(&store).await;

    let channel = running.channel().await;
    let mut events = EventServiceClient::new(channel.clone());
    let mut catalogue = CatalogueServiceClient::new(channel);
    let request = with_key(&key, public_event("Never".to_owned()));
    let mut create = Box::pin(events.create_event(request));
    tokio::select! {
        biased;
        created = &mut create => panic!("the account is held, but {created:?}"),
        answered = catalogue.list_use_cases(ListUseCasesRequest {}) => { answered.unwrap(); }
    }
    running.terminate();
    running.await_log("stopping");
    running.terminate();
    assert_eq!(running.ended().code(), Some(1));
}

// The client's connection needs a thread while this test waits: it has to answer that it goes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_idle_core_stops_at_once_and_takes_its_socket_with_it() {
    let database = Database::sqlite(migrate).await;
    let mut running = Running::start(database.url()).await;
    // A connection that a client keeps open is no reason to wait.
    let _idle = running.channel().await;
    running.terminate();
    assert!(running.ended().success());
    assert!(!socket(running.folder.path()).exists());
}

test_postgres::on_both_engines!(
    prepare: migrate;
    a_core_that_stops_finishes_the_request_under_way,
    a_second_signal_ends_a_core_that_waits_for_a_request,
);
