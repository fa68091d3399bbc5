//! The binary `faults`: breaks parts of Muster under load, records every acknowledgement, and looks for what was acknowledged
//! afterwards.

mod asked;
mod balancer;
mod check;
mod client;
mod clock;
mod disk;
mod fault;
mod figures;
mod happening;
mod load;
mod mails;
mod network;
mod overload;
mod part;
mod processes;
mod requests;
mod settings;
mod system;
mod table;
mod target;

use std::time::Instant;

use anyhow::ensure;
use clap::{Parser, ValueEnum as _};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use self::{
    check::{Lost, check},
    disk::{POSTGRES_MEGABYTES, SQLITE_MEGABYTES, SmallDisk},
    fault::{Deed, Fault, Lengths},
    figures::{OF_FAULTS, OF_OVERLOAD, add_fault, add_overload, failed},
    happening::happen,
    network::Network,
    system::{Disk, Paths, System},
    table::Table,
    target::Target,
};

/// Breaks parts of Muster under load, and prints as Markdown what clients saw.
///
/// The parts, PostgreSQL and this driver are processes that talk over TCP. Fails if anything that was acknowledged is lost (an event, a
/// registration, or the mail that confirms it), if someone gets two mails, or if a call fails in a rolling restart. Other figures are
/// printed only, since they depend on the machine: run it with `--release` on an idle one. Some faults need root, and say if they
/// could not be made.
#[derive(Debug, Parser)]
#[command(version)]
struct Config {
    /// The faults; all without any
    #[arg(value_enum)]
    faults: Vec<Fault>,
    /// How often each fault happens
    #[arg(long, default_value_t = 3)]
    times: usize,
    /// Faults that last are as short as can be, and there is one round of restarts
    #[arg(long)]
    short: bool,
    /// How often everything is restarted
    #[arg(long)]
    rounds: Option<usize>,
}

/// What is wrong after all faults.
#[derive(Debug, Default)]
struct Wrong {
    lost: Lost,
    /// Calls that failed where none may.
    failed: usize,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let config = Config::parse();
    raise_open_files()?;
    let faults = match &config.faults[..] {
        [] => Fault::value_variants(),
        some => some,
    };
    let mut lengths = if config.short {
        Lengths::SHORT
    } else {
        Lengths::FULL
    };
    lengths.rounds = config.rounds.unwrap_or(lengths.rounds);
    let mut tables = (Table::new(&OF_FAULTS), Table::new(&OF_OVERLOAD));
    let mut wrong = Wrong::default();
    for fault in faults {
        let began = Instant::now();
        run(*fault, (config.times, lengths), &mut tables, &mut wrong).await?;
        eprintln!("{fault:?}: {} s", began.elapsed().as_secs());
    }
    tables.0.print();
    tables.1.print();
    let Wrong { lost, failed } = wrong;
    let (kept, mails) = (lost.acknowledged(), lost.mails);
    ensure!(kept == 0, "{kept} of what was acknowledged is lost");
    ensure!(
        mails.lost + mails.doubled == 0,
        "{} mails are lost, {} are doubled",
        mails.lost,
        mails.doubled
    );
    ensure!(failed == 0, "{failed} calls failed where none may");
    Ok(())
}

/// One fault on a system of its own.
async fn run(
    fault: Fault,
    (times, lengths): (usize, Lengths),
    (table, overload): &mut (Table, Table),
    wrong: &mut Wrong,
) -> anyhow::Result<()> {
    let (network, disk) = match needs(fault) {
        Ok(needs) => needs,
        Err(why) => {
            table.add_absent(fault.title(&lengths), &format!("{why:#}"));
            return Ok(());
        }
    };
    let mut system = System::start(fault.layout(), network, disk).await?;
    let target = Target::of_system(&system);
    if fault == Fault::Overload {
        system.separate()?;
        let outcome = overload::run(&target, lengths.overload).await?;
        let mut lost = check(&system, &target, &outcome.record, false).await?;
        lost.add(&check(&system, &target, &outcome.others, false).await?);
        add_overload(overload, &outcome, &lost);
        wrong.lost.add(&lost);
        return Ok(());
    }
    let seen = happen(fault, &mut system, &target, (times, lengths)).await?;
    let awaits_repetitions = lengths.awaits_repetitions;
    let lost = check(&system, &target, &seen.record, awaits_repetitions).await?;
    add_fault(table, fault, (times, &lengths), &seen, &lost);
    if fault.must_not_fail() {
        wrong.failed += failed(&seen.record);
    }
    wrong.lost.add(&lost);
    Ok(())
}

/// What the fault needs of this machine.
///
/// # Errors
/// If the machine cannot give it.
fn needs(fault: Fault) -> anyhow::Result<(Network, Option<SmallDisk>)> {
    let layout = fault.layout();
    if fault.deed() == Deed::SetClock {
        clock::ahead()?;
    }
    let network = match layout.paths {
        Paths::Loopback => Network::loopback(),
        Paths::Namespaces => Network::of_namespaces(layout.parts.all())?,
    };
    let disk = match layout.disk {
        Disk::SmallPostgres => Some(SmallDisk::mount(POSTGRES_MEGABYTES)?),
        Disk::SmallSqlite => Some(SmallDisk::mount(SQLITE_MEGABYTES)?),
        Disk::Postgres | Disk::Sqlite => None,
    };
    Ok((network, disk))
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
