//! Transactions, each on a connection of its own until it ends. Compiled once for each engine.

use std::pin::pin;

use super::{
    super::BEGIN,
    Connection, Connections, Lease,
    silence::{Watch, Watched},
};
use crate::storage::Error;

/// An open transaction.
#[derive(Debug)]
pub(in crate::storage) struct Transaction {
    /// Until it is committed.
    lease: Option<Lease>,
    /// Whether a statement has begun and not ended.
    is_busy: bool,
    /// Whether it was told that the server takes no writes, or the server does not answer.
    is_forsaken: bool,
}

impl Connections {
    /// Begins a transaction. Dropping it without a commit rolls it back.
    pub(in crate::storage) async fn begin(&self) -> Result<Transaction, Error> {
        loop {
            let mut lease = self.take().await?;
            let watch = lease.watch();
            let begun = async {
                let begun = sqlx::raw_sql(BEGIN).execute(&mut *lease).await;
                begun.map(|_done| ()).map_err(Error::from)
            };
            let begun = watch.over(pin!(begun)).await;
            if let Some((lease, ())) = lease.tried(begun).await? {
                return Ok(Transaction {
                    lease: Some(lease),
                    is_busy: false,
                    is_forsaken: false,
                });
            }
        }
    }
}

impl Transaction {
    /// What watches over its statements.
    pub(in crate::storage) fn watch(&self) -> Watch {
        self.lease.as_ref().expect("only its end takes it").watch()
    }

    /// The connection, for one statement. [`Transaction::ended`] follows it.
    pub(in crate::storage) fn statement(&mut self) -> &mut Connection {
        self.is_busy = true;
        self.lease.as_mut().expect("only its end takes it")
    }

    /// Notes that the statement has ended, well or not.
    pub(in crate::storage) fn ended<A>(&mut self, watched: Watched<A>) -> Result<A, Error> {
        self.is_busy = false;
        let Watched {
            answer,
            is_given_up,
        } = watched;
        self.is_forsaken |= is_given_up || matches!(answer, Err(Error::Standby(_)));
        answer
    }

    pub(in crate::storage) async fn commit(mut self) -> Result<(), sqlx::Error> {
        let Some(mut lease) = self.lease.take() else {
            return Ok(());
        };
        let watch = lease.watch();
        let mut failure = None;
        let committed = async {
            if let Err(error) = sqlx::raw_sql("COMMIT").execute(&mut *lease).await {
                failure = Some(error);
            }
            Ok(())
        };
        if watch.over(pin!(committed)).await.is_given_up {
            lease.forsake();
            return Err(sqlx::Error::Io(std::io::ErrorKind::TimedOut.into()));
        }
        // After an error nobody knows what state the connection is in, so it is closed.
        if let Some(error) = failure {
            return Err(error);
        }
        lease.put_back();
        Ok(())
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        let mut lease = self.lease.take();
        if let (true, Some(lease)) = (self.is_forsaken, &mut lease) {
            // The server ends the transaction with it.
            lease.forsake();
            return;
        }
        let lease = lease.filter(|_| !self.is_busy);
        let runtime = tokio::runtime::Handle::try_current();
        if let (Some(lease), Ok(runtime)) = (lease, runtime) {
            runtime.spawn(lease.roll_back());
        }
    }
}
