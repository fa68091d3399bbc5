//! Rows that a statement reads as a table named `input`, in place of values.
//!
//! PostgreSQL gets each column as one array: parsing thousands of values costs more than writing the rows, and the text does not depend
//! on their number, so that it stays prepared. SQLite has no arrays, so each value is a parameter.

use sqlx::{Arguments as _, error::BoxDynError, postgres::PgArguments, sqlite::SqliteArguments};

use super::{
    FULL_BATCH,
    statement::{Arguments, Bind, Parameters, Values},
};

/// Numbers of rows for which SQLite prepares a statement: parsing it costs more than writing the rows. Each number would be too many, since they
/// evict each other from the cache of statements.
const PREPARED_SIZES: [usize; 4] = [1, 8, 64, FULL_BATCH];

/// The table: a row for each item of a slice, built column by column.
pub(super) struct Input<'a, R> {
    rows: &'a [R],
    names: Vec<&'static str>,
    columns: Vec<Box<dyn Column + Send + 'a>>,
}

trait Column {
    /// Adds all values as one array.
    fn add_array(&self, to: &mut PgArguments) -> Result<(), BoxDynError>;

    /// Adds the value of a row, or NULL behind the last one.
    fn add_value(&self, row: usize, to: &mut SqliteArguments) -> Result<(), BoxDynError>;
}

impl<T: Bind> Column for Vec<T> {
    fn add_array(&self, to: &mut PgArguments) -> Result<(), BoxDynError> {
        to.add(self.iter().map(T::raw).collect::<Result<Vec<_>, _>>()?)
    }

    fn add_value(&self, row: usize, to: &mut SqliteArguments) -> Result<(), BoxDynError> {
        to.add(self.get(row).map(T::raw).transpose()?)
    }
}

impl<'a, R> Input<'a, R> {
    pub(super) const fn of(rows: &'a [R]) -> Self {
        Self {
            rows,
            names: Vec::new(),
            columns: Vec::new(),
        }
    }

    /// Adds a column.
    pub(super) fn column<T>(mut self, name: &'static str, value: impl Fn(&'a R) -> T) -> Self
    where
        T: Bind + Send + 'a,
    {
        let values: Vec<T> = self.rows.iter().map(value).collect();
        self.names.push(name);
        self.columns.push(Box::new(values));
        self
    }

    fn add_arrays(&self, to: &mut PgArguments) -> Result<String, BoxDynError> {
        for column in &self.columns {
            column.add_array(to)?;
        }
        let arrays: Vec<_> = (1..=self.names.len()).map(|n| format!("${n}")).collect();
        Ok(format!("SELECT * FROM unnest({})", arrays.join(", ")))
    }

    /// Fills the table up to a prepared size, and cuts it where the rows end.
    fn add_values(&self, to: &mut SqliteArguments) -> Result<String, BoxDynError> {
        let count = self.rows.len();
        let size = PREPARED_SIZES.into_iter().find(|size| *size >= count);
        let size = size.unwrap_or(count);
        for row in 0..size {
            for column in &self.columns {
                column.add_value(row, to)?;
            }
        }
        // Without numbers: SQLite searches all parameters for a numbered one.
        let row = format!("({})", vec!["?"; self.names.len()].join(", "));
        let rows = vec![&*row; size].join(", ");
        // One row and full batches are frequent, and without the cut each row is copied once less.
        if [1, FULL_BATCH].contains(&count) {
            return Ok(format!("VALUES {rows}"));
        }
        to.add(i64::try_from(count)?)?;
        // Without the sign, SQLite reads the number while it plans, and so parses the statement again whenever a value is bound.
        Ok(format!("SELECT * FROM (VALUES {rows}) LIMIT +?"))
    }
}

impl<R> Parameters<0> for Input<'_, R> {
    fn add_to(self, values: &mut Values) {
        let table = match &mut values.arguments {
            Arguments::Postgres(arguments) => self.add_arrays(arguments),
            Arguments::Sqlite(arguments) => {
                values.is_prepared = self.rows.len() <= FULL_BATCH;
                self.add_values(arguments)
            }
        };
        match table {
            Ok(table) => {
                let names = self.names.join(", ");
                values.prefix = format!("WITH input ({names}) AS ({table}) ");
            }
            Err(error) => values.check(Err(error)),
        }
    }
}
