//! The SQLite twin: one writer, four readers, one core per file.

mod input;

use std::{fs::File, path::Path, str::FromStr, time::Duration};

use secrecy::ExposeSecret;
use sqlx::{
    Pool, Transaction,
    pool::{PoolConnection, PoolOptions},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};

use self::input::Input;
use super::migrations::sqlite as migrations;
use super::{Access, Error, Options};

pub(super) type Db = sqlx::Sqlite;
type Connection = sqlx::SqliteConnection;
type Row = sqlx::sqlite::SqliteRow;

/// The one writer holds the whole database from its first statement: there is nothing left to lock.
macro_rules! for_update {
    () => {
        ""
    };
}

/// See `for_update!`.
macro_rules! skip_locked {
    () => {
        ""
    };
}

/// Whether the table named `$1` exists.
const TABLE_EXISTS: &str = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = $1) AS found";

/// Transactions wait for the one writer, and for nothing else.
const LOCK_WAIT: Option<(&str, &str)> = None;

/// There is no server, and so no clock but this machine's.
const SERVER_TIME: Option<&str> = None;

#[path = "queries/accounts.rs"]
pub(super) mod accounts;
#[path = "queries/audit.rs"]
pub(super) mod audit;
#[path = "queries/catalogue.rs"]
pub(super) mod catalogue;
#[path = "queries/events.rs"]
pub(super) mod events;
#[path = "queries/idempotency_keys.rs"]
pub(super) mod idempotency_keys;
#[path = "queries/jobs.rs"]
pub(super) mod jobs;
#[path = "queries/keys.rs"]
pub(super) mod keys;
#[path = "queries/links.rs"]
pub(super) mod links;
#[path = "queries/mails.rs"]
pub(super) mod mails;
#[path = "queries/registrations.rs"]
pub(super) mod registrations;
#[path = "queries/schema.rs"]
pub(super) mod schema;
#[path = "queries/seats.rs"]
pub(super) mod seats;
#[path = "queries/stock_covers.rs"]
pub(super) mod stock_covers;

/// How long a statement waits for another process (an admin command) to leave the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// All writers queue for one connection, so that they wait as long as SQLite itself would.
const WRITER_WAIT: Duration = BUSY_TIMEOUT;
/// Readers never wait for writers in WAL mode: a second means that the machine is overloaded.
const READER_WAIT: Duration = Duration::from_secs(1);
/// Reading is CPU work here; more readers than cores gain nothing on the machines SQLite is meant for.
const READERS: u32 = 4;

#[derive(Debug)]
pub(super) struct Engine {
    readers: Pool<Db>,
    writer: Pool<Db>,
    /// Held until the process ends, or longest user of the store is gone.
    _lock: Option<File>,
}

impl Engine {
    pub(super) async fn open(options: &Options) -> Result<Self, Error> {
        let url = options.url.expose_secret();
        let base = SqliteConnectOptions::from_str(url)
            .map_err(|error| Error::Configuration(format!("{url}: {error}")))?
            .create_if_missing(true)
            .foreign_keys(true)
            .busy_timeout(BUSY_TIMEOUT)
            // What is deleted is overwritten: an erased person's data must not be left in the file's free space.
            .pragma("secure_delete", "ON")
            .synchronous(SqliteSynchronous::Full);
        if url.contains(":memory:") || url.contains("mode=memory") {
            let text = format!(
                "{url}: give the path of a file, since in memory each connection has its own data"
            );
            return Err(Error::Configuration(text));
        }
        let path = base.get_filename().to_owned();
        let lock = match options.access {
            Access::Serve => Some(lock(&path)?),
            Access::Administer => None,
        };
        let unusable = |error: sqlx::Error| {
            Error::Configuration(format!(
                "cannot open the database {}: {error}",
                path.display()
            ))
        };
        make_private(&path).map_err(|error| unusable(error.into()))?;
        // The writer comes first: it sets WAL, which readers cannot.
        let writer = PoolOptions::new()
            .max_connections(1)
            .acquire_timeout(WRITER_WAIT)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_with(base.clone().journal_mode(SqliteJournalMode::Wal))
            .await
            .map_err(unusable)?;
        let readers = PoolOptions::new()
            .max_connections(READERS)
            .acquire_timeout(READER_WAIT)
            .connect_with(base.read_only(true))
            .await
            .map_err(unusable)?;
        Ok(Self {
            readers,
            writer,
            _lock: lock,
        })
    }

    pub(super) async fn reader(&self) -> Result<PoolConnection<Db>, Error> {
        Ok(self.readers.acquire().await?)
    }

    /// A transaction that is the only writer from the start: one that begins by reading could not become one later.
    pub(super) async fn begin(&self) -> Result<Transaction<'static, Db>, Error> {
        Ok(self.writer.begin_with("BEGIN IMMEDIATE").await?)
    }

    pub(super) async fn migrate(&self) -> Result<(), Error> {
        schema::migrate(&mut *self.writer.acquire().await?).await
    }

    /// Empties the write-ahead log, which holds pages as they were. Not while somebody reads for long; then the log is used
    /// anew, from its start, by whoever writes next.
    pub(super) async fn forget_deleted(&self) -> Result<(), Error> {
        let mut writer = self.writer.acquire().await?;
        sqlx::query::<Db>("PRAGMA wal_checkpoint(TRUNCATE)")
            .execute(&mut *writer)
            .await?;
        Ok(())
    }

    pub(super) async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

/// Makes the file where there is none, for its owner's eyes only: it holds names and e-mail addresses. What SQLite puts beside it
/// has the same mode.
fn make_private(database: &Path) -> std::io::Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(database) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Takes the lock that makes this core the only one on its file. The lock dies with the process, however it dies.
fn lock(database: &Path) -> Result<File, Error> {
    let mut path = database.as_os_str().to_owned();
    path.push(".lock");
    let shown = Path::new(&path).display();
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|error| {
            Error::Configuration(format!(
                "cannot write {shown}: {error}; choose another folder with --data-dir"
            ))
        })?;
    file.try_lock().map_err(|_| {
        Error::Configuration(format!(
            "another core already serves {}: stop it, or give this one another --data-dir",
            database.display()
        ))
    })?;
    Ok(file)
}
