//! Which migrations a database has.

use std::collections::HashSet;

use sqlx::{Row as _, migrate::Migrator};

use super::{
    Connection, Db, SERVER_TIME, SERVER_VERSION, SETTINGS, TABLE_EXISTS, migrations, takes_writes,
};
use crate::{
    domain::instant::Instant,
    storage::{Error, migrations::portable},
};

/// Where sqlx keeps what it has run.
const APPLIED: &str = "_sqlx_migrations";

/// Runs what is missing, one process at a time. Migrations that this program does not know are left alone, so that an older
/// core can run beside a newer one while a migration only adds to the schema. Servers that only speak PostgreSQL's language may lack the
/// lock that keeps out a second process: one is to be started there.
pub(in crate::storage) async fn migrate(connection: &mut Connection) -> Result<(), Error> {
    let is_another = is_another_server(connection).await?;
    let mut migrator = Migrator::with_migrations(if is_another {
        portable(migrations())
    } else {
        migrations()
    });
    migrator.set_ignore_missing(true);
    migrator.set_locking(!is_another);
    Ok(migrator.run_direct(None, connection, false).await?)
}

/// Whether a server speaks PostgreSQL's language and is not PostgreSQL, as CockroachDB and YugabyteDB.
async fn is_another_server(connection: &mut Connection) -> Result<bool, Error> {
    let Some(statement) = SERVER_VERSION else {
        return Ok(false);
    };
    let row = sqlx::raw_sql(statement).fetch_one(connection).await?;
    let version: &str = row.try_get("version")?;
    Ok(!version.starts_with("PostgreSQL ") || version.contains("-YB-"))
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

/// Statements that make what connections lack.
pub(in crate::storage) async fn lacking_settings(
    connection: &mut Connection,
) -> Result<Vec<String>, Error> {
    let mut lacking = Vec::new();
    for (name, value) in SETTINGS {
        let row = sqlx::query::<Db>("SELECT current_setting($1) AS value").bind(*name);
        let row = row.fetch_one(&mut *connection).await?;
        if row.try_get::<&str, _>("value")? != *value {
            lacking.push(format!("ALTER ROLE CURRENT_USER SET {name} = '{value}';"));
        }
    }
    Ok(lacking)
}
