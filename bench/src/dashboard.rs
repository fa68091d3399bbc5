//! How long the pages of the dashboard take: `core-service` and `website` as processes of their own, an account with many events, one of
//! them with many registrations, and its owner, who is signed in.

mod owner;
mod paths;

use std::time::Duration;

use anyhow::ensure;
use http::StatusCode;
use test_postgres::Server;
use tokio::task::JoinSet;

use self::{owner::Owner, paths::Example};
use crate::{
    deployed::{Deployment, Operation, Surface, Transport, Turn, ask, build, milliseconds},
    latency::percentile,
    report::{Report, Table},
    settled,
    system::engines,
};

/// What the account has.
const EVENTS: usize = 1_000;
const REGISTRATIONS: usize = 10_000;

/// Guests who register at the same time.
const GUESTS: usize = 50;

const TURN: Turn = Turn {
    warm_up: 5,
    times: 20,
    time: Duration::ZERO,
};

const HEADER: [&str; 8] = [
    "page",
    "engine",
    "median",
    "slowest of 20",
    "website, each",
    "core, each",
    "bytes, compressed",
    "aim",
];

/// Measures each page, one request after the other.
pub(crate) async fn measure(postgres: Option<&Server>, report: &mut Report) -> anyhow::Result<()> {
    let programs = build()?;
    let mut table = Table::new(HEADER);
    for (engine, server) in engines(postgres) {
        let deployment = Deployment::start(&programs, server, Transport::Tcp, EVENTS).await?;
        register(&deployment).await?;
        settled::rest(&deployment.core).await?;
        settled::vacuum(deployment.database_url(), server).await?;
        let site = deployment.surface(&programs, "website").await?;
        let owner = Owner::sign_in(&programs, &deployment, &site).await?;
        for example in paths::examples(&deployment, &site, &owner).await? {
            table.add(one(&deployment, &site, &owner, engine, &example).await?);
        }
    }
    report.add_table(table);
    Ok(())
}

async fn one(
    deployment: &Deployment,
    site: &Surface,
    owner: &Owner,
    engine: &str,
    example: &Example,
) -> anyhow::Result<[String; 8]> {
    let Example { name, path } = example;
    let asked = ask(site, &deployment.core, TURN, || owner.reads(path)).await?;
    let answer = &asked.last;
    let leads_on = answer.status == StatusCode::SEE_OTHER;
    ensure!(leads_on || answer.status.is_success(), "{path}: {answer:?}");
    let aim = match () {
        () if leads_on => "leads to another page",
        () if name.contains(".csv") || name.contains(".zip") => "a download of all of them",
        () => "below 10 ms",
    };
    Ok([
        format!("GET {name}"),
        engine.to_owned(),
        milliseconds(percentile(&asked.took, 50)),
        milliseconds(percentile(&asked.took, 99)),
        milliseconds(asked.in_surface()),
        milliseconds(asked.in_core()),
        answer.body.len().to_string(),
        aim.to_owned(),
    ])
}

/// Has guests register for the deployment's event.
async fn register(deployment: &Deployment) -> anyhow::Result<()> {
    let mut guests = JoinSet::new();
    for _ in 0..GUESTS {
        let mut client = deployment.gateway.client().await?;
        let (key, slug) = (deployment.key.clone(), deployment.event.slug.clone());
        guests.spawn(async move {
            for _ in 0..REGISTRATIONS / GUESTS {
                client
                    .ask(Operation::Register.request(&key, &slug)?)
                    .await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(registered) = guests.join_next().await {
        registered??;
    }
    Ok(())
}
