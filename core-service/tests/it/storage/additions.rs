//! Adding an event by one statement, on PostgreSQL.

use core_service::{
    domain::{
        account::Account,
        audit::{Actor, AuditEntry},
        event::Event,
        fact::Fact,
        plan::Plan,
        registration::Counters,
    },
    storage::{Addition, Store, Tx},
};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};
use test_postgres::Database;

use crate::fixtures::{NOW, Rows, add_account, add_event, migrate, open};

async fn begin(store: &Store, event: &Event) -> Addition {
    let addition = store.begin_addition(event.account_id, &event.slug);
    addition.await.unwrap().unwrap()
}

fn entry(event: &Event) -> AuditEntry {
    let fact = Fact::EventCreated { event };
    let entry = fact.audit(event.id.uuid(), NOW, Actor::Admin);
    entry.unwrap()
}

async fn is_added(store: &Store, event: &Event) -> bool {
    let found = store.find_account_event(event.account_id, event.id);
    let found = found.await.unwrap();
    let audited = store.list_audit(event.id.uuid(), 10).await.unwrap();
    let is_added = found == Some((event.clone(), Counters::default()));
    assert_eq!(audited.len(), usize::from(is_added));
    is_added
}

/// Whether an addition, as it was begun, adds an event with its entry in the audit log.
async fn adds(addition: Addition, event: &Event, live: bool) -> bool {
    let added = addition.add(event, live, Some(&entry(event))).await;
    added.unwrap()
}

/// How an account may change that decides on new events.
const CHANGES: [&str; 4] = ["plan", "timezone", "suspended", "removed"];

async fn change(tx: &mut Tx, account: &Account, what: &str) {
    match what {
        "plan" => assert!(tx.set_plan(account.id, Plan::Pro).await.unwrap()),
        "timezone" => {
            let moved = Account {
                timezone: None,
                ..account.clone()
            };
            tx.update_account(&moved).await.unwrap();
        }
        "suspended" => {
            let suspended = tx.set_account_suspended(account.id, Some(NOW));
            suspended.await.unwrap();
        }
        "removed" => tx.begin_removal(account.id, NOW).await.unwrap(),
        other => panic!("{other}"),
    }
}

/// Commits once a statement waits for a lock.
async fn commit_once_one_waits(database: &Database, tx: Tx) {
    while sessions(database, "wait_event_type = 'Lock'")
        .await
        .is_empty()
    {}
    tx.commit().await.unwrap();
}

/// The server's processes for the store of which this is true.
async fn sessions(database: &Database, condition: &str) -> Vec<i32> {
    let statement = format!(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'muster' \
         AND {condition} ORDER BY pid"
    );
    let mut connection = PgConnection::connect(database.url()).await.unwrap();
    let rows = sqlx::query(AssertSqlSafe(statement)).fetch_all(&mut connection);
    rows.await.unwrap().iter().map(|row| row.get(0)).collect()
}

async fn an_event_is_added_with_all_that_belongs_to_it(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    let account = add_account(&store, &rows).await;
    let event = rows.event(account.id, 1);
    let before = store.catalogue_version().await.unwrap();

    let addition = begin(&store, &event).await;
    assert_eq!(addition.account(), Some(&account));
    assert!(!addition.slug_is_taken());
    assert!(!is_added(&store, &event).await);
    assert!(adds(addition, &event, true).await);
    assert!(is_added(&store, &event).await);
    assert_eq!(store.count_live_events(NOW).await.unwrap(), 1);
    assert!(store.catalogue_version().await.unwrap() > before);

    let draft = Event {
        is_published: false,
        ..rows.event(account.id, 2)
    };
    let addition = begin(&store, &draft).await;
    assert!(adds(addition, &draft, false).await);
    assert!(is_added(&store, &draft).await);
    assert_eq!(store.count_live_events(NOW).await.unwrap(), 1);
}

async fn no_event_is_added_under_a_slug_that_was_taken_meanwhile(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    let account = add_account(&store, &rows).await.id;
    let event = rows.event(account, 1);
    let addition = begin(&store, &event).await;
    let other = Event {
        slug: event.slug.clone(),
        ..rows.event(account, 2)
    };
    add_event(&store, &other).await;
    assert!(!adds(addition, &event, true).await);
    assert!(!is_added(&store, &event).await);
    assert_eq!(store.count_live_events(NOW).await.unwrap(), 1);
    assert!(begin(&store, &event).await.slug_is_taken());
}

async fn no_event_is_added_to_an_account_that_has_changed(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    for what in CHANGES {
        let account = add_account(&store, &rows).await;
        let event = rows.event(account.id, 1);
        let addition = begin(&store, &event).await;
        let mut tx = store.begin().await.unwrap();
        change(&mut tx, &account, what).await;
        tx.commit().await.unwrap();
        assert!(!adds(addition, &event, true).await, "{what}");
        assert!(!is_added(&store, &event).await, "{what}");
    }
    assert_eq!(store.count_live_events(NOW).await.unwrap(), 0);
}

async fn no_event_is_added_to_an_account_that_is_changing(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    for what in CHANGES {
        let account = add_account(&store, &rows).await;
        let event = rows.event(account.id, 1);
        let addition = begin(&store, &event).await;
        let mut tx = store.begin().await.unwrap();
        change(&mut tx, &account, what).await;
        let changed = commit_once_one_waits(&database, tx);
        let (is_made, ()) = tokio::join!(adds(addition, &event, true), changed);
        assert!(!is_made, "{what}");
        assert!(!is_added(&store, &event).await, "{what}");
    }
}

async fn what_does_not_decide_on_events_may_change(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    let account = add_account(&store, &rows).await;
    let renamed = Account {
        name: "Olga's Events".to_owned(),
        ..account.clone()
    };

    let before = rows.event(account.id, 1);
    let addition = begin(&store, &before).await;
    let mut tx = store.begin().await.unwrap();
    tx.update_account(&renamed).await.unwrap();
    tx.commit().await.unwrap();
    assert!(adds(addition, &before, true).await);
    assert!(is_added(&store, &before).await);

    let meanwhile = rows.event(account.id, 2);
    let addition = begin(&store, &meanwhile).await;
    let mut tx = store.begin().await.unwrap();
    tx.update_account(&account).await.unwrap();
    let changed = commit_once_one_waits(&database, tx);
    let (is_made, ()) = tokio::join!(adds(addition, &meanwhile, true), changed);
    assert!(is_made);
    assert!(is_added(&store, &meanwhile).await);
    assert_eq!(store.count_live_events(NOW).await.unwrap(), 2);
}

async fn the_connection_of_an_addition_that_is_not_made_is_of_use_again(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    let account = add_account(&store, &rows).await.id;
    let event = rows.event(account, 1);
    let before = sessions(&database, "TRUE").await;
    assert!(!before.is_empty());
    for _ in 0..10 {
        drop(begin(&store, &event).await);
    }
    assert_eq!(sessions(&database, "TRUE").await, before);
}

async fn only_a_server_is_worth_one(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    let account = add_account(&store, &rows).await.id;
    let addition = store.begin_addition(account, "some-event").await.unwrap();
    assert_eq!(addition.is_some(), database.is_postgres());
}

async fn there_is_none_to_an_account_that_there_is_not(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    let event = rows.event(rows.account().id, 1);
    let addition = begin(&store, &event).await;
    assert_eq!(addition.account(), None);
    assert!(!adds(addition, &event, true).await);
    assert!(!is_added(&store, &event).await);
}

test_postgres::on_both_engines!(
    prepare: migrate;
    only_a_server_is_worth_one;
    on_postgres:
    an_event_is_added_with_all_that_belongs_to_it,
    no_event_is_added_under_a_slug_that_was_taken_meanwhile,
    no_event_is_added_to_an_account_that_has_changed,
    no_event_is_added_to_an_account_that_is_changing,
    what_does_not_decide_on_events_may_change,
    the_connection_of_an_addition_that_is_not_made_is_of_use_again,
    there_is_none_to_an_account_that_there_is_not,
);
