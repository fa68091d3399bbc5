//! The binary `core-service` as a process of its own, which is started, killed and stopped.

mod crash;
#[cfg(target_os = "linux")]
mod disk;
mod health;
mod log;
mod mail;
mod metrics;
mod open_files;
mod receiver;
mod replacing;
mod secret_keys;
mod spans;
mod start;
mod stop;
mod webhooks;

use std::{
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::mpsc,
    time::Duration,
};

use core_service::service::{Commands, NewAccount, Policy, UseCases};
use domain::{clock::Clock, entropy::Entropy, plan::Plan};
use muster_api::v1::{
    CreateEventRequest, catalogue_service_client::CatalogueServiceClient,
    event_service_client::EventServiceClient,
};
use storage::{Options, Purpose, Store};
use tempfile::TempDir;
use tonic::{
    Request,
    transport::{Channel, Endpoint},
};

/// Far above what starting or stopping takes on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Whose account the tests use.
const OWNER: &str = "olga@example.org";

/// The key of secrets, the same in all cores.
const SECRET_KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

/// How often a condition that nobody reports is looked at.
const POLL: Duration = Duration::from_millis(10);

/// The binary with these arguments and none of Muster's variables.
pub(crate) fn core(arguments: &[&str]) -> Command {
    configured(Command::new(env!("CARGO_BIN_EXE_core-service")), arguments)
}

/// A command that ends up as the binary, with these arguments and none of Muster's variables.
fn configured(mut command: Command, arguments: &[&str]) -> Command {
    command.args(arguments).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("MUSTER_") {
            command.env_remove(name);
        }
    }
    // Without it, each core makes a key in the folder that tests run in.
    command.env("MUSTER_SECRET_KEY", SECRET_KEY);
    command
}

/// The binary's whole output, for a start that fails.
fn output(mut command: Command) -> Output {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait(&mut child);
    child.wait_with_output().unwrap()
}

/// Waits for the end of a process, and ends it when that takes too long.
pub(crate) fn wait(child: &mut Child) -> ExitStatus {
    let until = std::time::Instant::now() + TIMEOUT;
    while std::time::Instant::now() < until {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        std::thread::sleep(POLL);
    }
    child.kill().unwrap();
    panic!("it still runs after {TIMEOUT:?}");
}

/// A core that serves a Unix socket, killed when dropped.
struct Running {
    child: Child,
    /// What it logs, line by line.
    log: mpsc::Receiver<String>,
    folder: TempDir,
}

impl Running {
    /// Starts a core on a database and waits until it answers.
    async fn start(database_url: &str) -> Self {
        Self::start_with(database_url, &[]).await
    }

    /// The same, with more arguments.
    async fn start_with(database_url: &str, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let running = Self::start_in(folder, database_url, arguments);
        running.channel().await;
        running
    }

    /// Starts a core whose socket lies in `folder`.
    fn start_in(folder: TempDir, database_url: &str, arguments: &[&str]) -> Self {
        let binary = Command::new(env!("CARGO_BIN_EXE_core-service"));
        Self::spawn(binary, folder, database_url, arguments)
    }

    /// Starts a core by a command that ends up as the binary.
    fn start_by(command: Command, database_url: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::spawn(command, folder, database_url, &[])
    }

    fn spawn(command: Command, folder: TempDir, database_url: &str, arguments: &[&str]) -> Self {
        let address = format!("unix://{}", socket(folder.path()).display());
        let settings = ["--grpc-addr", &address, "--database-url", database_url];
        let mut command = configured(command, &settings);
        command.args(arguments);
        Self::spawn_in(folder, command)
    }

    /// Starts a core, by a command that names the socket in `folder`.
    fn spawn_in(folder: TempDir, mut command: Command) -> Self {
        command.env("MUSTER_DATA_DIR", folder.path());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (sender, log) = mpsc::channel();
        std::thread::spawn(move || {
            while let Some(Ok(line)) = lines.next() {
                // Whoever listened may have gone.
                let _ = sender.send(line);
            }
        });
        Self { child, log, folder }
    }

    /// A new connection, made once the core answers.
    async fn channel(&self) -> Channel {
        let path = socket(self.folder.path());
        let endpoint = Endpoint::from_shared(format!("unix://{}", path.display())).unwrap();
        let connected = tokio::time::timeout(TIMEOUT, async {
            loop {
                if let Ok(channel) = endpoint.connect().await {
                    return channel;
                }
                tokio::time::sleep(POLL).await;
            }
        });
        connected
            .await
            .unwrap_or_else(|_| panic!("no core answers: {:?}", self.logged()))
    }

    /// What it has logged since someone last looked.
    fn logged(&self) -> Vec<String> {
        self.log.try_iter().collect()
    }

    /// Waits for a line of the log that holds `words`.
    fn await_log(&self, words: &str) {
        loop {
            let line = self.log.recv_timeout(TIMEOUT);
            if line
                .unwrap_or_else(|_| panic!("it never logs '{words}'"))
                .contains(words)
            {
                return;
            }
        }
    }

    /// Like `kill -9` or a power failure: nothing more is written or sent.
    fn kill(mut self) -> TempDir {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap())
    }

    /// Asks it to stop, as an orchestrator does.
    fn terminate(&self) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &id]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits until it has ended.
    fn ended(&mut self) -> ExitStatus {
        wait(&mut self.child)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn socket(folder: &Path) -> PathBuf {
    folder.join("core.sock")
}

/// Opens an account without a quota on a migrated database, as the admin commands do, and answers a key to it.
async fn key(database_url: &str) -> String {
    let options = Options::new(database_url, Purpose::Administer);
    let store = Store::open(&options).await.unwrap();
    let commands = Commands::new(store.clone(), Clock::system(), Entropy::system());
    let use_cases = UseCases::new(commands, Policy::default());
    let account = NewAccount {
        email: OWNER.to_owned(),
        name: "Olga Owner".to_owned(),
        plan: Plan::Business,
        timezone: None,
    };
    use_cases.accounts.create(account).await.unwrap();
    let made = use_cases
        .keys
        .create_for_demo(OWNER, "laptop")
        .await
        .unwrap();
    store.close().await;
    made.plain.expose().to_owned()
}

fn with_key<T>(key: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    let credential = format!("Bearer {key}").parse().unwrap();
    request.metadata_mut().insert("authorization", credential);
    request
}

/// An event that is public for as long as anyone runs this test.
fn public_event(title: String) -> CreateEventRequest {
    CreateEventRequest {
        title: Some(title),
        description: Some("Talks.".to_owned()),
        location: Some("Hall".to_owned()),
        start_date: Some("9000-01-01T12:00:00Z".to_owned()),
        is_public: Some(true),
        ..CreateEventRequest::default()
    }
}
