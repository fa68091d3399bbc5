//! Core's own port, as internal services and browsers use it, without the gateway in between.

mod access;
mod bounds;
mod clients;
mod deadlines;
mod errors;
mod internal;
mod private_links;
mod reflection;
mod requests;
mod rotation;
mod sessions;
mod stopping;
mod transports;
mod unread;
mod vanishing;
pub(crate) mod web;

use std::sync::Arc;

use muster_api::v1::CreateEventRequest;
use storage::{Options, Purpose, Store, Tx};
use tests::{Account, TestApp};

/// An event that is public and far ahead.
fn event() -> CreateEventRequest {
    CreateEventRequest {
        title: Some("Rust Meetup".to_owned()),
        description: Some("Talks.".to_owned()),
        location: Some("Hall".to_owned()),
        start_date: Some("2030-05-01T18:00:00Z".to_owned()),
        is_public: Some(true),
        ..CreateEventRequest::default()
    }
}

/// Holds an account from outside of core, on SQLite the whole database, so that whatever wants to write waits.
async fn hold(app: &Arc<TestApp>, account: &Account) -> Tx {
    let options = Options::new(app.database.url(), Purpose::Administer);
    let beside = Store::open(&options).await.unwrap();
    let mut held = beside.begin().await.unwrap();
    held.lock_account(account.id).await.unwrap();
    held
}
