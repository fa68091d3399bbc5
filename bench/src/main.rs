//! The binary `bench`: measures Muster's speed, with each figure beside the one to compare it with, from the same run.

mod agents;
mod cancelling;
mod dashboard;
mod deployed;
mod kept;
mod latency;
mod mails;
mod million;
mod pages;
mod pgbench;
mod processor;
mod report;
mod searching;
mod seats;
mod settled;
mod system;

use clap::{Parser, Subcommand, ValueEnum};
use report::Report;
use test_postgres::Server;

/// Measures Muster on this machine and prints the figures as Markdown.
///
/// Run it with `cargo run --release -p bench` on an idle machine. PostgreSQL is measured on a server of its own with default
/// settings, so every commit waits for the disk. Without PostgreSQL's binaries only SQLite is measured.
#[derive(Debug, Parser)]
#[command(version)]
struct Config {
    #[command(subcommand)]
    measure: Option<Measure>,
}

/// The measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
enum Measure {
    /// All measurements but searching and million, which need several GB of disk (the default)
    All,
    /// Registrations per second, on one hot event and spread over 1,000 events
    Seats,
    /// Time to cancel an event with 10,000 registrants
    Cancelling,
    /// Latency of other requests while 5,000 people register for one event
    Latency,
    /// Mails per second to an SMTP server on this machine
    Mails,
    /// Cost of a tool call over MCP beside the same call through the gateway
    Agents,
    /// Latency, throughput and processor time of core and gateway as processes of their own, over TCP and over a Unix socket
    Deployed,
    /// Answers from the gateway's memory beside nginx, which serves the same bytes as a file
    Kept,
    /// Searches of a large catalogue
    Searching {
        /// Its events, in steps of 10,000
        #[arg(long, default_value_t = 1_000_000)]
        events: u32,
        /// The database engine; both without it
        #[arg(long)]
        engine: Option<Engine>,
    },
    /// What grows with the data: 1,000 events beside many, with accounts and registrations
    Million {
        /// The many events, in steps of 1,000; each has five registrations
        #[arg(long, default_value_t = 1_000_000)]
        events: u32,
        /// The database engine; both without it
        #[arg(long)]
        engine: Option<Engine>,
    },
    /// What the pages of the demo cost beside the same lists as JSON, with gateway and website as processes of their own
    Pages,
    /// How long each page of the dashboard takes, for an account with 1,000 events and 10,000 registrations
    Dashboard,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Engine {
    Sqlite,
    Postgres,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let measure = Config::parse().measure.unwrap_or(Measure::All);
    let wants = |one| measure == Measure::All || measure == one;
    let postgres = Server::start_durable();
    let mut report = Report::begin();
    if wants(Measure::Seats) {
        seats::measure(postgres.as_ref(), &mut report).await?;
    }
    if wants(Measure::Cancelling) {
        cancelling::measure(postgres.as_ref(), &mut report).await?;
    }
    if wants(Measure::Latency) {
        latency::measure(postgres.as_ref(), &mut report).await?;
    }
    if wants(Measure::Mails) {
        mails::measure(postgres.as_ref(), &mut report).await?;
    }
    if wants(Measure::Agents) {
        agents::measure(postgres.as_ref(), &mut report).await?;
    }
    if wants(Measure::Deployed) {
        deployed::measure(postgres.as_ref(), &mut report).await?;
    }
    if wants(Measure::Kept) {
        kept::measure(&mut report).await?;
    }
    if let Measure::Searching { events, engine } = measure {
        if engine != Some(Engine::Postgres) {
            searching::measure("SQLite", None, events, &mut report).await?;
        }
        if let Some(server) = postgres.as_ref().filter(|_| engine != Some(Engine::Sqlite)) {
            searching::measure("PostgreSQL", Some(server), events, &mut report).await?;
        }
    }
    if let Measure::Million { events, engine } = measure {
        if engine != Some(Engine::Postgres) {
            million::measure("SQLite", None, events, &mut report).await?;
        }
        if let Some(server) = postgres.as_ref().filter(|_| engine != Some(Engine::Sqlite)) {
            million::measure("PostgreSQL", Some(server), events, &mut report).await?;
        }
    }
    if wants(Measure::Pages) {
        pages::measure(&mut report).await?;
    }
    if wants(Measure::Dashboard) {
        dashboard::measure(postgres.as_ref(), &mut report).await?;
    }
    report.print();
    Ok(())
}
