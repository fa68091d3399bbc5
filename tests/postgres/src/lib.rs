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

mod server;

use std::{
    io::Write as _,
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use tempfile::TempDir;
use tokio::sync::OnceCell;

pub use server::Server;

/// The prepared database that each test's own is cloned from.
const TEMPLATE: &str = "prepared";

/// A database that one test has for itself.
#[derive(Debug)]
pub struct Database {
    url: String,
    /// Where a SQLite file lies; removed when the test ends. PostgreSQL's goes with its server.
    _folder: Option<TempDir>,
}

impl Database {
    /// A new SQLite file, prepared.
    pub async fn sqlite(prepare: impl AsyncFnOnce(String)) -> Self {
        let folder = tempfile::tempdir().expect("a folder for the test's database can be made");
        let url = format!("sqlite://{}", folder.path().join("muster.db").display());
        prepare(url.clone()).await;
        Self {
            url,
            _folder: Some(folder),
        }
    }

    /// A clone of a PostgreSQL database that the first call in this process prepares; all calls must mean the same
    /// preparation. `None` where PostgreSQL is not installed.
    pub async fn postgres(prepare: impl AsyncFnOnce(String)) -> Option<Self> {
        static SERVER: OnceLock<Option<Server>> = OnceLock::new();
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
        Some(Self {
            url: server.url(&name),
            _folder: None,
        })
    }

    /// A new database on a server that the test has for itself, to stop and start.
    pub async fn on(server: &Server, prepare: impl AsyncFnOnce(String)) -> Self {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let name = format!("muster_{}", MADE.fetch_add(1, Ordering::Relaxed));
        server.create_database(&name, "template1");
        let url = server.url(&name);
        prepare(url.clone()).await;
        Self { url, _folder: None }
    }

    /// What a program is given to reach it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether this is PostgreSQL, for the few tests that show what only one engine does.
    pub fn is_postgres(&self) -> bool {
        self.url.starts_with("postgres:")
    }
}

/// Says that a test is skipped. Written past the capture of test output, which would hide it.
pub(crate) fn report_skipped() {
    let _ = writeln!(
        std::io::stderr(),
        "skipped: no PostgreSQL binaries in PATH or /usr/lib/postgresql"
    );
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
                    super::$body($crate::Database::sqlite(super::$prepare).await).await;
                }
            )+
            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $on_sqlite() {
                    super::$on_sqlite($crate::Database::sqlite(super::$prepare).await).await;
                }
            )+)?
        }

        mod on_postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $body() {
                    if let Some(database) = $crate::Database::postgres(super::$prepare).await {
                        super::$body(database).await;
                    }
                }
            )+
            $($(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $on_postgres() {
                    if let Some(database) = $crate::Database::postgres(super::$prepare).await {
                        super::$on_postgres(database).await;
                    }
                }
            )+)?
        }
    };
}
