//! Registrations are decided in batches, which share a transaction (docs/adr/0007-seats-by-group-commit.md). The requests that
//! wait while one batch commits are the next batch. So a hot event costs one lock and one commit for up to 256 people, and a
//! single request does not wait.
//!
//! The lock on the event's counters makes this correct beside other cores and other changes of seats. That all registrations of
//! an event go to one batcher only makes it fast.

mod decide;

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use tokio::sync::{mpsc, oneshot};

pub(super) use self::decide::{Placed, Request};
use crate::{
    service::{By, Commands, Error, Keepable, limits::Limiters},
    storage,
};

/// Maximum number of commands that wait for one batcher: about a second's work. More would wait longer than their callers.
const MOST_WAITING: usize = 4_096;

/// A request, and the caller that waits for the outcome.
struct Command {
    request: Request,
    reply: oneshot::Sender<Result<Placed, Error>>,
}

/// The dependencies of a batch.
#[derive(Debug, Clone)]
struct Batcher {
    commands: Commands,
    /// The limiters that count mails to recipients.
    limiters: Arc<Limiters>,
}

/// The queues of the batchers. Each has its own share of the events.
#[derive(Debug)]
pub(in crate::service) struct Batchers {
    batcher: Batcher,
    queues: Vec<mpsc::Sender<Command>>,
}

impl Batchers {
    /// Starts as many batchers as concurrent transactions are useful. They end with the queues.
    pub(in crate::service) fn start(commands: &Commands, limiters: &Arc<Limiters>) -> Self {
        let batcher = Batcher {
            commands: commands.clone(),
            limiters: Arc::clone(limiters),
        };
        let start = |_| {
            let (sender, queue) = mpsc::channel(MOST_WAITING);
            tokio::spawn(work(batcher.clone(), queue));
            sender
        };
        Self {
            queues: (0..commands.store().parallel_writers())
                .map(start)
                .collect(),
            batcher,
        }
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
        let command = Command { request, reply };
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
    pub(super) async fn register_alone<A: Keepable>(
        &self,
        by: By<'_, A>,
        request: &Request,
        answer: impl FnOnce(Placed) -> Result<A, Error>,
    ) -> Result<A, Error> {
        decide::decide_alone(&self.batcher, by, request, answer).await
    }
}

async fn work(batcher: Batcher, mut queue: mpsc::Receiver<Command>) {
    loop {
        let mut batch = Vec::new();
        if queue.recv_many(&mut batch, storage::FULL_BATCH).await == 0 {
            return;
        }
        // The caller has disconnected.
        batch.retain(|command| !command.reply.is_closed());
        // In a task of its own, so that a panic ends only one batch.
        let batcher = batcher.clone();
        let _ = tokio::spawn(async move { answer(&batcher, batch).await }).await;
    }
}

async fn answer(batcher: &Batcher, batch: Vec<Command>) {
    let (requests, replies): (Vec<_>, Vec<_>) = batch
        .into_iter()
        .map(|command| (command.request, command.reply))
        .unzip();
    let outcomes = decide_all(batcher, &requests).await;
    for (reply, outcome) in replies.into_iter().zip(outcomes) {
        // The caller may have disconnected; the attendee gets a mail.
        let _ = reply.send(outcome);
    }
}

/// Decides a batch in one transaction. If that fails because of one command, each command gets a transaction of its own.
async fn decide_all(batcher: &Batcher, requests: &[Request]) -> Vec<Result<Placed, Error>> {
    if requests.is_empty() {
        return Vec::new();
    }
    match decide::decide(batcher, requests).await {
        Ok(outcomes) => outcomes,
        // All would wait for the same database, or the outcome is unknown.
        Err(Error::Unavailable(storage::Error::Unavailable(text))) => {
            let each = |_| Err(storage::Error::Unavailable(text.clone()).into());
            requests.iter().map(each).collect()
        }
        Err(Error::Unavailable(storage::Error::UnknownOutcome(text))) => {
            let each = |_| Err(storage::Error::UnknownOutcome(text.clone()).into());
            requests.iter().map(each).collect()
        }
        Err(error) if requests.len() == 1 => vec![Err(error)],
        Err(error) => {
            tracing::warn!(%error, size = requests.len(), "a batch of registrations failed and is repeated one by one");
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
