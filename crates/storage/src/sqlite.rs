//! Opening SQLite: one writer, four readers, one core per file.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    str::FromStr as _,
    sync::Mutex,
    time::Duration,
};

use secrecy::ExposeSecret as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};

use super::{
    Error, Options, Purpose, Reads,
    connection::Target,
    outage::Outage,
    pool::{Pool, PoolOptions, Pools},
    sql::sql,
};

/// How long a statement waits for another process, such as an admin command.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// All writers queue for one connection, so they wait as long as SQLite itself would.
const WRITER_TIMEOUT: Duration = BUSY_TIMEOUT;

/// Readers never wait for writers in WAL mode, so a wait of a second means that the machine is overloaded.
const READER_TIMEOUT: Duration = Duration::from_secs(1);

/// Reading needs the processor, so more readers gain nothing on machines that use SQLite.
const MAX_READERS: u32 = 4;

pub(super) async fn open(options: &Options) -> Result<Pools, Error> {
    let url = options.url.expose_secret();
    let base = SqliteConnectOptions::from_str(url)
        .map_err(|error| Error::Configuration(format!("{url}: {error}")))?
        .create_if_missing(true)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        // Deleted data are overwritten: an erased person's data must not stay in the file's free space.
        .pragma("secure_delete", "ON")
        .synchronous(SqliteSynchronous::Full);
    if url.contains(":memory:") || url.contains("mode=memory") {
        let text = format!(
            "{url}: must be the path of a file, since each connection in memory has its own data"
        );
        return Err(Error::Configuration(text));
    }
    let path = base.get_filename().to_owned();
    let lock = match options.purpose {
        Purpose::Serve => Some(lock(&path)?),
        Purpose::Administer => None,
    };
    let unusable = |error: sqlx::Error| {
        Error::Configuration(format!(
            "cannot open the database {}: {error}",
            path.display()
        ))
    };
    make_private(&path).map_err(|error| unusable(error.into()))?;
    // The writer opens first: it sets WAL, which readers cannot do.
    let writing = base.clone().journal_mode(SqliteJournalMode::Wal);
    let writers = pool(
        writing,
        PoolOptions {
            name: "write",
            max_connections: 1,
            wait_timeout: WRITER_TIMEOUT,
            session: None,
            // A transaction that begins by reading could fail when it writes.
            begin: "BEGIN IMMEDIATE",
        },
    );
    writers.open().await.map_err(unusable)?;
    let readers = pool(
        base.read_only(true),
        PoolOptions {
            name: "read",
            max_connections: MAX_READERS,
            wait_timeout: READER_TIMEOUT,
            session: None,
            begin: "BEGIN",
        },
    );
    readers.open().await.map_err(unusable)?;
    Ok(Pools {
        readers,
        writers,
        lock: Mutex::new(lock),
    })
}

fn pool(options: SqliteConnectOptions, use_of_it: PoolOptions) -> Pool {
    let target = Target::Sqlite(Box::new(options));
    Pool::new(&Outage::new(target), use_of_it)
}

/// Creates the file if there is none, readable by its owner only: it contains names and email addresses. SQLite's other files
/// get the same mode.
fn make_private(database: &Path) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(database) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Takes the lock that makes this core the only one on its file. The system releases it when the process ends.
fn lock(database: &Path) -> Result<File, Error> {
    let mut path = database.as_os_str().to_owned();
    path.push(".lock");
    let shown = Path::new(&path).display();
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&path).map_err(|error| {
        Error::Configuration(format!(
            "cannot write {shown}: {error}; choose another folder with --data-dir"
        ))
    })?;
    file.try_lock().map_err(|_| {
        Error::Configuration(format!(
            "another core already serves {}: stop it, or choose another --data-dir",
            database.display()
        ))
    })?;
    Ok(file)
}

/// Copies the database to a new file: all or nothing. Writers do not wait for it.
pub(super) async fn back_up(reads: &Reads, file: &Path) -> Result<u64, Error> {
    let refuse = |error: io::Error| {
        Error::Configuration(format!("cannot write {}: {error}", file.display()))
    };
    if file.exists() {
        let taken = format!("{} already exists: choose another file", file.display());
        return Err(Error::Configuration(taken));
    }
    let unfinished = unfinished(file);
    let copied = copy(reads, &unfinished).await;
    let finished = copied.and_then(|()| finish(&unfinished, file).map_err(refuse));
    if finished.is_err() {
        let _none_is_left = fs::remove_file(&unfinished);
    }
    finished
}

async fn copy(reads: &Reads, file: &Path) -> Result<(), Error> {
    // SQLite fills an empty file, so that nobody else can read it from its beginning.
    make_private(file).map_err(|error| {
        Error::Configuration(format!("cannot write {}: {error}", file.display()))
    })?;
    let name = file
        .to_str()
        .ok_or_else(|| Error::Configuration(format!("{} is not UTF-8", file.display())))?;
    let _no_rows: Option<i64> = reads.optional(sql!("VACUUM INTO $1"), [name]).await?;
    Ok(())
}

fn unfinished(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// Gives the copy its name once it is on the disk.
fn finish(unfinished: &Path, file: &Path) -> io::Result<u64> {
    let copy = File::open(unfinished)?;
    copy.sync_all()?;
    fs::rename(unfinished, file)?;
    Ok(copy.metadata()?.len())
}
