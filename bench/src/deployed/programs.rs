//! The programs, as an operator starts them.

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

use super::client::Client;
use crate::processor;

/// Far more than a start takes.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How often a start is looked at.
const POLL: Duration = Duration::from_millis(20);

/// What core and its edges share, by which core knows them.
pub(crate) const EDGE_TOKEN: &str =
    "5c4be1d1b5b4f0a6c2f96b0d3a1c7e885c4be1d1b5b4f0a6c2f96b0d3a1c7e88";

/// Where the programs are.
pub(crate) struct Programs {
    folder: PathBuf,
}

impl Programs {
    /// Builds them as this program was built, into the same folder; nothing happens when they are there and new.
    pub(crate) fn build() -> anyhow::Result<Self> {
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
        command.arg("build");
        for package in [
            "bench",
            "core-service",
            "http-gateway",
            "standalone",
            "website",
        ] {
            command.args(["-p", package]);
        }
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
    pub(crate) fn command<V: AsRef<str>>(&self, name: &str, settings: &[(&str, V)]) -> Command {
        let mut command = Command::new(self.folder.join(name));
        for (variable, _) in env::vars_os() {
            if variable.to_string_lossy().starts_with("MUSTER_") {
                command.env_remove(variable);
            }
        }
        let settings = settings.iter();
        command.envs(settings.map(|(name, value)| (name, value.as_ref())));
        command.stdin(Stdio::null());
        command
    }
}

/// Settings of a core that all guests call from this machine, for one event.
pub(crate) const fn without_limits() -> [(&'static str, &'static str); 4] {
    [
        ("MUSTER_LIMIT_PER_ADDRESS", "off"),
        ("MUSTER_LIMIT_PER_EVENT", "off"),
        ("MUSTER_LIMIT_ACCOUNT_READS", "off"),
        ("MUSTER_LIMIT_ACCOUNT_WRITES", "off"),
    ]
}

/// An address that is free now.
pub(crate) fn free_port() -> anyhow::Result<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

/// A process, which ends when this is dropped. It logs to a file with default settings.
pub(crate) struct Running {
    child: Child,
    log: PathBuf,
}

impl Running {
    pub(crate) fn start(mut command: Command, log: &Path) -> anyhow::Result<Self> {
        let child = command
            .stdout(Stdio::null())
            .stderr(File::create(log)?)
            .spawn();
        Ok(Self {
            child: child.with_context(|| format!("{command:?}"))?,
            log: log.to_owned(),
        })
    }

    /// Seconds of one processor that it has used so far.
    pub(crate) fn worked(&self) -> anyhow::Result<f64> {
        processor::seconds_of(self.child.id())
    }

    /// A connection to the HTTP port of this process, once it reaches core.
    pub(crate) async fn ready(&mut self, address: SocketAddr) -> anyhow::Result<Client> {
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
                    "the process does not reach core: {}",
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
