//! Lists of identifiers.

use sqlx::Row as _;
use uuid::Uuid;

use super::Row;
use crate::storage::Error;

/// The identifiers in the first column of rows.
pub(super) fn ids<T>(rows: &[Row], id: impl Fn(Uuid) -> T) -> Result<Vec<T>, Error> {
    let read = |row: &Row| Ok(id(row.try_get(0)?));
    rows.iter().map(read).collect()
}
