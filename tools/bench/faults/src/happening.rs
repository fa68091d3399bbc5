//! How faults happen, while clients read and write.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail, ensure};
use tokio::{task::block_in_place, time::sleep};

use crate::{
    asked::Asked,
    clock,
    fault::{Deed, Fault, Lengths},
    load::{Load, Record, Shape},
    part::{ALL, EDGES, Kind},
    processes::Process,
    requests::Next,
    system::System,
    target::{Callers, Target},
};

/// Who calls meanwhile: not as many as the system can serve, so that only the fault matters.
const LOAD: Shape = Shape {
    readers: 6,
    writers: 8,
    pause: Duration::from_millis(40),
};

/// The same while no mail leaves: each mail that waits is sent afterwards.
const SLOW_LOAD: Shape = Shape {
    pause: Duration::from_millis(400),
    ..LOAD
};

/// How long the clients work between two faults.
const REST: Duration = Duration::from_secs(1);

/// How long it takes until a core that was away gets calls again.
const UNTIL_USED: Duration = Duration::from_secs(6);

/// How long a part that was killed is away, PostgreSQL is stopped, and a disk is full.
const AWAY: Duration = Duration::from_secs(1);
const FULL: Duration = Duration::from_secs(3);

/// Reads one after another, after a disk was full.
const READS: usize = 150;

/// Far longer than it takes until writing is possible again, or a part is ready.
const RECOVERY: Duration = Duration::from_mins(1);

/// How often it is looked whether it is.
const POLL: Duration = Duration::from_millis(50);

/// What was seen.
pub(crate) struct Seen {
    pub(crate) record: Record,
    /// When what was broken was whole again, each time.
    pub(crate) ends: Vec<Instant>,
}

/// A fault that happens to a system.
struct Happening<'s> {
    system: &'s mut System,
    target: &'s Arc<Target>,
    lengths: Lengths,
    ends: Vec<Instant>,
}

/// Has a fault happen so many times under load.
pub(crate) async fn happen(
    fault: Fault,
    system: &mut System,
    target: &Arc<Target>,
    (times, lengths): (usize, Lengths),
) -> anyhow::Result<Seen> {
    let shape = match fault.deed() {
        Deed::LeaveMails => SLOW_LOAD,
        _ => LOAD,
    };
    let load = Load::start(target, shape);
    let mut happening = Happening {
        system,
        target,
        lengths,
        ends: Vec::new(),
    };
    sleep(REST).await;
    for time in 0..times {
        happening.once(fault.deed(), time).await?;
        sleep(REST).await;
    }
    Ok(Seen {
        record: load.stop().await?,
        ends: happening.ends,
    })
}

impl Happening<'_> {
    async fn once(&mut self, deed: Deed, time: usize) -> anyhow::Result<()> {
        match deed {
            Deed::Kill(kind) => {
                let one = self.one_of(kind, time);
                block_in_place(|| self.part(kind, one)?.kill())?;
                sleep(AWAY).await;
                self.start_again(kind, one)?;
                self.is_over();
                self.await_use(kind, one).await
            }
            Deed::Freeze(kind) => {
                let one = self.one_of(kind, time);
                self.part(kind, one)?.freeze()?;
                sleep(self.lengths.frozen).await;
                self.part(kind, one)?.thaw()?;
                self.is_over();
                self.await_use(kind, one).await
            }
            Deed::Cut(kind) => self.cut(kind, time, false).await,
            Deed::Lose => self.cut(Kind::Core, time, true).await,
            Deed::Roll => self.roll().await,
            Deed::SetClock => self.set_clock(time).await,
            Deed::LeaveMails => {
                self.system.mails.leave().await;
                sleep(self.lengths.without_mails).await;
                self.system.mails.come_back();
                self.is_over();
                Ok(())
            }
            Deed::LimitFiles => {
                self.part(Kind::Core, 0)?.limit_files(Some(1))?;
                sleep(AWAY).await;
                self.part(Kind::Core, 0)?.limit_files(None)?;
                self.is_over();
                self.await_writing().await
            }
            Deed::FillDisk => self.fill_disk().await,
            Deed::KillDatabase | Deed::RestartDatabase | Deed::FillDatabaseDisk => {
                self.break_database(deed).await
            }
            Deed::Overload => bail!("an overload is measured apart"),
        }
    }

    async fn break_database(&mut self, deed: Deed) -> anyhow::Result<()> {
        match deed {
            Deed::FillDatabaseDisk => {
                block_in_place(|| self.system.disk()?.fill())?;
                sleep(FULL).await;
                block_in_place(|| self.system.disk()?.make_room())?;
                // It ends when it cannot write its log.
                block_in_place(|| self.system.start_postgres_if_ended())?;
            }
            Deed::KillDatabase => block_in_place(|| {
                self.system.kill_postgres()?;
                self.system.start_postgres_if_ended()
            })?,
            _ => {
                block_in_place(|| self.system.stop_postgres())?;
                sleep(AWAY).await;
                block_in_place(|| self.system.start_postgres_if_ended())?;
            }
        }
        self.is_over();
        self.await_writing().await
    }

    /// The disk of the data folder is full for a while, and core is restarted once there is room. No read may fail then.
    async fn fill_disk(&mut self) -> anyhow::Result<()> {
        block_in_place(|| self.system.disk()?.fill())?;
        sleep(FULL).await;
        block_in_place(|| self.system.disk()?.make_room())?;
        block_in_place(|| self.part(Kind::Core, 0)?.terminate())?;
        self.start_again(Kind::Core, 0)?;
        self.is_over();
        self.await_writing().await?;
        let event = self.system.events.first();
        let event = event.context("each account has an event")?;
        let asked = Asked::get(format!("/api/v1/me/events/{}", event.id), Some(&event.key));
        let mut callers = Callers::of(self.target);
        for number in 1..=READS {
            let answer = callers.api.call(&asked).await.answer;
            ensure!(asked.is_done(&answer), "read {number}: {answer:?}");
        }
        Ok(())
    }

    /// Packets between a part and the next vanish: for a core that is the database, and everything if it is lost.
    async fn cut(&mut self, kind: Kind, time: usize, is_lost: bool) -> anyhow::Result<()> {
        let one = self.one_of(kind, time);
        let part = self.part(kind, one)?.address().ip();
        let network = &self.system.network;
        let mut others = Vec::new();
        if kind == Kind::Core {
            others.extend(network.database());
        } else {
            others.extend(self.system.addresses(Kind::Core));
        }
        if is_lost {
            others.push(network.mail());
            others.extend(EDGES.iter().flat_map(|kind| self.system.addresses(*kind)));
        }
        for other in &others {
            network.cut(part, *other)?;
        }
        sleep(self.lengths.cut).await;
        for other in &others {
            network.mend(part, *other)?;
        }
        self.is_over();
        self.await_use(kind, one).await
    }

    /// Everything is restarted, as when a new release is rolled out: the first of each kind, then the second of each.
    async fn roll(&mut self) -> anyhow::Result<()> {
        for round in 0..self.lengths.rounds {
            for one in 0..self.system.addresses(Kind::Core).count() {
                for kind in ALL {
                    self.part(kind, one)?.ask_to_end()?;
                }
                for kind in ALL {
                    block_in_place(|| self.part(kind, one)?.await_end())?;
                    self.start_again(kind, one)?;
                }
                for kind in ALL {
                    self.await_use(kind, one).await?;
                }
            }
            eprintln!("round {} of {}", round + 1, self.lengths.rounds);
        }
        self.is_over();
        Ok(())
    }

    /// A core is restarted with its clock ahead, and once more with the right time.
    async fn set_clock(&mut self, time: usize) -> anyhow::Result<()> {
        let one = self.one_of(Kind::Core, time);
        for oddities in [clock::ahead()?, Vec::new()] {
            let is_odd = !oddities.is_empty();
            let core = self.part(Kind::Core, one)?;
            core.is_odd_by(oddities);
            block_in_place(|| core.terminate())?;
            self.start_again(Kind::Core, one)?;
            self.await_use(Kind::Core, one).await?;
            if is_odd {
                clock::check(self.target).await?;
                sleep(self.lengths.clock_ahead).await;
            }
        }
        self.is_over();
        Ok(())
    }

    fn is_over(&mut self) {
        self.ends.push(Instant::now());
    }

    /// By turns.
    fn one_of(&self, kind: Kind, time: usize) -> usize {
        time % self.system.addresses(kind).count().max(1)
    }

    fn part(&mut self, kind: Kind, one: usize) -> anyhow::Result<&mut Process> {
        self.system.part(kind, one)
    }

    fn start_again(&mut self, kind: Kind, one: usize) -> anyhow::Result<()> {
        block_in_place(|| self.system.start_again(kind, one))
    }

    /// Waits until the part gets calls again.
    async fn await_use(&mut self, kind: Kind, one: usize) -> anyhow::Result<()> {
        let address = self.part(kind, one)?.address();
        let Some(balancer) = self.target.of(kind) else {
            sleep(UNTIL_USED).await;
            return Ok(());
        };
        let until = Instant::now() + RECOVERY;
        while !balancer.is_ready(address) {
            ensure!(Instant::now() < until, "a {} is not ready", kind.name());
            sleep(POLL).await;
        }
        Ok(())
    }

    /// Waits until a write is possible again.
    async fn await_writing(&self) -> anyhow::Result<()> {
        let mut callers = Callers::of(self.target);
        let until = Instant::now() + RECOVERY;
        let mut record = Record::default();
        while record.acknowledged() == 0 {
            ensure!(Instant::now() < until, "writing is not possible again");
            Next::write(self.target)
                .ask(&mut callers, &mut record)
                .await?;
            sleep(POLL).await;
        }
        Ok(())
    }
}
