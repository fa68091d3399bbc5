//! An open database.

use std::{ops::Deref, path::Path, sync::Arc};

use secrecy::ExposeSecret as _;
use server::traces;

use super::{
    Error, Options, Outages, Reads, Tx,
    pool::{Pools, Transaction},
    postgres,
    reads::DATABASE,
    schema,
    sql::Dialect,
    sqlite,
};

/// An open database. Clones share its connections. The statements that read are methods of [`Reads`].
#[derive(Debug, Clone)]
pub struct Store(Arc<Database>);

#[derive(Debug)]
struct Database {
    reads: Reads,
    pools: Pools,
    is_behind_pooler: bool,
    migrate_command: String,
}

impl Store {
    /// Opens a database and checks that it answers. It does not change the schema.
    pub async fn open(options: &Options) -> Result<Self, Error> {
        let url = options.url.expose_secret();
        let pools = if url.starts_with("sqlite:") {
            sqlite::open(options).await?
        } else {
            postgres::open(options).await?
        };
        let store = Self(Arc::new(Database {
            reads: Reads::in_pool(pools.readers.clone()),
            pools,
            is_behind_pooler: options.is_pooled,
            migrate_command: options.migrate_command.clone(),
        }));
        if options.is_pooled {
            let lacking = store.lacking_settings().await?;
            if !lacking.is_empty() {
                tracing::warn!(
                    statements = lacking.join(" "),
                    "the database's role lacks settings that core cannot make through a pooler"
                );
            }
        }
        Ok(store)
    }

    /// Runs the migrations that are missing.
    pub async fn migrate(&self) -> Result<(), Error> {
        if self.dialect() == Dialect::Sqlite {
            // There is one connection that writes.
            let mut writer = self.0.pools.writers.acquire().await?;
            let migrated = schema::migrate(writer.connection()?).await;
            writer.release(migrated.as_ref().err()).await;
            return migrated;
        }
        if self.0.is_behind_pooler {
            // A migration's lock, and the time that it may take, belong to a session.
            if self.pending_migrations().await?.is_empty() {
                return Ok(());
            }
            let command = &self.0.migrate_command;
            let text = format!(
                "the database lacks migrations, which do not go through a pooler: run `{command}` with the server's own URL \
                 (--database-url), without --database-pooler"
            );
            return Err(Error::Configuration(text));
        }
        let connection = self.0.pools.writers.outage().target().connect().await?;
        let standby = || Error::Standby("no server takes writes".to_owned());
        let mut connection = connection.ok_or_else(standby)?;
        schema::migrate(&mut connection).await
    }

    /// Checks that the database answers, and takes writes.
    pub async fn ping(&self) -> Result<(), Error> {
        self.0.pools.readers.ping().await
    }

    /// Fails if the database lacks migrations.
    pub async fn require_schema(&self) -> Result<(), Error> {
        let pending = self.pending_migrations().await?;
        let which = match &pending[..] {
            [] => return Ok(()),
            [first, .., last] => format!("{} migrations, {first} to {last}", pending.len()),
            [only] => format!("migration {only}"),
        };
        let command = &self.0.migrate_command;
        let text = format!("the database lacks {which}: run `{command}` first");
        Err(Error::Configuration(text))
    }

    /// Begins a transaction. Dropping it without [`Tx::commit`] rolls it back. On SQLite there is one at a time.
    pub async fn begin(&self) -> Result<Tx, Error> {
        let began = traces::now();
        let transaction = Transaction::begin(&self.0.pools.writers).await;
        traces::ended(began, DATABASE, "begin", transaction.is_ok());
        Ok(Tx::new(self.dialect(), transaction?))
    }

    /// Begins several reads on one connection, for settings and plans that last as long as a transaction. Dropping it ends them.
    pub(super) async fn begin_read(&self) -> Result<Reads, Error> {
        let transaction = Transaction::begin(&self.0.pools.readers).await?;
        Ok(Reads::in_transaction(self.dialect(), transaction))
    }

    /// Returns how many concurrent transactions are useful: one on SQLite, which has one writer.
    pub fn parallel_writers(&self) -> usize {
        match self.dialect() {
            Dialect::Sqlite => 1,
            // More gained nothing on two processors, and most of the pool must stay free for requests.
            Dialect::Postgres => 4,
        }
    }

    /// Removes deleted data from the database's files. On PostgreSQL, autovacuum does this.
    pub async fn purge_deleted(&self) -> Result<(), Error> {
        if self.dialect() == Dialect::Postgres {
            return Ok(());
        }
        // The write-ahead log contains old pages. During a long read it cannot be emptied; then the next writer overwrites it from its start.
        let mut writer = self.0.pools.writers.acquire().await?;
        let emptied = writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").await;
        let emptied = emptied.map_err(Error::from);
        writer.release(emptied.as_ref().err()).await;
        emptied
    }

    /// Copies a SQLite database to a new file, as it is at one moment, and returns the copy's size in bytes. Others may write
    /// at the same time.
    pub async fn back_up(&self, file: &Path) -> Result<u64, Error> {
        match self.dialect() {
            Dialect::Sqlite => sqlite::back_up(&self.0.reads, file).await,
            Dialect::Postgres => {
                let text = "PostgreSQL has programs of its own for this: pg_dump, pg_basebackup";
                Err(Error::Configuration(text.to_owned()))
            }
        }
    }

    /// Tells of outages as soon as they are noticed.
    pub fn outages(&self) -> Outages {
        self.0.pools.readers.outage().subscribe()
    }

    /// Closes the connections, waiting for those in use. Then another core may serve a SQLite file.
    pub async fn close(&self) {
        self.0.pools.close().await;
    }
}

impl Deref for Store {
    type Target = Reads;

    fn deref(&self) -> &Reads {
        &self.0.reads
    }
}
