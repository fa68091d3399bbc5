//! Reminders that are due are found among many that wait.

use domain::{
    ids::EventId,
    instant::Instant,
    job::{Destination, JobKind},
};
use sqlx::{Connection as _, Row as _};
use test_postgres::Database;
use uuid::Uuid;

use crate::fixtures::{execute, migrate, open};

/// Many events' reminders, one an hour.
const ON_SQLITE: &str = "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 49999) \
    INSERT INTO jobs (kind, subject_id, occasion, destination, payload, attempts, uncounted, due_at, created_at) \
    SELECT 'event_reminder', unhex(printf('%032x', i)), 24, 'database', '{\"due_at\":0}', 0, 0, \
    1800000000000000 + i * 3600000000, 0 FROM n; ANALYZE";

const ON_POSTGRES: &str = "INSERT INTO jobs (kind, subject_id, occasion, destination, payload, attempts, uncounted, due_at, created_at) \
    SELECT 'event_reminder', CAST(lpad(to_hex(i), 32, '0') AS UUID), 24, 'database', '{\"due_at\":0}', 0, 0, \
    1800000000000000 + i * 3600000000, 0 FROM generate_series(CAST(0 AS BIGINT), 49999) AS n (i); ANALYZE jobs";

/// What `claim_jobs` looks for.
const DUE: &str = "SELECT kind, subject_id, occasion FROM jobs WHERE destination = 'database' AND kind = 'event_reminder' \
    AND failed_at IS NULL AND due_at <= 1800003600000000 ORDER BY due_at LIMIT 32";

async fn reminders_that_are_due_are_found_by_the_index_of_jobs(database: Database) {
    let rows = if database.is_postgres() {
        ON_POSTGRES
    } else {
        ON_SQLITE
    };
    execute(&database, rows).await;
    let plan = plan(&database).await;
    assert!(plan.contains("jobs_due"), "{plan}");
    for other in ["Seq Scan", "Sort", "SCAN", "TEMP B-TREE"] {
        assert!(!plan.contains(other), "{plan}");
    }

    let store = open(&database).await;
    let (destination, kind) = (Destination::DATABASE, JobKind::EventReminder);
    let mut tx = store.begin().await.unwrap();
    let now = Instant::from_micros(1_800_003_600_000_000);
    let claimed = tx.claim_jobs(&destination, kind, now, now.plus_seconds(60), 32);
    let events: Vec<EventId> = claimed
        .await
        .unwrap()
        .into_iter()
        .map(|job| EventId::new(job.key.subject_id))
        .collect();
    let expected = [0, 1].map(|number| EventId::new(Uuid::from_u128(number)));
    assert_eq!(events.len(), 2);
    assert!(expected.iter().all(|event| events.contains(event)));
}

/// How the engine finds them, in its words.
async fn plan(database: &Database) -> String {
    let url = database.direct_url();
    if database.is_postgres() {
        let mut connection = sqlx::PgConnection::connect(&url).await.unwrap();
        let statement = sqlx::AssertSqlSafe(format!("EXPLAIN {DUE}"));
        let lines = sqlx::query(statement).fetch_all(&mut connection).await;
        let lines = lines.unwrap();
        let lines = lines.iter().map(|line| line.get::<String, _>(0));
        lines.collect::<Vec<_>>().join("\n")
    } else {
        let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
        let statement = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {DUE}"));
        let lines = sqlx::query(statement).fetch_all(&mut connection).await;
        let lines = lines.unwrap();
        let lines = lines.iter().map(|line| line.get::<String, _>("detail"));
        lines.collect::<Vec<_>>().join("\n")
    }
}

test_postgres::on_both_engines!(
    prepare: migrate;
    reminders_that_are_due_are_found_by_the_index_of_jobs,
);
