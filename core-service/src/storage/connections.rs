//! Connections that stay open, each used by one call at a time. Compiled once for each engine.
//!
//! sqlx's own pool asks the database whether it is there, before and after each use: two of the three round trips of a short read. These
//! connections are asked only if there is a doubt, after an error or a while without use. One that broke meanwhile shows it in
//! its next use, a read or the beginning of a transaction. Nothing is done by then, so the same is done on another connection.
//!
//! A connection is given back by its call, once the statements have ended. If the call is cancelled before, the connection is closed:
//! the rest of an answer is still to come from it, or a transaction is open.

#[path = "away.rs"]
mod away;
#[path = "silence.rs"]
mod silence;
#[path = "transaction.rs"]
mod transaction;

use std::{
    ops::{Deref, DerefMut},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use process::metrics::{self, Label, Metrics};
use sqlx::Connection as _;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    time::{Instant, sleep, timeout},
};

pub(super) use self::away::Away;
pub(in crate::storage) use self::transaction::Transaction;
use self::{
    away::{PATIENCE, is_away},
    silence::{LastKnock, Watch, Watched},
};
use super::{Connection, Target, connect};
use crate::storage::Error;

/// How long a connection without use counts as open. After that it is asked: a firewall may have forgotten it.
const TRUSTED: Duration = Duration::from_secs(5);

/// How long a connection may take to say that it is there, before it counts as broken.
const PING_WAIT: Duration = Duration::from_millis(500);

/// Unused connections above the need are closed after this time.
const LONGEST_IDLE: Duration = Duration::from_mins(10);

/// Connections are replaced at this age: the server's process behind each grows, and its address may lead to another server now.
const MAX_AGE: Duration = Duration::from_mins(30);

/// Pauses between attempts to connect to a server that has no connection free, or is away.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// PostgreSQL's SQLSTATE for it.
const TOO_MANY_CONNECTIONS: &str = "53300";

/// How long a connection may take to end what was cancelled. Its place is taken until then, so that cancelled calls cannot multiply
/// the work of the server.
const DRAIN: Duration = Duration::from_secs(12);

/// At most so many connections to one target.
#[derive(Debug)]
pub(super) struct Connections(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    target: Target,
    /// Statements that each new connection begins with.
    session: Option<&'static str>,
    most: u32,
    /// How long a call waits for one.
    wait: Duration,
    /// A permit for each that may be open and in use.
    places: Arc<Semaphore>,
    /// The last used at the end.
    idle: Mutex<Vec<Idle>>,
    /// Its name in metrics, if they show it.
    pool: OnceLock<&'static str>,
    is_closed: AtomicBool,
    last_knock: LastKnock,
    /// The same for all connections to the target.
    away: Arc<Away>,
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

impl Connections {
    pub(super) fn new(
        away: &Arc<Away>,
        session: Option<&'static str>,
        most: u32,
        wait: Duration,
    ) -> Self {
        Self(Arc::new(Shared {
            target: away.target().clone(),
            session,
            most,
            wait,
            places: Arc::new(Semaphore::new(most as usize)),
            idle: Mutex::default(),
            pool: OnceLock::new(),
            is_closed: AtomicBool::new(false),
            last_knock: LastKnock::default(),
            away: Arc::clone(away),
        }))
    }

    /// The same connections, which metrics show by this name.
    pub(super) fn measured(self, pool: &'static str) -> Self {
        self.0.pool.get_or_init(|| pool);
        let shared = Arc::downgrade(&self.0);
        metrics::watch(move |all| shared.upgrade().map(|shared| shared.look(all)).is_some());
        self
    }

    /// A connection for a read. It must be given back.
    pub(super) async fn take(&self) -> Result<Lease, Error> {
        let began = metrics::now();
        let taken = tokio::select! {
            biased;
            taken = self.0.take() => taken,
            // It is allocated by those who wait.
            why = async { Box::pin(self.0.given_up()).await } => Err(Error::Unavailable(why)),
        };
        metrics::since(began, |all, seconds| {
            let outcome = if taken.is_ok() { "got" } else { "none" };
            all.database_waits
                .observe([self.0.name(), outcome.into()], seconds);
        });
        taken
    }

    /// Changes when the database goes away, and when it is there again.
    pub(super) fn outages(&self) -> watch::Receiver<Option<Instant>> {
        self.0.away.subscribe()
    }

    /// Closes the connections, waiting for those in use.
    pub(super) async fn close(&self) {
        self.0.is_closed.store(true, Ordering::Release);
        let _all = self.0.places.acquire_many(self.0.most).await;
        let idle = std::mem::take(&mut *self.0.idle());
        for Idle { open, .. } in idle {
            // Whatever it answers, it is not used again.
            let _closed = timeout(PING_WAIT, open.connection.close()).await;
        }
    }

    /// Connects, so that the first call need not, and says why that fails.
    pub(super) async fn open(&self) -> Result<(), sqlx::Error> {
        let open = timeout(self.0.wait, self.0.connect()).await;
        let open = open.map_err(|_elapsed| sqlx::Error::PoolTimedOut)??;
        self.0.put_back(open);
        Ok(())
    }
}

impl Shared {
    fn name(&self) -> Label {
        Label::Word(self.pool.get().unwrap_or(&"other"))
    }

    fn look(&self, metrics: &Metrics) {
        let (pool, free) = (self.name(), self.places.available_permits());
        let used = self
            .most
            .saturating_sub(u32::try_from(free).unwrap_or(u32::MAX));
        let idle = u32::try_from(self.idle().len()).unwrap_or(u32::MAX);
        let connections = &metrics.database_connections;
        connections.set([pool, "used".into()], used.into());
        connections.set([pool, "idle".into()], idle.into());
        metrics
            .database_most_connections
            .set([pool], self.most.into());
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits as long as a call waits for a connection, and says why no longer.
    async fn given_up(&self) -> String {
        tokio::select! {
            () = sleep(self.wait) => format!("no connection was free within {:?}", self.wait),
            () = self.away.exhausts_patience() => "the database is away".to_owned(),
        }
    }

    async fn take(self: &Arc<Self>) -> Result<Lease, Error> {
        let closed = || Error::Unavailable("the database was closed".to_owned());
        let place = Arc::clone(&self.places).acquire_owned().await;
        let place = place.map_err(|_closed| closed())?;
        if self.is_closed.load(Ordering::Acquire) {
            return Err(closed());
        }
        let lease = |open, is_reused| Lease {
            open: Some(open),
            is_reused,
            from: Arc::clone(self),
            place: Some(place),
        };
        while let Some(Idle { mut open, since }) = self.last_idle() {
            if since.elapsed() < TRUSTED || is_sound(&mut open.connection).await {
                return Ok(lease(open, true));
            }
            self.forget_idle();
        }
        Ok(lease(self.connect().await?, false))
    }

    fn last_idle(&self) -> Option<Idle> {
        self.idle().pop()
    }

    /// What broke one connection has probably broken the others.
    fn forget_idle(&self) {
        self.idle().clear();
    }

    /// The caller limits the time.
    async fn connect(&self) -> Result<Open, sqlx::Error> {
        let mut pause = FIRST_PAUSE;
        let mut connection = loop {
            let asked = Instant::now();
            match timeout(PATIENCE, connect(&self.target)).await {
                Ok(Ok(Some(connection))) => break connection,
                Ok(Err(error)) if is_full(&error) => {
                    sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
                Ok(Err(error)) if !is_away(&error) => return Err(error),
                // It may also be that there are only standbys, or a server that was the primary.
                Ok(Ok(None) | Err(_)) | Err(_) => {
                    self.away.note(asked);
                    self.away.ended().await;
                }
            }
        };
        if let Some(session) = self.session {
            sqlx::raw_sql(session).execute(&mut connection).await?;
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
        if longest.is_some_and(|longest| longest.since.elapsed() > LONGEST_IDLE) {
            idle.remove(0);
        }
        idle.push(Idle { open, since });
    }
}

/// Whether a connection answers. What was queued for it, such as a rollback, is done by then.
async fn is_sound(connection: &mut Connection) -> bool {
    matches!(timeout(PING_WAIT, connection.ping()).await, Ok(Ok(())))
}

/// Whether a server has no connection free.
fn is_full(error: &sqlx::Error) -> bool {
    let code = error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code);
    code.as_deref() == Some(TOO_MANY_CONNECTIONS)
}

/// A connection in the hands of one call. Dropping it closes the connection.
#[derive(Debug)]
pub(in crate::storage) struct Lease {
    /// Until it is given back.
    open: Option<Open>,
    /// Whether it was used before, so that it may have broken since.
    is_reused: bool,
    from: Arc<Shared>,
    place: Option<OwnedSemaphorePermit>,
}

impl Lease {
    /// What watches over a statement on it.
    pub(in crate::storage) fn watch(&self) -> Watch {
        Watch(Arc::clone(&self.from))
    }

    /// Gives the connection back after a read, which may have failed. Returns whether the result is final; otherwise the connection had broken before, or led to
    /// a server that is a standby by now, and the read is to be repeated on another one.
    pub(in crate::storage) async fn give_back(mut self, error: Option<&Error>) -> bool {
        if let Some(Error::Standby(_)) = error {
            self.forsake();
            return !self.is_reused;
        }
        if error.is_some() && self.is_to_blame_for_error().await {
            return !self.is_reused;
        }
        self.put_back();
        true
    }

    /// What came of the first statement of several: the connection and the answer, or nothing if it had broken before, so that all is to be
    /// done on another one. After a failure it is closed.
    pub(in crate::storage) async fn tried<A>(
        mut self,
        first: Watched<A>,
    ) -> Result<Option<(Self, A)>, Error> {
        let error = match first.answer {
            Ok(answer) => return Ok(Some((self, answer))),
            Err(error) => error,
        };
        if first.is_given_up {
            self.forsake();
            return Err(error);
        }
        // Each round takes away a connection that broke, so this ends.
        if self.is_to_blame_for_error().await && self.is_reused {
            return Ok(None);
        }
        Err(error)
    }

    async fn is_to_blame_for_error(&mut self) -> bool {
        if is_sound(self).await {
            return false;
        }
        self.forsake();
        true
    }

    /// Throws the connection away, and those that lead to the same server.
    pub(in crate::storage) fn forsake(&mut self) {
        self.open = None;
        self.from.forget_idle();
    }

    /// Gives the connection back after statements that have ended well.
    pub(in crate::storage) fn put_back(&mut self) {
        if let Some(open) = self.open.take() {
            self.from.put_back(open);
        }
    }

    /// Ends a transaction that was not committed.
    async fn roll_back(mut self) {
        let rolled_back = timeout(DRAIN, sqlx::raw_sql("ROLLBACK").execute(&mut *self)).await;
        match rolled_back {
            Ok(Ok(_)) => self.put_back(),
            // After some failures, such as a full disk, SQLite ends a transaction by itself. The server does when it has waited too long.
            Ok(Err(error)) => {
                tracing::warn!(%error, "a transaction had ended by itself; its connection is closed");
            }
            Err(_elapsed) => {}
        }
    }
}

impl Deref for Lease {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        let open = self.open.as_ref();
        &open.expect("only its last use takes it").connection
    }
}

impl DerefMut for Lease {
    fn deref_mut(&mut self) -> &mut Connection {
        let open = self.open.as_mut();
        &mut open.expect("only its last use takes it").connection
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        let place = self.place.take();
        // Without a runtime the process ends, and its connections with it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                // Whatever they answer, the connection is not used again.
                let _ended = timeout(DRAIN, open.connection.ping()).await;
                let _closed = timeout(PING_WAIT, open.connection.close()).await;
                drop(place);
            });
        }
    }
}
