//! Registrations are decided in batches, which share a transaction (docs/adr/0007-seats-by-group-commit.md). The requests that
//! wait while one batch commits are the next batch. So a hot event costs one lock and one commit for up to 256 people, and a
//! single request does not wait.
//!
//! The lock on the event's counters makes this correct beside other cores and other changes of seats. That all registrations of
//! an event go to one batcher only makes it fast.

mod decide;
mod organizers;
mod request;

use std::hash::{DefaultHasher, Hash, Hasher};

use domain::plan::Plans;
use server::{metrics, telemetry::chain};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Duration, Instant},
};
use tracing::{Instrument as _, Span};

use crate::service::{Commands, Error, Invocation, Storable};

pub(super) use self::request::{FirstMail, Placed, Request};

/// Maximum number of commands that wait for one batcher: about a second's work. More would wait longer than their callers.
const MAX_WAITING: usize = 4_096;

/// Commands that waited longer for a batch that failed because of the database are refused with it: in the next batch they would
/// wait for the database again.
const QUEUE_TIMEOUT: Duration = Duration::from_millis(250);

/// A request, and the caller that waits for the outcome.
struct Command {
    request: Request,
    queued: Instant,
    reply: oneshot::Sender<Result<Placed, Error>>,
}

/// The dependencies of a batch.
#[derive(Debug, Clone)]
struct Batcher {
    commands: Commands,
    /// The daily quotas of organizers who register people.
    plans: Plans,
}

/// The queues of the batchers. Each has its own share of the events.
#[derive(Debug)]
pub(in crate::service) struct Batchers {
    batcher: Batcher,
    queues: Vec<mpsc::Sender<Command>>,
}

impl Batchers {
    /// Starts as many batchers as concurrent transactions are useful. They end with the queues.
    pub(in crate::service) fn start(commands: &Commands, plans: Plans) -> Self {
        let batcher = Batcher {
            commands: commands.clone(),
            plans,
        };
        let start = |_| {
            let (sender, queue) = mpsc::channel(MAX_WAITING);
            tokio::spawn(work(batcher.clone(), queue));
            sender
        };
        let queues: Vec<_> = (0..commands.store().parallel_writers())
            .map(start)
            .collect();
        watch(&queues);
        Self { batcher, queues }
    }

    /// Queues a request and waits for the outcome. Fails at once if too many wait.
    pub(super) async fn register(&self, request: Request) -> Result<Placed, Error> {
        let mut hasher = DefaultHasher::new();
        request.slug.hash(&mut hasher);
        let share = hasher.finish() % (self.queues.len() as u64).max(1);
        let queue = usize::try_from(share)
            .ok()
            .and_then(|share| self.queues.get(share));
        let (reply, answer) = oneshot::channel();
        let command = Command {
            request,
            queued: Instant::now(),
            reply,
        };
        queue
            .ok_or(Error::Busy)?
            .try_send(command)
            .map_err(|_| Error::Busy)?;
        // Without an outcome the batch has panicked, which is logged.
        answer.await.unwrap_or_else(|_| {
            let text = "a batch of registrations was lost";
            Err(Error::Internal(storage::Error::Internal(text.into())))
        })
    }

    /// Decides a request with an idempotency key in a transaction of its own: other registrations must not wait for the call
    /// that holds the key.
    pub(super) async fn register_one<A: Storable>(
        &self,
        by: Invocation<'_, A>,
        request: &Request,
        answer: impl FnOnce(Placed) -> Result<A, Error> + Clone,
    ) -> Result<A, Error> {
        decide::decide_one(&self.batcher, by, request, answer).await
    }

    /// Decides on a list of an organizer's requests in one transaction of its own. `answer` gets the outcome of each, and whether the
    /// organizer's quotas allow all their mails; it refuses the whole list if it fails. A dry run changes nothing.
    pub(super) async fn register_list<A: Storable>(
        &self,
        by: Invocation<'_, A>,
        requests: &[Request],
        is_dry_run: bool,
        answer: impl FnOnce(Vec<Result<Placed, Error>>, Result<(), Error>) -> Result<A, Error> + Clone,
    ) -> Result<A, Error> {
        decide::decide_list(&self.batcher, by, requests, is_dry_run, answer).await
    }
}

async fn work(batcher: Batcher, mut queue: mpsc::Receiver<Command>) {
    // Why the database failed the batch before.
    let mut failed: Option<storage::Error> = None;
    loop {
        let mut batch = Vec::new();
        if queue.recv_many(&mut batch, storage::FULL_BATCH).await == 0 {
            return;
        }
        // The caller has disconnected.
        batch.retain(|command| !command.reply.is_closed());
        if let Some(cause) = &failed {
            batch = refuse_late(batch, cause);
            if batch.is_empty() {
                continue;
            }
        }
        measure(&batch);
        // In a task of its own, so that a panic ends only one batch.
        let batcher = batcher.clone();
        let span = span(&batch);
        let answering = async move { answer(&batcher, batch).await };
        let answered = tokio::spawn(answering.instrument(span)).await;
        failed = answered.unwrap_or_default();
    }
}

/// Has metrics show how many requests wait.
fn watch(queues: &[mpsc::Sender<Command>]) {
    let queues: Vec<_> = queues.iter().map(mpsc::Sender::downgrade).collect();
    metrics::watch(move |all| {
        let waiting = queues.iter().map(|queue| {
            let queue = queue.upgrade()?;
            u32::try_from(queue.max_capacity() - queue.capacity()).ok()
        });
        let waiting: Option<u32> = waiting.sum();
        waiting
            .map(|waiting| all.batch_queue.set([], waiting.into()))
            .is_some()
    });
}

/// The span of a batch, which leads to those of its commands.
fn span(batch: &[Command]) -> Span {
    let span = server::span!(
        "batch",
        otel.kind = "consumer",
        otel.name = "registration batch",
        muster.batch.size = batch.len(),
    );
    if !span.is_none() {
        for command in batch {
            span.follows_from(&command.request.span);
        }
    }
    span
}

fn measure(batch: &[Command]) {
    metrics::measure(|all| {
        let size = u32::try_from(batch.len()).unwrap_or(u32::MAX);
        all.batch_sizes.observe([], size.into());
        for command in batch {
            all.batch_waits
                .observe([], command.queued.elapsed().as_secs_f64());
        }
    });
}

/// Refuses the commands that have waited too long for a batch that failed. Returns the others.
fn refuse_late(batch: Vec<Command>, cause: &storage::Error) -> Vec<Command> {
    let is_late = |command: &Command| command.queued.elapsed() > QUEUE_TIMEOUT;
    let (late, others): (Vec<_>, _) = batch.into_iter().partition(is_late);
    for Command { reply, .. } in late {
        let _ = reply.send(Err(Error::Unavailable(cause.for_another())));
    }
    others
}

/// Answers a batch. Returns why the database failed it, if it did and nothing was changed.
async fn answer(batcher: &Batcher, batch: Vec<Command>) -> Option<storage::Error> {
    let (requests, replies): (Vec<_>, Vec<_>) = batch
        .into_iter()
        .map(|command| (command.request, command.reply))
        .unzip();
    let outcomes = decide_all(batcher, &requests).await;
    // A request's span does not end later than its answer.
    drop(requests);
    let failed = outcomes.iter().find_map(|outcome| match outcome {
        Err(Error::Unavailable(storage::Error::UnknownOutcome(_))) => None,
        Err(Error::Unavailable(cause)) => Some(cause.for_another()),
        _ => None,
    });
    for (reply, outcome) in replies.into_iter().zip(outcomes) {
        // The caller may have disconnected; the attendee gets a mail.
        let _ = reply.send(outcome);
    }
    failed
}

/// Decides a batch in one transaction. If that fails because of one command, each command gets a transaction of its own.
async fn decide_all(batcher: &Batcher, requests: &[Request]) -> Vec<Result<Placed, Error>> {
    if requests.is_empty() {
        return Vec::new();
    }
    match decide::decide(batcher, requests).await {
        Ok(outcomes) => outcomes,
        Err(error) if requests.len() == 1 => vec![Err(error)],
        // All would wait for the same database, or the outcome is unknown.
        Err(Error::Unavailable(cause)) => {
            let each = |_| Err(Error::Unavailable(cause.for_another()));
            requests.iter().map(each).collect()
        }
        Err(error) => {
            tracing::warn!(error = %chain(&error), size = requests.len(), "a batch of registrations failed and is repeated one by one");
            let mut outcomes = Vec::with_capacity(requests.len());
            for request in requests {
                outcomes.push(decide_one(batcher, request).await);
            }
            outcomes
        }
    }
}

async fn decide_one(batcher: &Batcher, request: &Request) -> Result<Placed, Error> {
    let outcomes = decide::decide(batcher, std::slice::from_ref(request)).await?;
    let text = "a registration was not decided on";
    outcomes
        .into_iter()
        .next()
        .unwrap_or_else(|| Err(Error::Internal(storage::Error::Internal(text.into()))))
}
