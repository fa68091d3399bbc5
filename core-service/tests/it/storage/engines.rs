//! Opening, migrating, and what each engine does when it is not there.

use std::fs;

use sqlx::Connection as _;
use storage::{Error, Options, Purpose, Store};
use test_postgres::{Database, Server};

use crate::fixtures::{Rows, add_account, migrate, open};

async fn migrating_twice_is_migrating_once(database: Database) {
    let store = open(&database).await;
    assert!(store.pending_migrations().await.unwrap().is_empty());
    store.migrate().await.unwrap();
    assert!(store.pending_migrations().await.unwrap().is_empty());
    store.ping().await.unwrap();
}

/// A frozen core is one that begins, locks and then says nothing more.
async fn locks_of_a_core_that_stopped_pass_to_others_before_these_give_up(database: Database) {
    let (store, rows) = (open(&database).await, Rows::new());
    let account = add_account(&store, &rows).await;
    let mut stopped = store.begin().await.unwrap();
    stopped.lock_account(account.id).await.unwrap();
    let mut waiting = store.begin().await.unwrap();
    let locked = waiting.lock_account(account.id).await.unwrap();
    assert_eq!(locked, Some(account));
    waiting.commit().await.unwrap();
    stopped.commit().await.unwrap_err();
}

async fn reads_do_not_wait_for_connections_of_transactions(database: Database) {
    let store = open(&database).await;
    let mut transactions = Vec::new();
    let refused = loop {
        match store.begin().await {
            Ok(transaction) => transactions.push(transaction),
            Err(refused) => break refused,
        }
    };
    assert!(matches!(refused, Error::Unavailable(_)), "{refused:?}");
    assert!(transactions.len() < Options::DEFAULT_POOL_SIZE as usize);
    store.ping().await.unwrap();
}

test_postgres::on_both_engines!(
    prepare: migrate;
    migrating_twice_is_migrating_once;
    on_postgres:
    locks_of_a_core_that_stopped_pass_to_others_before_these_give_up,
    reads_do_not_wait_for_connections_of_transactions,
);

async fn refusal(url: &str, purpose: Purpose) -> String {
    let options = Options::new(url, purpose);
    Store::open(&options).await.unwrap_err().to_string()
}

/// The names of the migrations that there are for an engine, in order.
fn written_for(engine: &str) -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/storage/migrations");
    let files = fs::read_dir(format!("{folder}/{engine}")).unwrap();
    let name = |file: std::io::Result<fs::DirEntry>| {
        let name = file.unwrap().file_name().into_string().unwrap();
        name.strip_suffix(".sql").unwrap().to_owned()
    };
    let mut names: Vec<String> = files.map(name).collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_database_without_a_schema_says_which_migrations_it_lacks() {
    let database = Database::new_sqlite(async |_| {}).await;
    let store = open(&database).await;
    let lacking = store.pending_migrations().await.unwrap();
    assert_eq!(lacking, written_for("sqlite"));
    store.migrate().await.unwrap();
    assert!(store.pending_migrations().await.unwrap().is_empty());

    if let Some(server) = Server::start() {
        let url = server.url("postgres");
        let store = Store::open(&Options::new(url, Purpose::Serve))
            .await
            .unwrap();
        let lacking = store.pending_migrations().await.unwrap();
        assert_eq!(lacking, written_for("postgres"));
    }
}

#[tokio::test]
async fn a_sqlite_file_has_one_core_and_any_number_of_admins() {
    let database = Database::sqlite(migrate).await;
    let core = open(&database).await;
    let second = refusal(database.url(), Purpose::Serve).await;
    assert!(
        second.starts_with("another core already serves /"),
        "{second}"
    );
    assert!(second.ends_with("choose another --data-dir"), "{second}");

    let admin = Options::new(database.url(), Purpose::Administer);
    let admin = Store::open(&admin).await.unwrap();
    admin.ping().await.unwrap();
    admin.begin().await.unwrap().commit().await.unwrap();

    core.close().await;
    drop(core);
    open(&database).await;
}

/// Runs a statement on a SQLite file, beside core.
async fn beside(database: &Database, statement: &'static str) {
    let connection = sqlx::SqliteConnection::connect(database.url()).await;
    let mut connection = connection.unwrap();
    let statement = sqlx::raw_sql(statement);
    statement.execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

/// SQLite takes a partial index only for a statement with the very condition of the index, and statements for both engines say TRUE and
/// FALSE.
#[tokio::test]
async fn partial_indexes_have_conditions_that_statements_have() {
    let database = Database::sqlite(migrate).await;
    let mut connection = sqlx::SqliteConnection::connect(database.url())
        .await
        .unwrap();
    let indexes: Vec<String> = sqlx::query_scalar(
        "SELECT sql FROM sqlite_master WHERE type = 'index' AND sql LIKE '% WHERE %'",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    assert!(indexes.len() > 10, "{indexes:?}");
    for index in indexes {
        let is_of_a_number = index.ends_with("= 0") || index.ends_with("= 1");
        assert!(!is_of_a_number, "{index}");
    }
}

/// As on a full disk, which a test cannot have everywhere; `binary/disk.rs` has what is nearest to one.
#[tokio::test]
async fn a_transaction_that_sqlite_itself_ended_does_not_stop_those_after_it() {
    let database = Database::sqlite(migrate).await;
    let (store, rows) = (open(&database).await, Rows::new());
    let fail = "CREATE TRIGGER fail BEFORE INSERT ON accounts BEGIN SELECT RAISE(ROLLBACK, 'no space'); END";
    beside(&database, fail).await;
    for _ in 0..3 {
        let mut tx = store.begin().await.unwrap();
        let failed = tx.insert_account(&rows.account()).await;
        let text = failed.unwrap_err().to_string();
        assert!(text.contains("no space"), "{text}");
    }
    beside(&database, "DROP TRIGGER fail").await;
    let account = add_account(&store, &rows).await;
    let found = store.find_account(account.id).await.unwrap();
    assert_eq!(found, Some(account));
}

#[tokio::test]
async fn unusable_urls_say_what_would_be_right() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("plain");
    fs::write(&file, "no folder").unwrap();
    let below_a_file = format!("sqlite://{}/muster.db", file.display());
    let cases = [
        (
            "mysql://localhost/x",
            "the database URL (--database-url) must begin with sqlite:// or postgres://",
        ),
        ("sqlite::memory:", "must be the path of a file"),
        ("sqlite://x.db?mode=memory", "must be the path of a file"),
        (below_a_file.as_str(), "cannot write"),
        (
            "postgres://u:secret@host:notaport/db",
            "write postgres://user:password@host:5432/database",
        ),
        (
            "postgres://u:secret@one,two/db?target_session_attrs=standby",
            "core uses the server that takes writes; leave it out",
        ),
        (
            "postgres://u:secret@/db?host=one,two",
            "name them before the database, as in postgres://one:5432,two:5432/database",
        ),
        (
            "postgres://u:secret@127.0.0.1:1,127.0.0.1:2/db",
            "cannot reach postgres://127.0.0.1:1,127.0.0.1:2/db",
        ),
        (
            "postgres://u:secret@127.0.0.1:1/db",
            "cannot reach postgres://127.0.0.1:1/db",
        ),
    ];
    for (url, expected) in cases {
        let text = refusal(url, Purpose::Serve).await;
        assert!(text.contains(expected), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_postgres_is_unavailable_and_comes_back_by_itself() {
    let Some(server) = Server::start() else {
        return;
    };
    let url = server.url("postgres");
    let store = Store::open(&Options::new(url, Purpose::Serve))
        .await
        .unwrap();
    store.migrate().await.unwrap();
    let open_tx = store.begin().await.unwrap();

    server.stop();
    let ping = store.ping().await;
    assert!(matches!(ping, Err(Error::Unavailable(_))), "{ping:?}");
    let begin = store.begin().await.map(drop);
    assert!(matches!(begin, Err(Error::Unavailable(_))), "{begin:?}");
    let commit = open_tx.commit().await;
    assert!(
        matches!(commit, Err(Error::UnknownOutcome(_))),
        "{commit:?}"
    );

    server.start_again();
    store.ping().await.unwrap();
    store.begin().await.unwrap().commit().await.unwrap();
}

#[tokio::test]
async fn a_database_that_cannot_store_all_names_is_refused_with_the_way_to_make_another() {
    let Some(server) = Server::start() else {
        return;
    };
    let options = [
        "--encoding=LATIN1",
        "--locale=C",
        "--template=template0",
        "latin",
    ];
    let made = server.program("createdb").args(options).status();
    assert!(made.unwrap().success());
    let refused = refusal(&server.url("latin"), Purpose::Serve).await;
    assert!(refused.contains("has the encoding LATIN1"), "{refused}");
    assert!(refused.contains("ENCODING 'UTF8'"), "{refused}");
}
