//! The PostgreSQL twin: a pool for reads and one for transactions, row locks.

mod additions;
#[path = "connections.rs"]
mod connections;
mod entries;
mod input;
mod matches;
mod seat_changes;
mod servers;
mod standby;

use std::time::Duration;

use secrecy::ExposeSecret;
use sqlx::{Connection as _, Row as _};

use self::connections::{Away, Connections};
pub(super) use self::connections::{Lease, Transaction};
use self::input::Input;
use self::servers::{Kind, Servers};
pub(super) use self::standby::Standby;
use super::migrations::postgres as migrations;
use super::{Error, Options, store::Outages};

pub(super) type Db = sqlx::Postgres;
type Connection = sqlx::PgConnection;
type Row = sqlx::postgres::PgRow;
type Arguments = sqlx::postgres::PgArguments;
/// What connections lead to.
type Target = Servers;

/// Begins a transaction.
const BEGIN: &str = "BEGIN";

/// Locks the selected row until the transaction ends.
macro_rules! for_update {
    () => {
        " FOR UPDATE"
    };
}

/// Keeps the selected rows as they are until the transaction ends. Others may do the same meanwhile.
macro_rules! for_share {
    () => {
        " FOR SHARE"
    };
}

/// Selects rows that are not locked, and locks them.
macro_rules! skip_locked {
    () => {
        " FOR UPDATE SKIP LOCKED"
    };
}

/// A statement that changes an event of a shard, whose number it raises.
macro_rules! with_change {
    ($shard:literal, $($statement:tt)+) => {
        concat!(
            "WITH numbered AS (UPDATE event_changes SET latest = latest + 1 WHERE shard = ",
            $shard,
            " RETURNING latest) ",
            $($statement)+
        )
    };
}

/// The number of a change in `with_change!`.
macro_rules! change_number {
    ($shard:literal) => {
        "(SELECT latest FROM numbered)"
    };
}

/// The beginning of a statement that adds an event of shard `$33`, and then its entry in the audit log, if there is one.
macro_rules! added_and_audited {
    ($($insert:tt)+) => {
        with_change!(
            "$33",
            ", added AS (",
            $($insert)+,
            " RETURNING id, slug), audited AS (",
            insert_into_audit_log!(),
            " SELECT $37, $38, $39, $40, $41, $42, $43, $44, $45, $46, $47, $48, $49 FROM added WHERE $37 IS NOT NULL)"
        )
    };
}

/// A statement that adds an event with its entry in the audit log and its counters, and answers its slug.
macro_rules! with_counters {
    ($($insert:tt)+) => {
        concat!(
            added_and_audited!($($insert)+),
            ", counted AS (INSERT INTO event_counters (event_id, confirmed, pending, waitlisted, cancelled, next_seq) \
             SELECT id, 0, 0, 0, 0, 1 FROM added) SELECT slug FROM added"
        )
    };
}

/// The same for an event of the catalogue, with its entry and the total. The total is locked last, since its part reads what was added.
macro_rules! with_entry {
    ($($insert:tt)+) => {
        concat!(
            added_and_audited!($($insert)+),
            ", counted AS (INSERT INTO event_counters (event_id, confirmed, pending, waitlisted, cancelled, next_seq) \
             SELECT id, 0, 0, 0, 0, 1 FROM added), \
             entered AS (INSERT INTO catalogue_entries (event_id, start_at, start_local, effective_end, words) \
             SELECT id, $8, $50, $13, CAST($51 AS tsvector) FROM added), \
             totalled AS (UPDATE catalogue_totals SET live = live + 1, version = version + 1 WHERE shard = $33 AND EXISTS (SELECT 1 FROM added)) \
             SELECT slug FROM added"
        )
    };
}

/// Whether a statement writes to one table only.
const WRITES_ONE_TABLE: bool = false;

/// What a column of a table is compared with: the values of a column of `input`. As an array they are looked up in the table's index. A
/// join might read all of the table instead, by a plan from when it was small.
macro_rules! any_of_input {
    ($column:literal) => {
        concat!(" = ANY (ARRAY(SELECT ", $column, " FROM input))")
    };
}

/// By which a row of a table is found from an index: PostgreSQL does not say where a row is.
macro_rules! row {
    () => {
        "id"
    };
}

/// Names the index to read. PostgreSQL chooses it by itself.
macro_rules! indexed_by_sitemaps {
    () => {
        ""
    };
}

/// Names the index to read. PostgreSQL chooses it by itself.
macro_rules! indexed_by_length {
    () => {
        ""
    };
}

/// Names the index to read. PostgreSQL chooses it by itself.
macro_rules! indexed_by_not_folded {
    () => {
        ""
    };
}

/// Where a text begins in another, from 1; 0 if it is not in it. Neither has wildcards, and `LIKE` with an escape character would read
/// the pattern anew for each row.
macro_rules! position {
    () => {
        "strpos"
    };
}

/// Whether the table named `$1` exists.
const TABLE_EXISTS: &str = "SELECT to_regclass($1) IS NOT NULL AS found";

macro_rules! longest_lock_wait {
    () => {
        "2s"
    };
}

/// How long to wait for a lock: longer than a core that stopped in the middle of a transaction can hold one (see `SESSION`).
pub(super) const LOCK_TIMEOUT: &str = longest_lock_wait!();

/// What the server says that it is.
const SERVER_VERSION: Option<&str> = Some("SELECT version() AS version");

/// How long a statement may be silent until it is tried whether the server is still there.
const SILENCE: Option<Duration> = Some(Duration::from_millis(500));

/// Microseconds since the epoch by the server's clock, which only `doctor` uses.
const SERVER_TIME: Option<&str> =
    Some("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT) AS micros");

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

/// How long to wait for a connection. Longer waits only queue requests behind an overloaded database.
const ACQUIRE_WAIT: Duration = Duration::from_secs(1);

/// How long the first connection may take before the start fails.
const FIRST_WAIT: Duration = Duration::from_secs(5);

/// Makes the statements that a session begins with of its settings.
macro_rules! session {
    ($($name:literal = $value:expr),+ $(,)?) => {
        /// Settings of each connection. Core makes them after connecting, since poolers refuse them as options of the start, and leaves
        /// them to the role behind a pooler, where a session is not its own. The server limits statements whose caller has
        /// disconnected, waits for locks, and idle transactions of a core that was stopped or cut off while it held row locks.
        ///
        /// Each statement reads the rows that it needs by an index. Plans say so whatever the tables' sizes were when they were made: one
        /// from an empty table would else read all of a full one. Compiling a plan, or starting workers for it, takes longer than
        /// such a statement.
        const SETTINGS: &[(&str, &str)] = &[$(($name, $value)),+];

        /// The server makes a plan for all values once it costs no more than those for the values of the first uses.
        const WRITING: &str = concat!($("SET ", $name, " = '", $value, "'; "),+);

        /// A plan for all values is made once: making one takes longer than most reads. Statements whose plan depends on values say so.
        const READING: &str = concat!(
            $("SET ", $name, " = '", $value, "'; "),+,
            "SET plan_cache_mode = 'force_generic_plan'"
        );
    };
}

session!(
    "statement_timeout" = "10s",
    "lock_timeout" = longest_lock_wait!(),
    "idle_in_transaction_session_timeout" = "1500ms",
    "enable_seqscan" = "off",
    "enable_hashjoin" = "off",
    "enable_mergejoin" = "off",
    "jit" = "off",
    "max_parallel_workers_per_gather" = "0",
);

/// What a migration begins with, whatever its role has for the sake of a pooler: it may take long, and may read whole tables.
const MIGRATING: &str = "SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0; \
     SET enable_seqscan = on; SET enable_hashjoin = on; SET enable_mergejoin = on";

/// Whether a server is the primary, or any other one that is not told to read only. The statement is not prepared: behind a pooler, what is
/// prepared without a name may be gone when it is used.
async fn takes_writes(connection: &mut Connection) -> Result<bool, sqlx::Error> {
    let row = sqlx::raw_sql("SELECT current_setting('transaction_read_only') AS read_only");
    let row = row.fetch_one(connection).await?;
    Ok(row.try_get::<&str, _>("read_only")? == "off")
}

/// A connection to a server of the wanted kind; none while there is none.
async fn connect(target: &Target) -> Result<Option<Connection>, sqlx::Error> {
    target.connect().await
}

#[derive(Debug)]
pub(super) struct Engine {
    /// Reads have connections of their own, since transactions may wait for locks.
    readers: Connections,
    writers: Connections,
    servers: Servers,
    standby: Option<Standby>,
    is_pooled: bool,
}

impl Engine {
    pub(super) async fn open(options: &Options) -> Result<Self, Error> {
        let servers = Servers::parse(options.url.expose_secret(), Kind::Primary)?;
        let replica = options.replica.as_ref();
        let replica = replica.map(|url| Servers::parse(url.expose_secret(), Kind::Standby));
        let replica = replica.transpose()?;
        reach(&servers).await?;
        let for_reads = (options.pool_size / 2).max(1);
        let for_writes = options.pool_size.saturating_sub(for_reads).max(1);
        let away = Away::new(servers.clone());
        let connections = |session, most| {
            let session = (!options.is_pooled).then_some(session);
            Connections::new(&away, session, most, ACQUIRE_WAIT)
        };
        let readers = connections(READING, for_reads).measured("read");
        readers.open().await?;
        Ok(Self {
            readers,
            writers: connections(WRITING, for_writes).measured("write"),
            standby: replica.map(|servers| Standby::new(servers, options.is_pooled, for_reads)),
            servers,
            is_pooled: options.is_pooled,
        })
    }

    pub(super) async fn reader(&self) -> Result<Lease, Error> {
        self.readers.take().await
    }

    pub(super) fn outages(&self) -> Outages {
        self.readers.outages()
    }

    /// See [`Standby::lag`].
    pub(super) async fn replica_lag(&self) -> Option<Result<Duration, String>> {
        Some(self.standby.as_ref()?.lag(&self.readers).await)
    }

    pub(super) const fn standby(&self) -> Option<&Standby> {
        self.standby.as_ref()
    }

    pub(super) async fn begin(&self) -> Result<Transaction, Error> {
        self.writers.begin().await
    }

    pub(super) async fn begin_read(&self) -> Result<Transaction, Error> {
        self.readers.begin().await
    }

    /// On a connection of its own, without limits.
    pub(super) async fn migrate(&self) -> Result<(), Error> {
        let connection = connect(&self.servers).await?;
        let standby = || Error::Standby("no server takes writes".to_owned());
        let mut connection = connection.ok_or_else(standby)?;
        if !self.is_pooled {
            sqlx::raw_sql(MIGRATING).execute(&mut connection).await?;
            return schema::migrate(&mut connection).await;
        }
        // Its lock, and the time that it may take, belong to a session.
        if schema::pending_migrations(&mut connection)
            .await?
            .is_empty()
        {
            return Ok(());
        }
        Err(Error::Configuration(BEHIND_A_POOLER.to_owned()))
    }

    pub(super) async fn close(&self) {
        self.readers.close().await;
        self.writers.close().await;
        if let Some(standby) = &self.standby {
            standby.close().await;
        }
    }
}

const BEHIND_A_POOLER: &str = "the database lacks migrations, which do not go through a pooler: run the command migrate with the server's own URL \
(--database-url), without --database-pooler";

/// Connects once, and says why that fails. Whether the server takes writes is seen later.
async fn reach(servers: &Servers) -> Result<(), Error> {
    let unreachable = |why: String| format!("cannot reach {}: {why}", servers.shown());
    let connected = tokio::time::timeout(FIRST_WAIT, servers.connect()).await;
    let connected = connected
        .map_err(|_elapsed| format!("no answer within {} s", FIRST_WAIT.as_secs()))
        .map_err(|why| Error::Unavailable(unreachable(why)))?;
    let connection = connected.map_err(|error| {
        let text = error.to_string();
        match Error::from(error) {
            Error::Unavailable(_) => Error::Unavailable(unreachable(text)),
            // A wrong password or name of the database does not get right by waiting.
            _ => Error::Configuration(unreachable(text)),
        }
    })?;
    if let Some(connection) = connection {
        connection.close().await?;
    }
    Ok(())
}
