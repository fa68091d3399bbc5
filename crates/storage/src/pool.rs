//! Connections that stay open, each used by one call at a time.
//!
//! sqlx's own pool asks the database whether it is there, before and after each use: two of the three round trips of a short read. These
//! connections are asked only if there is a doubt, after an error or a while without use. One that broke before shows it in
//! its next use, a read or the beginning of a transaction. Nothing is done by then, so the same is done on another connection.
//!
//! A connection is released by its call, once the statements have ended. If the call is cancelled before, the connection is closed:
//! the rest of an answer is still to come from it, or a transaction is open.

mod pooled;

use std::{
    fs::File,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use server::metrics::{self, Metrics};
use tokio::{
    sync::Semaphore,
    time::{Instant, sleep, timeout},
};

pub(super) use self::pooled::{PooledConnection, Transaction};
use super::{
    Error,
    connection::{Connection, Outcome, PING_TIMEOUT},
    outage::{INITIAL_PAUSE, MAX_PAUSE, OUTAGE_TIMEOUT, Outage, is_outage},
    statement::Statement,
    watchdog::Watchdog,
};

/// How long a connection without use counts as open. After that it is pinged: a firewall may have forgotten it.
const MAX_UNCHECKED_IDLE: Duration = Duration::from_secs(5);

/// Unused connections above the need are closed after this time.
const MAX_IDLE: Duration = Duration::from_mins(10);

/// Connections are replaced at this age: the server's process behind each grows, and its address may lead to another server now.
const MAX_AGE: Duration = Duration::from_mins(30);

/// PostgreSQL's SQLSTATE of a server that has no connection free.
const TOO_MANY_CONNECTIONS: &str = "53300";

/// How many times a read is run at most that collides with transactions, as it may where they are serializable.
const MAX_TRIES: u8 = 5;

/// The pools of a database.
#[derive(Debug)]
pub(super) struct Pools {
    pub(super) readers: Pool,
    pub(super) writers: Pool,
    /// The lock on a SQLite file, held until the pools are closed.
    pub(super) lock: Mutex<Option<File>>,
}

impl Pools {
    /// Closes the connections, waiting for those in use. Then another core may serve the file.
    pub(super) async fn close(&self) {
        self.readers.close().await;
        self.writers.close().await;
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        *lock = None;
    }
}

/// How a pool is used.
#[derive(Debug)]
pub(super) struct PoolOptions {
    /// Its name in metrics.
    pub(super) name: &'static str,
    pub(super) max_connections: u32,
    /// How long a call waits for a connection.
    pub(super) wait_timeout: Duration,
    /// Statements that each new connection begins with.
    pub(super) session: Option<&'static str>,
    /// The statement that begins a transaction.
    pub(super) begin: &'static str,
}

/// A pool of connections to one target.
#[derive(Debug, Clone)]
pub(super) struct Pool(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    options: PoolOptions,
    /// The same for all pools of the target.
    outage: Arc<Outage>,
    watchdog: Watchdog,
    /// A permit for each connection that may be open and in use.
    permits: Arc<Semaphore>,
    /// The last used at the end.
    idle: Mutex<Vec<Idle>>,
    is_closed: AtomicBool,
}

#[derive(Debug)]
struct Open {
    connection: Connection,
    since: Instant,
}

#[derive(Debug)]
struct Idle {
    open: Open,
    since: Instant,
}

impl Pool {
    /// Makes a pool without connections, and shows it in metrics.
    pub(super) fn new(outage: &Arc<Outage>, options: PoolOptions) -> Self {
        let shared = Arc::new(Shared {
            permits: Arc::new(Semaphore::new(options.max_connections as usize)),
            options,
            outage: Arc::clone(outage),
            watchdog: Watchdog::new(outage),
            idle: Mutex::default(),
            is_closed: AtomicBool::new(false),
        });
        let observed = Arc::downgrade(&shared);
        metrics::watch(move |all| observed.upgrade().map(|pool| pool.observe(all)).is_some());
        Self(shared)
    }

    /// Connects, so that the first call need not, and says why that fails.
    pub(super) async fn open(&self) -> Result<(), sqlx::Error> {
        let open = timeout(self.0.options.wait_timeout, self.0.connect()).await;
        let open = open.map_err(|_elapsed| sqlx::Error::PoolTimedOut)??;
        self.0.put_back(open);
        Ok(())
    }

    /// Returns a connection, which must be released.
    pub(super) async fn acquire(&self) -> Result<PooledConnection, Error> {
        let began = metrics::now();
        let acquired = tokio::select! {
            biased;
            acquired = self.0.acquire() => acquired,
            // It is allocated by those who wait.
            why = async { Box::pin(self.0.wait_exhausted()).await } => Err(Error::Unavailable(why)),
        };
        metrics::since(began, |all, seconds| {
            let outcome = if acquired.is_ok() { "got" } else { "none" };
            all.database_waits
                .observe([self.0.options.name.into(), outcome.into()], seconds);
        });
        acquired
    }

    /// Runs a read on a connection of its own. It is repeated if the connection had broken before, or if it collides with transactions.
    pub(super) async fn read(&self, statement: Statement) -> Result<Outcome, Error> {
        let mut tries = 1;
        loop {
            let mut connection = self.acquire().await?;
            let outcome = connection.run(statement.clone()).await;
            let is_final = connection.release(outcome.as_ref().err()).await;
            if matches!(outcome, Err(Error::Collision(_))) && tries < MAX_TRIES {
                tries += 1;
            } else if is_final {
                return outcome;
            }
        }
    }

    /// Checks that the database answers, and takes writes. Connections that lead to a standby are discarded.
    pub(super) async fn ping(&self) -> Result<(), Error> {
        loop {
            let mut connection = self.acquire().await?;
            let checked = connection.check_takes_writes().await;
            if connection.release(checked.as_ref().err()).await {
                return checked;
            }
        }
    }

    /// Begins a transaction on a connection of its own. It is repeated if the connection had broken before.
    pub(super) async fn begin(&self) -> Result<PooledConnection, Error> {
        loop {
            let mut connection = self.acquire().await?;
            let Err(error) = connection.execute(self.0.options.begin).await else {
                return Ok(connection);
            };
            let error = Error::from(error);
            // Each round takes away a connection that broke, so this ends.
            if connection.release(Some(&error)).await {
                return Err(error);
            }
        }
    }

    /// Returns what connections lead to, and whether it is away.
    pub(super) fn outage(&self) -> &Outage {
        &self.0.outage
    }

    /// Closes the connections, waiting for those in use.
    pub(super) async fn close(&self) {
        self.0.is_closed.store(true, Ordering::Release);
        let max = self.0.options.max_connections;
        let _all = self.0.permits.acquire_many(max).await;
        let idle = std::mem::take(&mut *self.0.idle());
        for Idle { open, .. } in idle {
            // Whatever it answers, it is not used again.
            let _closed = timeout(PING_TIMEOUT, open.connection.close()).await;
        }
    }
}

impl Shared {
    fn observe(&self, metrics: &Metrics) {
        let name = self.options.name.into();
        let (max, free) = (
            self.options.max_connections,
            self.permits.available_permits(),
        );
        let used = max.saturating_sub(u32::try_from(free).unwrap_or(u32::MAX));
        let idle = u32::try_from(self.idle().len()).unwrap_or(u32::MAX);
        let connections = &metrics.database_connections;
        connections.set([name, "used".into()], used.into());
        connections.set([name, "idle".into()], idle.into());
        metrics.database_most_connections.set([name], max.into());
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits as long as a call waits for a connection, and says why no longer.
    async fn wait_exhausted(&self) -> String {
        let wait_timeout = self.options.wait_timeout;
        tokio::select! {
            () = sleep(wait_timeout) => format!("no connection was free within {wait_timeout:?}"),
            () = self.outage.wait_exhausted() => "the database is away".to_owned(),
        }
    }

    async fn acquire(self: &Arc<Self>) -> Result<PooledConnection, Error> {
        let closed = || Error::Unavailable("the database was closed".to_owned());
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let permit = permit.map_err(|_closed| closed())?;
        if self.is_closed.load(Ordering::Acquire) {
            return Err(closed());
        }
        let pooled = |open, is_reused| PooledConnection {
            open: Some(open),
            is_reused,
            is_busy: false,
            pool: Arc::clone(self),
            permit: Some(permit),
        };
        while let Some(Idle { mut open, since }) = self.last_idle() {
            if since.elapsed() < MAX_UNCHECKED_IDLE || answers(&mut open.connection).await {
                return Ok(pooled(open, true));
            }
            self.close_idle();
        }
        Ok(pooled(self.connect().await?, false))
    }

    fn last_idle(&self) -> Option<Idle> {
        self.idle().pop()
    }

    /// Closes the idle connections: what broke one has probably broken the others.
    fn close_idle(&self) {
        self.idle().clear();
    }

    /// Connects as soon as that is possible. The caller limits the time.
    async fn connect(&self) -> Result<Open, sqlx::Error> {
        let mut pause = INITIAL_PAUSE;
        let mut connection = loop {
            let asked = Instant::now();
            match timeout(OUTAGE_TIMEOUT, self.outage.target().connect()).await {
                Ok(Ok(Some(connection))) => break connection,
                Ok(Err(error)) if has_no_connection_free(&error) => {
                    sleep(pause).await;
                    pause = (pause * 2).min(MAX_PAUSE);
                }
                Ok(Err(error)) if !is_outage(&error) => return Err(error),
                // It may also be that there are only standbys, or a server that was the primary.
                Ok(Ok(None) | Err(_)) | Err(_) => {
                    self.outage.begin(asked);
                    self.outage.ended().await;
                }
            }
        };
        if let Some(session) = self.options.session {
            connection.execute(session).await?;
        }
        Ok(Open {
            connection,
            since: Instant::now(),
        })
    }

    fn put_back(&self, open: Open) {
        let since = Instant::now();
        if open.since.elapsed() > MAX_AGE {
            return;
        }
        let mut idle = self.idle();
        let longest = idle.first();
        if longest.is_some_and(|longest| longest.since.elapsed() > MAX_IDLE) {
            idle.remove(0);
        }
        idle.push(Idle { open, since });
    }
}

/// Returns whether a connection answers.
async fn answers(connection: &mut Connection) -> bool {
    matches!(timeout(PING_TIMEOUT, connection.ping()).await, Ok(Ok(())))
}

fn has_no_connection_free(error: &sqlx::Error) -> bool {
    let code = error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code);
    code.as_deref() == Some(TOO_MANY_CONNECTIONS)
}
