//! `kill -9` while requests are under way: what was acknowledged is there afterwards, and the rest is whole or not at all.

use std::collections::HashMap;

use muster_api::v1::{GetMyEventRequest, ListEventsRequest, ListMyEventsRequest};
use test_postgres::Database;
use tokio::{sync::mpsc, task::JoinSet};
use tonic::transport::Channel;

use super::{CatalogueServiceClient, EventServiceClient, Running, key, public_event, with_key};
use crate::fixtures::migrate;

/// How often the core is killed.
const LIVES: usize = 3;
/// Creates that must be acknowledged before it is.
const ACKNOWLEDGED: usize = 25;
/// Clients that create at once, so that every kill finds creates at several stages.
const CLIENTS: usize = 4;

/// Creates events one after another until the core dies, and tells of each that was acknowledged: its id and title.
async fn create_on_and_on(
    channel: Channel,
    key: String,
    client: String,
    acknowledged: mpsc::UnboundedSender<(String, String)>,
) {
    let mut events = EventServiceClient::new(channel);
    for number in 0.. {
        let title = format!("{client} event {number}");
        let request = with_key(&key, public_event(title.clone()));
        let Ok(created) = events.create_event(request).await else {
            return;
        };
        acknowledged.send((created.into_inner().id, title)).unwrap();
    }
}

/// One life of a core, and what it acknowledged.
async fn live_and_die(running: Running, key: &str, life: usize) -> HashMap<String, String> {
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
        acknowledged.extend(receiver.recv().await);
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
    // Creates that were under way may have happened without anybody being told; each has its event and its place in the
    // catalogue's total, or neither.
    let request = ListMyEventsRequest {
        status: Some("all".to_owned()),
        limit: Some(1),
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

test_postgres::on_both_engines!(prepare: migrate; every_acknowledged_create_outlives_kill_9);
