//! A URL that names several servers, of which one takes writes.

use std::time::Duration;

use sqlx::{Connection as _, PgConnection};
use storage::{Options, Purpose, Store};
use test_postgres::Server;

use crate::fixtures::{Rows, add_account, insert_account, migrate};

const DATABASE: &str = "cluster";

/// Far above what finding another server takes on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A server with an empty database. Two of them are no cluster, but show which one is used.
async fn start() -> Option<Server> {
    let server = Server::start()?;
    server.create_database(DATABASE, "template1");
    migrate(server.url(DATABASE)).await;
    Some(server)
}

/// The folder of a server's socket, as a host in a URL.
fn host(server: &Server) -> String {
    let url = server.url(DATABASE);
    let (_, folder) = url.split_once("?host=").unwrap();
    folder.replace('/', "%2F")
}

async fn make(server: &Server, standby: bool) {
    let mut connection = PgConnection::connect(&server.url(DATABASE)).await.unwrap();
    let statement = if standby {
        "ALTER SYSTEM SET default_transaction_read_only = on"
    } else {
        "ALTER SYSTEM RESET default_transaction_read_only"
    };
    for statement in [statement, "SELECT pg_reload_conf()"] {
        sqlx::raw_sql(statement)
            .execute(&mut connection)
            .await
            .unwrap();
    }
}

async fn accounts(server: &Server) -> i64 {
    let mut connection = PgConnection::connect(&server.url(DATABASE)).await.unwrap();
    let count = sqlx::query_scalar("SELECT count(*) FROM accounts");
    count.fetch_one(&mut connection).await.unwrap()
}

/// Adds an account as soon as a server takes it.
async fn add_when_possible(store: &Store, rows: &Rows) {
    let add = async || {
        let account = rows.account();
        let mut tx = store.begin().await.ok()?;
        // Most of a failing transaction is a statement that a standby refuses.
        tx.insert_account(&account).await.ok()?;
        drop(tx);
        let mut tx = store.begin().await.ok()?;
        insert_account(&mut tx, &account).await;
        tx.commit().await.ok()
    };
    let added = tokio::time::timeout(TIMEOUT, async { while add().await.is_none() {} });
    added.await.expect("a server takes writes");
}

#[tokio::test]
async fn of_several_servers_the_one_that_takes_writes_is_used() {
    let (Some(one), Some(two)) = (start().await, start().await) else {
        return;
    };
    make(&one, true).await;
    let url = format!(
        "postgres://muster@{},{}/{DATABASE}?target_session_attrs=read-write",
        host(&one),
        host(&two)
    );
    let options = Options {
        pool_size: 4,
        ..Options::new(url, Purpose::Serve)
    };
    let (store, rows) = (Store::open(&options).await.unwrap(), Rows::new());
    add_account(&store, &rows).await;
    assert_eq!((accounts(&one).await, accounts(&two).await), (0, 1));

    // They change places.
    make(&two, true).await;
    make(&one, false).await;
    while store.ping().await.is_err() {}
    add_when_possible(&store, &rows).await;
    assert_eq!((accounts(&one).await, accounts(&two).await), (1, 1));

    // The primary goes, and the other takes its place.
    make(&two, false).await;
    one.stop();
    add_when_possible(&store, &rows).await;
    assert_eq!(accounts(&two).await, 2);
    store.migrate().await.unwrap();
}
