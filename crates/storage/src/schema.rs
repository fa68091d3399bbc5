//! The schema of a database: which migrations it has, and what else a server is set to.

use std::collections::HashSet;

use domain::instant::Instant;
use sqlx::{PgConnection, Row as _, migrate::Migrator};

use super::{
    Error, Reads,
    connection::Connection,
    migrations,
    postgres::SETTINGS,
    sql::{Dialect, Fragment, sql},
};

/// What a migration of PostgreSQL begins with, whatever its role has for the sake of a pooler: it may take long, and may read whole tables.
const MIGRATING: &str = "SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0; \
     SET enable_seqscan = on; SET enable_hashjoin = on; SET enable_mergejoin = on";

/// Whether there is the table in which sqlx keeps what it has run.
const IS_MIGRATED: Fragment = Fragment::per_dialect(
    "EXISTS (SELECT 1 FROM sqlite_master WHERE name = '_sqlx_migrations')",
    "to_regclass('_sqlx_migrations') IS NOT NULL",
);

/// Runs what is missing, one process at a time. Migrations that this program does not know are left alone, so that an older
/// core can run beside a newer one while a migration only adds to the schema. Servers that only speak PostgreSQL's language may lack the
/// lock that keeps out a second process: one is to be started there.
pub(super) async fn migrate(connection: &mut Connection) -> Result<(), Error> {
    match connection {
        Connection::Sqlite(connection) => {
            let mut migrator = Migrator::with_migrations(migrations::sqlite());
            migrator.set_ignore_missing(true);
            Ok(migrator.run_direct(None, connection, false).await?)
        }
        Connection::Postgres(connection) => {
            sqlx::raw_sql(MIGRATING).execute(&mut *connection).await?;
            let is_postgresql = is_postgresql(connection).await?;
            let mut migrator = Migrator::with_migrations(if is_postgresql {
                migrations::postgres()
            } else {
                migrations::portable(migrations::postgres())
            });
            migrator.set_ignore_missing(true);
            migrator.set_locking(is_postgresql);
            Ok(migrator.run_direct(None, connection, false).await?)
        }
    }
}

/// Returns whether a server is PostgreSQL, and not one that speaks its language, as CockroachDB and YugabyteDB.
async fn is_postgresql(connection: &mut PgConnection) -> Result<bool, Error> {
    let row = sqlx::raw_sql("SELECT version() AS version");
    let row = row.fetch_one(connection).await?;
    let version: &str = row.try_get("version")?;
    Ok(version.starts_with("PostgreSQL ") && !version.contains("-YB-"))
}

impl Reads {
    /// Returns the names of missing migrations; a core must not serve while there are any.
    pub async fn pending_migrations(&self) -> Result<Vec<String>, Error> {
        let is_migrated = self.one(sql!("SELECT {}", IS_MIGRATED), ()).await?;
        let applied: HashSet<i64> = if is_migrated {
            let statement = sql!("SELECT version FROM _sqlx_migrations WHERE success = TRUE");
            self.all(statement, ()).await?.into_iter().collect()
        } else {
            HashSet::new()
        };
        let all = match self.dialect() {
            Dialect::Sqlite => migrations::sqlite(),
            Dialect::Postgres => migrations::postgres(),
        };
        Ok(all
            .iter()
            .filter(|migration| !applied.contains(&migration.version))
            .map(|migration| format!("{:04}_{}", migration.version, migration.description))
            .collect())
    }

    /// Returns the time of the database server's clock; `None` without a server.
    pub async fn server_time(&self) -> Result<Option<Instant>, Error> {
        match self.dialect() {
            Dialect::Sqlite => Ok(None),
            Dialect::Postgres => {
                let statement =
                    sql!("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)");
                self.one(statement, ()).await.map(Some)
            }
        }
    }

    /// Returns what a role lacks that connects through a pooler, as statements that set it. Without a pooler, core sets it itself.
    pub async fn lacking_settings(&self) -> Result<Vec<String>, Error> {
        let mut lacking = Vec::new();
        if self.dialect() == Dialect::Sqlite {
            return Ok(lacking);
        }
        for (name, value) in SETTINGS {
            let set: String = self
                .one(sql!("SELECT current_setting($1)"), [*name])
                .await?;
            if set != *value {
                lacking.push(format!("ALTER ROLE CURRENT_USER SET {name} = '{value}';"));
            }
        }
        Ok(lacking)
    }
}
