//! The faults: each happens a number of times while clients read and write.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail, ensure};
use clap::ValueEnum;
use test_postgres::Server;
use tokio::{task::block_in_place, time::sleep};

use crate::{
    client::Client,
    load::{Load, Next, Record, Shape, Target},
    processes::Process,
    system::{Engine, System},
};

/// A way in which parts of Muster fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Fault {
    /// `kill -9` of one of two cores
    KillCore,
    /// `kill -9` of PostgreSQL
    KillDatabase,
    /// SIGSTOP of one of two cores for some seconds
    FreezeCore,
    /// Ten times as many writes as the system can do
    Overload,
    /// A restart of PostgreSQL
    RestartDatabase,
    /// A restart of both cores, one after the other
    RollingRestart,
    /// No space for the files of SQLite
    FullDisk,
}

/// Who calls meanwhile: not as many as the system can serve, so that only the fault matters.
const LOAD: Shape = Shape {
    readers: 8,
    writers: 12,
    pause: Duration::from_millis(20),
};

/// How long the clients work between two faults.
const REST: Duration = Duration::from_secs(1);

/// How long a core is frozen.
const FROZEN: Duration = Duration::from_secs(5);

/// How long it takes until a core that was away gets calls again.
const UNTIL_USED: Duration = Duration::from_secs(6);

/// How long PostgreSQL is away, and the disk is full.
const AWAY: Duration = Duration::from_secs(1);

/// Far longer than it takes until writing is possible again.
const RECOVERY: Duration = Duration::from_mins(1);

impl Fault {
    pub(crate) const fn engine(self) -> Engine {
        match self {
            Self::FullDisk => Engine::Sqlite,
            _ => Engine::Postgres,
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::KillCore => "kill -9 of one core",
            Self::KillDatabase => "kill -9 of PostgreSQL",
            Self::FreezeCore => "SIGSTOP of one core for 5 s",
            Self::Overload => "overload",
            Self::RestartDatabase => "restart of PostgreSQL",
            Self::RollingRestart => "restart of each core in turn",
            Self::FullDisk => "full disk",
        }
    }

    /// What the issue asks for, in words.
    pub(crate) const fn aim(self) -> &'static str {
        match self {
            Self::FreezeCore => {
                "at most 0.5 % of writes and 0.1 % of reads fail; longest answer 3 s"
            }
            Self::RestartDatabase | Self::KillDatabase => "longest refusal 1.5 s",
            Self::RollingRestart => "none fails",
            Self::KillCore | Self::Overload | Self::FullDisk => "",
        }
    }
}

/// Has a fault happen so many times under load.
pub(crate) async fn happen(
    fault: Fault,
    system: &mut System,
    target: &Arc<Target>,
    times: usize,
) -> anyhow::Result<Record> {
    let load = Load::start(target, LOAD);
    sleep(REST).await;
    for time in 0..times {
        once(fault, system, target, time).await?;
        sleep(REST).await;
    }
    load.stop().await
}

async fn once(
    fault: Fault,
    system: &mut System,
    target: &Arc<Target>,
    time: usize,
) -> anyhow::Result<()> {
    let one = time % system.cores.len().max(1);
    match fault {
        Fault::KillCore => {
            block_in_place(|| core(system, one)?.kill())?;
            sleep(AWAY).await;
            start_again(system, one)?;
        }
        Fault::KillDatabase => {
            block_in_place(|| {
                system.kill_postgres()?;
                system.postgres().map(Server::start_again)
            })?;
            await_recovery(target).await?;
        }
        Fault::FreezeCore => {
            core(system, one)?.freeze()?;
            sleep(FROZEN).await;
            core(system, one)?.thaw()?;
            sleep(UNTIL_USED).await;
        }
        Fault::RestartDatabase => {
            block_in_place(|| system.postgres().map(Server::stop))?;
            sleep(AWAY).await;
            block_in_place(|| system.postgres().map(Server::start_again))?;
            await_recovery(target).await?;
        }
        Fault::RollingRestart => {
            for one in 0..system.cores.len() {
                block_in_place(|| core(system, one)?.terminate())?;
                start_again(system, one)?;
                sleep(UNTIL_USED).await;
            }
        }
        Fault::FullDisk => {
            core(system, one)?.limit_files(Some(1))?;
            sleep(AWAY).await;
            core(system, one)?.limit_files(None)?;
            await_recovery(target).await?;
        }
        Fault::Overload => bail!("an overload is measured apart"),
    }
    Ok(())
}

fn core(system: &mut System, one: usize) -> anyhow::Result<&mut Process> {
    system.cores.get_mut(one).context("there is no such core")
}

fn start_again(system: &mut System, one: usize) -> anyhow::Result<()> {
    let core = system.cores.get_mut(one).context("there is no such core")?;
    block_in_place(|| core.start_again(&system.programs))
}

/// Waits until a write is possible again.
async fn await_recovery(target: &Arc<Target>) -> anyhow::Result<()> {
    let mut client = Client::new(target.address);
    let until = Instant::now() + RECOVERY;
    let mut record = Record::default();
    while record.created.is_empty() && record.registered.is_empty() {
        ensure!(Instant::now() < until, "writing is not possible again");
        Next::write(target).ask(&mut client, &mut record).await?;
    }
    Ok(())
}
