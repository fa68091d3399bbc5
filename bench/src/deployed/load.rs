//! Clients that repeat one request.

use std::time::{Duration, Instant};

use super::{client::Client, deployment::Deployment, operation::Operation};

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
    pub(super) core_seconds: f64,
    /// The gateway's processor time.
    pub(super) gateway_seconds: f64,
}

impl Outcome {
    pub(super) fn add(&mut self, other: Self) {
        self.took.extend(other.took);
        self.seconds += other.seconds;
        self.core_seconds += other.core_seconds;
        self.gateway_seconds += other.gateway_seconds;
    }

    /// Calls a second.
    pub(super) fn rate(&self) -> f64 {
        self.calls() / self.seconds
    }

    /// Microseconds of each call, of as many seconds for all of them.
    pub(super) fn each(&self, seconds: f64) -> f64 {
        seconds * 1e6 / self.calls()
    }

    fn calls(&self) -> f64 {
        u32::try_from(self.took.len()).map_or(f64::INFINITY, f64::from)
    }
}

/// Has the clients ask, each on a connection of its own.
pub(super) async fn run(
    deployment: &Deployment,
    operation: Operation,
    load: Load,
) -> anyhow::Result<Outcome> {
    let mut clients = Vec::new();
    for _ in 0..load.clients {
        let mut client = deployment.gateway.client().await?;
        for _ in 0..WARM_UP {
            let request = operation.request(&deployment.key, &deployment.event.slug)?;
            client.ask(request).await?;
        }
        clients.push(client);
    }
    let worked = deployment.worked()?;
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
    let now = deployment.worked()?;
    outcome.seconds = started.elapsed().as_secs_f64();
    outcome.core_seconds = now.core - worked.core;
    outcome.gateway_seconds = now.gateway - worked.gateway;
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
