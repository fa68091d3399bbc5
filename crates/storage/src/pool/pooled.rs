//! A connection of a pool in the hands of one call, or of one transaction.

use std::{sync::Arc, time::Duration};

use tokio::{sync::OwnedSemaphorePermit, time::timeout};

use super::{Open, PING_TIMEOUT, Pool, Shared, answers};
use crate::{
    Error,
    connection::{Connection, Outcome},
    statement::Statement,
};

/// How long a connection may take to end what was cancelled. Its permit is taken until then, so that cancelled calls cannot multiply
/// the work of the server.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(12);

/// A connection in the hands of one call. Dropping it closes the connection.
#[derive(Debug)]
pub(crate) struct PooledConnection {
    /// Until it is released or discarded.
    pub(super) open: Option<Open>,
    /// Whether it was used before, so that it may have broken since.
    pub(super) is_reused: bool,
    /// Whether a statement has begun and not ended.
    pub(super) is_busy: bool,
    pub(super) pool: Arc<Shared>,
    pub(super) permit: Option<OwnedSemaphorePermit>,
}

impl PooledConnection {
    /// Runs a statement. If the server does not answer any more, the connection is discarded.
    pub(crate) async fn run(&mut self, statement: Statement) -> Result<Outcome, Error> {
        let open = self.open.as_mut().ok_or(sqlx::Error::PoolClosed)?;
        self.is_busy = true;
        let outcome = self.pool.watchdog.watch(open.connection.run(statement));
        let outcome = outcome.await;
        self.is_busy = false;
        outcome.unwrap_or_else(|unanswered| {
            self.discard();
            Err(unanswered.into())
        })
    }

    /// Executes a statement without parameters, as above.
    pub(crate) async fn execute(&mut self, text: &'static str) -> Result<(), sqlx::Error> {
        let open = self.open.as_mut().ok_or(sqlx::Error::PoolClosed)?;
        self.is_busy = true;
        let outcome = self.pool.watchdog.watch(open.connection.execute(text));
        let outcome = outcome.await;
        self.is_busy = false;
        outcome.unwrap_or_else(|unanswered| {
            self.discard();
            Err(unanswered)
        })
    }

    /// Checks that the database takes writes, as above.
    pub(super) async fn check_takes_writes(&mut self) -> Result<(), Error> {
        let open = self.open.as_mut().ok_or(sqlx::Error::PoolClosed)?;
        self.is_busy = true;
        let outcome = self.pool.watchdog.watch(open.connection.takes_writes());
        let outcome = outcome.await;
        self.is_busy = false;
        match outcome {
            Ok(Ok(true)) => Ok(()),
            Ok(Ok(false)) => Err(Error::Standby("it is a standby".to_owned())),
            Ok(Err(error)) => Err(error.into()),
            Err(unanswered) => {
                self.discard();
                Err(unanswered.into())
            }
        }
    }

    /// Returns the connection itself.
    pub(crate) fn connection(&mut self) -> Result<&mut Connection, Error> {
        let open = self.open.as_mut().ok_or(sqlx::Error::PoolClosed)?;
        Ok(&mut open.connection)
    }

    /// Releases the connection after a read, which may have failed. Returns whether the outcome is final; otherwise the connection had broken
    /// before, or led to a server that is a standby by now, and the read is to be repeated on another one.
    pub(crate) async fn release(mut self, error: Option<&Error>) -> bool {
        let Some(open) = &mut self.open else {
            return true;
        };
        let is_broken = match error {
            None => false,
            Some(Error::Standby(_)) => true,
            Some(_) => !answers(&mut open.connection).await,
        };
        if is_broken {
            self.discard();
            return !self.is_reused;
        }
        self.put_back();
        true
    }

    /// Releases the connection after statements that have ended well.
    pub(crate) fn put_back(&mut self) {
        if let Some(open) = self.open.take() {
            self.pool.put_back(open);
        }
    }

    /// Closes the connection, and those that lead to the same server. The server ends the transaction with it.
    pub(crate) fn discard(&mut self) {
        self.open = None;
        self.pool.close_idle();
    }

    /// Returns whether it can run another statement: the last one has ended, and the server answers.
    pub(crate) const fn is_ready(&self) -> bool {
        self.open.is_some() && !self.is_busy
    }

    /// Ends a transaction that was not committed.
    pub(crate) async fn roll_back(mut self) {
        match timeout(DRAIN_TIMEOUT, self.execute("ROLLBACK")).await {
            Ok(Ok(())) => self.put_back(),
            // After some failures, such as a full disk, SQLite ends a transaction by itself. The server does when it has waited too long.
            Ok(Err(error)) => {
                tracing::warn!(%error, "a transaction had ended by itself; its connection is closed");
            }
            Err(_elapsed) => {}
        }
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        let Some(mut open) = self.open.take() else {
            return;
        };
        let permit = self.permit.take();
        // Without a runtime the process ends, and its connections with it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                // Whatever they answer, the connection is not used again.
                let _ended = timeout(DRAIN_TIMEOUT, open.connection.ping()).await;
                let _closed = timeout(PING_TIMEOUT, open.connection.close()).await;
                drop(permit);
            });
        }
    }
}

/// An open transaction. Dropping it without a commit rolls it back.
#[derive(Debug)]
pub(crate) struct Transaction {
    /// Until it is committed.
    connection: Option<PooledConnection>,
}

impl Transaction {
    pub(crate) async fn begin(pool: &Pool) -> Result<Self, Error> {
        Ok(Self {
            connection: Some(pool.begin().await?),
        })
    }

    pub(crate) async fn run(&mut self, statement: Statement) -> Result<Outcome, Error> {
        let connection = self.connection.as_mut().ok_or(sqlx::Error::PoolClosed)?;
        let outcome = connection.run(statement).await;
        if let Err(Error::Standby(_)) = outcome {
            connection.discard();
        }
        outcome
    }

    pub(crate) async fn commit(mut self) -> Result<(), Error> {
        let Some(mut connection) = self.connection.take() else {
            return Ok(());
        };
        // After an error nobody knows what state the connection is in, so it is closed.
        let committed = connection.execute("COMMIT").await;
        committed.map_err(Error::of_commit)?;
        connection.put_back();
        Ok(())
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        let connection = self.connection.take().filter(PooledConnection::is_ready);
        let runtime = tokio::runtime::Handle::try_current();
        if let (Some(connection), Ok(runtime)) = (connection, runtime) {
            runtime.spawn(connection.roll_back());
        }
    }
}
