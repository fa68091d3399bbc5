//! Clients that repeat one request.

use std::time::{Duration, Instant};

use super::{client::Client, deployment::Deployment, operation::Operation, surface::Surface};
use crate::report::Figure;

/// Calls of each client before its clock runs, so that connections, plans and caches are there.
const WARM_UP: usize = 10;

/// How many clients ask, for how long.
#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    clients: usize,
    time: Duration,
}

impl Load {
    pub(super) const fn new(clients: usize, time: Duration) -> Self {
        Self { clients, time }
    }
}

/// What came of it.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// How long each call took.
    pub(super) took: Vec<Duration>,
    seconds: f64,
    /// Core's processor time.
    core_seconds: f64,
    /// The processor time of the gateway, or of what is in its place.
    gateway_seconds: f64,
}

impl Outcome {
    pub(super) fn add(&mut self, other: Self) {
        self.took.extend(other.took);
        self.seconds += other.seconds;
        self.core_seconds += other.core_seconds;
        self.gateway_seconds += other.gateway_seconds;
    }

    /// Calls a second.
    pub(super) fn rate(&self) -> Figure {
        Figure::per_second(self.calls() / self.seconds)
    }

    /// The processor time of each call in core.
    pub(super) fn core(&self) -> Figure {
        Figure::seconds(self.core_seconds / self.calls())
    }

    /// The processor time of each call in the gateway.
    pub(super) fn gateway(&self) -> Figure {
        Figure::seconds(self.gateway_seconds / self.calls())
    }

    /// The processor time of each call in both.
    pub(super) fn both(&self) -> Figure {
        Figure::seconds((self.core_seconds + self.gateway_seconds) / self.calls())
    }

    fn calls(&self) -> f64 {
        u32::try_from(self.took.len()).map_or(f64::INFINITY, f64::from)
    }
}

/// Has the clients ask the gateway, or what is in its place, each on a connection of its own.
pub(super) async fn run(
    deployment: &Deployment,
    gateway: &Surface,
    operation: Operation,
    load: Load,
) -> anyhow::Result<Outcome> {
    let mut clients = Vec::new();
    for _ in 0..load.clients {
        let mut client = gateway.client().await?;
        for _ in 0..WARM_UP {
            let request = operation.request(&deployment.key, &deployment.event.slug)?;
            client.ask(request).await?;
        }
        clients.push(client);
    }
    let worked = (deployment.core.worked()?, gateway.worked()?);
    let started = Instant::now();
    let until = started + load.time;
    let asking: Vec<_> = clients
        .into_iter()
        .map(|client| {
            let (key, slug) = (deployment.key.clone(), deployment.event.slug.clone());
            tokio::spawn(async move { ask_until(until, client, operation, &key, &slug).await })
        })
        .collect();
    let mut outcome = Outcome::default();
    for client in asking {
        outcome.took.extend(client.await??);
    }
    outcome.seconds = started.elapsed().as_secs_f64();
    outcome.core_seconds = deployment.core.worked()? - worked.0;
    outcome.gateway_seconds = gateway.worked()? - worked.1;
    Ok(outcome)
}

async fn ask_until(
    until: Instant,
    mut client: Client,
    operation: Operation,
    key: &str,
    slug: &str,
) -> anyhow::Result<Vec<Duration>> {
    let mut took = Vec::new();
    loop {
        let request = operation.request(key, slug)?;
        let begun = Instant::now();
        if begun >= until {
            return Ok(took);
        }
        client.ask(request).await?;
        took.push(begun.elapsed());
    }
}
