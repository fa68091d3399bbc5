//! What measurements are made with.

use std::sync::OnceLock;

use clap::ValueEnum;
use programs::Programs;
use test_postgres::Server;

use crate::report::{Report, Row};

/// What this benchmark starts, and its own package.
const PACKAGES: [&str; 6] = [
    "bench",
    "core-service",
    "http-gateway",
    "mcp-bridge",
    "standalone",
    "website",
];

/// How much is measured: as much as a figure needs, and as little as shows that the measurement works.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size<T> {
    pub(crate) full: T,
    pub(crate) quick: T,
}

/// An engine alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Only {
    Sqlite,
    Postgres,
}

/// An engine by its name, and the server if it is PostgreSQL.
pub(crate) type Engine<'r> = (&'static str, Option<&'r Server>);

/// One run of the benchmark.
pub(crate) struct Run {
    pub(crate) is_quick: bool,
    /// Whether the programs lie beside this one already.
    pub(crate) is_built: bool,
    /// The engine to measure; both without it.
    pub(crate) only: Option<Only>,
    /// `None` if it is not installed.
    pub(crate) postgres: Option<Server>,
    /// Events of the large catalogue.
    pub(crate) events: u32,
    pub(crate) report: Report,
    pub(crate) programs: OnceLock<Programs>,
}

impl Run {
    /// The engines to measure.
    pub(crate) fn engines(&self) -> Vec<Engine<'_>> {
        let mut engines = Vec::new();
        if self.only != Some(Only::Postgres) {
            engines.push(("SQLite", None));
        }
        if self.only != Some(Only::Sqlite) {
            let server = self.postgres.as_ref();
            engines.extend(server.map(|server| ("PostgreSQL", Some(server))));
        }
        engines
    }

    /// How much this run measures.
    pub(crate) fn of<T>(&self, size: Size<T>) -> T {
        if self.is_quick { size.quick } else { size.full }
    }

    /// The programs, built when they are first needed.
    pub(crate) fn programs(&self) -> anyhow::Result<&Programs> {
        if let Some(programs) = self.programs.get() {
            return Ok(programs);
        }
        let programs = if self.is_built {
            Programs::beside()?
        } else {
            Programs::build(&PACKAGES)?
        };
        Ok(self.programs.get_or_init(|| programs))
    }

    /// One more row of the table.
    pub(crate) fn add(&self, row: Row) {
        self.report.add(row);
    }
}
