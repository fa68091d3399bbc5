//! Rows that a statement reads as a table. SQLite has no arrays, so each value is a parameter.

use sqlx::{Arguments as _, AssertSqlSafe, Encode, Type, query::Query, sqlite::SqliteArguments};

use super::{Connection, Db, Row};
use crate::storage::{Error, FULL_BATCH};

/// Whether a statement for this number of rows should stay prepared: one row and full batches are frequent. Other sizes would
/// evict each other from the cache.
const fn is_usual(rows: usize) -> bool {
    rows == 1 || rows == FULL_BATCH
}

/// Adds its next value to a statement's parameters; false if none is left.
type Column<'a> = Box<dyn FnMut(&mut SqliteArguments) -> Result<bool, Error> + Send + 'a>;

/// A table named `input`, built column by column. All columns have the same number of values.
#[derive(Default)]
pub(super) struct Input<'a> {
    names: Vec<&'static str>,
    columns: Vec<Column<'a>>,
}

impl<'a> Input<'a> {
    pub(super) fn column<T, I>(mut self, name: &'static str, values: I) -> Self
    where
        T: Encode<'a, Db> + Type<Db>,
        I: IntoIterator<Item = T, IntoIter: Send + 'a>,
    {
        let mut values = values.into_iter();
        self.names.push(name);
        self.columns.push(Box::new(move |arguments| {
            let value = values.next();
            let added = value.map(|value| arguments.add(value).map_err(Error::Internal));
            Ok(added.transpose()?.is_some())
        }));
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

    /// Parameters are bound row by row and without numbers: SQLite searches all parameters for a numbered one.
    fn before(mut self, statement: &str) -> Result<Query<'static, Db, SqliteArguments>, Error> {
        let mut arguments = SqliteArguments::default();
        let mut rows = 0;
        'rows: loop {
            for column in &mut self.columns {
                if !column(&mut arguments)? {
                    break 'rows;
                }
            }
            rows += 1;
        }
        let row = format!("({})", vec!["?"; self.names.len()].join(", "));
        let text = format!(
            "WITH input ({}) AS (VALUES {}) {statement}",
            self.names.join(", "),
            vec![&*row; rows].join(", ")
        );
        Ok(sqlx::query_with(AssertSqlSafe(text), arguments).persistent(is_usual(rows)))
    }
}
