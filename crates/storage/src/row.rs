//! Rows, read column by column in the order of the statement.

use domain::job::JobKey;
use sqlx::{
    Decode, Postgres, Row as _, Sqlite, Type, ValueRef as _, postgres::PgRow, sqlite::SqliteRow,
};
use uuid::Uuid;

use super::Error;

/// A row of either engine.
pub(super) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl std::fmt::Debug for Row {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Row")
    }
}

impl Row {
    /// Reads its first columns.
    pub(super) fn read<T: FromRow>(&self) -> Result<T, Error> {
        self.columns().read()
    }

    /// Its columns, none of which is read.
    pub(super) const fn columns(&self) -> Columns<'_> {
        Columns { row: self, next: 0 }
    }
}

/// The columns of a row that are still to be read.
#[derive(Debug)]
pub(super) struct Columns<'r> {
    row: &'r Row,
    /// The index of the next one.
    next: usize,
}

impl<'r> Columns<'r> {
    /// Reads the next columns.
    pub(super) fn read<T: FromRow>(&mut self) -> Result<T, Error> {
        T::from_row(self)
    }

    /// Reads the next columns, with which a row of this table begins. An error names the row.
    pub(super) fn row_of<T>(
        &mut self,
        table: &'static str,
        read: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (row, first) = (self.row, self.next);
        read(self).map_err(|cause| match cause {
            Error::Row { .. } => cause,
            _ => Error::Row {
                table,
                id: Columns { row, next: first }.id(),
                cause: Box::new(cause),
            },
        })
    }

    /// Jobs begin with their key, most other rows with an id.
    fn id(&self) -> String {
        let (row, next) = (self.row, self.next);
        let key = Columns { row, next }.read::<JobKey>();
        let key = key.map(|key| key.to_string());
        key.or_else(|_| {
            Columns { row, next }
                .read::<Uuid>()
                .map(|id| id.to_string())
        })
        .unwrap_or_else(|_| "?".to_owned())
    }

    /// Reads the next column as a type of the engines.
    pub(super) fn raw<T>(&mut self) -> Result<T, Error>
    where
        T: Decode<'r, Sqlite> + Type<Sqlite> + Decode<'r, Postgres> + Type<Postgres>,
    {
        // Comparing a column's type with what the migrations say takes longer than reading it: only tests do.
        let value = match (self.row, cfg!(debug_assertions)) {
            (Row::Sqlite(row), true) => row.try_get(self.next)?,
            (Row::Sqlite(row), false) => row.try_get_unchecked(self.next)?,
            (Row::Postgres(row), true) => row.try_get(self.next)?,
            (Row::Postgres(row), false) => row.try_get_unchecked(self.next)?,
        };
        self.next += 1;
        Ok(value)
    }

    fn is_null(&self) -> Result<bool, Error> {
        Ok(match self.row {
            Row::Sqlite(row) => row.try_get_raw(self.next)?.is_null(),
            Row::Postgres(row) => row.try_get_raw(self.next)?.is_null(),
        })
    }
}

/// A value that is read from one column, or from some that follow each other.
pub(super) trait FromRow: Sized {
    /// The number of its columns.
    const WIDTH: usize = 1;

    fn from_row(columns: &mut Columns<'_>) -> Result<Self, Error>;
}

/// None if its first column is null, as after a LEFT JOIN.
impl<T: FromRow> FromRow for Option<T> {
    const WIDTH: usize = T::WIDTH;

    fn from_row(columns: &mut Columns<'_>) -> Result<Self, Error> {
        if columns.is_null()? {
            columns.next += T::WIDTH;
            return Ok(None);
        }
        columns.read().map(Some)
    }
}

macro_rules! tuples {
    ($($($type:ident)+;)+) => {$(
        impl<$($type: FromRow),+> FromRow for ($($type,)+) {
            const WIDTH: usize = 0 $(+ $type::WIDTH)+;

            fn from_row(columns: &mut Columns<'_>) -> Result<Self, Error> {
                Ok(($(columns.read::<$type>()?,)+))
            }
        }
    )+};
}

tuples! {
    A B;
    A B C;
    A B C D;
}
