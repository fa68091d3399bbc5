//! Databases for tests. A body is written once and runs as two tests, on SQLite and on PostgreSQL:
//!
//! ```ignore
//! async fn an_account_is_found(database: Database) { … }
//!
//! test_postgres::on_both_engines!(prepare: migrate; an_account_is_found);
//! ```
//!
//! PostgreSQL needs its binaries, in `PATH` or in `/usr/lib/postgresql/*/bin`. Where they are missing its tests say on stderr
//! that they are skipped, unless `MUSTER_REQUIRE_POSTGRES=1` makes that a failure.
//!
//! With `MUSTER_THROUGH_PGBOUNCER=1`, the databases of [`on_both_engines`] and of whoever asks for [`Database::postgres`] are behind PgBouncer in
//! transaction mode.

mod pooler;
mod server;

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use tempfile::TempDir;
use tokio::sync::OnceCell;

pub use pooler::{Pooler, SESSIONS};
pub use server::Server;

/// How long a test may take, far above the longest on a busy machine, so that one that hangs fails by its name.
const TEST_TIMEOUT: Duration = Duration::from_mins(20);

/// The prepared database that each test's own is cloned from.
const TEMPLATE: &str = "prepared";

/// A database that one test has for itself, removed when the test ends: together they would fill a disk.
#[derive(Debug)]
pub struct Database {
    url: String,
    is_pooled: bool,
    remains: Remains,
}

/// What lies on the disk for a database.
#[derive(Debug)]
enum Remains {
    /// Of SQLite, with one file.
    Folder { _folder: TempDir },
    Clone {
        server: &'static Server,
        name: String,
    },
    /// On a server that goes with its test.
    Nothing,
}

impl Drop for Remains {
    fn drop(&mut self) {
        if let Self::Clone { server, name } = self {
            server.drop_database(name);
        }
    }
}

impl Database {
    /// A copy of a SQLite file that the first call in this process prepares; all calls must mean the same preparation, which
    /// closes the file at its end.
    pub async fn sqlite(prepare: impl AsyncFnOnce(String)) -> Self {
        static PREPARED: OnceCell<Vec<u8>> = OnceCell::const_new();

        let prepared = PREPARED
            .get_or_init(async || {
                let (_folder, file) = new_file();
                prepare(sqlite_url(&file)).await;
                fs::read(file).expect("the prepared file can be read")
            })
            .await;
        let (folder, file) = new_file();
        fs::write(&file, prepared).expect("the test's database can be written");
        Self::of_file(folder, &file)
    }

    /// A new SQLite file with a preparation of its own.
    pub async fn new_sqlite(prepare: impl AsyncFnOnce(String)) -> Self {
        let (folder, file) = new_file();
        prepare(sqlite_url(&file)).await;
        Self::of_file(folder, &file)
    }

    fn of_file(folder: TempDir, file: &Path) -> Self {
        Self {
            url: sqlite_url(file),
            is_pooled: false,
            remains: Remains::Folder { _folder: folder },
        }
    }

    /// A clone of a PostgreSQL database that the first call in this process prepares; all calls must mean the same
    /// preparation. `None` where PostgreSQL is not installed.
    pub async fn postgres(prepare: impl AsyncFnOnce(String)) -> Option<Self> {
        static SERVER: OnceLock<Option<Server>> = OnceLock::new();
        static POOLER: OnceLock<Option<Pooler>> = OnceLock::new();
        static PREPARED: OnceCell<()> = OnceCell::const_new();
        static CLONES: AtomicU32 = AtomicU32::new(0);

        let server = SERVER.get_or_init(Server::start).as_ref()?;
        PREPARED
            .get_or_init(async || {
                server.create_database(TEMPLATE, "template1");
                prepare(server.url(TEMPLATE)).await;
            })
            .await;
        let name = format!("test_{}", CLONES.fetch_add(1, Ordering::Relaxed));
        server.create_database(&name, TEMPLATE);
        let pooler = POOLER.get_or_init(|| is_through_pooler().then(|| Pooler::start(server))?);
        let direct = || server.url(&name);
        Some(Self {
            url: pooler
                .as_ref()
                .map_or_else(direct, |pooler| pooler.url(&name)),
            is_pooled: pooler.is_some(),
            remains: Remains::Clone { server, name },
        })
    }

    /// A new database on a server that the test has for itself, to stop and start.
    pub async fn on(server: &Server, prepare: impl AsyncFnOnce(String)) -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let name = format!("muster_{}", MADE.fetch_add(1, Ordering::Relaxed));
        server.create_database(&name, "template1");
        let url = server.url(&name);
        prepare(url.clone()).await;
        Self {
            url,
            is_pooled: false,
            remains: Remains::Nothing,
        }
    }

    /// What a program is given to reach it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What reaches it past a pooler.
    pub fn direct_url(&self) -> String {
        match &self.remains {
            Remains::Clone { server, name } => server.url(name),
            Remains::Folder { .. } | Remains::Nothing => self.url.clone(),
        }
    }

    /// Its name on its server; `None` if it is a file.
    pub fn name(&self) -> Option<&str> {
        let (_server, rest) = self.url.strip_prefix("postgres://")?.split_once('/')?;
        rest.split('?').next()
    }

    /// Whether it is reached through a pooler, of which a store must know.
    pub const fn is_pooled(&self) -> bool {
        self.is_pooled
    }

    /// Whether this is PostgreSQL, for the few tests that show what only one engine does.
    pub fn is_postgres(&self) -> bool {
        self.url.starts_with("postgres:")
    }
}

/// Whether databases are to be reached through a pooler.
pub fn is_through_pooler() -> bool {
    std::env::var("MUSTER_THROUGH_PGBOUNCER").is_ok_and(|value| value == "1")
}

/// A folder for a SQLite file, and the path of the file, which is not there yet.
fn new_file() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder for the test's database can be made");
    let file = folder.path().join("muster.db");
    (folder, file)
}

fn sqlite_url(file: &Path) -> String {
    format!("sqlite://{}", file.display())
}

/// Says why a test is skipped. Written past the capture of test output, which would hide it.
pub(crate) fn report(why: &str) {
    let _ = writeln!(std::io::stderr(), "{why}");
}

/// Runs the body of a test.
///
/// # Panics
///
/// If the body does, and if it does not end.
pub async fn to_its_end(body: impl Future<Output = ()>) {
    let ended = tokio::time::timeout(TEST_TIMEOUT, Box::pin(body)).await;
    assert!(ended.is_ok(), "the test does not end");
}

/// Turns test bodies into tests, `on_sqlite::name` and `on_postgres::name`. Each body is an `async fn(Database)` of the
/// calling module; `prepare` is an `async fn(String)` that brings the database of that URL into the state they start from.
/// What only one engine can show comes last, after `; on_sqlite:` or `; on_postgres:`.
#[macro_export]
macro_rules! on_both_engines {
    (
        prepare: $prepare:ident; $($body:ident),+ $(,)?
        $(; on_sqlite: $($on_sqlite:ident),+ $(,)?)?
        $(; on_postgres: $($on_postgres:ident),+ $(,)?)?
    ) => {
        mod on_sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $body() {
                    $crate::to_its_end(super::$body($crate::Database::sqlite(super::$prepare).await)).await;
                }
            )+
            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $on_sqlite() {
                    $crate::to_its_end(super::$on_sqlite($crate::Database::sqlite(super::$prepare).await)).await;
                }
            )+)?
        }

        mod on_postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $body() {
                    if let Some(database) = $crate::Database::postgres(super::$prepare).await {
                        $crate::to_its_end(super::$body(database)).await;
                    }
                }
            )+
            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $on_postgres() {
                    if let Some(database) = $crate::Database::postgres(super::$prepare).await {
                        $crate::to_its_end(super::$on_postgres(database)).await;
                    }
                }
            )+)?
        }
    };
}
