//! Rows that a statement reads as a table. SQLite has no arrays: each value is a parameter.

use sqlx::{Arguments as _, AssertSqlSafe, Encode, Type, query::Query, sqlite::SqliteArguments};

use super::{Connection, Db, Row};
use crate::storage::{Error, FULL_BATCH};

/// Whether a statement for that many rows comes again and again, so that it should stay prepared: one row, and the full batches
/// of a rush. Sizes in between would crowd each other out.
const fn is_usual(rows: usize) -> bool {
    rows == 1 || rows == FULL_BATCH
}

/// Adds its next value to a statement's; false when there is none left.
type Column<'a> = Box<dyn FnMut(&mut SqliteArguments) -> Result<bool, Error> + Send + 'a>;

/// A table named `input`, made column by column; all columns have as many values as there are rows.
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

    /// Runs a statement that reads from `input` and has no other parameters; answers how many rows it wrote.
    pub(super) async fn execute(
        self,
        connection: &mut Connection,
        statement: &'static str,
    ) -> Result<u64, Error> {
        let done = self.before(statement)?.execute(connection).await?;
        Ok(done.rows_affected())
    }

    /// The same for one that answers rows.
    pub(super) async fn fetch(
        self,
        connection: &mut Connection,
        statement: &'static str,
    ) -> Result<Vec<Row>, Error> {
        Ok(self.before(statement)?.fetch_all(connection).await?)
    }

    /// Parameters go row by row and without numbers: SQLite looks for a numbered one among all of them.
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
