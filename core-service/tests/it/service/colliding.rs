//! Commands that the database ends in favour of others.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use core_service::service::Error;
use domain::audit::Actor;
use futures_util::future::join_all;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use storage::{self, Store};
use test_postgres::Database;
use tokio::time::Instant;

use super::{
    Instance,
    guests::{guest, seats},
    new_event, public_event, until_served,
};
use crate::fixtures::migrate;

/// Makes this a setting of new connections to the database.
async fn set(database: &Database, setting: &str) {
    let mut connection = PgConnection::connect(database.url()).await.unwrap();
    let statement = format!(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET {setting}', current_database()); END $$"
    );
    sqlx::raw_sql(AssertSqlSafe(statement))
        .execute(&mut connection)
        .await
        .unwrap();
}

async fn make_serializable(database: &Database) {
    set(database, "default_transaction_isolation = serializable").await;
}

/// Another client of the database, whose transaction is in the way.
struct Other(PgConnection);

impl Other {
    async fn of(database: &Database) -> Self {
        Self(PgConnection::connect(database.url()).await.unwrap())
    }

    async fn execute(&mut self, statement: &'static str) {
        sqlx::raw_sql(statement).execute(&mut self.0).await.unwrap();
    }

    /// Returns once a transaction of Muster waits for a lock.
    async fn sees_a_transaction_wait(&mut self) {
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'muster' \
                       AND datname = current_database() AND wait_event_type = 'Lock'";
        loop {
            // Within a transaction, PostgreSQL repeats what the first look showed until this.
            self.execute("SELECT pg_stat_clear_snapshot()").await;
            let waiting = sqlx::query_scalar::<_, i64>(waiting).fetch_one(&mut self.0);
            if waiting.await.unwrap() > 0 {
                return;
            }
        }
    }
}

async fn events(store: &Store) -> i64 {
    let now = crate::fixtures::NOW;
    store.count_live_events(now).await.unwrap()
}

async fn a_command_that_cannot_be_serialized_is_decided_anew_and_done_once(database: Database) {
    make_serializable(&database).await;
    let instance = Arc::new(Instance::open(&database).await);
    let olga = instance.olga().await;
    let mut other = Other::of(&database).await;

    // Without a repetition, it fails: the row that it waits for has changed since it began.
    let in_the_way = "BEGIN; UPDATE accounts SET name = 'Olga Other'";
    other.execute(in_the_way).await;
    let (store, account) = (instance.store.clone(), olga.account);
    let alone = tokio::spawn(async move {
        let mut tx = store.begin().await.unwrap();
        tx.lock_account(account).await
    });
    other.sees_a_transaction_wait().await;
    other.execute("COMMIT").await;
    let refused = alone.await.unwrap().unwrap_err();
    assert!(
        matches!(refused, storage::Error::Collision(_)),
        "{refused:?}"
    );

    other.execute(in_the_way).await;
    let creating = tokio::spawn({
        let instance = Arc::clone(&instance);
        async move { instance.events.create(&olga, public_event("Meetup")).await }
    });
    other.sees_a_transaction_wait().await;
    other.execute("COMMIT").await;
    let event = creating.await.unwrap().unwrap();
    assert_eq!(
        (event.slug.as_str(), events(&instance.store).await),
        ("meetup", 1)
    );
    let audit = instance
        .store
        .list_audit(event.id.uuid(), 10)
        .await
        .unwrap();
    assert_eq!(audit.len(), 1, "{audit:?}");
}

async fn a_command_that_ends_a_deadlock_is_decided_anew(database: Database) {
    // On a busy machine, it locks the account again before the other one awakes, and ends another deadlock.
    set(&database, "deadlock_timeout = 300").await;
    let instance = Arc::new(Instance::open(&database).await);
    let olga = instance.olga().await;
    let mut other = Other::of(&database).await;
    // It does not look for deadlocks itself, or it could be the one that is ended.
    other
        .execute("SET deadlock_timeout = '1min'; BEGIN; UPDATE catalogue_totals SET live = live")
        .await;
    let creating = tokio::spawn({
        let instance = Arc::clone(&instance);
        async move { instance.events.create(&olga, public_event("Meetup")).await }
    });
    other.sees_a_transaction_wait().await;
    other
        .execute("SELECT 1 FROM accounts FOR UPDATE; COMMIT")
        .await;
    let event = creating.await.unwrap().unwrap();
    assert_eq!(
        (event.slug.as_str(), events(&instance.store).await),
        ("meetup", 1)
    );
}

async fn calls_at_the_same_time_succeed_where_transactions_are_serializable(database: Database) {
    make_serializable(&database).await;
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let full = instance.create(&olga, seats(5)).await;
    let calls = (0..6).map(async |number: usize| {
        for round in 0..5 {
            let title = format!("Event {number} {round}");
            let create = || instance.events.create(&olga, new_event(&title));
            let event = until_served(create).await.unwrap();
            let publish = || instance.events.publish(&olga, event.id);
            until_served(publish).await.unwrap();
            let person = format!("person-{number}-{round}");
            let register = || {
                instance
                    .registrations
                    .register(&full.slug, guest(&person), None)
            };
            until_served(register).await.unwrap();
            instance.catalogue.list(10, 0).await.unwrap();
        }
    });
    join_all(calls).await;
    assert_eq!(events(&instance.store).await, 31);
    let (_, counters) = instance.events.get(&olga, full.id).await.unwrap();
    assert_eq!((counters.confirmed, counters.total()), (5, 30));
}

async fn whoever_collides_too_often_is_told_to_come_back(database: Database) {
    let instance = Instance::open(&database).await;
    let collide = async |times: u32| {
        let tries = AtomicU32::new(0);
        let began = Instant::now();
        let outcome = instance
            .use_cases
            .commands
            .run(Actor::System, async |_unit| {
                if tries.fetch_add(1, Ordering::Relaxed) < times {
                    let why = "another one was in the way".to_owned();
                    return Err(Error::Unavailable(storage::Error::Collision(why)));
                }
                Ok(())
            })
            .await;
        (outcome, tries.into_inner(), began.elapsed())
    };
    let (outcome, tries, _) = collide(3).await;
    assert_eq!((outcome.is_ok(), tries), (true, 4));
    let (outcome, tries, taken) = collide(u32::MAX).await;
    let error = outcome.unwrap_err();
    assert!(error.to_string().contains("at the same time"), "{error:?}");
    assert_eq!(tries, 8);
    assert!(taken < Duration::from_millis(1_500), "{taken:?}");
}

test_postgres::on_both_engines!(
    prepare: migrate;
    whoever_collides_too_often_is_told_to_come_back;
    on_postgres:
    a_command_that_cannot_be_serialized_is_decided_anew_and_done_once,
    a_command_that_ends_a_deadlock_is_decided_anew,
    calls_at_the_same_time_succeed_where_transactions_are_serializable,
);
