//! Clients that read and write on and on, and the record of what they were answered.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use http::StatusCode;
use serde_json::json;
use tokio::task::JoinSet;

use crate::{
    client::{Answer, Asked, Client},
    system::{Event, System, create, text},
};

/// What a client asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Write,
}

/// A call, and what came of it.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) kind: Kind,
    /// `None` without an answer.
    pub(crate) status: Option<StatusCode>,
    pub(crate) began: Instant,
    pub(crate) took: Duration,
}

impl Call {
    pub(crate) fn is_ok(&self) -> bool {
        self.status.is_some_and(|status| status.is_success())
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
}

/// The next request of a client, and what to note if it is acknowledged.
pub(crate) struct Next {
    kind: Kind,
    asked: Asked,
    /// The number of the account.
    place: usize,
    /// The address of a registration at the account's event.
    guest: Option<String>,
}

impl Next {
    /// A read: by turns an event of the catalogue and the account's own events.
    pub(crate) fn read(target: &Target, number: u64) -> Self {
        let (place, event) = target.event(number / 2);
        let asked = if number.is_multiple_of(2) {
            Asked::get(format!("/api/v1/events/{}", event.slug), None)
        } else {
            Asked::get("/api/v1/me/events?limit=5".to_owned(), Some(&event.key))
        };
        Self {
            kind: Kind::Read,
            asked,
            place,
            guest: None,
        }
    }

    /// A write: one new event for each three registrations.
    pub(crate) fn write(target: &Target) -> Self {
        static WRITES: AtomicU64 = AtomicU64::new(0);
        let number = WRITES.fetch_add(1, Ordering::Relaxed);
        let (place, event) = target.event(number / 4);
        let kind = Kind::Write;
        if number.is_multiple_of(4) {
            return Self {
                kind,
                asked: create(&event.key, false),
                place,
                guest: None,
            };
        }
        let email = format!("guest-{number}@example.org");
        let body = json!({"name": format!("Guest {number}"), "email": email});
        let path = format!("/api/v1/events/{}/registrations", event.slug);
        Self {
            kind,
            asked: Asked::post(path, None, &body),
            place,
            guest: Some(email),
        }
    }

    /// Asks, and records what came of it.
    pub(crate) async fn ask(self, client: &mut Client, record: &mut Record) -> anyhow::Result<()> {
        let began = Instant::now();
        let answer = client.ask(&self.asked).await;
        self.note(began, &answer, record)
    }

    fn note(self, began: Instant, answer: &Answer, record: &mut Record) -> anyhow::Result<()> {
        record.calls.push(Call {
            kind: self.kind,
            status: answer.status,
            began,
            took: answer.took,
        });
        let is_refused = answer.status.is_none_or(|status| status.is_server_error());
        if is_refused {
            return Ok(());
        }
        let answered = answer.json()?;
        match (self.kind, self.guest) {
            (Kind::Write, Some(guest)) => record.registered.push((self.place, guest)),
            (Kind::Write, None) => record.created.push((self.place, text(&answered, "id")?)),
            (Kind::Read, _) => {}
        }
        Ok(())
    }
}

/// What clients must know of a system.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) address: std::net::SocketAddr,
    events: Vec<Event>,
}

impl Target {
    pub(crate) fn of(system: &System) -> Arc<Self> {
        Arc::new(Self {
            address: system.address,
            events: system.events.clone(),
        })
    }

    /// The event and the account of the call with this number.
    fn event(&self, number: u64) -> (usize, &Event) {
        let place = usize::try_from(number).unwrap_or_default() % self.events.len();
        (place, &self.events[place])
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
        for kind in readers.chain(std::iter::repeat_n(Kind::Write, shape.writers)) {
            let (target, stop) = (Arc::clone(target), Arc::clone(&stop));
            clients.spawn(work(target, kind, shape.pause, stop));
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
    kind: Kind,
    pause: Duration,
    stop: Arc<AtomicBool>,
) -> anyhow::Result<Record> {
    let mut client = Client::new(target.address);
    let mut record = Record::default();
    let mut number = 0;
    while !stop.load(Ordering::Relaxed) {
        let next = match kind {
            Kind::Read => Next::read(&target, number),
            Kind::Write => Next::write(&target),
        };
        next.ask(&mut client, &mut record).await?;
        number += 1;
        tokio::time::sleep(pause).await;
    }
    Ok(record)
}
