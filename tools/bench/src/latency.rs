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

use crate::{
    report::{Figure, Row},
    run::{Run, Size},
    system::System,
};

/// Registrations of one rush.
const GUESTS: Size<usize> = Size {
    full: 5_000,
    quick: 100,
};

/// Rushes one after the other, each on an event of its own, so that there are enough requests to tell their tail.
const RUSHES: Size<usize> = Size { full: 8, quick: 1 };

/// Other users, each of whom asks one thing after the other.
const OTHERS: usize = 4;

/// How often each of them asks: people who read, not a second load test.
const PACE: Duration = Duration::from_millis(5);

/// How long they ask while nobody registers.
const CALM: Size<Duration> = Size {
    full: Duration::from_secs(3),
    quick: Duration::from_millis(100),
};

/// Measures how long the catalogue and an owner's event take to read, in calm and during rushes.
pub(crate) async fn measure(run: &Run) -> anyhow::Result<()> {
    for (engine, server) in run.engines() {
        let system = System::start(server).await?;
        let mut ids = Vec::new();
        let mut slugs = Vec::new();
        for _ in 0..run.of(RUSHES) {
            let event = system.publish(10_000).await?;
            ids.push(event.id);
            slugs.push(event.slug);
        }
        let mine = ids.first().context("an event was made")?.clone();

        let others = Others::start(&system, &mine);
        tokio::time::sleep(run.of(CALM)).await;
        let calm = others.stop().await?;

        let others = Others::start(&system, &mine);
        for slug in slugs {
            let guests = run.of(GUESTS);
            system.register_all(guests, move |_| slug.clone()).await?;
        }
        let rush = others.stop().await?;

        for (percent, name) in [(50, "median"), (99, "99 % below")] {
            let [calm, rush] = [&calm, &rush].map(|took| Figure::from(percentile(took, percent)));
            let measure = format!("reads while 5,000 register, {name}");
            run.add(Row::new(measure, engine, rush).beside("in calm", calm));
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
