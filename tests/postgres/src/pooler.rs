//! PgBouncer in transaction mode, in front of a server of a test's own.

use std::{
    env,
    fmt::Write as _,
    fs,
    os::unix::{
        fs::{MetadataExt as _, chown},
        net::UnixStream,
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    time::{Duration, Instant},
};

use crate::{
    Server,
    server::{USER, unprivileged_user},
};

/// Connections of the pooler to PostgreSQL for one database: fewer than a core opens to the pooler, so that transactions really share them.
pub const SESSIONS: u32 = 6;

/// Runs the pooler until its input ends, which it does however the test process ends. Then it removes the pooler's folder.
const KEEPER: &str = r#""$0" "$1/pgbouncer.ini" & pooler=$!; read -r _; kill -9 "$pooler"; wait "$pooler"; rm -rf "$1""#;

/// The port, which only names the socket.
const PORT: u16 = 6432;

/// How long it may take to start on a busy machine.
const START: Duration = Duration::from_secs(30);

/// A running PgBouncer, stopped when dropped.
#[derive(Debug)]
pub struct Pooler {
    folder: PathBuf,
    keeper: Child,
    /// `None` once it was told to end.
    input: Option<ChildStdin>,
}

impl Pooler {
    /// Starts one in front of a server. It is 1.21 or newer, named by `MUSTER_PGBOUNCER` or found in `PATH`. `None` without it, unless
    /// `MUSTER_REQUIRE_PGBOUNCER=1`.
    pub fn start(server: &Server) -> Option<Self> {
        let Some(program) = find_program() else {
            let required = env::var("MUSTER_REQUIRE_PGBOUNCER").is_ok_and(|value| value == "1");
            assert!(
                !required,
                "MUSTER_REQUIRE_PGBOUNCER=1, but there is no pgbouncer 1.21 or newer in PATH, and MUSTER_PGBOUNCER names none"
            );
            crate::report("skipped: no pgbouncer 1.21 or newer in PATH or MUSTER_PGBOUNCER");
            return None;
        };
        let folder = tempfile::Builder::new()
            .prefix("muster-pgb-")
            .tempdir_in("/tmp")
            .expect("a folder can be made in /tmp")
            .keep();
        let users = folder.join("users");
        fs::write(&users, format!("\"{USER}\" \"\"\n")).expect("the folder can be written");
        let mut text = configuration(server, &folder, &users);
        if fs::metadata(&folder).expect("it was just made").uid() == 0 {
            // It refuses to run as root, and becomes this user by itself.
            let (user, group, name) = unprivileged_user();
            let _ = writeln!(text, "user = {name}");
            for path in [&folder, &users] {
                chown(path, Some(user), Some(group)).expect("root may give its folder away");
            }
        }
        fs::write(folder.join("pgbouncer.ini"), text).expect("the folder can be written");
        let mut keeper = Command::new("/bin/sh")
            .args(["-c", KEEPER])
            .args([&program, &folder])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // A Ctrl-C in the terminal ends the test process; the keeper must live on to clean up.
            .process_group(0)
            .spawn()
            .expect("sh can be started");
        let pooler = Self {
            folder,
            input: keeper.stdin.take(),
            keeper,
        };
        pooler.wait_until_it_listens();
        Some(pooler)
    }

    fn wait_until_it_listens(&self) {
        let socket = self.folder.join(format!(".s.PGSQL.{PORT}"));
        let until = Instant::now() + START;
        while UnixStream::connect(&socket).is_err() {
            assert!(Instant::now() < until, "PgBouncer does not start");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The URL of a database through it.
    pub fn url(&self, database: &str) -> String {
        format!(
            "postgres://{USER}@localhost:{PORT}/{database}?host={}",
            self.folder.display()
        )
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.keeper.wait();
    }
}

/// Nothing is allowed that Muster says it does not need, so `ignore_startup_parameters` is missing.
fn configuration(server: &Server, folder: &Path, users: &Path) -> String {
    format!(
        "[databases]\n\
         * = host={} port=5432 user={USER}\n\
         [pgbouncer]\n\
         listen_addr =\n\
         listen_port = {PORT}\n\
         unix_socket_dir = {}\n\
         auth_type = trust\n\
         auth_file = {}\n\
         pool_mode = transaction\n\
         max_prepared_statements = 100\n\
         default_pool_size = {SESSIONS}\n\
         max_client_conn = 300\n",
        server.folder().display(),
        folder.display(),
        users.display(),
    )
}

fn find_program() -> Option<PathBuf> {
    let named = env::var_os("MUSTER_PGBOUNCER").map(PathBuf::from);
    let path = env::var_os("PATH").unwrap_or_default();
    let found = || {
        env::split_paths(&path)
            .map(|folder| folder.join("pgbouncer"))
            .find(|file| file.is_file())
    };
    let program = named.or_else(found)?;
    let answer = Command::new(&program).arg("--version").output().ok()?;
    let answer = String::from_utf8_lossy(&answer.stdout).into_owned();
    let version = answer.lines().next()?.strip_prefix("PgBouncer ")?;
    let mut numbers = version
        .split('.')
        .map_while(|part| part.parse::<u32>().ok());
    let version = (numbers.next()?, numbers.next()?);
    (version >= (1, 21)).then_some(program)
}
