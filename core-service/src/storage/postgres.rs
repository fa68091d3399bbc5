//! The PostgreSQL twin: one pool, row locks.

mod input;

use std::{str::FromStr, time::Duration};

use secrecy::ExposeSecret;
use sqlx::{
    ConnectOptions, Connection as _, Pool, Transaction,
    pool::{PoolConnection, PoolOptions},
    postgres::PgConnectOptions,
};

use self::input::Input;
use super::migrations::postgres as migrations;
use super::{Error, Options};

pub(super) type Db = sqlx::Postgres;
type Connection = sqlx::PgConnection;
type Row = sqlx::postgres::PgRow;

/// Locks the selected row until the transaction ends.
macro_rules! for_update {
    () => {
        " FOR UPDATE"
    };
}

/// Selects rows that are not locked, and locks them.
macro_rules! skip_locked {
    () => {
        " FOR UPDATE SKIP LOCKED"
    };
}

/// Whether the table named `$1` exists.
const TABLE_EXISTS: &str = "SELECT to_regclass($1) IS NOT NULL AS found";

/// Sets how long the rest of a transaction waits for locks, and how long it does otherwise.
const LOCK_WAIT: Option<(&str, &str)> = Some((
    "SELECT set_config('lock_timeout', $1, true)",
    LONGEST_LOCK_WAIT,
));

/// How long to wait for a lock.
const LONGEST_LOCK_WAIT: &str = "5s";

/// Microseconds since the epoch by the server's clock, which only `doctor` uses.
const SERVER_TIME: Option<&str> =
    Some("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT) AS micros");

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

/// How long to wait for a connection. Longer waits only queue requests behind an overloaded database.
const ACQUIRE_WAIT: Duration = Duration::from_secs(1);

/// How long the first connection may take before the start fails.
const FIRST_WAIT: Duration = Duration::from_secs(5);

/// Settings of each connection. The server limits statements whose caller has disconnected, waits for locks, and idle
/// transactions of a core that lost its connection while it held row locks. Plans are made for each statement: a generic plan
/// for an empty queue reads all of a full one (measured: 330 ms per claim instead of 0.3).
const SESSION: [(&str, &str); 4] = [
    ("statement_timeout", "10s"),
    ("lock_timeout", LONGEST_LOCK_WAIT),
    ("idle_in_transaction_session_timeout", "15s"),
    ("plan_cache_mode", "force_custom_plan"),
];

#[derive(Debug)]
pub(super) struct Engine {
    pool: Pool<Db>,
    /// Without limits: a migration may take long.
    unlimited: Box<PgConnectOptions>,
}

impl Engine {
    pub(super) async fn open(options: &Options) -> Result<Self, Error> {
        let unlimited = PgConnectOptions::from_str(options.url.expose_secret())
            // The cause is omitted, since it could contain the URL with its password.
            .map_err(|_| {
                Error::Configuration(
                    "the database URL cannot be read: write postgres://user:password@host:5432/database".to_owned(),
                )
            })?
            .application_name("muster");
        reach(&unlimited).await?;
        let pool = PoolOptions::new()
            .max_connections(options.pool_size)
            .acquire_timeout(ACQUIRE_WAIT)
            .connect_lazy_with(unlimited.clone().options(SESSION));
        Ok(Self {
            pool,
            unlimited: Box::new(unlimited),
        })
    }

    pub(super) async fn reader(&self) -> Result<PoolConnection<Db>, Error> {
        Ok(self.pool.acquire().await?)
    }

    pub(super) async fn begin(&self) -> Result<Transaction<'static, Db>, Error> {
        Ok(self.pool.begin().await?)
    }

    pub(super) async fn migrate(&self) -> Result<(), Error> {
        schema::migrate(&mut self.unlimited.connect().await?).await
    }

    pub(super) async fn close(&self) {
        self.pool.close().await;
    }
}

/// Connects once outside the pool, since the pool would hide the cause of a failure.
async fn reach(options: &PgConnectOptions) -> Result<(), Error> {
    let unreachable = |why: String| {
        let (host, port) = (options.get_host(), options.get_port());
        let database = options.get_database().unwrap_or_default();
        Error::Unavailable(format!(
            "cannot reach postgres://{host}:{port}/{database}: {why}"
        ))
    };
    let connected = tokio::time::timeout(FIRST_WAIT, options.connect()).await;
    let connection = connected
        .map_err(|_elapsed| unreachable(format!("no answer within {} s", FIRST_WAIT.as_secs())))?
        .map_err(|error| unreachable(error.to_string()))?;
    Ok(connection.close().await?)
}
