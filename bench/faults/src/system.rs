//! The system to break: a gateway, cores, a database and a mail server, which talk over TCP.

use std::{fs, net::SocketAddr, path::Path};

use anyhow::{Context as _, ensure};
use programs::{Programs, free_port};
use rustix::process::Pid;
use serde_json::{Value, json};
use tempfile::TempDir;
use test_postgres::{Database, Server};

use crate::{
    client::{Asked, Client},
    processes::{Process, keep_to, kill_family},
};

/// What is broken, and this package.
const PACKAGES: [&str; 3] = ["faults", "core-service", "http-gateway"];

/// The secret by which cores know the gateway.
const EDGE_TOKEN: &str = "5c4be1d1b5b4f0a6c2f96b0d3a1c7e885c4be1d1b5b4f0a6c2f96b0d3a1c7e88";

/// How many accounts there are, each with an event for which guests register.
const ACCOUNTS: usize = 8;

/// The kind of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    /// Two cores on PostgreSQL.
    Postgres,
    /// One core on SQLite.
    Sqlite,
}

impl Engine {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Postgres => "PostgreSQL, 2 cores",
            Self::Sqlite => "SQLite, 1 core",
        }
    }
}

/// A public event.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(crate) id: String,
    pub(crate) slug: String,
    /// A key of its account.
    pub(crate) key: String,
}

/// A running system with accounts and their events.
pub(crate) struct System {
    pub(crate) programs: Programs,
    pub(crate) cores: Vec<Process>,
    pub(crate) mails: test_smtp::Server,
    /// The gateway's address.
    pub(crate) address: SocketAddr,
    /// One event of each account.
    pub(crate) events: Vec<Event>,
    postgres: Option<Server>,
    database: Database,
    gateway: Process,
    _folder: TempDir,
}

impl System {
    pub(crate) async fn start(engine: Engine) -> anyhow::Result<Self> {
        let programs = Programs::build(&PACKAGES)?;
        let postgres = match engine {
            Engine::Postgres => Some(Server::start_durable().context("PostgreSQL is missing")?),
            Engine::Sqlite => None,
        };
        // The command below migrates it.
        let as_it_is = async |_url| {};
        let database = match &postgres {
            Some(server) => Database::on(server, as_it_is).await,
            None => Database::new_sqlite(as_it_is).await,
        };
        let folder = tempfile::tempdir()?;
        let mails = test_smtp::Server::start();
        let settings = core_settings(&database, folder.path(), &mails);
        let keys = make_accounts(&programs, &settings)?;
        let mut cores = Vec::new();
        for number in 0..if postgres.is_some() { 2 } else { 1 } {
            let address = free_port()?;
            let mut settings = settings.clone();
            settings.push(("MUSTER_GRPC_ADDR".to_owned(), address.to_string()));
            let log = folder.path().join(format!("core-{number}.log"));
            let core = Process::start(&programs, "core-service", address, settings, log)?;
            cores.push((address, core));
        }
        let urls: Vec<_> = cores
            .iter()
            .map(|(address, _)| format!("http://{address}"))
            .collect();
        let address = free_port()?;
        let settings = vec![
            ("MUSTER_HTTP_ADDR".to_owned(), address.to_string()),
            ("MUSTER_CORE_URL".to_owned(), urls.join(",")),
            ("MUSTER_EDGE_TOKEN".to_owned(), EDGE_TOKEN.to_owned()),
        ];
        let log = folder.path().join("gateway.log");
        let gateway = Process::start(&programs, "http-gateway", address, settings, log)?;
        let mut client = Client::new(address);
        let mut events = Vec::new();
        for key in keys {
            let created = client.ask(&create(&key, true)).await.json()?;
            events.push(Event {
                id: text(&created, "id")?,
                slug: text(&created, "slug")?,
                key,
            });
        }
        Ok(Self {
            programs,
            cores: cores.into_iter().map(|(_, core)| core).collect(),
            mails,
            address,
            events,
            postgres,
            database,
            gateway,
            _folder: folder,
        })
    }

    /// The database server.
    pub(crate) fn postgres(&self) -> anyhow::Result<&Server> {
        self.postgres
            .as_ref()
            .context("this system has no PostgreSQL")
    }

    /// Keeps the driver and the gateway to one half of the processors, and cores and PostgreSQL to the other, as if they ran on
    /// machines of their own: otherwise the driver would take time from the cores, the more the more it asks. Nothing happens if
    /// there is only one processor.
    pub(crate) fn separate(&self) -> anyhow::Result<()> {
        let processors = std::thread::available_parallelism()?.get();
        if processors < 2 {
            return Ok(());
        }
        let half = processors / 2;
        let (outside, inside) = (
            format!("0-{}", half - 1),
            format!("{half}-{}", processors - 1),
        );
        keep_to(&outside, rustix::process::getpid())?;
        keep_to(&outside, self.gateway.pid())?;
        for core in &self.cores {
            keep_to(&inside, core.pid())?;
        }
        keep_to(&inside, self.postmaster()?)
    }

    /// Kills every process of PostgreSQL.
    pub(crate) fn kill_postgres(&self) -> anyhow::Result<()> {
        kill_family(self.postmaster()?)
    }

    /// The first process of PostgreSQL.
    fn postmaster(&self) -> anyhow::Result<Pid> {
        let url = self.database.url();
        let (_, folder) = url.split_once("?host=").context("it is on a Unix socket")?;
        let file = fs::read_to_string(Path::new(folder).join("data/postmaster.pid"))?;
        let first = file
            .lines()
            .next()
            .and_then(|line| Pid::from_raw(line.parse().ok()?));
        first.context("the file has the first process")
    }
}

fn core_settings(
    database: &Database,
    folder: &Path,
    mails: &test_smtp::Server,
) -> Vec<(String, String)> {
    let settings = [
        ("MUSTER_DATABASE_URL", database.url().to_owned()),
        ("MUSTER_DATA_DIR", folder.display().to_string()),
        ("MUSTER_SMTP_URL", mails.url()),
        ("MUSTER_EDGE_TOKEN", EDGE_TOKEN.to_owned()),
        // All guests come from this machine, to a few events.
        ("MUSTER_LIMIT_PER_ADDRESS", "off".to_owned()),
        ("MUSTER_LIMIT_PER_EVENT", "off".to_owned()),
    ];
    settings
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
}

/// Migrates the database and opens accounts on the largest plan; answers a key of each.
fn make_accounts(
    programs: &Programs,
    settings: &[(String, String)],
) -> anyhow::Result<Vec<String>> {
    let admin = |arguments: &[&str]| {
        let mut command = programs.command("core-service", settings);
        let output = command.args(arguments).output()?;
        let complaint = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{arguments:?}: {complaint}");
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    };
    admin(&["migrate"])?;
    let account = |number| {
        let email = format!("owner-{number}@example.org");
        let owner = ["--email", &email, "--name", "Olga Owner"];
        admin(&[&["account", "create", "--plan", "business"], &owner[..]].concat())?;
        admin(&[&["key", "create"], &owner[..]].concat())
    };
    (0..ACCOUNTS).map(account).collect()
}

/// A new event of the account, published or as a draft.
pub(crate) fn create(key: &str, is_public: bool) -> Asked {
    let event = json!({
        "title": "An event", "description": "Everybody wants to come.", "location": "Here",
        "start_date": "2040-05-14T19:00:00Z", "max_capacity": 10_000, "is_public": is_public,
    });
    Asked::post("/api/v1/events".to_owned(), Some(key), &event)
}

/// A field of an answer.
pub(crate) fn text(answer: &Value, field: &str) -> anyhow::Result<String> {
    let text = answer.get(field).and_then(Value::as_str);
    Ok(text
        .with_context(|| format!("{answer} has no {field}"))?
        .to_owned())
}
