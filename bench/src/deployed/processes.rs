//! The processes, as an operator starts them.

use std::{
    env,
    fs::File,
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail, ensure};
use http::Request;
use http_body_util::Full;
use tempfile::TempDir;
use test_postgres::{Database, Server};

use super::{client::Client, operation::create};
use crate::processor;

/// Far more than a start takes.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How often a start is looked at.
const POLL: Duration = Duration::from_millis(20);

/// Events in the catalogue, more than one page.
const EVENTS: usize = 50;

const OWNER: &str = "owner@example.org";

/// What core and gateway share, by which core knows the gateway.
const EDGE_TOKEN: &str = "5c4be1d1b5b4f0a6c2f96b0d3a1c7e885c4be1d1b5b4f0a6c2f96b0d3a1c7e88";

/// Where the programs are.
pub(super) struct Programs {
    folder: PathBuf,
}

impl Programs {
    /// Builds them as this program was built, into the same folder; nothing happens when they are there and new.
    pub(super) fn build() -> anyhow::Result<Self> {
        let program = env::current_exe()?;
        let folder = program.parent().context("a program lies in a folder")?;
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.current_dir(env!("CARGO_MANIFEST_DIR"));
        // `cargo run` describes this package to this process. Build scripts that look at it, ring's for one, would begin again.
        for (variable, _) in env::vars_os() {
            let name = variable.to_string_lossy();
            if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
                command.env_remove(&variable);
            }
        }
        // With this package, so that the libraries below are built with the same features, which is to say once.
        command.args([
            "build",
            "-p",
            "bench",
            "-p",
            "core-service",
            "-p",
            "http-gateway",
        ]);
        if !cfg!(debug_assertions) {
            command.arg("--release");
        }
        let built = command.status().context("cannot run cargo")?;
        ensure!(built.success(), "cargo cannot build the programs: {built}");
        Ok(Self {
            folder: folder.to_owned(),
        })
    }

    /// A program with these settings and none of those that this process has.
    fn command(&self, name: &str, settings: &[(&str, &str)]) -> Command {
        let mut command = Command::new(self.folder.join(name));
        for (variable, _) in env::vars_os() {
            if variable.to_string_lossy().starts_with("MUSTER_") {
                command.env_remove(variable);
            }
        }
        command.envs(settings.iter().copied()).stdin(Stdio::null());
        command
    }
}

/// How the gateway reaches core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    Unix,
    Tcp,
}

impl Transport {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Unix => "Unix socket",
            Self::Tcp => "TCP",
        }
    }
}

/// A core and a gateway that run, with an account and its events.
pub(super) struct Deployment {
    pub(super) transport: Transport,
    /// Where the gateway is.
    pub(super) address: SocketAddr,
    /// The account's key.
    pub(super) key: String,
    /// One of its events, which is public.
    pub(super) slug: String,
    core: Running,
    gateway: Running,
    _database: Database,
    _folder: TempDir,
}

/// Seconds of one processor that the processes have used so far.
pub(super) struct Worked {
    pub(super) core: f64,
    pub(super) gateway: f64,
}

impl Deployment {
    /// Starts both on a new database, on SQLite or on a server.
    pub(super) async fn start(
        programs: &Programs,
        postgres: Option<&Server>,
        transport: Transport,
    ) -> anyhow::Result<Self> {
        // The command below migrates it.
        let as_it_is = async |_url| {};
        let database = match postgres {
            Some(server) => Database::on(server, as_it_is).await,
            None => Database::sqlite(as_it_is).await,
        };
        let folder = tempfile::tempdir()?;
        let (grpc_addr, core_url) = match transport {
            Transport::Unix => {
                let url = format!("unix://{}", folder.path().join("core.sock").display());
                (url.clone(), url)
            }
            Transport::Tcp => {
                let address = free_port()?;
                (address.to_string(), format!("http://{address}"))
            }
        };
        let address = free_port()?;
        let data_dir = folder.path().display().to_string();
        let core_settings = [
            ("MUSTER_DATABASE_URL", database.url()),
            ("MUSTER_DATA_DIR", &data_dir),
            ("MUSTER_GRPC_ADDR", &grpc_addr),
            ("MUSTER_EDGE_TOKEN", EDGE_TOKEN),
            // All guests come from this machine, to one event.
            ("MUSTER_LIMIT_PER_ADDRESS", "off"),
            ("MUSTER_LIMIT_PER_EVENT", "off"),
            ("MUSTER_LIMIT_ACCOUNT_READS", "off"),
            ("MUSTER_LIMIT_ACCOUNT_WRITES", "off"),
        ];
        let key = make_account(programs, &core_settings)?;
        let core = programs.command("core-service", &core_settings);
        let gateway = programs.command(
            "http-gateway",
            &[
                ("MUSTER_HTTP_ADDR", &address.to_string()),
                ("MUSTER_CORE_URL", &core_url),
                ("MUSTER_EDGE_TOKEN", EDGE_TOKEN),
            ],
        );
        let core = Running::start(core, &folder.path().join("core.log"))?;
        let mut gateway = Running::start(gateway, &folder.path().join("gateway.log"))?;
        let mut client = gateway.ready(address).await?;
        let mut slug = String::new();
        for _ in 0..EVENTS {
            let created = client.ask(create(&key, true)?).await?;
            slug = slug_of(&created)?;
        }
        Ok(Self {
            transport,
            address,
            key,
            slug,
            core,
            gateway,
            _database: database,
            _folder: folder,
        })
    }

    pub(super) fn worked(&self) -> anyhow::Result<Worked> {
        Ok(Worked {
            core: processor::seconds_of(self.core.child.id())?,
            gateway: processor::seconds_of(self.gateway.child.id())?,
        })
    }
}

/// Migrates the database and opens an account on the largest plan; answers a key of it.
fn make_account(programs: &Programs, settings: &[(&str, &str)]) -> anyhow::Result<String> {
    let admin = |arguments: &[&str]| {
        let mut command = programs.command("core-service", settings);
        let output = command.args(arguments).output()?;
        let complaint = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{arguments:?}: {complaint}");
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    };
    admin(&["migrate"])?;
    let owner = ["--email", OWNER, "--name", "Olga Owner"];
    admin(&[&["account", "create", "--plan", "business"], &owner[..]].concat())?;
    admin(&[&["key", "create"], &owner[..]].concat())
}

/// An address that is free now.
fn free_port() -> anyhow::Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

fn slug_of(event: &[u8]) -> anyhow::Result<String> {
    let event: serde_json::Value = serde_json::from_slice(event)?;
    let slug = event["slug"].as_str().context("an event has a slug")?;
    Ok(slug.to_owned())
}

/// A process, which ends when this is dropped. It logs to a file with default settings.
struct Running {
    child: Child,
    log: PathBuf,
}

impl Running {
    fn start(mut command: Command, log: &Path) -> anyhow::Result<Self> {
        let child = command.stderr(File::create(log)?).spawn();
        Ok(Self {
            child: child.with_context(|| format!("{command:?}"))?,
            log: log.to_owned(),
        })
    }

    /// A connection to the port of this gateway, once it reaches core.
    async fn ready(&mut self, address: SocketAddr) -> anyhow::Result<Client> {
        let until = Instant::now() + TIMEOUT;
        loop {
            if let Ok(mut client) = Client::connect(address).await {
                let asked = Request::get("/readyz").body(Full::default())?;
                if client.ask(asked).await.is_ok() {
                    return Ok(client);
                }
            }
            if Instant::now() > until || self.child.try_wait()?.is_some() {
                bail!(
                    "the gateway does not reach core: {}",
                    std::fs::read_to_string(&self.log)?
                );
            }
            tokio::time::sleep(POLL).await;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _killed = self.child.kill();
        let _ended = self.child.wait();
    }
}
