//! What tests look up in the database, and put there while no rpc does.

use domain::{
    ids::{EventId, RegistrationId},
    job::JobKind,
    registration::{CheckInCode, Party, Registration, Status},
};
use sqlx::{AssertSqlSafe, Connection as _};
use storage::{AuditRecord, JobRecord};
use uuid::Uuid;

use crate::TestApp;

/// More rows than any test makes of a kind.
const ALL: i64 = 100_000;

impl TestApp {
    /// Registers people of these statuses for an event, in this order, after those who already are.
    pub async fn register(&self, event_id: &str, statuses: &[Status]) -> Vec<Registration> {
        let event = EventId::new(uuid(event_id));
        let before = self.registrations(event_id).await.len();
        let now = self.clock.now();
        let person = |(index, status): (usize, &Status)| {
            let seq = i64::try_from(before + index + 1).unwrap();
            Registration {
                id: RegistrationId::new(self.entropy.uuid_v7(now)),
                event_id: event,
                seq,
                name: format!("Guest {seq}"),
                email: format!("guest-{seq}@example.org"),
                status: *status,
                confirmation: None,
                answers: Vec::new(),
                check_in_code: CheckInCode::generate(&self.entropy),
                is_added: false,
                party: Party::default(),
                arrived: 0,
                checked_in_at: None,
                checked_in_by: None,
                checked_in_by_name: None,
                refuses_reminders: false,
                registered_at: now,
                updated_at: now,
            }
        };
        let people: Vec<Registration> = statuses.iter().enumerate().map(person).collect();
        let mut tx = self.store.begin().await.unwrap();
        for registration in &people {
            tx.insert_registration(registration).await.unwrap();
        }
        tx.commit().await.unwrap();
        people
    }

    /// An event's registrations in the order of registering.
    pub async fn registrations(&self, event_id: &str) -> Vec<Registration> {
        let event = EventId::new(uuid(event_id));
        self.store.list_registrations(event, 0, ALL).await.unwrap()
    }

    /// Adds as many events as a large catalogue has, more than rpcs could in the time of a test. They are like this one, but without
    /// registrations, and older: their ids are the numbers from 1, and their slugs `copy-` and the number. Searches do not find them.
    pub async fn copy_event(&self, event_id: &str, count: usize) {
        let (series, id) = if self.database.is_postgres() {
            (
                format!("SELECT n FROM generate_series(1, {count}) AS numbers (n)"),
                "CAST(lpad(to_hex(n), 32, '0') AS uuid)",
            )
        } else {
            (
                format!(
                    "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count}) SELECT n FROM numbers"
                ),
                "unhex(printf('%032x', n))",
            )
        };
        let same = "account_id, title, description, location, start_at, start_local, timezone, effective_end, max_capacity, \
             is_published, is_listed, is_cancelled, live, custom_fields, sequence, created_at, updated_at, indexed_as_of";
        let statements = [
            format!(
                "INSERT INTO events (id, slug, {same}) SELECT {id}, 'copy-' || n, {same} FROM events, ({series}) copies \
                 WHERE events.id = $1"
            ),
            format!(
                "INSERT INTO event_counters (event_id, confirmed, pending, waitlisted, cancelled, next_seq) \
                 SELECT {id}, 0, 0, 0, 0, 1 FROM events, ({series}) copies WHERE events.id = $1"
            ),
            format!(
                "UPDATE catalogue_totals SET live = live + {count} WHERE shard = 0 \
                 AND EXISTS (SELECT 1 FROM events WHERE events.id = $1)"
            ),
        ];
        for statement in statements {
            self.write(statement, uuid(event_id)).await;
        }
    }

    /// Changes the row with this id past core: `events SET title = 'x'`.
    pub async fn update(&self, assignment: &str, id: &str) {
        let statement = format!("UPDATE {assignment} WHERE id = $1");
        self.write(statement, uuid(id)).await;
    }

    async fn write(&self, statement: String, id: Uuid) {
        let (url, statement) = (self.database.direct_url(), AssertSqlSafe(statement));
        if self.database.is_postgres() {
            let mut connection = sqlx::PgConnection::connect(&url).await.unwrap();
            let query = sqlx::query(statement).bind(id);
            query.execute(&mut connection).await.unwrap();
            connection.close().await.unwrap();
        } else {
            let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
            let query = sqlx::query(statement).bind(id);
            query.execute(&mut connection).await.unwrap();
            connection.close().await.unwrap();
        }
    }

    /// Writes all rows of a kind past core: `webhook_attempts SET answer = 'x'`.
    pub async fn update_all(&self, assignment: &str) {
        let (url, statement) = (
            self.database.direct_url(),
            AssertSqlSafe(format!("UPDATE {assignment}")),
        );
        if self.database.is_postgres() {
            let mut connection = sqlx::PgConnection::connect(&url).await.unwrap();
            let query = sqlx::query(statement);
            query.execute(&mut connection).await.unwrap();
            connection.close().await.unwrap();
        } else {
            let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
            let query = sqlx::query(statement);
            query.execute(&mut connection).await.unwrap();
            connection.close().await.unwrap();
        }
    }

    /// Runs what a migration updates once more, on rows as they were before it.
    pub async fn migrate_again(&self, number: u32) {
        let engine = if self.database.is_postgres() {
            "postgres"
        } else {
            "sqlite"
        };
        let folder = format!(
            "{}/../crates/storage/migrations/{engine}",
            env!("CARGO_MANIFEST_DIR")
        );
        let mut files = std::fs::read_dir(folder).unwrap();
        let of_number = |file: &std::fs::DirEntry| {
            let name = file.file_name();
            name.to_string_lossy().starts_with(&format!("{number:04}_"))
        };
        let file = files.find_map(|file| file.ok().filter(of_number)).unwrap();
        let text = std::fs::read_to_string(file.path()).unwrap();
        let (_, update) = text.split_once("\nUPDATE ").unwrap();
        self.update_all(update).await;
    }

    /// How many rows there are: `events WHERE is_published`.
    pub async fn count_rows(&self, from: &str) -> i64 {
        let (url, statement) = (
            self.database.direct_url(),
            AssertSqlSafe(format!("SELECT COUNT(*) FROM {from}")),
        );
        if self.database.is_postgres() {
            let mut connection = sqlx::PgConnection::connect(&url).await.unwrap();
            let query = sqlx::query_scalar(statement);
            query.fetch_one(&mut connection).await.unwrap()
        } else {
            let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
            let query = sqlx::query_scalar(statement);
            query.fetch_one(&mut connection).await.unwrap()
        }
    }

    /// Lets the waiting mails of a registration fail, as if its address took none.
    pub async fn fail_mails_of(&self, registration_id: &str) {
        let fail = "UPDATE jobs SET failed_at = created_at WHERE subject_id = $1";
        self.write(fail.to_owned(), uuid(registration_id)).await;
    }

    /// Lets the waiting mails of a registration wait for another hour.
    pub async fn postpone_mails_of(&self, registration_id: &str) {
        let postpone = "UPDATE jobs SET due_at = due_at + 3600000000 WHERE subject_id = $1";
        self.write(postpone.to_owned(), uuid(registration_id)).await;
    }

    /// What the audit log says of an event, an account or a key, oldest first.
    pub async fn audit(&self, subject_id: &str) -> Vec<AuditRecord> {
        self.store.list_audit(uuid(subject_id), ALL).await.unwrap()
    }

    /// The cancellation mails that wait to be sent.
    pub async fn cancellation_mails(&self) -> Vec<JobRecord> {
        let kind = JobKind::CancellationMail;
        self.store.list_jobs(kind, ALL).await.unwrap()
    }

    /// Does all jobs that are due, those of kinds that have a handler.
    pub async fn drain_jobs(&self) -> usize {
        self.core.runner().drain().await.unwrap()
    }

    /// Does what maintenance does every half minute.
    pub async fn maintain(&self) {
        self.core.maintenance().maintain_once().await.unwrap();
    }
}

fn uuid(text: &str) -> Uuid {
    text.parse().unwrap()
}
