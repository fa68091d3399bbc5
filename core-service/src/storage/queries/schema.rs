//! Which migrations a database has.

use std::collections::HashSet;

use sqlx::{Row as _, migrate::Migrator};

use super::{Connection, Db, SERVER_TIME, TABLE_EXISTS, migrations, takes_writes};
use crate::{domain::instant::Instant, storage::Error};

/// Where sqlx keeps what it has run.
const APPLIED: &str = "_sqlx_migrations";

/// Runs what is missing, one process at a time. Migrations that this program does not know are left alone, so that an older
/// core can run beside a newer one while a migration only adds to the schema.
pub(in crate::storage) async fn migrate(connection: &mut Connection) -> Result<(), Error> {
    let mut migrator = Migrator::with_migrations(migrations());
    migrator.set_ignore_missing(true);
    Ok(migrator.run_direct(None, connection, false).await?)
}

pub(in crate::storage) async fn pending_migrations(
    connection: &mut Connection,
) -> Result<Vec<String>, Error> {
    let found = sqlx::query::<Db>(TABLE_EXISTS)
        .bind(APPLIED)
        .fetch_one(&mut *connection)
        .await?;
    let mut applied = HashSet::new();
    if found.try_get::<bool, _>("found")? {
        let rows = sqlx::query::<Db>("SELECT version FROM _sqlx_migrations WHERE success = TRUE")
            .fetch_all(connection)
            .await?;
        for row in rows {
            applied.insert(row.try_get::<i64, _>("version")?);
        }
    }
    Ok(migrations()
        .iter()
        .filter(|migration| !applied.contains(&migration.version))
        .map(|migration| format!("{:04}_{}", migration.version, migration.description))
        .collect())
}

/// Fails on a standby, too: nothing could be changed there.
pub(in crate::storage) async fn ping(connection: &mut Connection) -> Result<(), Error> {
    if takes_writes(connection).await? {
        return Ok(());
    }
    Err(Error::Standby("it is a standby".to_owned()))
}

pub(in crate::storage) async fn server_time(
    connection: &mut Connection,
) -> Result<Option<Instant>, Error> {
    let Some(statement) = SERVER_TIME else {
        return Ok(None);
    };
    let row = sqlx::query::<Db>(statement).fetch_one(connection).await?;
    Ok(Some(Instant::from_micros(row.try_get("micros")?)))
}
