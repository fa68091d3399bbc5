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
    storage::{Addition, Alone, Store, Tx},
};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};
use test_postgres::Database;

use crate::fixtures::{NOW, Rows, add_account, add_event, migrate, open};

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

/// What an event's slug is if its own is taken.
fn other_slug(event: &Event) -> String {
    format!("{}-other", event.slug)
}

/// The slug under which an event is added to an account, as it was read, with its entry in the audit log.
async fn slug_of(store: &Store, account: &Account, event: &Event, live: bool) -> Option<String> {
    let addition = Addition {
        event,
        live,
        entry: Some(&entry(event)),
        alone: Some(Alone {
            account,
            other_slug: &other_slug(event),
        }),
    };
    store.add_event(&addition).await.unwrap()
}

/// Whether it is added under its own slug.
async fn adds(store: &Store, account: &Account, event: &Event, live: bool) -> bool {
    let slug = slug_of(store, account, event, live).await;
    assert!(slug.as_ref().is_none_or(|slug| *slug == event.slug));
    slug.is_some()
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

    assert!(!is_added(&store, &event).await);
    assert!(adds(&store, &account, &event, true).await);
    assert!(is_added(&store, &event).await);
    assert_eq!(store.count_live_events(NOW).await.unwrap(), 1);
    assert!(store.catalogue_version().await.unwrap() > before);

    let draft = Event {
        is_published: false,
        ..rows.event(account.id, 2)
    };
    assert!(adds(&store, &account, &draft, false).await);
    assert!(is_added(&store, &draft).await);
    assert_eq!(store.count_live_events(NOW).await.unwrap(), 1);
}

async fn an_event_whose_slug_is_taken_gets_its_other_one(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    let account = add_account(&store, &rows).await;
    let mut first = rows.event(account.id, 1);
    "a-meetup".clone_into(&mut first.slug);
    add_event(&store, &first).await;
    let mut second = rows.event(account.id, 2);
    second.slug.clone_from(&first.slug);
    let slug = slug_of(&store, &account, &second, true).await;
    second.slug = other_slug(&second);
    assert_eq!(slug.as_ref(), Some(&second.slug));
    assert!(is_added(&store, &second).await);
    assert_eq!(store.count_live_events(NOW).await.unwrap(), 2);

    // Its other one is taken as well.
    let mut third = rows.event(account.id, 3);
    third.slug = first.slug;
    assert_eq!(slug_of(&store, &account, &third, true).await, None);
    assert!(!is_added(&store, &third).await);
    assert_eq!(store.count_live_events(NOW).await.unwrap(), 2);
}

/// Whichever of them is first, the others have another one or are not added.
async fn events_that_want_a_slug_at_the_same_time_are_not_added_under_the_same(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    let account = add_account(&store, &rows).await;
    let events: Vec<Event> = (1..=8)
        .map(|day| Event {
            slug: "a-meetup".to_owned(),
            ..rows.event(account.id, day)
        })
        .collect();
    let slugs = events
        .iter()
        .map(|event| slug_of(&store, &account, event, true));
    let slugs = futures_util::future::join_all(slugs).await;
    let mut taken: Vec<String> = slugs.into_iter().flatten().collect();
    let added = i64::try_from(taken.len()).unwrap();
    assert_eq!(store.count_live_events(NOW).await.unwrap(), added);
    taken.sort_unstable();
    taken.dedup();
    assert_eq!(i64::try_from(taken.len()).unwrap(), added);
    assert!(taken.contains(&"a-meetup".to_owned()), "{taken:?}");
}

async fn no_event_is_added_to_an_account_that_has_changed(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    for what in CHANGES {
        let account = add_account(&store, &rows).await;
        let event = rows.event(account.id, 1);
        let mut tx = store.begin().await.unwrap();
        change(&mut tx, &account, what).await;
        tx.commit().await.unwrap();
        assert!(!adds(&store, &account, &event, true).await, "{what}");
        assert!(!is_added(&store, &event).await, "{what}");
    }
    assert_eq!(store.count_live_events(NOW).await.unwrap(), 0);
}

async fn no_event_is_added_to_an_account_that_is_changing(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    for what in CHANGES {
        let account = add_account(&store, &rows).await;
        let event = rows.event(account.id, 1);
        let mut tx = store.begin().await.unwrap();
        change(&mut tx, &account, what).await;
        let changed = commit_once_one_waits(&database, tx);
        let (is_made, ()) = tokio::join!(adds(&store, &account, &event, true), changed);
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
    let mut tx = store.begin().await.unwrap();
    tx.update_account(&renamed).await.unwrap();
    tx.commit().await.unwrap();
    assert!(adds(&store, &account, &before, true).await);
    assert!(is_added(&store, &before).await);

    let meanwhile = rows.event(account.id, 2);
    let mut tx = store.begin().await.unwrap();
    tx.update_account(&account).await.unwrap();
    let changed = commit_once_one_waits(&database, tx);
    let (is_made, ()) = tokio::join!(adds(&store, &account, &meanwhile, true), changed);
    assert!(is_made);
    assert!(is_added(&store, &meanwhile).await);
    assert_eq!(store.count_live_events(NOW).await.unwrap(), 2);
}

async fn the_connection_of_an_addition_is_of_use_again(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    let account = add_account(&store, &rows).await;
    let before = sessions(&database, "TRUE").await;
    assert!(!before.is_empty());
    let event = rows.event(account.id, 1);
    assert!(adds(&store, &account, &event, true).await);
    for _ in 0..10 {
        let addition = Addition {
            event: &event,
            live: true,
            entry: None,
            alone: None,
        };
        // Its slug is taken.
        let failed = store.add_event(&addition).await;
        assert!(matches!(failed, Ok(None)), "{failed:?}");
    }
    assert_eq!(sessions(&database, "TRUE").await, before);
}

/// Its statement is sent once, so a connection that may have broken since is asked before.
async fn a_connection_that_has_broken_is_not_used_for_an_addition(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    let account = add_account(&store, &rows).await;
    let first = rows.event(account.id, 1);
    assert!(adds(&store, &account, &first, true).await);
    let all = sessions(&database, "TRUE").await;
    let resting = "clock_timestamp() - state_change > interval '200 milliseconds'";
    while sessions(&database, resting).await != all {}
    let mut connection = PgConnection::connect(database.url()).await.unwrap();
    for session in all {
        let end = sqlx::query("SELECT pg_terminate_backend($1)").bind(session);
        end.execute(&mut connection).await.unwrap();
    }
    let second = rows.event(account.id, 2);
    assert!(adds(&store, &account, &second, true).await);
    assert!(is_added(&store, &second).await);
}

async fn only_a_server_is_worth_one(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    let account = add_account(&store, &rows).await;
    let event = rows.event(account.id, 1);
    let is_added = adds(&store, &account, &event, true).await;
    assert_eq!(is_added, database.is_postgres());
    assert_eq!(store.is_on_server(), database.is_postgres());
}

async fn there_is_none_to_an_account_that_there_is_not(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    let account = rows.account();
    let event = rows.event(account.id, 1);
    assert!(!adds(&store, &account, &event, true).await);
    assert!(!is_added(&store, &event).await);
}

test_postgres::on_both_engines!(
    prepare: migrate;
    only_a_server_is_worth_one;
    on_postgres:
    an_event_is_added_with_all_that_belongs_to_it,
    an_event_whose_slug_is_taken_gets_its_other_one,
    events_that_want_a_slug_at_the_same_time_are_not_added_under_the_same,
    no_event_is_added_to_an_account_that_has_changed,
    no_event_is_added_to_an_account_that_is_changing,
    what_does_not_decide_on_events_may_change,
    the_connection_of_an_addition_is_of_use_again,
    a_connection_that_has_broken_is_not_used_for_an_addition,
    there_is_none_to_an_account_that_there_is_not,
);
