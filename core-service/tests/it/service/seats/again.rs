//! Registrations that wait: for a lock, for a batch that is decided again, for a database that is away.

use std::{os::unix::net::UnixListener, path::Path, pin::Pin, time::Duration};

use core_service::service::{Allowance, Error, LimitSettings, NewRegistration};
use domain::rate::{Limit, MailboxLimits, Period};
use futures_util::{FutureExt as _, future::join_all};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};
use test_postgres::{Database, Server};
use tokio::time::{Instant, pause, sleep};

use crate::{
    fixtures::{NOW, migrate},
    service::{
        Instance,
        guests::{guest, seats},
        until_served,
    },
};

type Asking<'a> = Pin<Box<dyn Future<Output = Result<Option<Allowance>, Error>> + Send + 'a>>;

/// Asks for a registration, which waits for its batch from then on.
fn ask<'a>(instance: &'a Instance, slug: &'a str, new: NewRegistration) -> Asking<'a> {
    let mut asking: Asking<'a> = Box::pin(instance.registrations.register(slug, new, None));
    assert!(asking.as_mut().now_or_never().is_none());
    asking
}

/// Otherwise someone with a later number could have registered earlier.
async fn who_waited_for_the_lock_registered_when_it_was_free(database: Database) {
    const WAITED: i64 = 7;
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(5)).await;
    let mut beside = PgConnection::connect(database.url()).await.unwrap();
    let mut watching = PgConnection::connect(database.url()).await.unwrap();
    let mut other = beside.begin().await.unwrap();
    sqlx::query("SELECT 1 FROM event_counters FOR UPDATE")
        .execute(&mut *other)
        .await
        .unwrap();

    let register = || {
        instance
            .registrations
            .register(&event.slug, guest("ada"), None)
    };
    let release = async {
        let waits = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        while sqlx::query_scalar::<_, i64>(waits)
            .fetch_one(&mut watching)
            .await
            .unwrap()
            == 0
        {}
        instance.clock.advance_seconds(WAITED);
        other.commit().await.unwrap();
    };
    let (registered, ()) = tokio::join!(until_served(register), release);
    registered.unwrap();

    let all = instance.store.list_registrations(event.id, 0, 10).await;
    assert_eq!(all.unwrap()[0].registered_at, NOW.plus_seconds(WAITED));
}

/// Runs a statement beside core.
async fn beside(database: &Database, statement: &str) {
    let statement = sqlx::raw_sql(AssertSqlSafe(statement.to_owned()));
    if database.is_postgres() {
        let mut connection = PgConnection::connect(database.url()).await.unwrap();
        statement.execute(&mut connection).await.unwrap();
    } else {
        let connection = SqliteConnection::connect(database.url()).await;
        statement.execute(&mut connection.unwrap()).await.unwrap();
    }
}

/// Someone named `nobody` cannot be written.
async fn refuse_nobody(database: &Database) {
    let refuse = if database.is_postgres() {
        "ALTER TABLE registrations ADD CHECK (name <> 'nobody')"
    } else {
        "CREATE TRIGGER refuse BEFORE INSERT ON registrations WHEN NEW.name = 'nobody' \
         BEGIN SELECT RAISE(ABORT, 'nobody'); END"
    };
    beside(database, refuse).await;
}

fn limits() -> LimitSettings {
    LimitSettings {
        mailboxes: MailboxLimits {
            // One network gets half of it.
            all: Limit::new(4, Period::Hour),
            by_organizers: Limit::Off,
        },
        ..LimitSettings::OFF
    }
}

/// The limit for a recipient counts mails, and a batch that failed has sent none.
async fn a_batch_that_is_decided_again_counts_its_recipients_once(database: Database) {
    let instance = Instance::open_with_limits(&database, limits()).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(50)).await;
    refuse_nobody(&database).await;
    let people: Vec<_> = (0..6).map(|number| format!("person-{number}")).collect();

    // The first batch waits for this transaction, the others for the first.
    let mut other = instance.store.begin().await.unwrap();
    other.lock_counters(event.id).await.unwrap();
    let mut asking = Vec::new();
    for name in people.iter().map(String::as_str).chain(["nobody"]) {
        asking.push(ask(&instance, &event.slug, guest(name)));
    }
    drop(other);
    let mut outcomes = join_all(asking).await;
    let nobody = outcomes.pop().unwrap();
    assert!(matches!(nobody, Err(Error::Internal(_))), "{nobody:?}");
    for outcome in outcomes {
        outcome.unwrap();
    }

    for name in &people {
        let again = || {
            instance
                .registrations
                .register(&event.slug, guest(name), None)
        };
        again().await.unwrap();
        let third = again().await;
        assert!(matches!(third, Err(Error::RateLimited { .. })), "{third:?}");
    }
}

async fn mails_to_one_address_count_together_within_a_batch(database: Database) {
    let instance = Instance::open_with_limits(&database, limits()).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(50)).await;
    let mut other = instance.store.begin().await.unwrap();
    other.lock_counters(event.id).await.unwrap();
    let mut asking = Vec::new();
    for name in ["first", "ada", "ada", "ada", "ada"] {
        asking.push(ask(&instance, &event.slug, guest(name)));
    }
    drop(other);
    let outcomes = join_all(asking).await;
    let limited: Vec<_> = outcomes
        .iter()
        .map(|outcome| matches!(outcome, Err(Error::RateLimited { .. })))
        .collect();
    assert_eq!(limited, [false, false, false, true, true]);
    assert_eq!(instance.standing(event.id).await.len(), 2);
}

test_postgres::on_both_engines!(
    prepare: migrate;
    a_batch_that_is_decided_again_counts_its_recipients_once,
    mails_to_one_address_count_together_within_a_batch;
    on_postgres: who_waited_for_the_lock_registered_when_it_was_free,
);

/// As over TCP, where a stopped server is told from one that is not there yet by nobody.
fn refuse_connections(database: &Database) {
    let (_, folder) = database.url().split_once("?host=").unwrap();
    drop(UnixListener::bind(Path::new(folder).join(".s.PGSQL.5432")).unwrap());
}

/// Time stands still but for waiting, so that the machine's speed does not matter.
#[tokio::test]
async fn while_postgresql_is_away_nobody_waits_for_two_batches() {
    /// What anyone waits at most.
    const MAX_TIME: Duration = Duration::from_millis(1_500);
    /// Between one who asks and the next.
    const APART: Duration = Duration::from_millis(100);
    let Some(server) = Server::start() else {
        return;
    };
    let database = Database::on(&server, migrate).await;
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(5)).await;
    server.stop();
    refuse_connections(&database);
    pause();
    let asking = (0..40).map(|number: u32| {
        let (instance, slug) = (&instance, &event.slug);
        async move {
            sleep(APART * number).await;
            let asked = Instant::now();
            let new = guest(&format!("person-{number}"));
            let refused = instance.registrations.register(slug, new, None).await;
            assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
            asked.elapsed()
        }
    });
    let longest = join_all(asking).await.into_iter().max().unwrap();
    assert!(longest <= MAX_TIME, "{longest:?}");
}
