//! Registrations by gRPC over TCP, without the gateway, for one hot event.

use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use muster_api::v1::{
    RegisterAttendeeRequest, registration_service_client::RegistrationServiceClient,
};
use tokio::time::sleep;
use tonic::{
    Code,
    transport::{Channel, Endpoint},
};

use super::deployment::{Deployment, Transport};
use crate::{
    report::{Figure, Row},
    run::{Engine, Run, Size},
    settled::rest,
    system::in_crowd_of,
};

/// Clients at a time. They share connections, of which core takes 100 calls each at a time.
const CLIENTS: Size<usize> = Size {
    full: 512,
    quick: 8,
};
const CONNECTIONS: usize = 8;

/// Guests who come before the clock runs, and while it does: more than there are seats, so that a part of them waits.
const WARM_UP: Size<usize> = Size {
    full: 2_000,
    quick: 10,
};
const GUESTS: Size<usize> = Size {
    full: 30_000,
    quick: 100,
};

/// When a guest whom core refuses, since it has too many calls, comes again, and for how long.
const AGAIN: Duration = Duration::from_millis(50);
const TIMEOUT: Duration = Duration::from_mins(1);

pub(super) async fn measure(run: &Run, (engine, server): Engine<'_>) -> anyhow::Result<()> {
    let deployment = Deployment::start(run.programs()?, server, Transport::Tcp, 1).await?;
    let mut crowd = Crowd::of(&deployment).await?;
    let guests = run.of(GUESTS);
    crowd.register(run, run.of(WARM_UP)).await?;
    rest(&deployment.core).await?;
    let before = deployment.core.worked()?;
    let took = crowd.register(run, guests).await?;
    let meanwhile = deployment.core.worked()?;
    rest(&deployment.core).await?;
    let with_mails = deployment.core.worked()?;
    let calls = f64::from(u32::try_from(guests)?);
    let rate = Figure::per_second(calls / took.as_secs_f64());
    let each = |until: f64| Figure::seconds((until - before) / calls);
    let row = Row::new("registrations, one hot event, gRPC over TCP", engine, rate);
    let row = row.note(format!(
        "core {} of processor meanwhile, {} until all mails are written",
        each(meanwhile),
        each(with_mails)
    ));
    run.add(row);
    Ok(())
}

/// Clients who register guests for the event of a deployment.
pub(crate) struct Crowd {
    connections: Vec<Channel>,
    slug: String,
    /// Guests who have registered so far.
    registered: usize,
}

impl Crowd {
    /// A crowd with connections to core.
    pub(crate) async fn of(deployment: &Deployment) -> anyhow::Result<Self> {
        let core = Endpoint::from_shared(format!("http://{}", deployment.core_address()?))?;
        let mut connections = Vec::new();
        for _ in 0..CONNECTIONS {
            connections.push(core.connect().await?);
        }
        Ok(Self {
            connections,
            slug: deployment.event.slug.clone(),
            registered: 0,
        })
    }

    /// Registers so many more guests; answers how long it took.
    pub(crate) async fn register(&mut self, run: &Run, guests: usize) -> anyhow::Result<Duration> {
        let (connections, slug) = (self.connections.clone(), self.slug.clone());
        let first = self.registered;
        self.registered += guests;
        in_crowd_of(run.of(CLIENTS), guests, move |guest| {
            let connection = connections.get(guest % CONNECTIONS).cloned();
            let slug = slug.clone();
            async move {
                let connection = connection.context("a connection")?;
                register_one(connection, slug, first + guest).await
            }
        })
        .await
    }
}

async fn register_one(connection: Channel, slug: String, guest: usize) -> anyhow::Result<()> {
    let mut client = RegistrationServiceClient::new(connection);
    let request = RegisterAttendeeRequest {
        slug,
        name: Some(format!("Guest {guest}")),
        email: Some(format!("guest-{guest}@example.org")),
        ..RegisterAttendeeRequest::default()
    };
    let until = Instant::now() + TIMEOUT;
    loop {
        match client.register_attendee(request.clone()).await {
            Ok(_) => return Ok(()),
            Err(status) if status.code() == Code::Unavailable && Instant::now() < until => {
                sleep(AGAIN).await;
            }
            Err(status) => bail!("guest {guest} cannot register: {}", status.message()),
        }
    }
}
