//! More writes at a time than the database can do.

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use muster_api::v1::{
    CreateEventRequest, CreatedEvent, ListMyEventsRequest, event_service_client::EventServiceClient,
};
use tests::{Bearer, TestApp};
use tokio::{task::JoinSet, time::timeout};
use tonic::{Code, Response, Status};
use tonic_types::StatusExt as _;

/// More than core does at a time.
const WRITES: usize = 640;
/// How many core does at a time.
const PERMITS: usize = 512;
/// Far above what it takes to refuse them, on a busy machine too.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Creates an event through the gate, as an edge in the same process does.
async fn create(app: Arc<TestApp>, key: Arc<str>) -> Result<Response<CreatedEvent>, Status> {
    let bearer = Bearer::new(Some(&key));
    let mut events = EventServiceClient::with_interceptor(app.core.in_process(), bearer);
    let request = CreateEventRequest {
        title: Some("Rust Meetup".to_owned()),
        description: Some("Talks.".to_owned()),
        location: Some("Hall".to_owned()),
        start_date: Some("2030-05-01T18:00:00Z".to_owned()),
        ..CreateEventRequest::default()
    };
    events.create_event(request).await
}

/// The database is as busy as can be: someone holds the lock that all writes need.
async fn writes_that_are_too_many_are_refused_at_once_and_no_read_is(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let mut busy = app.store.begin().await.unwrap();
    busy.lock_account(account.id).await.unwrap();

    let key: Arc<str> = account.key.as_str().into();
    let create = || create(Arc::clone(&app), Arc::clone(&key));
    let mut writes = JoinSet::new();
    for _ in 0..WRITES {
        writes.spawn(create());
    }
    let refused = timeout(TIMEOUT, async {
        let mut refused = Vec::new();
        while refused.len() < WRITES - PERMITS {
            let ended = writes.join_next().await.unwrap().unwrap();
            refused.push(ended.unwrap_err());
        }
        refused
    });
    let refused = refused.await.expect("they do not wait");
    for refused in &refused {
        assert_eq!(refused.code(), Code::Unavailable, "{refused:?}");
    }
    // Those that have a place wait for the database for a second. On a busy machine that is over before all others were refused.
    let is_at_once = |refused: &&Status| refused.message().contains("too many");
    let mut at_once = refused.iter().filter(is_at_once).peekable();
    assert!(at_once.peek().is_some(), "{refused:?}");
    for refused in at_once {
        let wait = refused.get_details_retry_info().unwrap().retry_delay;
        assert_eq!(wait, Some(Duration::from_secs(1)));
    }
    let mut events = app.grpc.events(&account.key);
    for _ in 0..20 {
        let request = ListMyEventsRequest::default();
        events.list_my_events(request).await.unwrap();
    }

    drop(busy);
    for ended in writes.join_all().await {
        if let Err(refused) = ended {
            assert_eq!(refused.code(), Code::Unavailable, "{refused:?}");
        }
    }
    timeout(TIMEOUT, async { while create().await.is_err() {} })
        .await
        .expect("all is well again");
}

tests::on_both_engines!(writes_that_are_too_many_are_refused_at_once_and_no_read_is);
