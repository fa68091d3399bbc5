//! A connection to a database of either engine.

use std::time::Duration;

use futures_util::{TryStreamExt as _, stream::BoxStream};
use sqlx::{
    ConnectOptions as _, Connection as _, Either, Executor as _, PgConnection, SqliteConnection,
    sqlite::SqliteConnectOptions,
};

use super::{
    Error,
    row::Row,
    servers::{Servers, takes_writes},
    sql::Dialect,
    statement::{Arguments, Statement},
};

/// How long a statement on a server may be silent until the server is probed.
const PROBE_AFTER: Duration = Duration::from_millis(500);

/// How long a connection may take to answer a ping, before it counts as broken.
pub(super) const PING_TIMEOUT: Duration = Duration::from_millis(500);

/// What connections lead to.
#[derive(Debug, Clone)]
pub(super) enum Target {
    Sqlite(Box<SqliteConnectOptions>),
    Postgres(Servers),
}

/// A connection.
#[derive(Debug)]
pub(super) enum Connection {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

/// What a statement returned.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) rows: Vec<Row>,
    /// How many rows it wrote.
    pub(super) written: u64,
}

impl Target {
    /// Connects to the file, or to the server that takes writes; none while there is none.
    pub(super) async fn connect(&self) -> Result<Option<Connection>, sqlx::Error> {
        match self {
            Self::Sqlite(options) => Ok(Some(Connection::Sqlite(options.connect().await?))),
            Self::Postgres(servers) => Ok(servers.connect().await?.map(Connection::Postgres)),
        }
    }

    /// Returns the dialect that is spoken there.
    pub(super) const fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(_) => Dialect::Sqlite,
            Self::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Returns how long a statement may be silent until the server is probed. Nothing is between core and a file.
    pub(super) const fn probe_after(&self) -> Option<Duration> {
        match self {
            Self::Sqlite(_) => None,
            Self::Postgres(_) => Some(PROBE_AFTER),
        }
    }
}

impl Connection {
    /// Runs a statement that was encoded for this engine.
    pub(super) async fn run(&mut self, statement: Statement) -> Result<Outcome, Error> {
        let Statement {
            text,
            arguments,
            is_prepared,
            ..
        } = statement;
        match (self, arguments) {
            (Self::Sqlite(connection), Arguments::Sqlite(arguments)) => {
                let query = sqlx::query_with(text, arguments).persistent(is_prepared);
                let results = connection.fetch_many(query);
                collect(results, |done| done.rows_affected(), Row::Sqlite).await
            }
            (Self::Postgres(connection), Arguments::Postgres(arguments)) => {
                let query = sqlx::query_with(text, arguments).persistent(is_prepared);
                let results = connection.fetch_many(query);
                collect(results, |done| done.rows_affected(), Row::Postgres).await
            }
            _ => unreachable!("a statement runs on the engine that it was encoded for"),
        }
    }

    /// Executes statements without parameters, unprepared.
    pub(super) async fn execute(&mut self, text: &'static str) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(connection) => connection.execute(sqlx::raw_sql(text)).await.map(drop),
            Self::Postgres(connection) => connection.execute(sqlx::raw_sql(text)).await.map(drop),
        }
    }

    /// Returns whether the database takes writes, which a standby does not.
    pub(super) async fn takes_writes(&mut self) -> Result<bool, sqlx::Error> {
        match self {
            Self::Sqlite(connection) => {
                connection.execute(sqlx::raw_sql("SELECT 1")).await?;
                Ok(true)
            }
            Self::Postgres(connection) => takes_writes(connection).await,
        }
    }

    /// Returns once it has answered. What was queued for it, such as a rollback, is done by then.
    pub(super) async fn ping(&mut self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(connection) => connection.ping().await,
            Self::Postgres(connection) => connection.ping().await,
        }
    }

    pub(super) async fn close(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(connection) => connection.close().await,
            Self::Postgres(connection) => connection.close().await,
        }
    }
}

async fn collect<D, R>(
    mut results: BoxStream<'_, Result<Either<D, R>, sqlx::Error>>,
    written: fn(D) -> u64,
    row: fn(R) -> Row,
) -> Result<Outcome, Error> {
    let mut outcome = Outcome::default();
    while let Some(result) = results.try_next().await? {
        match result {
            Either::Left(done) => outcome.written += written(done),
            Either::Right(found) => outcome.rows.push(row(found)),
        }
    }
    Ok(outcome)
}
