//! Rows that a statement reads as a table. On PostgreSQL each column is one array: parsing thousands of parameters costs more
//! than writing the rows, and with arrays the statement's text does not depend on the number of rows, so that it stays
//! prepared.

use sqlx::{Arguments as _, AssertSqlSafe, Encode, Type, postgres::PgArguments, query::Query};

use super::{Connection, Db, Row};
use crate::storage::Error;

/// A table named `input`, built column by column. All columns have the same number of values.
#[derive(Default)]
pub(super) struct Input {
    names: Vec<&'static str>,
    arguments: PgArguments,
    /// Why a column cannot be encoded.
    failed: Option<Error>,
}

impl Input {
    pub(super) fn column<'q, T>(
        mut self,
        name: &'static str,
        values: impl IntoIterator<Item = T>,
    ) -> Self
    where
        Vec<T>: Encode<'q, Db> + Type<Db>,
    {
        self.names.push(name);
        let values: Vec<T> = values.into_iter().collect();
        let added = self.arguments.add(values).map_err(Error::Internal);
        self.failed = self.failed.or(added.err());
        self
    }

    /// Runs a statement that reads from `input` and has no other parameters. Returns the number of written rows.
    pub(super) async fn execute(
        self,
        connection: &mut Connection,
        statement: &'static str,
    ) -> Result<u64, Error> {
        let done = self.before(statement)?.execute(connection).await?;
        Ok(done.rows_affected())
    }

    /// The same for a statement that returns rows.
    pub(super) async fn fetch(
        self,
        connection: &mut Connection,
        statement: &'static str,
    ) -> Result<Vec<Row>, Error> {
        Ok(self.before(statement)?.fetch_all(connection).await?)
    }

    fn before(self, statement: &str) -> Result<Query<'static, Db, PgArguments>, Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let arrays: Vec<_> = (1..=self.names.len()).map(|n| format!("${n}")).collect();
        let text = format!(
            "WITH input ({}) AS (SELECT * FROM unnest({})) {statement}",
            self.names.join(", "),
            arrays.join(", ")
        );
        Ok(sqlx::query_with(AssertSqlSafe(text), self.arguments))
    }
}
