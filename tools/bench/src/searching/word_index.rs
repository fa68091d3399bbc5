//! PostgreSQL's index of words, made at once. Core adds to it event by event, which takes more than half an hour for a million of them and
//! says nothing about searches.

use sqlx::{Connection as _, PgConnection};

/// What `CREATE INDEX` of the migration says, with more memory, as administrators set it for such a task.
const MAKE: &str = "SET maintenance_work_mem = '512MB'; \
     CREATE INDEX catalogue_entries_by_word ON catalogue_entries USING gin (words) WITH (fastupdate = off)";

pub(crate) async fn drop(database_url: &str) -> anyhow::Result<()> {
    run(database_url, "DROP INDEX catalogue_entries_by_word").await
}

pub(crate) async fn make(database_url: &str) -> anyhow::Result<()> {
    run(database_url, MAKE).await
}

async fn run(database_url: &str, statements: &'static str) -> anyhow::Result<()> {
    let mut connection = PgConnection::connect(database_url).await?;
    sqlx::raw_sql(statements).execute(&mut connection).await?;
    connection.close().await?;
    Ok(())
}
