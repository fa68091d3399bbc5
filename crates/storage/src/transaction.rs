//! Transactions, each on a connection of its own until it ends.

use super::{
    Error,
    connection::Outcome,
    pool::{Pool, PooledConnection},
    statement::Statement,
};

/// An open transaction. Dropping it without a commit rolls it back.
#[derive(Debug)]
pub(super) struct Transaction {
    /// Until it is committed.
    connection: Option<PooledConnection>,
}

impl Transaction {
    pub(super) async fn begin(pool: &Pool) -> Result<Self, Error> {
        Ok(Self {
            connection: Some(pool.begin().await?),
        })
    }

    pub(super) async fn run(&mut self, statement: Statement) -> Result<Outcome, Error> {
        let connection = self.connection.as_mut().ok_or(sqlx::Error::PoolClosed)?;
        let outcome = connection.run(statement).await;
        if let Err(Error::Standby(_)) = outcome {
            connection.discard();
        }
        outcome
    }

    pub(super) async fn commit(mut self) -> Result<(), Error> {
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
