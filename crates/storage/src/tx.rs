//! One transaction: reads under its locks, and every write.

use std::ops::Deref;

use server::traces;

use super::{
    Error, Reads,
    pool::Transaction,
    reads::DATABASE,
    record::Insert,
    sql::{Dialect, Sql},
    statement::{Parameters, Values},
};

/// A transaction. The statements that read are methods of [`Reads`]. Take locks in the order idempotency key, person, account, grant,
/// counters, event. Dropping it without a commit rolls it back.
///
/// It cannot be used after an error: PostgreSQL has aborted it.
#[derive(Debug)]
pub struct Tx {
    reads: Reads,
}

impl Tx {
    pub(super) fn new(dialect: Dialect, transaction: Transaction) -> Self {
        Self {
            reads: Reads::in_transaction(dialect, transaction),
        }
    }

    /// Commits the changes. After [`Error::UnknownOutcome`] they must not be repeated blindly.
    pub async fn commit(self) -> Result<(), Error> {
        let began = traces::now();
        let committed = self.reads.commit().await;
        traces::ended(began, DATABASE, "commit", committed.is_ok());
        committed
    }

    /// Runs a statement and returns how many rows it wrote.
    pub(super) fn execute<const N: usize>(
        &mut self,
        sql: Sql<N>,
        parameters: impl Parameters<N>,
    ) -> impl Future<Output = Result<u64, Error>> + Send {
        let statement = self.statement(sql.0, parameters);
        async move { Ok(self.run(statement).await?.written) }
    }

    /// Runs a statement that must write one row. That there is none means that the caller did not read it in this transaction.
    pub(super) fn execute_one<const N: usize>(
        &mut self,
        what: &'static str,
        sql: Sql<N>,
        parameters: impl Parameters<N>,
    ) -> impl Future<Output = Result<(), Error>> + Send {
        let statement = self.statement(sql.0, parameters);
        async move {
            match self.run(statement).await?.written {
                1 => Ok(()),
                _ => Err(Error::Missing(what)),
            }
        }
    }

    /// Inserts a record.
    pub(super) async fn insert<T: Insert>(&mut self, record: &T) -> Result<(), Error> {
        let values = |values: &mut Values| record.add_to(values);
        let statement = self.statement::<0>(T::INSERT, values);
        self.run(statement).await?;
        Ok(())
    }
}

impl Deref for Tx {
    type Target = Reads;

    fn deref(&self) -> &Reads {
        &self.reads
    }
}
