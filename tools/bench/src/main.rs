//! The binary `bench`: measures Muster's speed, with each figure beside the one to compare it with, from the same run.

mod agents;
mod cached;
mod cancelling;
mod covers;
mod dashboard;
mod deployed;
mod importing;
mod latency;
mod machine;
mod mails;
mod messages;
mod million;
mod owner;
mod pages;
mod peers;
mod pgbench;
mod processor;
mod repeating;
mod report;
mod run;
mod searching;
mod seats;
mod settled;
mod system;
mod webhooks;

use std::{sync::OnceLock, time::Instant};

use clap::{Parser, ValueEnum};
use test_postgres::Server;

use report::Report;
use run::{Only, Run};

/// Measures Muster on this machine and prints the figures as one table in Markdown.
///
/// Run it with `cargo run --release -p bench` on an idle machine. PostgreSQL is measured on a server of its own with default
/// settings, so every commit waits for the disk. What is not installed is said to be missing, and the rest is measured. Databases lie in
/// `TMPDIR`.
#[derive(Debug, Parser)]
#[command(version)]
struct Config {
    /// What to measure; everything without it
    measures: Vec<Measure>,

    /// The database engine; both without it
    #[arg(long)]
    engine: Option<Only>,

    /// Events of `searching`, `million` and `owner`, in steps of 1,000
    #[arg(long, default_value_t = 1_000_000)]
    events: u32,

    /// Small numbers, which show within a minute that every measurement works and say nothing about speed
    #[arg(long)]
    quick: bool,

    /// Starts the programs that lie beside this one and builds none
    #[arg(long)]
    built: bool,
}

/// The measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Measure {
    /// Registrations per second, on one hot event and spread over 1,000 events
    Seats,
    /// Time to cancel an event with 10,000 registrants
    Cancelling,
    /// Time to import a list of 10,000 people
    Importing,
    /// Time to repeat an event on 52 dates
    Repeating,
    /// Processor time to make a cover of a photograph
    Covers,
    /// Latency of other requests while 5,000 people register for one event
    Latency,
    /// Mails per second to an SMTP server on this machine
    Mails,
    /// Time to schedule a message to 10,000 registrants, and to find due reminders among a million
    Messages,
    /// Registrations beside a webhook, how soon and how fast messages are posted, and what dead receivers cost
    Webhooks,
    /// Cost of a tool call over MCP beside the same call through the gateway
    Agents,
    /// Latency, throughput and processor time of core and gateway as processes of their own, over TCP and over a Unix socket
    Deployed,
    /// Answers from the gateway's cache beside nginx, which serves the same bytes as a file
    Cached,
    /// What the pages of the demo cost beside the same lists as JSON, with gateway and website as processes of their own
    Pages,
    /// How long each page of the dashboard takes, for an account with 1,000 events and 10,000 registrations
    Dashboard,
    /// Searches of a large catalogue
    Searching,
    /// What grows with the data: 1,000 events beside many, with accounts and registrations
    Million,
    /// Searches of an owner among a tenth of `--events`, all of their own
    Owner,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let config = Config::parse();
    let run = Run {
        is_quick: config.quick,
        is_built: config.built,
        only: config.engine,
        postgres: Server::start_durable(),
        events: if config.quick {
            QUICK_EVENTS
        } else {
            config.events
        },
        report: Report::default(),
        programs: OnceLock::new(),
    };
    let all = Measure::value_variants();
    let measures = match &*config.measures {
        [] => all,
        some => some,
    };
    let started = Instant::now();
    for (index, measure) in measures.iter().enumerate() {
        let (number, of, seconds) = (index + 1, measures.len(), started.elapsed().as_secs());
        eprintln!("{number} of {of}, after {seconds} s: {measure:?}");
        measure.take(&run).await?;
    }
    println!("{}", machine::describe(run.postgres.as_ref()));
    run.report.print();
    Ok(())
}

/// What `searching`, `million` and `owner` have in a quick run.
const QUICK_EVENTS: u32 = 2_000;

impl Measure {
    async fn take(self, run: &Run) -> anyhow::Result<()> {
        match self {
            Self::Seats => seats::measure(run).await,
            Self::Cancelling => cancelling::measure(run).await,
            Self::Importing => importing::measure(run).await,
            Self::Repeating => repeating::measure(run).await,
            Self::Covers => covers::measure(run).await,
            Self::Latency => latency::measure(run).await,
            Self::Mails => mails::measure(run).await,
            Self::Messages => messages::measure(run).await,
            Self::Webhooks => webhooks::measure(run).await,
            Self::Agents => agents::measure(run).await,
            Self::Deployed => deployed::measure(run).await,
            Self::Cached => cached::measure(run).await,
            Self::Pages => pages::measure(run).await,
            Self::Dashboard => dashboard::measure(run).await,
            Self::Searching => searching::measure(run).await,
            Self::Million => million::measure(run).await,
            Self::Owner => owner::measure(run).await,
        }
    }
}
