//! Finds destinations with due jobs and opens lanes for them.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use domain::job::{Destination, JobKind};
use server::{CancellationToken, telemetry::chain};
use storage::Error;
use tokio::task::JoinSet;

use super::{Lane, Runner};

/// Destinations per query; the next query continues after them.
const DESTINATIONS: i64 = 256;

/// Destinations that are no receivers of webhooks, which sort before those. They are looked at each time, however many receivers there are.
const FEW_DESTINATIONS: i64 = 8;

/// How long a runner that is woken waits for more.
const WAKE_PAUSE: Duration = Duration::from_millis(5);

/// Where the next query begins: after this destination, or at the first.
type Cursor = Option<Destination>;

impl Runner {
    /// Works until `stop`, then finishes running tries. Each destination has its own slots and its own pause, so that one that
    /// hangs does not delay the others.
    pub async fn run(self, stop: CancellationToken) {
        let (mut working, mut cursor) = (JoinSet::new(), None);
        while !stop.is_cancelled() {
            // Boxed, since the future is large and would be part of one that lives as long as the process.
            for lane in Box::pin(self.open_lanes(&mut cursor)).await {
                working.spawn(self.clone().work(lane, stop.clone()));
            }
            while working.try_join_next().is_some() {}
            tokio::select! {
                () = stop.cancelled() => {}
                () = self.woken.notified() => {
                    // Several commands at a time need one look.
                    stop.run_until_cancelled(tokio::time::sleep(WAKE_PAUSE)).await;
                }
                () = tokio::time::sleep(self.limits.poll_interval) => {}
            }
        }
        working.join_all().await;
    }

    /// Offers due jobs to lanes, and returns the lanes that it opened.
    async fn open_lanes(&self, cursor: &mut Cursor) -> Vec<Arc<Lane>> {
        match self.find_due(cursor).await {
            Ok(due) => due
                .iter()
                .filter_map(|(destination, kind)| self.lanes.offer(destination, *kind))
                .collect(),
            Err(error) => {
                tracing::warn!(error = %chain(&error), "cannot look for due jobs");
                Vec::new()
            }
        }
    }

    /// A lane for each destination with due jobs; none of them is open. For [`Runner::drain`].
    pub(super) async fn find_all_lanes(&self) -> Result<Vec<Arc<Lane>>, Error> {
        let (mut all, mut cursor) = (BTreeMap::<Destination, Vec<JobKind>>::new(), None);
        loop {
            for (destination, kind) in self.find_due(&mut cursor).await? {
                all.entry(destination).or_default().push(kind);
            }
            if cursor.is_none() {
                let lane = |(destination, due)| {
                    let limits = self.limits.of(&destination);
                    Arc::new(Lane::new(destination, due, limits))
                };
                return Ok(all.into_iter().map(lane).collect());
            }
        }
    }

    /// The destinations and kinds with jobs that are due, admitted and have a handler. Moves the cursor forward.
    async fn find_due(&self, cursor: &mut Cursor) -> Result<Vec<(Destination, JobKind)>, Error> {
        let now = self.clock.now();
        let is_first = cursor.is_none();
        let after = cursor.as_ref().map_or("", Destination::name);
        let mut queues = self.store.list_job_queues(after, DESTINATIONS).await?;
        let mut destinations: Vec<&Destination> =
            queues.iter().map(|queue| &queue.destination).collect();
        destinations.dedup();
        let is_last = i64::try_from(destinations.len()).is_ok_and(|count| count < DESTINATIONS);
        *cursor = destinations
            .last()
            .map(|last| (*last).clone())
            .filter(|_| !is_last);
        if !is_first {
            let first = self.store.list_job_queues("", FEW_DESTINATIONS).await?;
            let others = first
                .into_iter()
                .filter(|queue| !queue.destination.is_webhook());
            queues.extend(others);
        }
        let due = queues.into_iter().filter_map(|queue| {
            let kind: JobKind = queue.kind.parse().ok()?;
            let pause = self.pauses.of(&queue.destination);
            let is_due = queue.first_due_at <= now && pause.admits(now, 1, 0) > 0;
            (is_due && self.handlers.contains_key(&kind)).then_some((queue.destination, kind))
        });
        Ok(due.collect())
    }
}
