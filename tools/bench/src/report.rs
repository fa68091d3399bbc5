//! The table of figures.

mod figure;
mod row;

use std::sync::{Mutex, PoisonError};

pub(crate) use self::{figure::Figure, row::Row};

const HEADER: &str =
    "| measure | engine | figure | compared with | aim | met |\n|---|---|---|---|---|---|";

/// The rows as they come. Each is also said at once on standard error, since a run takes long.
#[derive(Debug, Default)]
pub(crate) struct Report {
    rows: Mutex<Vec<Row>>,
}

impl Report {
    /// One more row.
    pub(crate) fn add(&self, row: Row) {
        eprintln!("{row}");
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.push(row);
    }

    /// Prints the table.
    pub(crate) fn print(&self) {
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        println!("{HEADER}");
        for row in rows.iter() {
            println!("{row}");
        }
    }
}
