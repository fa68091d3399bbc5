//! Where statements are run: on a connection of their own, or in a transaction.

use std::pin::pin;
use std::sync::Arc;

use process::traces;
use tokio::sync::Mutex;

use super::{
    Error, Tx,
    record::Insert,
    row::FromRow,
    sql::{Dialect, Sql, Template},
    statement::{Connection, Outcome, Parameters, Statement, Values},
    store::{DATABASE, Engine, MOST_TRIES},
    tx::Inner,
};

/// The statements that read. A [`Store`](super::Store) runs each on a connection of its own, a [`Tx`] runs them in its transaction; both
/// dereference to this. They are written in `queries/`.
#[derive(Debug)]
pub struct Reads {
    dialect: Dialect,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Pool(Arc<Engine>),
    /// A transaction runs one statement at a time.
    Transaction(Mutex<Inner>),
}

impl Reads {
    pub(super) fn in_pool(engine: Arc<Engine>) -> Self {
        Self {
            dialect: match &*engine {
                Engine::Sqlite(_) => Dialect::Sqlite,
                Engine::Postgres(_) => Dialect::Postgres,
            },
            source: Source::Pool(engine),
        }
    }

    pub(super) fn in_transaction(transaction: Inner) -> Self {
        Self {
            dialect: match &transaction {
                Inner::Sqlite(_) => Dialect::Sqlite,
                Inner::Postgres(_) => Dialect::Postgres,
            },
            source: Source::Transaction(Mutex::new(transaction)),
        }
    }

    /// Ends what [`Store::begin_read`](super::Store::begin_read) began.
    pub(super) async fn end(self) -> Result<(), Error> {
        match self.source {
            Source::Pool(_) => Ok(()),
            Source::Transaction(transaction) => match transaction.into_inner() {
                Inner::Sqlite(transaction) => Ok(transaction.commit().await?),
                Inner::Postgres(transaction) => Ok(transaction.commit().await?),
            },
        }
    }

    /// Bridge to statements that are compiled for each engine.
    pub(super) fn inner(&mut self) -> &mut Inner {
        match &mut self.source {
            Source::Transaction(transaction) => transaction.get_mut(),
            Source::Pool(_) => unreachable!("only transactions are asked"),
        }
    }

    /// The same, for its end.
    pub(super) fn into_inner(self) -> Inner {
        match self.source {
            Source::Transaction(transaction) => transaction.into_inner(),
            Source::Pool(_) => unreachable!("only transactions are asked"),
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
            rows.iter().map(|row| row.read()).collect()
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
            rows.first().map(|row| row.read()).transpose()
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
    fn statement<const N: usize>(
        &self,
        template: Template,
        parameters: impl Parameters<N>,
    ) -> Result<Statement, Error> {
        Statement::new(self.dialect, template, parameters)
    }

    /// Runs a statement, with its span.
    async fn run(&self, statement: Result<Statement, Error>) -> Result<Outcome, Error> {
        let statement = statement?;
        let name = statement.name();
        let began = traces::now();
        let outcome = match &self.source {
            Source::Pool(engine) => engine.run(&statement).await,
            Source::Transaction(transaction) => transaction.lock().await.run(statement).await,
        };
        traces::ended(began, DATABASE, name, outcome.is_ok());
        outcome
    }
}

impl Tx {
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

impl Engine {
    /// Runs a read on a connection of its own. It is repeated if the connection had broken before, or if it collides with transactions, as it
    /// may where they are serializable.
    async fn run(&self, statement: &Statement) -> Result<Outcome, Error> {
        match self {
            Self::Sqlite(engine) => loop {
                let mut reader = engine.reader().await?;
                let outcome = statement.clone().run(Connection::Sqlite(&mut reader)).await;
                if reader.give_back(outcome.as_ref().err()).await {
                    break outcome;
                }
            },
            Self::Postgres(engine) => {
                let mut tries = 1;
                loop {
                    let mut reader = engine.reader().await?;
                    let watch = reader.watch();
                    let on = Connection::Postgres(&mut reader);
                    let watched = watch.over(pin!(statement.clone().run(on))).await;
                    if watched.is_given_up {
                        reader.forsake();
                        break watched.answer;
                    }
                    let outcome = watched.answer;
                    let is_final = reader.give_back(outcome.as_ref().err()).await;
                    if matches!(outcome, Err(Error::Collision(_))) && tries < MOST_TRIES {
                        tries += 1;
                    } else if is_final {
                        break outcome;
                    }
                }
            }
        }
    }
}

impl Inner {
    async fn run(&mut self, statement: Statement) -> Result<Outcome, Error> {
        match self {
            Self::Sqlite(transaction) => {
                let watch = transaction.watch();
                let on = Connection::Sqlite(transaction.statement());
                let watched = watch.over(pin!(statement.run(on))).await;
                transaction.ended(watched)
            }
            Self::Postgres(transaction) => {
                let watch = transaction.watch();
                let on = Connection::Postgres(transaction.statement());
                let watched = watch.over(pin!(statement.run(on))).await;
                transaction.ended(watched)
            }
        }
    }
}
