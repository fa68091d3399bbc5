//! What the database says of jobs, for the metrics.

use std::{collections::HashMap, time::Duration};

use domain::{clock::Clock, instant::Instant, job::JobKind};
use server::{CancellationToken, metrics};
use storage::{Error, Store};

/// How often to look. Prometheus commonly reads every 15 to 60 s.
const INTERVAL: Duration = Duration::from_secs(15);

/// Jobs of a kind and destination that are counted; a larger number says no more.
const MAX_COUNTED: i64 = 10_000;

/// Destinations that are looked at. There are as many as mail servers and providers, so a few.
const DESTINATIONS: i64 = 16;

/// The jobs of a kind.
#[derive(Debug, Clone, Copy, Default)]
struct Queue {
    due: i64,
    /// For how long the oldest is due, in microseconds.
    oldest: i64,
    dead: i64,
}

/// Looks at the jobs of a database until `stop`, if this process serves metrics.
pub async fn measure(store: &Store, clock: &Clock, stop: CancellationToken) {
    let mut ticks = tokio::time::interval(INTERVAL);
    let mut queues = HashMap::new();
    while metrics::on().is_some() && stop.run_until_cancelled(ticks.tick()).await.is_some() {
        // Kinds that had jobs have none now, unless they are found again.
        for queue in queues.values_mut() {
            *queue = Queue::default();
        }
        if look(store, clock.now(), &mut queues).await.is_ok() {
            show(&queues);
        }
    }
}

async fn look(
    store: &Store,
    now: Instant,
    queues: &mut HashMap<JobKind, Queue>,
) -> Result<(), Error> {
    for known in store.list_job_queues("", DESTINATIONS).await? {
        // Newer versions may have others.
        let Ok(kind) = known.kind.parse() else {
            continue;
        };
        let queue: &mut Queue = queues.entry(kind).or_default();
        let due = store
            .count_due_jobs(&known.destination, kind, now, MAX_COUNTED)
            .await?;
        queue.due += due;
        queue.oldest = queue.oldest.max(now.micros() - known.first_due_at.micros());
    }
    for (kind, number) in store.count_failed_jobs(MAX_COUNTED).await? {
        if let Ok(kind) = kind.parse() {
            queues.entry(kind).or_default().dead = number;
        }
    }
    Ok(())
}

fn show(queues: &HashMap<JobKind, Queue>) {
    metrics::measure(|all| {
        for (kind, queue) in queues {
            let kind = [kind.name().into()];
            all.jobs_due.set(kind, number(queue.due));
            all.jobs_oldest.set(kind, number(queue.oldest) / 1e6);
            all.jobs_dead.set(kind, number(queue.dead));
        }
    });
}

#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of a page of metrics are rounded"
)]
const fn number(count: i64) -> f64 {
    count as f64
}
