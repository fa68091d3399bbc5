//! Where statements are run: on a connection of their own, or in a transaction.

use server::{telemetry::chain, traces};
use tokio::sync::Mutex;

use super::{
    Error,
    connection::Outcome,
    pool::{Pool, Transaction},
    row::{Columns, FromRow, Row},
    sql::{Dialect, Sql, Template},
    statement::{Parameters, Statement},
};

/// The database in spans.
pub(super) const DATABASE: &str = "database";

/// The statements that read. A [`Store`](super::Store) runs each on a connection of its own, a [`Tx`](super::Tx) runs them in its
/// transaction; both dereference to this. They are written in `queries/`.
#[derive(Debug)]
pub struct Reads {
    dialect: Dialect,
    source: Source,
}

/// Runs a statement that is not prepared, in a transaction. Without one, a pooler may plan it in one session and run it in another, where a
/// statement of someone else was planned.
async fn read_unprepared(pool: &Pool, statement: Statement) -> Result<Outcome, Error> {
    let mut transaction = Transaction::begin(pool).await?;
    let outcome = transaction.run(statement).await?;
    transaction.commit().await?;
    Ok(outcome)
}

/// Rows that were read each for itself.
#[derive(Debug)]
pub(super) struct Batch<T, I> {
    /// Those that can be read.
    pub(super) rows: Vec<T>,
    /// The ids of the others.
    pub(super) unreadable: Vec<I>,
}

/// Unreadable rows of one statement that the log names.
const MAX_LOGGED: usize = 10;

#[derive(Debug)]
enum Source {
    Pool(Pool),
    /// A transaction runs one statement at a time.
    Transaction(Mutex<Transaction>),
}

impl Reads {
    pub(super) fn in_pool(pool: Pool) -> Self {
        Self {
            dialect: pool.outage().target().dialect(),
            source: Source::Pool(pool),
        }
    }

    pub(super) fn in_transaction(dialect: Dialect, transaction: Transaction) -> Self {
        Self {
            dialect,
            source: Source::Transaction(Mutex::new(transaction)),
        }
    }

    /// Commits the transaction, if it is one.
    pub(super) async fn commit(self) -> Result<(), Error> {
        match self.source {
            Source::Pool(_) => Ok(()),
            Source::Transaction(transaction) => transaction.into_inner().commit().await,
        }
    }

    /// Returns the dialect, for the few statements that differ in more than a fragment.
    pub(super) const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Runs a statement and returns all its rows.
    pub(super) fn all<T: FromRow, const N: usize>(
        &self,
        sql: Sql<N>,
        parameters: impl Parameters<N>,
    ) -> impl Future<Output = Result<Vec<T>, Error>> + Send {
        let statement = self.statement(sql.0, parameters);
        async move {
            let rows = self.run(statement).await?.rows;
            // Rows are large: collecting results of unknown number would move each several times.
            let mut all = Vec::with_capacity(rows.len());
            for row in &rows {
                all.push(row.read()?);
            }
            Ok(all)
        }
    }

    /// Runs a statement whose rows begin with an id, and reads each row for itself. Those that cannot be read are logged.
    pub(super) fn batch<T: FromRow, I: FromRow, const N: usize>(
        &self,
        table: &'static str,
        sql: Sql<N>,
        parameters: impl Parameters<N>,
    ) -> impl Future<Output = Result<Batch<T, I>, Error>> + Send {
        let statement = self.statement(sql.0, parameters);
        async move {
            let found = self.run(statement).await?.rows;
            let mut rows = Vec::with_capacity(found.len());
            let (mut errors, mut unreadable) = (Vec::new(), Vec::new());
            for row in &found {
                match row.columns().row_of(table, Columns::read) {
                    Ok(row) => rows.push(row),
                    Err(error) => {
                        errors.push(error);
                        unreadable.extend(row.read());
                    }
                }
            }
            for error in errors.iter().take(MAX_LOGGED) {
                let rows = errors.len();
                tracing::error!(error = %chain(error), rows, "a row cannot be read and is left out");
            }
            Ok(Batch { rows, unreadable })
        }
    }

    /// Runs a statement that returns one row at most.
    pub(super) fn optional<T: FromRow, const N: usize>(
        &self,
        sql: Sql<N>,
        parameters: impl Parameters<N>,
    ) -> impl Future<Output = Result<Option<T>, Error>> + Send {
        let statement = self.statement(sql.0, parameters);
        async move {
            let rows = self.run(statement).await?.rows;
            rows.first().map(Row::read).transpose()
        }
    }

    /// Runs a statement that always returns one row.
    pub(super) fn one<T: FromRow, const N: usize>(
        &self,
        sql: Sql<N>,
        parameters: impl Parameters<N>,
    ) -> impl Future<Output = Result<T, Error>> + Send {
        let statement = self.statement(sql.0, parameters);
        async move {
            let rows = self.run(statement).await?.rows;
            let row = rows.first().ok_or(sqlx::Error::RowNotFound)?;
            row.read()
        }
    }

    /// Encodes a statement. It is done before the future is made, which would else be another one for each kind of values.
    pub(super) fn statement<const N: usize>(
        &self,
        template: Template,
        parameters: impl Parameters<N>,
    ) -> Result<Statement, Error> {
        Statement::new(self.dialect, template, parameters)
    }

    /// Runs a statement, with its span.
    pub(super) async fn run(&self, statement: Result<Statement, Error>) -> Result<Outcome, Error> {
        let statement = statement?;
        let name = statement.name();
        let began = traces::now();
        let outcome = match &self.source {
            Source::Pool(pool) if statement.is_prepared => pool.read(statement).await,
            Source::Pool(pool) => read_unprepared(pool, statement).await,
            Source::Transaction(transaction) => transaction.lock().await.run(statement).await,
        };
        traces::ended(began, DATABASE, name, outcome.is_ok());
        outcome
    }
}
