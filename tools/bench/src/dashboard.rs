//! How long the pages of the dashboard take: `core-service` and `website` as processes of their own, an account with many events, one of
//! them with many registrations, and its owner, who is signed in.

mod owner;
mod paths;

use std::time::Duration;

use anyhow::ensure;
use http::StatusCode;
use tokio::task::JoinSet;

use self::{owner::Owner, paths::Example};
use crate::{
    deployed::{Deployment, Operation, Sequence, Transport, Turn, ask},
    latency::percentile,
    report::{Figure, Row},
    run::{Run, Size},
    settled,
};

/// What the account has.
const EVENTS: Size<usize> = Size {
    full: 1_000,
    quick: 60,
};
const REGISTRATIONS: Size<usize> = Size {
    full: 10_000,
    quick: 200,
};

/// Guests who register at the same time.
const GUESTS: usize = 50;

const TURN: Size<Turn> = Size {
    full: Turn {
        warm_up: 5,
        times: 20,
        time: Duration::ZERO,
    },
    quick: Turn {
        warm_up: 0,
        times: 1,
        time: Duration::ZERO,
    },
};

/// What a page may take; downloads of everything may take longer.
const AIM: Figure = Figure::seconds(0.01);

/// Measures each page, one request after the other.
pub(crate) async fn measure(run: &Run) -> anyhow::Result<()> {
    let programs = run.programs()?;
    for (engine, server) in run.engines() {
        let events = run.of(EVENTS);
        let deployment = Deployment::start(programs, server, Transport::Tcp, events).await?;
        let guests = run.of(REGISTRATIONS);
        register(&deployment, guests).await?;
        settled::rest(&deployment.core).await?;
        settled::vacuum(deployment.database_url(), server).await?;
        let site = deployment.surface(programs, "website").await?;
        let owner = Owner::sign_in(programs, &deployment, &site).await?;
        for Example { name, path } in paths::examples(&deployment, &site, &owner, guests).await? {
            let turn = run.of(TURN);
            let asked = ask(&site, &deployment.core, turn, || owner.reads(&path)).await?;
            run.add(row(engine, &name, &asked)?);
        }
    }
    Ok(())
}

fn row(engine: &str, name: &str, asked: &Sequence) -> anyhow::Result<Row> {
    let answer = &asked.last;
    let leads_on = answer.status == StatusCode::SEE_OTHER;
    ensure!(leads_on || answer.status.is_success(), "{name}: {answer:?}");
    let [median, slowest] = [50, 99].map(|share| Figure::from(percentile(&asked.took, share)));
    let (website, core) = (asked.in_surface(), asked.in_core());
    let row = Row::new(format!("GET {name}"), engine, median)
        .note(format!("slowest of 20 {slowest}"))
        .note(format!("processor: website {website}, core {core}"))
        .note(format!("{} bytes", answer.body.len()));
    Ok(match () {
        () if leads_on => row.note("leads to another page"),
        () if name.contains(".csv") || name.contains(".zip") => row.note("a download of all"),
        () => row.at_most(AIM),
    })
}

/// Has guests register for the deployment's event.
async fn register(deployment: &Deployment, registrations: usize) -> anyhow::Result<()> {
    let mut guests = JoinSet::new();
    for _ in 0..GUESTS {
        let mut client = deployment.gateway.client().await?;
        let (key, slug) = (deployment.key.clone(), deployment.event.slug.clone());
        guests.spawn(async move {
            for _ in 0..registrations / GUESTS {
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
