//! The latency of other requests during a rush on one event.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::Context as _;
use muster_api::v1::{
    GetMyEventRequest, ListEventsRequest,
    bindings::{GetMyEvent, ListEvents},
};
use test_postgres::Server;

use crate::{
    report::Report,
    system::{System, engines},
};

/// Registrations of one rush.
const GUESTS: usize = 5_000;

/// Rushes one after the other, each on an event of its own, so that there are enough requests to tell their tail.
const RUSHES: usize = 8;

/// Other users, each of whom asks one thing after the other.
const OTHERS: usize = 4;

/// How often each of them asks: people who read, not a second load test.
const PACE: Duration = Duration::from_millis(5);

/// How long they ask while nobody registers.
const CALM: Duration = Duration::from_secs(3);

/// Measures how long the catalogue and an owner's event take to read, in calm and during rushes.
pub(crate) async fn measure(postgres: Option<&Server>, report: &mut Report) -> anyhow::Result<()> {
    for (engine, server) in engines(postgres) {
        let system = System::start(server).await?;
        let mut ids = Vec::new();
        let mut slugs = Vec::new();
        for _ in 0..RUSHES {
            let event = system.publish(10_000).await?;
            ids.push(event.id);
            slugs.push(event.slug);
        }
        let mine = ids.first().context("an event was made")?.clone();

        let others = Others::start(&system, &mine);
        tokio::time::sleep(CALM).await;
        let calm = others.stop().await?;

        let others = Others::start(&system, &mine);
        for slug in slugs {
            system.register_all(GUESTS, move |_| slug.clone()).await?;
        }
        let rush = others.stop().await?;

        for (percent, name) in [(50, "median"), (99, "99 % below")] {
            let (calm, rush) = (percentile(&calm, percent), percentile(&rush, percent));
            let figure = format!("{:.1} ms", rush.as_secs_f64() * 1_000.0);
            let compared = format!("in calm {:.1} ms", calm.as_secs_f64() * 1_000.0);
            let measure = format!("reads while 5,000 register, {name}");
            report.add(&measure, engine, figure, compared);
        }
    }
    Ok(())
}

/// Users who read meanwhile.
struct Others {
    stop: Arc<AtomicBool>,
    readers: Vec<tokio::task::JoinHandle<anyhow::Result<Vec<Duration>>>>,
}

impl Others {
    fn start(system: &Arc<System>, mine: &str) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let readers = (0..OTHERS)
            .map(|_| tokio::spawn(read(Arc::clone(system), mine.to_owned(), Arc::clone(&stop))))
            .collect();
        Self { stop, readers }
    }

    /// How long their requests took.
    async fn stop(self) -> anyhow::Result<Vec<Duration>> {
        self.stop.store(true, Ordering::Relaxed);
        let mut took = Vec::new();
        for reader in self.readers {
            took.extend(reader.await??);
        }
        Ok(took)
    }
}

async fn read(
    system: Arc<System>,
    mine: String,
    stop: Arc<AtomicBool>,
) -> anyhow::Result<Vec<Duration>> {
    let mut took = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let started = Instant::now();
        if took.len() % 2 == 0 {
            let request = ListEventsRequest::default();
            system.call::<ListEvents>(request).await?;
        } else {
            let request = GetMyEventRequest { id: mine.clone() };
            system.call::<GetMyEvent>(request).await?;
        }
        took.push(started.elapsed());
        tokio::time::sleep(PACE).await;
    }
    Ok(took)
}

/// The time within which that many of a hundred requests were answered.
pub(crate) fn percentile(took: &[Duration], percent: usize) -> Duration {
    let mut took = took.to_vec();
    took.sort_unstable();
    let index = took.len() * percent / 100;
    took.get(index).copied().unwrap_or_default()
}
