//! Registrations are decided in batches, which share a transaction (docs/adr/0007-seats-by-group-commit.md): what waits while one batch commits is the
//! next batch, so that a hot event costs one lock and one commit for up to 256 people, and an idle one waits for nobody.
//!
//! The lock on the event's counters keeps this right beside other cores and beside everything else that changes seats; that an
//! event's registrations come to one batcher only keeps it fast.

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

/// Commands that wait for one batcher: a second's work or so. More would wait longer than their callers do.
const MOST_WAITING: usize = 4_096;

/// A person to register, and the caller that waits for the outcome.
struct Command {
    request: Request,
    reply: oneshot::Sender<Result<Placed, Error>>,
}

/// What batches are decided with.
#[derive(Debug, Clone)]
struct Batcher {
    commands: Commands,
    /// Where mails to recipients count.
    limiters: Arc<Limiters>,
}

/// The queues of the batchers, each of which has its own share of the events.
#[derive(Debug)]
pub(in crate::service) struct Batchers {
    batcher: Batcher,
    queues: Vec<mpsc::Sender<Command>>,
}

impl Batchers {
    /// Starts as many batchers as transactions are worth running side by side. They end with the queues.
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

    /// Has somebody registered, or says at once that too many wait.
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
        // Without an answer the batch has panicked, which its own log line tells of.
        answer.await.unwrap_or_else(|_| {
            let text = "a batch of registrations was lost";
            Err(Error::Internal(storage::Error::Internal(text.into())))
        })
    }

    /// Has somebody registered by a call with an idempotency key, in a transaction of its own: other people's registrations
    /// must not wait for whoever holds that key.
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
        // A request whose caller has disconnected need not be decided any more.
        batch.retain(|command| !command.reply.is_closed());
        // In a task of its own, so that a panic is one batch's and not everybody's.
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
        // Nobody is left to tell when the caller has gone away; the mail tells the attendee.
        let _ = reply.send(outcome);
    }
}

/// Decides a batch in one transaction, or each of its commands in one of its own when that fails because of one of them.
async fn decide_all(batcher: &Batcher, requests: &[Request]) -> Vec<Result<Placed, Error>> {
    if requests.is_empty() {
        return Vec::new();
    }
    match decide::decide(batcher, requests).await {
        Ok(outcomes) => outcomes,
        // All would wait for the same database, or nobody knows whether they are registered.
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
            tracing::warn!(%error, size = requests.len(), "a batch of registrations failed and is tried one by one");
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
