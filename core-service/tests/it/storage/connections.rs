//! What becomes of connections whose calls end early, and of those that break.

use std::time::Duration;

use domain::{account::Account, ids::AccountId};
use futures_util::future::join_all;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};
use storage::{Error, Options, Purpose, Store};
use test_postgres::{Database, Server};
use tokio::time::Instant;

use super::cancelled::read_and_cancel;
use crate::fixtures::{Rows, add_account, migrate, open};

/// What those wait at least who come later.
const MOMENT: Duration = Duration::from_millis(100);

/// What calls wait for together at most while the database is away: two replicas of core that are asked in turn, and what is between
/// them, are to refuse a call within 1.5 s.
const MAX_OUTAGE_WAIT: Duration = Duration::from_millis(750);

/// A store with one connection for reads and one for transactions.
async fn open_small(database: &Database) -> Store {
    let options = Options {
        pool_size: 2,
        ..Options::new(database.url(), Purpose::Serve)
    };
    Store::open(&options).await.unwrap()
}

async fn a_dropped_transaction_is_rolled_back_and_the_next_has_its_connection(database: Database) {
    let (store, rows) = (open_small(&database).await, Rows::new());
    for _ in 0..3 {
        let account = rows.account();
        let mut dropped = store.begin().await.unwrap();
        dropped.insert_account(&account).await.unwrap();
        drop(dropped);
        let mut next = store.begin().await.unwrap();
        assert_eq!(next.lock_account(account.id).await.unwrap(), None);
        next.commit().await.unwrap();
    }
}

async fn reads_that_others_cancel_get_their_own_answers(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    let mut accounts: Vec<Account> = Vec::new();
    for _ in 0..20 {
        accounts.push(add_account(&store, &rows).await);
    }
    read_and_cancel(&store, &accounts, 400, |_error| false).await;
    for account in accounts {
        let found = store.find_account(account.id).await.unwrap();
        assert_eq!(found, Some(account));
    }
}

async fn a_store_that_was_closed_refuses_calls(database: Database) {
    let store = open(&database).await;
    store.ping().await.unwrap();
    store.close().await;
    let refused = store.ping().await.unwrap_err();
    assert!(matches!(refused, Error::Unavailable(_)), "{refused:?}");
    let refused = store.begin().await.unwrap_err();
    assert!(matches!(refused, Error::Unavailable(_)), "{refused:?}");
}

/// A connection that looks at the others of its database.
struct Observer(PgConnection);

impl Observer {
    async fn new(database: &Database) -> Self {
        Self(PgConnection::connect(database.url()).await.unwrap())
    }

    async fn execute(&mut self, statement: &'static str) {
        sqlx::raw_sql(statement).execute(&mut self.0).await.unwrap();
    }

    /// The server's processes of Muster's connections that fulfil a condition.
    async fn processes(&mut self, condition: &str) -> Vec<i32> {
        let text = format!(
            "SELECT pid FROM pg_stat_activity \
             WHERE application_name = 'muster' AND datname = current_database() AND {condition} ORDER BY pid"
        );
        // Within a transaction, PostgreSQL repeats what the first look showed until this.
        self.execute("SELECT pg_stat_clear_snapshot()").await;
        let rows = sqlx::query(AssertSqlSafe(text)).fetch_all(&mut self.0);
        let rows = rows.await.unwrap();
        rows.iter().map(|row| row.get("pid")).collect()
    }

    /// The process of the one connection that waits for a lock, as soon as there is one.
    async fn waiting(&mut self) -> i32 {
        loop {
            if let [process] = self.processes("wait_event_type = 'Lock'").await[..] {
                return process;
            }
        }
    }

    /// Ends a process, as the server does when it stops.
    async fn end(&mut self, process: i32) {
        let end = sqlx::query("SELECT pg_terminate_backend($1)").bind(process);
        end.execute(&mut self.0).await.unwrap();
    }

    async fn wait_until_gone(&mut self, process: i32) {
        while self.processes("TRUE").await.contains(&process) {}
    }
}

async fn a_connection_whose_read_was_cancelled_is_closed(database: Database) {
    let (store, rows) = (open_small(&database).await, Rows::new());
    let (cancelled, read) = (
        add_account(&store, &rows).await,
        add_account(&store, &rows).await,
    );
    let mut observer = Observer::new(&database).await;
    observer.execute("BEGIN; LOCK TABLE accounts").await;
    let waiting = tokio::spawn({
        let store = store.clone();
        async move { store.find_account(cancelled.id).await }
    });
    let process = observer.waiting().await;
    waiting.abort();
    waiting.await.unwrap_err();
    observer.execute("COMMIT").await;
    let found = store.find_account(read.id).await.unwrap();
    assert_eq!(found, Some(read));
    observer.wait_until_gone(process).await;
}

async fn a_transaction_that_is_cancelled_in_a_statement_is_rolled_back_and_its_connection_closed(
    database: Database,
) {
    let (store, rows) = (open_small(&database).await, Rows::new());
    let (account, added) = (add_account(&store, &rows).await, rows.account());
    let mut observer = Observer::new(&database).await;
    observer
        .execute("BEGIN; SELECT 1 FROM accounts FOR UPDATE")
        .await;
    let waiting = tokio::spawn({
        let (store, added) = (store.clone(), added.clone());
        async move {
            let mut tx = store.begin().await.unwrap();
            tx.insert_account(&added).await.unwrap();
            tx.lock_account(account.id).await
        }
    });
    let process = observer.waiting().await;
    waiting.abort();
    waiting.await.unwrap_err();
    observer.execute("COMMIT").await;
    let mut next = store.begin().await.unwrap();
    let locked = next.lock_account(account.id).await.unwrap();
    assert_eq!(locked, Some(account));
    assert_eq!(next.lock_account(added.id).await.unwrap(), None);
    next.commit().await.unwrap();
    observer.wait_until_gone(process).await;
}

async fn calls_succeed_after_the_server_closed_every_connection(database: Database) {
    let store = open(&database).await;
    let nobody = AccountId::new(uuid::Uuid::nil());
    let mut observer = Observer::new(&database).await;
    for _ in 0..3 {
        // Several connections of both kinds, which are then unused.
        join_all((0..8).map(|_| store.find_account(nobody))).await;
        join_all((0..8).map(|_| async { store.begin().await.unwrap().commit().await })).await;
        let processes = observer.processes("TRUE").await;
        assert!(processes.len() > 2, "{processes:?}");
        for process in processes {
            observer.end(process).await;
            observer.wait_until_gone(process).await;
        }
        let reads = join_all((0..8).map(|_| store.find_account(nobody)));
        for found in reads.await {
            assert_eq!(found.unwrap(), None);
        }
        let mut tx = store.begin().await.unwrap();
        assert_eq!(tx.lock_account(nobody).await.unwrap(), None);
        tx.commit().await.unwrap();
    }
}

/// Time stands still while anything is done, and passes while all wait, so a busy machine changes nothing.
#[tokio::test]
async fn calls_wait_for_an_outage_from_its_beginning_and_not_each_anew() {
    let Some(server) = Server::start() else {
        return;
    };
    let database = Database::on(&server, migrate).await;
    let store = open_small(&database).await;
    let nobody = AccountId::new(uuid::Uuid::nil());
    store.find_account(nobody).await.unwrap();
    let outages = store.outages();
    server.stop();

    tokio::time::pause();
    let began = Instant::now();
    // More than have connections, which wait for each other as well; one of them needs several reads and a transaction.
    let several = async {
        for _ in 0..3 {
            store.find_account(nobody).await.unwrap_err();
        }
        store.begin().await.unwrap_err()
    };
    let others = join_all((0..5).map(|_| store.find_account(nobody)));
    let (refused, others) = tokio::join!(several, others);
    assert!(matches!(refused, Error::Unavailable(_)), "{refused:?}");
    assert!(others.iter().all(Result::is_err), "{others:?}");
    // The patience of the outage, and a moment for each further read.
    let waited = began.elapsed();
    assert!(waited < MAX_OUTAGE_WAIT + 3 * MOMENT, "{waited:?}");
    assert!(outages.borrow().is_some());

    let began = Instant::now();
    store.find_account(nobody).await.unwrap_err();
    store.begin().await.unwrap_err();
    let waited = began.elapsed();
    assert!(waited < 3 * MOMENT, "{waited:?}");

    tokio::time::resume();
    server.start_again();
    // It is looked for although nobody calls.
    let mut outages = outages;
    outages.wait_for(Option::is_none).await.unwrap();
    store.find_account(nobody).await.unwrap();
    store.begin().await.unwrap().commit().await.unwrap();
}

#[tokio::test]
async fn connections_to_a_server_that_takes_no_writes_any_more_are_thrown_away() {
    let Some(server) = Server::start() else {
        return;
    };
    let database = Database::on(&server, migrate).await;
    let (store, rows) = (open_small(&database).await, Rows::new());
    add_account(&store, &rows).await;
    let mut observer = Observer::new(&database).await;

    // As a primary that became a standby, for sessions that are open, too.
    observer
        .execute("ALTER SYSTEM SET default_transaction_read_only = on")
        .await;
    observer.execute("SELECT pg_reload_conf()").await;
    let is_standby = async || {
        matches!(
            store.ping().await,
            Err(Error::Standby(_) | Error::Unavailable(_))
        )
    };
    while !is_standby().await {}
    let mut refusals = Vec::new();
    for _ in 0..2 {
        let mut tx = match store.begin().await {
            Ok(tx) => tx,
            Err(error) => {
                refusals.push(error);
                continue;
            }
        };
        refusals.push(tx.insert_account(&rows.account()).await.unwrap_err());
    }
    // The connection that was there says so; no new one is taken.
    assert!(
        matches!(
            &refusals[..],
            [
                Error::Standby(_) | Error::Unavailable(_),
                Error::Unavailable(_)
            ]
        ),
        "{refusals:?}"
    );

    observer
        .execute("ALTER SYSTEM RESET default_transaction_read_only")
        .await;
    observer.execute("SELECT pg_reload_conf()").await;
    while store.ping().await.is_err() {}
    add_account(&store, &rows).await;
}

test_postgres::on_both_engines!(
    prepare: migrate;
    a_dropped_transaction_is_rolled_back_and_the_next_has_its_connection,
    reads_that_others_cancel_get_their_own_answers,
    a_store_that_was_closed_refuses_calls;
    on_postgres:
    a_connection_whose_read_was_cancelled_is_closed,
    a_transaction_that_is_cancelled_in_a_statement_is_rolled_back_and_its_connection_closed,
    calls_succeed_after_the_server_closed_every_connection,
);
