//! The binary `faults`: breaks parts of Muster under load, records every acknowledgement, and looks for what was acknowledged
//! afterwards.

mod check;
mod client;
mod fault;
mod figures;
mod load;
mod overload;
mod processes;
mod system;

use std::time::Duration;

use anyhow::ensure;
use clap::{Parser, ValueEnum as _};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use self::{
    check::{Lost, check},
    fault::{Fault, happen},
    figures::Table,
    load::Target,
    system::System,
};

/// Breaks parts of Muster under load, and prints as Markdown what clients saw.
///
/// Gateway, cores, PostgreSQL and this driver are processes that talk over TCP. Fails if anything that was acknowledged is lost:
/// an event, a registration, or the mail that confirms it. Other figures are printed only, since they depend on the machine: run it
/// with `--release` on an idle one.
#[derive(Debug, Parser)]
#[command(version)]
struct Config {
    /// The faults; all without any
    #[arg(value_enum)]
    faults: Vec<Fault>,
    /// How often each fault happens
    #[arg(long, default_value_t = 3)]
    times: usize,
    /// How many seconds an overload takes
    #[arg(long, default_value_t = 6)]
    overload_seconds: u64,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let config = Config::parse();
    raise_open_files()?;
    let faults = match &config.faults[..] {
        [] => Fault::value_variants(),
        some => some,
    };
    let (mut table, mut overload) = (Table::of_faults(), Table::of_overload());
    let mut lost = 0;
    for fault in faults {
        lost += run(*fault, &config, &mut table, &mut overload).await?.sum();
    }
    table.print();
    overload.print();
    ensure!(lost == 0, "{lost} of what was acknowledged is lost");
    Ok(())
}

/// One fault on a system of its own.
async fn run(
    fault: Fault,
    config: &Config,
    table: &mut Table,
    overload: &mut Table,
) -> anyhow::Result<Lost> {
    let mut system = System::start(fault.engine()).await?;
    let target = Target::of(&system);
    if fault == Fault::Overload {
        system.separate()?;
        let time = Duration::from_secs(config.overload_seconds);
        let outcome = overload::run(&target, time).await?;
        let mut lost = check(&system, &outcome.record).await?;
        lost.add(&check(&system, &outcome.others).await?);
        overload.add_overload(&outcome, &lost);
        return Ok(lost);
    }
    let record = happen(fault, &mut system, &target, config.times).await?;
    let lost = check(&system, &record).await?;
    table.add_fault(fault, config.times, &record, &lost);
    Ok(lost)
}

/// Both ends of all connections may be in processes with the system's default limit of open files.
fn raise_open_files() -> anyhow::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    setrlimit(Resource::Nofile, raised)?;
    Ok(())
}
