//! A pooler between core and PostgreSQL, which gives each transaction another session.

use std::collections::HashSet;

use domain::{
    account::Account,
    ids::{EventId, RegistrationId},
};
use futures_util::future::join_all;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use storage::{Error, Options, Purpose, Store};
use test_postgres::{Database, Pooler, SESSIONS, Server};
use uuid::Uuid;

use super::cancelled::read_and_cancel;
use crate::fixtures::{Rows, add_account, migrate};

async fn open(url: String) -> Store {
    let options = Options {
        is_pooled: true,
        ..Options::new(url, Purpose::Serve)
    };
    Store::open(&options).await.unwrap()
}

/// The URL of a database through a pooler.
fn through(pooler: &Pooler, database: &Database) -> String {
    pooler.url(database.name().unwrap())
}

/// Gives the role what core does not set through a pooler, as documented.
async fn prepare_role(database: &Database) {
    let direct = open(database.url().to_owned()).await;
    let statements = direct.lacking_settings().await.unwrap();
    assert!(statements.len() > 5, "{statements:?}");
    direct.close().await;
    let mut connection = PgConnection::connect(database.url()).await.unwrap();
    for statement in statements {
        let set = sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection);
        set.await.unwrap();
    }
}

/// Reads of these accounts at the same time, of which every third is cancelled at some moment, and transactions, of which every second is
/// given up.
async fn read_and_write(store: &Store, rows: &Rows, accounts: &[Account]) -> usize {
    // As busy as it is, a connection may come too late.
    let is_late = |error: &Error| matches!(error, Error::Unavailable(_));
    let reads = read_and_cancel(store, accounts, 600, is_late);
    let writes = (0..60).map(|number| {
        let (store, account) = (store.clone(), rows.account());
        async move {
            let mut tx = store.begin().await.ok()?;
            tx.insert_account(&account).await.unwrap();
            if number % 2 == 0 {
                return None;
            }
            tx.commit().await.unwrap();
            Some(account)
        }
    });
    let ((), written) = tokio::join!(reads, join_all(writes));
    let written: HashSet<_> = written.into_iter().flatten().map(|one| one.id).collect();
    for account in &written {
        let found = store.find_account(*account).await.unwrap();
        assert_eq!(found.map(|found| found.id), Some(*account));
    }
    written.len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_are_shared_and_everyone_gets_their_own_answers() {
    let Some(server) = Server::start() else {
        return;
    };
    let Some(pooler) = Pooler::start(&server) else {
        return;
    };
    let database = Database::on(&server, migrate).await;
    prepare_role(&database).await;
    let store = open(through(&pooler, &database)).await;
    assert_eq!(
        store.lacking_settings().await.unwrap(),
        Vec::<String>::new()
    );
    let rows = Rows::new();
    let mut accounts = Vec::new();
    for _ in 0..20 {
        accounts.push(add_account(&store, &rows).await);
    }
    for _ in 0..3 {
        assert!(read_and_write(&store, &rows, &accounts).await > 0);
    }
    // What is prepared without a name, while others use the sessions.
    let queues = (0..50).map(|_| store.list_job_queues("", 10));
    for queues in join_all(queues).await {
        assert!(queues.unwrap().is_empty());
    }
    let (event, nobody) = (
        EventId::new(Uuid::nil()),
        [RegistrationId::new(Uuid::nil())],
    );
    let mails = (0..50).map(|_| async {
        let reads = tokio::join!(
            store.count_event_mails(event),
            store.list_sent_mails(&nobody)
        );
        (reads.0.unwrap().len(), reads.1.unwrap().len())
    });
    for found in join_all(mails).await {
        assert_eq!(found, (0, 0));
    }
    let mut observer = PgConnection::connect(database.url()).await.unwrap();
    let sessions = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let sessions: i64 = sqlx::query_scalar(sessions)
        .fetch_one(&mut observer)
        .await
        .unwrap();
    assert!((1..=i64::from(SESSIONS)).contains(&sessions), "{sessions}");
    // Nothing is missing, so nothing is refused.
    store.migrate().await.unwrap();
}

#[tokio::test]
async fn migrations_want_the_servers_own_url() {
    let Some(server) = Server::start() else {
        return;
    };
    let Some(pooler) = Pooler::start(&server) else {
        return;
    };
    let database = Database::on(&server, async |_url| {}).await;
    let store = open(through(&pooler, &database)).await;
    let refused = store.migrate().await.unwrap_err();
    assert!(
        refused.to_string().contains("without --database-pooler"),
        "{refused}"
    );
    let direct = Options::new(database.url(), Purpose::Administer);
    let direct = Store::open(&direct).await.unwrap();
    direct.migrate().await.unwrap();
    store.migrate().await.unwrap();
    add_account(&store, &Rows::new()).await;
}
