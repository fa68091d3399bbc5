//! Maintenance, one round at a time.

use core_service::{domain::clock::Clock, jobs::Maintenance, storage::KeyUses};
use process::CancellationToken;
use test_postgres::Database;

use crate::fixtures::{HOUR, NOW, Rows, add_account, add_event, migrate, open};

async fn a_round_sweeps_and_writes_down_uses_of_keys(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    let rows = Rows::new();
    let account = add_account(&store, &rows).await.id;
    add_event(&store, &rows.event(account, 1)).await;
    let key = rows.key(account);
    let mut tx = store.begin().await.unwrap();
    tx.insert_key(&key).await.unwrap();
    tx.commit().await.unwrap();

    let uses = KeyUses::default();
    let maintenance = Maintenance::new(store.clone(), clock.clone(), uses.clone());
    uses.record(key.id, NOW);
    uses.record(key.id, NOW.plus_seconds(1));
    clock.advance_seconds(2 * HOUR);
    maintenance.maintain_once().await.unwrap();

    let (found, _) = store.find_key(key.id).await.unwrap().unwrap();
    assert_eq!(found.last_used_at, Some(NOW.plus_seconds(1)));
    assert!(uses.take().is_empty());
    // At its old time the event would still be live, had it not been swept.
    assert_eq!(store.count_live_events(NOW).await.unwrap(), 0);
}

async fn stopping_writes_down_the_last_uses(database: Database) {
    let (store, clock) = (open(&database).await, Clock::manual(NOW));
    let rows = Rows::new();
    let key = rows.key(add_account(&store, &rows).await.id);
    let mut tx = store.begin().await.unwrap();
    tx.insert_key(&key).await.unwrap();
    tx.commit().await.unwrap();

    let (uses, stop) = (KeyUses::default(), CancellationToken::new());
    uses.record(key.id, NOW);
    stop.cancel();
    Maintenance::new(store.clone(), clock, uses).run(stop).await;
    let (found, _) = store.find_key(key.id).await.unwrap().unwrap();
    assert_eq!(found.last_used_at, Some(NOW));
}

test_postgres::on_both_engines!(
    prepare: migrate;
    a_round_sweeps_and_writes_down_uses_of_keys,
    stopping_writes_down_the_last_uses,
);
