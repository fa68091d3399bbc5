//! What the database says of jobs and webhooks, for the metrics.

use std::{collections::HashMap, time::Duration};

use domain::{clock::Clock, instant::Instant, job::JobKind, webhook::WebhookState};
use server::{CancellationToken, metrics};
use storage::{Error, Store, WebhookCount};

/// How often to look. Prometheus commonly reads every 15 to 60 s.
const INTERVAL: Duration = Duration::from_secs(15);

/// Jobs of a kind and destination, and webhooks, that are counted; a larger number says no more.
const MAX_COUNTED: i64 = 10_000;

/// Destinations that are looked at. Those that are not webhooks, which come first, are as many as mail servers and providers, so a few.
const DESTINATIONS: i64 = 16;

/// The jobs of a kind.
#[derive(Debug, Clone, Copy, Default)]
struct Queue {
    due: i64,
    /// For how long the oldest is due, in microseconds.
    oldest: i64,
    dead: i64,
}

/// The states of webhooks, as the metrics name them.
const WORKING: &str = "working";
const FAILING: &str = "failing";
const PAUSED: &str = "paused";
const DISABLED: &str = "disabled";
const STATES: [&str; 4] = [WORKING, FAILING, PAUSED, DISABLED];

/// Looks at the database until `stop`, if this process serves metrics.
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
        let now = clock.now();
        if let Ok(counts) = store.count_webhooks(now, MAX_COUNTED).await {
            show_webhooks(&counts, now);
        }
    }
}

async fn look(
    store: &Store,
    now: Instant,
    queues: &mut HashMap<JobKind, Queue>,
) -> Result<(), Error> {
    for known in store.list_job_queues("", DESTINATIONS).await? {
        // Those of webhooks are as many as there are receivers, and have metrics of their own.
        if known.destination.is_webhook() {
            continue;
        }
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

fn show_webhooks(counts: &[WebhookCount], now: Instant) {
    metrics::measure(|all| {
        for state in STATES {
            let found = || counts.iter().filter(|count| state_of(count) == state);
            let webhooks = found().map(|count| count.number).sum();
            all.webhooks.set([state.into()], number(webhooks));
            if matches!(state, WORKING | FAILING) {
                let oldest = found().filter_map(|count| count.oldest_due_at).min();
                let age = oldest.map_or(0, |at| now.micros() - at.micros());
                all.webhook_oldest.set([state.into()], number(age) / 1e6);
            }
        }
    });
}

const fn state_of(count: &WebhookCount) -> &'static str {
    match (count.state, count.is_failing) {
        (WebhookState::Active, false) => WORKING,
        (WebhookState::Active, true) => FAILING,
        (WebhookState::Paused, _) => PAUSED,
        (WebhookState::Disabled, _) => DISABLED,
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "numbers of a page of metrics are rounded"
)]
const fn number(count: i64) -> f64 {
    count as f64
}
