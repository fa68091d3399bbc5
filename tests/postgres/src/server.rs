//! A PostgreSQL server of a test's own: unix socket only, no fsync, gone when the test process is.

use std::{
    env, fs,
    io::{BufRead as _, BufReader, Write as _},
    net::IpAddr,
    os::unix::{
        fs::{MetadataExt as _, chown},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{Mutex, PoisonError},
};

/// Keeps the server. It reads commands from a pipe that only this process holds, so that it sees the end of input however
/// this process ends, `kill -9` included, and then stops the server and removes its folder.
const KEEPER: &str = include_str!("keeper.sh");

/// The superuser, and owner of everything.
pub(crate) const USER: &str = "muster";

/// Where servers' folders are, whatever TMPDIR says: the path of a socket has at most 107 bytes, and another user must reach it.
const PLACE: &str = "/tmp";

/// Users without rights, to run the server as when the tests run as root, which PostgreSQL refuses.
const UNPRIVILEGED: [&str; 2] = ["postgres", "nobody"];

/// A running server, stopped and removed when dropped.
#[derive(Debug)]
pub struct Server {
    binaries: PathBuf,
    folder: PathBuf,
    /// The keeper's command that starts it.
    start: &'static str,
    keeper: Mutex<Keeper>,
}

#[derive(Debug)]
struct Keeper {
    process: Child,
    /// `None` once it was told to end.
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Server {
    /// Makes a cluster and starts it; takes about two seconds. `None` where PostgreSQL is not installed.
    pub fn start() -> Option<Self> {
        Self::start_by("start", Path::new(PLACE), None)
    }

    /// The same server as one would run it: what is committed is on the disk. For measurements.
    pub fn start_durable() -> Option<Self> {
        Self::start_durable_at(Path::new(PLACE), None)
    }

    /// The same in this folder, for example on a disk of its own, and also on port 5432 of this address. Whoever gets there may do
    /// everything.
    pub fn start_durable_at(place: &Path, address: Option<IpAddr>) -> Option<Self> {
        Self::start_by("start-durable", place, address)
    }

    fn start_by(start: &'static str, place: &Path, address: Option<IpAddr>) -> Option<Self> {
        let Some(binaries) = find_binaries() else {
            let required = env::var("MUSTER_REQUIRE_POSTGRES").is_ok_and(|value| value == "1");
            assert!(
                !required,
                "MUSTER_REQUIRE_POSTGRES=1, but there is no initdb in PATH or /usr/lib/postgresql/*/bin"
            );
            crate::report("skipped: no PostgreSQL binaries in PATH or /usr/lib/postgresql");
            return None;
        };
        Some(Self::make(start, place, address, binaries))
    }

    fn make(start: &'static str, place: &Path, address: Option<IpAddr>, binaries: PathBuf) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("muster-pg-")
            .tempdir_in(place)
            .expect("a folder can be made there")
            .keep();
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", KEEPER, "keeper"])
            .args([&binaries, &folder])
            .arg(address.map_or_else(String::new, |address| address.to_string()))
            .env("LC_ALL", "C")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // A Ctrl-C in the terminal ends the test process; the keeper must live on to clean up.
            .process_group(0);
        let made_by = fs::metadata(&folder)
            .expect("the folder was just made")
            .uid();
        if made_by == 0 {
            let (user, group, _) = unprivileged_user();
            chown(&folder, Some(user), Some(group)).expect("root may give its folder away");
            command.uid(user).gid(group);
        }
        let mut process = command.spawn().expect("sh can be started");
        let keeper = Keeper {
            commands: process.stdin.take(),
            answers: BufReader::new(process.stdout.take().expect("stdout is piped")),
            process,
        };
        let server = Self {
            binaries,
            folder,
            start,
            keeper: Mutex::new(keeper),
        };
        server.tell("init");
        server.tell(start);
        server
    }

    /// Ends the server as a crash does.
    pub fn kill(&self) {
        self.tell("kill");
    }

    /// Stops the server as an administrator would: connections are cut, nothing is lost.
    pub fn stop(&self) {
        self.tell("stop");
    }

    /// Starts a stopped server again, with its data.
    pub fn start_again(&self) {
        self.tell(self.start);
    }

    /// Where its socket is.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The URL of a database on this server.
    pub fn url(&self, database: &str) -> String {
        format!(
            "postgres://{USER}@localhost/{database}?host={}",
            self.folder.display()
        )
    }

    /// The same over TCP, for one that has this address.
    pub fn url_at(&self, address: IpAddr, database: &str) -> String {
        format!("postgres://{USER}@{address}:5432/{database}")
    }

    /// Makes a database as a copy of another, to which nobody may be connected.
    pub fn create_database(&self, name: &str, template: &str) {
        let done = self
            .program("createdb")
            .args(["--template", template, name])
            .output()
            .expect("createdb stands beside initdb");
        let text = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "cannot make database {name}: {text}");
    }

    /// Removes a database, and cuts the connections to it. Panics nowhere: it runs while a test ends, which may have panicked.
    pub(crate) fn drop_database(&self, name: &str) {
        let done = self.program("dropdb").args(["--force", name]).output();
        if !done.as_ref().is_ok_and(|done| done.status.success()) {
            eprintln!("database {name} is left behind: {done:?}");
        }
    }

    /// One of PostgreSQL's programs, told where the server is and who asks.
    pub fn program(&self, name: &str) -> Command {
        let mut program = Command::new(self.binaries.join(name));
        program.env("PGHOST", &self.folder).env("PGUSER", USER);
        program
    }

    /// Has the keeper do something, and waits until it is done.
    fn tell(&self, command: &str) {
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        let mut answer = String::new();
        let told = match &mut keeper.commands {
            Some(commands) => writeln!(commands, "{command}"),
            None => Ok(()),
        };
        let heard = keeper.answers.read_line(&mut answer);
        assert!(
            told.is_ok() && heard.is_ok() && answer == "0\n",
            "PostgreSQL cannot {command}: {}",
            fs::read_to_string(self.folder.join("log")).unwrap_or_default()
        );
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let keeper = self
            .keeper
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        keeper.commands = None;
        let _ = keeper.process.wait();
    }
}

/// The folder that holds initdb and its siblings: where the one in `PATH` really lies, else the newest that a distribution's
/// package installed.
fn find_binaries() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let in_path =
        env::split_paths(&path).find_map(|folder| folder.join("initdb").canonicalize().ok());
    if let Some(initdb) = in_path {
        return initdb.parent().map(Path::to_owned);
    }
    let major = |folder: &Path| folder.file_name()?.to_str()?.parse::<u32>().ok();
    fs::read_dir("/usr/lib/postgresql")
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|folder| folder.join("bin/initdb").is_file())
        .max_by_key(|folder| major(folder))
        .map(|folder| folder.join("bin"))
}

/// User, group and name of the first of [`UNPRIVILEGED`] that this machine has; PostgreSQL wants a user with a name.
pub(crate) fn unprivileged_user() -> (u32, u32, &'static str) {
    let users = fs::read_to_string("/etc/passwd").expect("/etc/passwd can be read");
    let ids = |name: &'static str| {
        let line = users
            .lines()
            .find(|line| line.split(':').next() == Some(name))?;
        let mut fields = line.split(':').skip(2);
        Some((
            fields.next()?.parse().ok()?,
            fields.next()?.parse().ok()?,
            name,
        ))
    };
    UNPRIVILEGED
        .into_iter()
        .find_map(ids)
        .expect("there is a user postgres or nobody to run the server as")
}
