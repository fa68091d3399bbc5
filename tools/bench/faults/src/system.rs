//! The system to break: cores, edges, a database and a mail server, which talk over TCP.

use std::{fs, net::IpAddr, path::Path};

use anyhow::{Context as _, ensure};
use programs::Programs;
use rustix::process::{Pid, test_kill_process};
use tempfile::TempDir;
use test_postgres::{Database, Server};

use crate::{
    asked::Asked,
    disk::SmallDisk,
    network::Network,
    part::{ALL, Kind, Parts},
    processes::{Plan, Process, keep_to, kill_family},
    requests::text,
    settings::{Setting, make_accounts, of_core, of_edge},
    target::{Callers, Target},
};

/// What is broken, and this package.
const PACKAGES: [&str; 5] = [
    "faults",
    "core-service",
    "http-gateway",
    "mcp-bridge",
    "website",
];

/// Where the data is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Disk {
    /// On PostgreSQL.
    Postgres,
    /// On PostgreSQL, with a small disk of its own.
    SmallPostgres,
    /// In a file.
    Sqlite,
    /// In a file, with the data folder on a small disk of its own.
    SmallSqlite,
}

/// How parts reach each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paths {
    Loopback,
    Namespaces,
}

/// What a system consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) parts: Parts,
    pub(crate) disk: Disk,
    pub(crate) paths: Paths,
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
    pub(crate) mails: test_smtp::Server,
    /// One event of each account.
    pub(crate) events: Vec<Event>,
    /// Each with its kind, and its number among those.
    parts: Vec<(Kind, usize, Process)>,
    postgres: Option<Server>,
    database: Database,
    folder: TempDir,
    disk: Option<SmallDisk>,
    pub(crate) network: Network,
}

impl System {
    /// Starts it on this network and this disk, which must be what the layout needs.
    pub(crate) async fn start(
        layout: Layout,
        network: Network,
        disk: Option<SmallDisk>,
    ) -> anyhow::Result<Self> {
        let programs = Programs::build(&PACKAGES)?;
        let place = disk.as_ref().map_or(Path::new("/tmp"), SmallDisk::folder);
        let postgres = match layout.disk {
            Disk::Sqlite | Disk::SmallSqlite => None,
            Disk::Postgres | Disk::SmallPostgres => {
                let server = Server::start_durable_at(place, network.database());
                Some(server.context("PostgreSQL is missing")?)
            }
        };
        // The command below migrates it.
        let as_it_is = async |_url| {};
        let database = match &postgres {
            Some(server) => Database::on(server, as_it_is).await,
            None => Database::new_sqlite(as_it_is).await,
        };
        let folder = tempfile::tempdir()?;
        let mails = test_smtp::Server::start_at(network.mail());
        let (url, data) = if layout.disk == Disk::SmallSqlite {
            (format!("sqlite://{}/muster.db", place.display()), place)
        } else {
            let url = url(postgres.as_ref(), &database, &network);
            (url, folder.path())
        };
        let core = of_core(&url, data, &mails.url());
        let keys = make_accounts(&programs, &core)?;
        let mut system = Self {
            programs,
            mails,
            events: Vec::new(),
            parts: Vec::new(),
            postgres,
            database,
            folder,
            disk,
            network,
        };
        system.start_parts(layout.parts, &core)?;
        system.make_events(keys).await?;
        Ok(system)
    }

    fn start_parts(&mut self, parts: Parts, core: &[Setting]) -> anyhow::Result<()> {
        let mut next_place = 0;
        for kind in ALL {
            let cores = self.addresses(Kind::Core).map(|ip| Kind::Core.at(ip));
            let urls: Vec<_> = cores.map(|core| format!("http://{core}")).collect();
            let settings = match kind {
                Kind::Core => core.to_vec(),
                Kind::Gateway | Kind::Bridge | Kind::Site => of_edge(&urls.join(",")),
            };
            for number in 0..parts.of(kind) {
                let plan = Plan {
                    kind,
                    place: self.network.place(next_place),
                    settings: settings.clone(),
                    log: self
                        .folder
                        .path()
                        .join(format!("{}-{number}.log", kind.name())),
                };
                next_place += 1;
                let process = Process::start(&self.programs, plan)?;
                self.parts.push((kind, number, process));
            }
        }
        Ok(())
    }

    async fn make_events(&mut self, keys: Vec<String>) -> anyhow::Result<()> {
        let target = Target::of_system(self);
        let mut callers = Callers::of(&target);
        for key in keys {
            let asked: Asked = crate::requests::create(&key, true);
            let answer = callers.api.call(&asked).await.answer;
            ensure!(asked.is_done(&answer), "no event can be made: {answer:?}");
            let created = asked.content(&answer).context("an event is told")?;
            self.events.push(Event {
                id: text(&created, "id")?,
                slug: text(&created, "slug")?,
                key,
            });
        }
        Ok(())
    }

    /// Where the parts of this kind are.
    pub(crate) fn addresses(&self, kind: Kind) -> impl Iterator<Item = IpAddr> {
        let of_kind = self.parts.iter().filter(move |(one, _, _)| *one == kind);
        of_kind.map(|(_, _, process)| process.address().ip())
    }

    pub(crate) fn part(&mut self, kind: Kind, number: usize) -> anyhow::Result<&mut Process> {
        let mut parts = self.parts.iter_mut();
        let part = parts.find(|(one, its, _)| (*one, *its) == (kind, number));
        let (_, _, process) = part.context("there is no such part")?;
        Ok(process)
    }

    /// Starts a part that has ended.
    pub(crate) fn start_again(&mut self, kind: Kind, number: usize) -> anyhow::Result<()> {
        let mut parts = self.parts.iter_mut();
        let part = parts.find(|(one, its, _)| (*one, *its) == (kind, number));
        let (_, _, process) = part.context("there is no such part")?;
        process.start_again(&self.programs)
    }

    pub(crate) fn disk(&self) -> anyhow::Result<&SmallDisk> {
        self.disk
            .as_ref()
            .context("this system has no disk of its own")
    }

    fn postgres(&self) -> anyhow::Result<&Server> {
        self.postgres
            .as_ref()
            .context("this system has no PostgreSQL")
    }

    /// Stops PostgreSQL, as an administrator would.
    pub(crate) fn stop_postgres(&self) -> anyhow::Result<()> {
        self.postgres().map(Server::stop)
    }

    /// Starts PostgreSQL, if it does not run.
    pub(crate) fn start_postgres_if_ended(&self) -> anyhow::Result<()> {
        let runs = self
            .postmaster()
            .is_ok_and(|pid| test_kill_process(pid).is_ok());
        if !runs {
            self.postgres()?.start_again();
        }
        Ok(())
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

    /// How many mails are still to be sent, or may be sent once more; `None` on SQLite, whose file is core's alone.
    pub(crate) fn waiting_mails(&self) -> anyhow::Result<Option<usize>> {
        let (Some(server), Some(name)) = (&self.postgres, self.database.name()) else {
            return Ok(None);
        };
        let mut psql = server.program("psql");
        psql.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"]);
        psql.args(["--dbname", name, "--command"]);
        psql.arg("SELECT count(*) FROM jobs WHERE kind IN ('registered_mail', 'waitlisted_mail') AND failed_at IS NULL");
        let output = psql.output()?;
        let complaint = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "psql: {complaint}");
        Ok(Some(String::from_utf8(output.stdout)?.trim().parse()?))
    }

    /// Keeps the driver and the edges to one half of the processors, and cores and PostgreSQL to the other, as if they ran on
    /// machines of their own: otherwise the driver would take time from the cores, the more the more it asks. Nothing happens if
    /// there is only one processor.
    pub(crate) fn separate(&self) -> anyhow::Result<()> {
        let processors = std::thread::available_parallelism()?.get();
        if processors < 2 {
            return Ok(());
        }
        let half = processors / 2;
        let outside = format!("0-{}", half - 1);
        let inside = format!("{half}-{}", processors - 1);
        keep_to(&outside, rustix::process::getpid())?;
        for (kind, _, process) in &self.parts {
            let half = if *kind == Kind::Core {
                &inside
            } else {
                &outside
            };
            keep_to(half, process.pid())?;
        }
        keep_to(&inside, self.postmaster()?)
    }
}

/// Where cores find the database.
fn url(postgres: Option<&Server>, database: &Database, network: &Network) -> String {
    match (postgres, network.database(), database.name()) {
        (Some(server), Some(ip), Some(name)) => server.url_at(ip, name),
        _ => database.url().to_owned(),
    }
}
