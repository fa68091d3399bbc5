//! The SQLite twin: one writer, four readers, one core per file.

mod backup;
#[path = "connections.rs"]
mod connections;
mod entries;
mod input;
mod matches;
mod seat_changes;

use std::{fs::File, path::Path, str::FromStr, time::Duration};

use secrecy::ExposeSecret;
use sqlx::ConnectOptions as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};

pub(super) use self::connections::Transaction;
use self::connections::{Away, Connections, Lease};
use self::input::Input;
use super::migrations::sqlite as migrations;
use super::{Access, Error, Options, store::Outages};

pub(super) type Db = sqlx::Sqlite;
type Connection = sqlx::SqliteConnection;
type Row = sqlx::sqlite::SqliteRow;
type Arguments = sqlx::sqlite::SqliteArguments;
/// What connections lead to.
type Target = SqliteConnectOptions;

/// Begins a transaction as the writer: one that begins by reading could fail when it writes.
const BEGIN: &str = "BEGIN IMMEDIATE";

/// Whether the database answers: a file has no standby.
async fn takes_writes(connection: &mut Connection) -> Result<bool, sqlx::Error> {
    sqlx::query::<Db>("SELECT 1").execute(connection).await?;
    Ok(true)
}

/// A connection to the file.
async fn connect(target: &Target) -> Result<Option<Connection>, sqlx::Error> {
    target.connect().await.map(Some)
}

/// The one writer locks the whole database with its first statement, so there is nothing else to lock.
macro_rules! for_update {
    () => {
        ""
    };
}

/// See `for_update!`.
macro_rules! for_share {
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

/// A statement that changes an event of a shard, whose number was raised before it. SQLite writes to one table in a statement.
macro_rules! with_change {
    ($shard:literal, $($statement:tt)+) => {
        concat!($($statement)+)
    };
}

/// The number of a change in `with_change!`.
macro_rules! change_number {
    ($shard:literal) => {
        concat!(
            "(SELECT latest FROM event_changes WHERE shard = ",
            $shard,
            ")"
        )
    };
}

/// A statement that adds an event, and answers its slug. SQLite writes to one table in a statement.
macro_rules! with_counters {
    ($($insert:tt)+) => {
        concat!($($insert)+, " RETURNING slug")
    };
}

/// See `with_counters!`.
macro_rules! with_entry {
    ($($insert:tt)+) => {
        with_counters!($($insert)+)
    };
}

/// Whether a statement writes to one table only.
const WRITES_ONE_TABLE: bool = true;

/// What a column of a table is compared with: the values of a column of `input`.
macro_rules! any_of_input {
    ($column:literal) => {
        concat!(" IN (SELECT ", $column, " FROM input)")
    };
}

/// What an index has of each row of a table, and by which the row is found without another index.
macro_rules! row {
    () => {
        "rowid"
    };
}

/// Names the index to read: SQLite would read all events' rows by another one, and sort them.
macro_rules! indexed_by_sitemaps {
    () => {
        " INDEXED BY events_in_sitemaps"
    };
}

/// Names the index to read: SQLite would read all of the account's events by another one.
macro_rules! indexed_by_length {
    () => {
        " INDEXED BY events_long_of_owner"
    };
}

/// Names the index to read, which is empty but after an upgrade: SQLite would read all of the account's events by another one.
macro_rules! indexed_by_not_folded {
    () => {
        " INDEXED BY events_not_folded"
    };
}

/// Where a text begins in another, from 1; 0 if it is not in it.
macro_rules! position {
    () => {
        "instr"
    };
}

/// Whether the table named `$1` exists.
const TABLE_EXISTS: &str = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = $1) AS found";

/// There is no server, so nobody else sets anything.
const SETTINGS: &[(&str, &str)] = &[];

/// There is no server.
const SERVER_VERSION: Option<&str> = None;

/// Nothing is between core and its file.
const SILENCE: Option<Duration> = None;

/// There is no server, so the only clock is this machine's.
const SERVER_TIME: Option<&str> = None;

#[path = "queries/audit.rs"]
pub(super) mod audit;
#[path = "queries/catalogue.rs"]
pub(super) mod catalogue;
#[path = "queries/event_changes.rs"]
pub(super) mod event_changes;
#[path = "queries/events.rs"]
pub(super) mod events;
#[path = "queries/ids.rs"]
mod ids;
#[path = "queries/my_events.rs"]
pub(super) mod my_events;
#[path = "queries/news.rs"]
pub(super) mod news;
#[path = "queries/schema.rs"]
pub(super) mod schema;
#[path = "queries/search.rs"]
pub(super) mod search;

/// How long a statement waits for another process, such as an admin command.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// All writers queue for one connection, so they wait as long as SQLite itself would.
const WRITER_WAIT: Duration = BUSY_TIMEOUT;
/// Readers never wait for writers in WAL mode, so a wait of a second means that the machine is overloaded.
const READER_WAIT: Duration = Duration::from_secs(1);
/// Reading needs the processor, so more readers gain nothing on machines that use SQLite.
const READERS: u32 = 4;

#[derive(Debug)]
pub(super) struct Engine {
    readers: Connections,
    writer: Connections,
    /// The file lock, held until the store is dropped.
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
            // Deleted data are overwritten: an erased person's data must not stay in the file's free space.
            .pragma("secure_delete", "ON")
            .synchronous(SqliteSynchronous::Full);
        if url.contains(":memory:") || url.contains("mode=memory") {
            let text = format!(
                "{url}: must be the path of a file, since each connection in memory has its own data"
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
        // The writer opens first: it sets WAL, which readers cannot do.
        let writing = base.clone().journal_mode(SqliteJournalMode::Wal);
        let writer = Connections::new(&Away::new(writing), None, 1, WRITER_WAIT).measured("write");
        writer.open().await.map_err(unusable)?;
        let reading = Away::new(base.read_only(true));
        let readers = Connections::new(&reading, None, READERS, READER_WAIT).measured("read");
        readers.open().await.map_err(unusable)?;
        Ok(Self {
            readers,
            writer,
            _lock: lock,
        })
    }

    pub(super) async fn reader(&self) -> Result<Lease, Error> {
        self.readers.take().await
    }

    pub(super) fn outages(&self) -> Outages {
        self.readers.outages()
    }

    pub(super) async fn begin(&self) -> Result<Transaction, Error> {
        self.writer.begin().await
    }

    pub(super) async fn migrate(&self) -> Result<(), Error> {
        let mut writer = self.writer.take().await?;
        let migrated = schema::migrate(&mut writer).await;
        writer.give_back(migrated.as_ref().err()).await;
        migrated
    }

    /// Empties the write-ahead log, which contains old pages. During a long read this is not possible; then the next writer
    /// overwrites the log from its start.
    pub(super) async fn forget_deleted(&self) -> Result<(), Error> {
        let mut writer = self.writer.take().await?;
        let emptied = sqlx::query::<Db>("PRAGMA wal_checkpoint(TRUNCATE)");
        let emptied = emptied.execute(&mut *writer).await.map_err(Error::from);
        writer.give_back(emptied.as_ref().err()).await;
        emptied?;
        Ok(())
    }

    pub(super) async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

/// Creates the file if there is none, readable by its owner only: it contains names and e-mail addresses. SQLite's other files
/// get the same mode.
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

/// Takes the lock that makes this core the only one on its file. The system releases it when the process ends.
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
            "another core already serves {}: stop it, or choose another --data-dir",
            database.display()
        ))
    })?;
    Ok(file)
}
