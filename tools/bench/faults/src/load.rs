//! Clients that read and write on and on, and the record of what they were answered.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use http::StatusCode;
use tokio::task::JoinSet;

use crate::{
    requests::Next,
    target::{Callers, Target},
};

/// What a client asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Write,
}

/// The surface that is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    Api,
    Tools,
    Site,
}

impl Surface {
    /// As the table names it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Api => "API",
            Self::Tools => "tool",
            Self::Site => "site",
        }
    }
}

/// A call, and what came of it.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) kind: Kind,
    pub(crate) surface: Surface,
    pub(crate) is_done: bool,
    /// Whether the first replica failed, whatever the second did.
    pub(crate) failed_at_first: bool,
    /// `None` without an answer.
    pub(crate) status: Option<StatusCode>,
    pub(crate) began: Instant,
    pub(crate) took: Duration,
}

impl Call {
    pub(crate) fn ended(&self) -> Instant {
        self.began + self.took
    }
}

/// What was acknowledged, and how every call went.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(crate) calls: Vec<Call>,
    /// Created events: the number of the account, and the id.
    pub(crate) created: Vec<(usize, String)>,
    /// Registered people: the number of the event, and the address.
    pub(crate) registered: Vec<(usize, String)>,
}

impl Record {
    pub(crate) fn add(&mut self, other: Self) {
        self.calls.extend(other.calls);
        self.created.extend(other.created);
        self.registered.extend(other.registered);
    }

    /// How much was acknowledged.
    pub(crate) fn acknowledged(&self) -> usize {
        self.created.len() + self.registered.len()
    }
}

/// How many clients of each kind there are, and how long each pauses after a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) readers: usize,
    pub(crate) writers: usize,
    pub(crate) pause: Duration,
}

/// Clients at work.
pub(crate) struct Load {
    stop: Arc<AtomicBool>,
    clients: JoinSet<anyhow::Result<Record>>,
}

impl Load {
    pub(crate) fn start(target: &Arc<Target>, shape: Shape) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let mut clients = JoinSet::new();
        let readers = std::iter::repeat_n(Kind::Read, shape.readers);
        let all = readers.chain(std::iter::repeat_n(Kind::Write, shape.writers));
        for (first, kind) in (0..).zip(all) {
            let (target, stop) = (Arc::clone(target), Arc::clone(&stop));
            clients.spawn(work(target, (kind, first), shape.pause, stop));
        }
        Self { stop, clients }
    }

    /// Lets each client finish its call.
    pub(crate) async fn stop(mut self) -> anyhow::Result<Record> {
        self.stop.store(true, Ordering::Relaxed);
        let mut all = Record::default();
        while let Some(record) = self.clients.join_next().await {
            all.add(record??);
        }
        Ok(all)
    }

    /// Stops after a while.
    pub(crate) async fn stop_after(self, time: Duration) -> anyhow::Result<Record> {
        tokio::time::sleep(time).await;
        self.stop().await
    }
}

async fn work(
    target: Arc<Target>,
    (kind, first): (Kind, u64),
    pause: Duration,
    stop: Arc<AtomicBool>,
) -> anyhow::Result<Record> {
    let mut callers = Callers::of(&target);
    let mut record = Record::default();
    let mut number = first;
    while !stop.load(Ordering::Relaxed) {
        let next = match kind {
            Kind::Read => Next::read(&target, number),
            Kind::Write => Next::write(&target),
        };
        next.ask(&mut callers, &mut record).await?;
        number += 1;
        tokio::time::sleep(pause).await;
    }
    Ok(record)
}
