//! Opening PostgreSQL: a pool for reads and one for transactions, since these may wait for locks.

use std::{sync::Mutex, time::Duration};

use secrecy::ExposeSecret as _;
use sqlx::{Connection as _, PgConnection, Row as _};

use super::{
    Error, Options,
    connection::Target,
    outage::Outage,
    pool::{Pool, PoolOptions, Pools},
    servers::Servers,
};

/// How long to wait for a connection. Longer waits only queue requests behind an overloaded database.
const WAIT_TIMEOUT: Duration = Duration::from_secs(1);

/// How long the first connection may take before the start fails.
const INITIAL_TIMEOUT: Duration = Duration::from_secs(5);

/// How long to wait for a lock: longer than a core that stopped in the middle of a transaction can hold one (see [`SETTINGS`]).
macro_rules! lock_timeout {
    () => {
        "2s"
    };
}

/// How long a transaction usually waits for a lock.
pub(super) const LOCK_TIMEOUT: &str = lock_timeout!();

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
        pub(super) const SETTINGS: &[(&str, &str)] = &[$(($name, $value)),+];

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
    "lock_timeout" = lock_timeout!(),
    "idle_in_transaction_session_timeout" = "1500ms",
    "enable_seqscan" = "off",
    "enable_hashjoin" = "off",
    "enable_mergejoin" = "off",
    "jit" = "off",
    "max_parallel_workers_per_gather" = "0",
);

pub(super) async fn open(options: &Options) -> Result<Pools, Error> {
    let servers = Servers::parse(options.url.expose_secret())
        .map_err(|why| Error::Configuration(format!("the database URL (--database-url) {why}")))?;
    reach(&servers).await?;
    let for_reads = (options.pool_size / 2).max(1);
    let for_writes = options.pool_size.saturating_sub(for_reads).max(1);
    let outage = Outage::new(Target::Postgres(servers));
    let pool = |name, session, max_connections| {
        let options = PoolOptions {
            name,
            max_connections,
            wait_timeout: WAIT_TIMEOUT,
            session: (!options.is_pooled).then_some(session),
            begin: "BEGIN",
        };
        Pool::new(&outage, options)
    };
    let readers = pool("read", READING, for_reads);
    readers.open().await?;
    let writers = pool("write", WRITING, for_writes);
    Ok(Pools {
        readers,
        writers,
        lock: Mutex::default(),
    })
}

/// Connects once, and says why that fails. Whether the server takes writes is seen later.
async fn reach(servers: &Servers) -> Result<(), Error> {
    let unreachable = |why: String| format!("cannot reach {}: {why}", servers.shown());
    let connected = tokio::time::timeout(INITIAL_TIMEOUT, servers.connect()).await;
    let connected = connected
        .map_err(|_elapsed| format!("no answer within {} s", INITIAL_TIMEOUT.as_secs()))
        .map_err(|why| Error::Unavailable(unreachable(why)))?;
    let connection = connected.map_err(|error| {
        let text = error.to_string();
        match Error::from(error) {
            Error::Unavailable(_) => Error::Unavailable(unreachable(text)),
            // A wrong password or name of the database does not get right by waiting.
            _ => Error::Configuration(unreachable(text)),
        }
    })?;
    if let Some(mut connection) = connection {
        require_utf8(&mut connection, &servers.shown()).await?;
        connection.close().await?;
    }
    Ok(())
}

/// Refuses a database that cannot store all texts. The statement is not prepared, for poolers.
async fn require_utf8(connection: &mut PgConnection, place: &str) -> Result<(), Error> {
    let row = sqlx::raw_sql("SHOW server_encoding").fetch_one(connection);
    let row = row.await?;
    let encoding: &str = row.try_get(0)?;
    if encoding == "UTF8" {
        return Ok(());
    }
    Err(Error::Configuration(format!(
        "{place} has the encoding {encoding}, which cannot store all names: create a database with CREATE DATABASE muster TEMPLATE template0 \
         ENCODING 'UTF8' LOCALE 'C.UTF-8'"
    )))
}
