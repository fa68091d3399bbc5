//! `kill -9` while requests are under way: what was acknowledged is there afterwards, and the rest is whole or not at all.

use std::collections::HashMap;

use muster_api::v1::{GetMyEventRequest, ListEventsRequest, ListMyEventsRequest};
use test_postgres::Database;
use tokio::{sync::mpsc, task::JoinSet};
use tonic::{Status, transport::Channel};

use super::{
    CatalogueServiceClient, EventServiceClient, POLL, Running, TIMEOUT, key, public_event, with_key,
};
use crate::fixtures::migrate;

/// How often the core is killed.
const LIVES: usize = 3;
/// Creates that must be acknowledged before it is.
const ACKNOWLEDGED: usize = 25;
/// Clients that create at once, so that every kill finds creates at several stages.
const CLIENTS: usize = 4;

/// Creates events one after another until the core dies, and tells of each that was acknowledged: its id and title. Returns why it
/// ended.
async fn create_on_and_on(
    channel: Channel,
    key: String,
    client: String,
    acknowledged: mpsc::UnboundedSender<(String, String)>,
) -> Status {
    let mut events = EventServiceClient::new(channel);
    let mut number = 0;
    loop {
        let title = format!("{client} event {number}");
        let request = with_key(&key, public_event(title.clone()));
        match events.create_event(request).await {
            Ok(created) => acknowledged.send((created.into_inner().id, title)).unwrap(),
            Err(status) => return status,
        }
        number += 1;
    }
}

/// One life of a core, and what it acknowledged.
pub(super) async fn live_and_die(
    running: Running,
    key: &str,
    life: usize,
) -> HashMap<String, String> {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let name = format!("life {life} client {client}");
        let channel = running.channel().await;
        clients.spawn(create_on_and_on(
            channel,
            key.to_owned(),
            name,
            sender.clone(),
        ));
    }
    drop(sender);
    let mut acknowledged = HashMap::new();
    while acknowledged.len() < ACKNOWLEDGED {
        // Without any client left it would wait for ever.
        match receiver.recv().await {
            Some(one) => acknowledged.extend([one]),
            None => panic!("core refuses: {:?}", clients.join_all().await),
        }
    }
    running.kill();
    clients.join_all().await;
    while let Some(one) = receiver.recv().await {
        acknowledged.insert(one.0, one.1);
    }
    acknowledged
}

/// How many events the catalogue has: as it counts them, and as its pages hold them.
async fn catalogue(channel: Channel) -> (usize, usize) {
    let mut catalogue = CatalogueServiceClient::new(channel);
    let (mut listed, mut offset) = (0, Some(0));
    let mut count = 0;
    while let Some(from) = offset {
        let request = ListEventsRequest {
            limit: Some(100),
            offset: Some(from),
            ..ListEventsRequest::default()
        };
        let page = catalogue.list_events(request).await.unwrap().into_inner();
        listed += page.items.len();
        count = page.count;
        offset = page.next_offset;
    }
    (usize::try_from(count).unwrap(), listed)
}

async fn every_acknowledged_create_outlives_kill_9(database: Database) {
    let key = key(database.url()).await;
    let mut acknowledged = HashMap::new();
    for life in 0..LIVES {
        let running = Running::start(database.url()).await;
        acknowledged.extend(live_and_die(running, &key, life).await);
    }

    let running = Running::start(database.url()).await;
    let mut events = EventServiceClient::new(running.channel().await);
    for (id, title) in &acknowledged {
        let request = with_key(&key, GetMyEventRequest { id: id.clone() });
        let found = events.get_my_event(request).await.unwrap().into_inner();
        assert_eq!(&found.title, title);
        assert!(found.is_published);
    }
    // Running creates may have been committed without an answer; each has its event and its place in the catalogue's total, or
    // neither.
    let request = ListMyEventsRequest {
        status: Some("all".to_owned()),
        limit: Some(1),
        ..ListMyEventsRequest::default()
    };
    let mine = events.list_my_events(with_key(&key, request)).await;
    let mine = usize::try_from(mine.unwrap().into_inner().count).unwrap();
    let most = acknowledged.len() + LIVES * CLIENTS;
    assert!(
        (acknowledged.len()..=most).contains(&mine),
        "{mine} of at most {most}"
    );
    assert_eq!(catalogue(running.channel().await).await, (mine, mine));
}

/// Waits until the account has so many events; false if that does not happen.
async fn await_events(channel: Channel, key: &str, count: i32) -> bool {
    let mut events = EventServiceClient::new(channel);
    let there = tokio::time::timeout(TIMEOUT, async {
        while events_of(&mut events, key).await != count {
            tokio::time::sleep(POLL).await;
        }
    });
    there.await.is_ok()
}

async fn events_of(events: &mut EventServiceClient<Channel>, key: &str) -> i32 {
    let request = ListMyEventsRequest {
        status: Some("all".to_owned()),
        limit: Some(1),
        ..ListMyEventsRequest::default()
    };
    let mine = events.list_my_events(with_key(key, request)).await;
    mine.unwrap().into_inner().count
}

/// Whoever did not hear what came of a call repeats it: core died after its commit, before anyone took its answer.
async fn a_call_with_a_key_is_answered_after_kill_9_and_done_once(database: Database) {
    let key = key(database.url()).await;
    let create = || {
        let mut request = with_key(&key, public_event("Once".to_owned()));
        let once = "0197a3c5-8f00-7a61-b0c4-5d1f6a2e7b90".parse().unwrap();
        request.metadata_mut().insert("idempotency-key", once);
        request
    };
    let running = Running::start(database.url()).await;
    let mut lost = EventServiceClient::new(running.channel().await);
    let lost = tokio::spawn({
        let request = create();
        async move { lost.create_event(request).await }
    });
    let created = await_events(running.channel().await, &key, 1).await;
    running.kill();
    // Its answer is not looked at, unless there is no event.
    let lost = lost.await.unwrap();
    assert!(created, "the event is not created: {lost:?}");

    let running = Running::start(database.url()).await;
    let mut events = EventServiceClient::new(running.channel().await);
    let created = events.create_event(create()).await.unwrap().into_inner();
    let again = events.create_event(create()).await.unwrap().into_inner();
    assert_eq!(again, created);
    assert_eq!(created.slug, "once");
    assert_eq!(events_of(&mut events, &key).await, 1);
    let request = with_key(&key, GetMyEventRequest { id: created.id });
    events.get_my_event(request).await.unwrap();
}

test_postgres::on_both_engines!(
    prepare: migrate;
    every_acknowledged_create_outlives_kill_9,
    a_call_with_a_key_is_answered_after_kill_9_and_done_once,
);
