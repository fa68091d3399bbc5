//! Registrations for one hot event, by gRPC over TCP, without the gateway.

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
    let core = Endpoint::from_shared(format!("http://{}", deployment.core_address()?))?;
    let mut lines = Vec::new();
    for _ in 0..CONNECTIONS {
        lines.push(core.connect().await?);
    }
    let (warm_up, guests) = (run.of(WARM_UP), run.of(GUESTS));
    let slug = &deployment.event.slug;
    register(run, &lines, slug, 0, warm_up).await?;
    rest(&deployment.core).await?;
    let before = deployment.core.worked()?;
    let took = register(run, &lines, slug, warm_up, guests).await?;
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

/// Registers guests from a number on; answers how long it took.
async fn register(
    run: &Run,
    lines: &[Channel],
    slug: &str,
    first: usize,
    guests: usize,
) -> anyhow::Result<Duration> {
    let (lines, slug) = (lines.to_vec(), slug.to_owned());
    in_crowd_of(run.of(CLIENTS), guests, move |guest| {
        let line = lines.get(guest % CONNECTIONS).cloned();
        let slug = slug.clone();
        async move { register_one(line.context("a connection")?, slug, first + guest).await }
    })
    .await
}

async fn register_one(line: Channel, slug: String, guest: usize) -> anyhow::Result<()> {
    let mut client = RegistrationServiceClient::new(line);
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
