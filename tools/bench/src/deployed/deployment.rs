//! Core and a gateway, with an account and its events.

use std::{
    net::SocketAddr,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};
use programs::{Programs, free_port};
use tempfile::TempDir;
use test_postgres::{Database, Server};
use tokio::{net::TcpStream, time::sleep};

use super::{
    client::Client,
    operation::create,
    running::{EDGE_TOKEN, READY, Running, without_limits},
    surface::Surface,
};

/// The account's owner.
pub(crate) const OWNER: &str = "owner@example.org";

/// How long a start of core is waited for, and how often it is looked at.
const START_TIMEOUT: Duration = Duration::from_mins(1);
const START_POLL: Duration = Duration::from_millis(2);

/// Settings of an edge that asks core for everything.
const WITHOUT_CACHE: [(&str, &str); 1] = [("MUSTER_CACHE_MB", "0")];

/// How the edges reach core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transport {
    Unix,
    Tcp,
    /// They are in one process, `muster`.
    Within,
}

/// A core and a gateway that run, with an account and its events.
pub(crate) struct Deployment {
    pub(crate) core: Running,
    pub(crate) gateway: Surface,
    /// The account's key.
    pub(crate) key: String,
    /// One of its events, which is public.
    pub(crate) event: Made,
    core_settings: Vec<(&'static str, String)>,
    core_url: String,
    database: Database,
    folder: TempDir,
}

/// An event.
#[derive(Debug, Clone, Default)]
pub(crate) struct Made {
    pub(crate) id: String,
    pub(crate) slug: String,
}

impl Deployment {
    /// Starts both on a new database, on SQLite or on a server, and makes that many events. The gateway keeps no answers.
    pub(crate) async fn start(
        programs: &Programs,
        postgres: Option<&Server>,
        transport: Transport,
        events: usize,
    ) -> anyhow::Result<Self> {
        Self::start_with(programs, postgres, transport, events, &[]).await
    }

    /// The same with more settings of core.
    pub(crate) async fn start_with(
        programs: &Programs,
        postgres: Option<&Server>,
        transport: Transport,
        events: usize,
        more: &[(&'static str, &str)],
    ) -> anyhow::Result<Self> {
        // The command below migrates it.
        let as_it_is = async |_url| {};
        let database = match postgres {
            Some(server) => Database::on(server, as_it_is).await,
            None => Database::new_sqlite(as_it_is).await,
        };
        let folder = tempfile::tempdir()?;
        let (grpc_addr, core_url) = match transport {
            Transport::Unix => {
                let url = format!("unix://{}", folder.path().join("core.sock").display());
                (url.clone(), url)
            }
            Transport::Tcp | Transport::Within => {
                let address = free_port()?;
                (address.to_string(), format!("http://{address}"))
            }
        };
        let mut core_settings = vec![
            ("MUSTER_DATABASE_URL", database.url().to_owned()),
            ("MUSTER_DATA_DIR", folder.path().display().to_string()),
            ("MUSTER_GRPC_ADDR", grpc_addr),
            ("MUSTER_EDGE_TOKEN", EDGE_TOKEN.to_owned()),
        ];
        let without = without_limits();
        let more = more.iter().copied().chain(without);
        core_settings.extend(more.map(|(name, value)| (name, value.to_owned())));
        let key = make_account(programs, &core_settings)?;
        let (core, gateway) = if transport == Transport::Within {
            within(programs, &mut core_settings, folder.path()).await?
        } else {
            let core = programs.command("core-service", &core_settings);
            let core = Running::start(core, &folder.path().join("core.log"))?;
            let (program, folder) = ("http-gateway", folder.path());
            let gateway =
                Surface::start(programs, program, &core_url, folder, &WITHOUT_CACHE).await?;
            (core, gateway)
        };
        let event = publish(&mut gateway.client().await?, &key, events).await?;
        Ok(Self {
            core,
            gateway,
            key,
            event,
            core_settings,
            core_url,
            database,
            folder,
        })
    }

    /// Starts core after it was stopped; answers how long it took until its port was open.
    pub(crate) async fn start_core(&mut self, programs: &Programs) -> anyhow::Result<Duration> {
        let address = self.core_address()?;
        let started = Instant::now();
        let core = programs.command("core-service", &self.core_settings);
        self.core = Running::start(core, &self.folder.path().join("core.log"))?;
        while TcpStream::connect(address).await.is_err() {
            ensure!(started.elapsed() < START_TIMEOUT, "core does not start");
            sleep(START_POLL).await;
        }
        Ok(started.elapsed())
    }

    /// Where core is, if it is on TCP.
    pub(super) fn core_address(&self) -> anyhow::Result<SocketAddr> {
        let address = self.core_url.strip_prefix("http://");
        Ok(address.context("core is on TCP")?.parse()?)
    }

    /// Waits until the gateway reaches core.
    pub(crate) async fn reached(&mut self) -> anyhow::Result<()> {
        self.gateway.reached().await
    }

    /// One more edge in front of the same core, with settings as by default.
    pub(crate) async fn surface(
        &self,
        programs: &Programs,
        program: &str,
    ) -> anyhow::Result<Surface> {
        Surface::start(programs, program, &self.core_url, self.folder(), &[]).await
    }

    /// What an admin command says, beside the core that runs.
    pub(crate) fn admin(&self, programs: &Programs, words: &[&str]) -> anyhow::Result<String> {
        admin(programs, &self.core_settings, words)
    }

    /// Where its database is.
    pub(crate) fn database_url(&self) -> &str {
        self.database.url()
    }

    /// Where files of its processes are.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// Starts `muster`, which is both.
async fn within(
    programs: &Programs,
    settings: &mut Vec<(&'static str, String)>,
    folder: &Path,
) -> anyhow::Result<(Running, Surface)> {
    let address = free_port()?;
    settings.push(("MUSTER_HTTP_ADDR", address.to_string()));
    settings.extend(WITHOUT_CACHE.map(|(name, value)| (name, value.to_owned())));
    let muster = programs.command("muster", settings);
    let mut muster = Running::start(muster, &folder.join("muster.log"))?;
    muster.ready(address, READY).await?;
    Ok((muster, Surface::within(address)))
}

/// Publishes events; answers the last one.
async fn publish(client: &mut Client, key: &str, events: usize) -> anyhow::Result<Made> {
    let mut made = Made::default();
    for _ in 0..events {
        let created = client.ask(create(key, true)?).await?;
        let event: serde_json::Value = serde_json::from_slice(&created)?;
        let text = |name: &str| event[name].as_str().map(str::to_owned);
        made = Made {
            id: text("id").context("an event has an id")?,
            slug: text("slug").context("an event has a slug")?,
        };
    }
    Ok(made)
}

/// Migrates the database and opens an account on the largest plan; answers a key of it.
fn make_account(
    programs: &Programs,
    settings: &[(&'static str, String)],
) -> anyhow::Result<String> {
    let owner = ["--email", OWNER, "--name", "Olga Owner"];
    admin(programs, settings, &["migrate"])?;
    let account = ["account", "create", "--plan", "business"];
    admin(programs, settings, &[&account, &owner[..]].concat())?;
    admin(
        programs,
        settings,
        &[&["key", "create"], &owner[..]].concat(),
    )
}

fn admin(
    programs: &Programs,
    settings: &[(&'static str, String)],
    words: &[&str],
) -> anyhow::Result<String> {
    let output = programs
        .command("core-service", settings)
        .args(words)
        .output()?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{words:?}: {complaint}");
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}
