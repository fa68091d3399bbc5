//! The PostgreSQL twin: a pool for reads and one for transactions, row locks.

#[path = "connections.rs"]
mod connections;
mod entries;
mod input;
mod matches;
mod servers;

use std::time::Duration;

use secrecy::ExposeSecret;
use sqlx::{Connection as _, Row as _};

pub(super) use self::connections::Transaction;
use self::connections::{Away, Connections, Lease};
use self::input::Input;
use self::servers::Servers;
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

/// How long to wait for a lock: longer than a core that stopped in the middle of a transaction can hold one (see `SESSION`).
macro_rules! longest_lock_wait {
    () => {
        "2s"
    };
}

/// Sets how long the rest of a transaction waits for locks, and how long it does otherwise.
const LOCK_WAIT: Option<(&str, &str)> = Some((
    "SELECT set_config('lock_timeout', $1, true)",
    longest_lock_wait!(),
));

/// Whether plans for the queue of jobs are kept. One from an empty queue would read all of a full one: 330 ms a claim in place of 0.3.
const KEEPS_PLANS_OF_QUEUES: bool = false;

/// What the server says that it is.
const SERVER_VERSION: Option<&str> = Some("SELECT version() AS version");

/// How long a statement may be silent until it is tried whether the server is still there.
const SILENCE: Option<Duration> = Some(Duration::from_millis(500));

/// Microseconds since the epoch by the server's clock, which only `doctor` uses.
const SERVER_TIME: Option<&str> =
    Some("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT) AS micros");

#[path = "queries/accounts.rs"]
pub(super) mod accounts;
#[path = "queries/activity.rs"]
pub(super) mod activity;
#[path = "queries/announcements.rs"]
pub(super) mod announcements;
#[path = "queries/audit.rs"]
pub(super) mod audit;
#[path = "queries/budgets.rs"]
pub(super) mod budgets;
#[path = "queries/catalogue.rs"]
pub(super) mod catalogue;
#[path = "queries/codes.rs"]
pub(super) mod codes;
#[path = "queries/confirmations.rs"]
pub(super) mod confirmations;
#[path = "queries/details.rs"]
pub(super) mod details;
#[path = "queries/events.rs"]
pub(super) mod events;
#[path = "queries/idempotency_keys.rs"]
pub(super) mod idempotency_keys;
#[path = "queries/ids.rs"]
mod ids;
#[path = "queries/invitations.rs"]
pub(super) mod invitations;
#[path = "queries/jobs.rs"]
pub(super) mod jobs;
#[path = "queries/keys.rs"]
pub(super) mod keys;
#[path = "queries/links.rs"]
pub(super) mod links;
#[path = "queries/lists.rs"]
pub(super) mod lists;
#[path = "queries/mails.rs"]
pub(super) mod mails;
#[path = "queries/memberships.rs"]
pub(super) mod memberships;
#[path = "queries/my_events.rs"]
pub(super) mod my_events;
#[path = "queries/oauth_clients.rs"]
pub(super) mod oauth_clients;
#[path = "queries/oauth_codes.rs"]
pub(super) mod oauth_codes;
#[path = "queries/oauth_grants.rs"]
pub(super) mod oauth_grants;
#[path = "queries/oauth_tokens.rs"]
pub(super) mod oauth_tokens;
#[path = "queries/organizer_mails.rs"]
pub(super) mod organizer_mails;
#[path = "queries/owners.rs"]
pub(super) mod owners;
#[path = "queries/people.rs"]
pub(super) mod people;
#[path = "queries/registrations.rs"]
pub(super) mod registrations;
#[path = "queries/schema.rs"]
pub(super) mod schema;
#[path = "queries/search.rs"]
pub(super) mod search;
#[path = "queries/seats.rs"]
pub(super) mod seats;
#[path = "queries/sessions.rs"]
pub(super) mod sessions;
#[path = "queries/sign_in_links.rs"]
pub(super) mod sign_in_links;
#[path = "queries/sitemaps.rs"]
pub(super) mod sitemaps;
#[path = "queries/stock_covers.rs"]
pub(super) mod stock_covers;
#[path = "queries/suspension.rs"]
pub(super) mod suspension;

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

/// A connection to the server that takes writes; none while there is none.
async fn connect(target: &Target) -> Result<Option<Connection>, sqlx::Error> {
    target.connect().await
}

#[derive(Debug)]
pub(super) struct Engine {
    /// Reads have connections of their own, since transactions may wait for locks.
    readers: Connections,
    writers: Connections,
    servers: Servers,
    is_pooled: bool,
}

impl Engine {
    pub(super) async fn open(options: &Options) -> Result<Self, Error> {
        let servers = Servers::parse(options.url.expose_secret())?;
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

    pub(super) async fn begin(&self) -> Result<Transaction, Error> {
        self.writers.begin().await
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
