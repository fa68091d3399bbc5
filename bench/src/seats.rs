//! Registrations a second.

use std::time::Duration;

use anyhow::ensure;
use muster_api::v1::{GetMyEventRequest, bindings::GetMyEvent};
use test_postgres::Server;

use crate::{
    pgbench,
    report::Report,
    system::{System, engines, in_crowd, in_crowd_of},
};

/// Guests of each measurement: a few seconds' worth.
const GUESTS: u32 = 30_000;

/// Seats of the hot event: the most that there may be, so that a part of the guests waits.
const SEATS: i32 = 10_000;

/// Events that the crowd spreads over.
const EVENTS: usize = 1_000;

/// Who makes these events at a time. They belong to one account, so that they are made one by one anyway.
const MAKERS: usize = 8;

/// Guests who come before the clock runs, so that connections and plans are there.
const WARM_UP: usize = 2_000;

/// Measures a hot event and many events on each engine. Each registration is a row with its audit entry and its mail's job, and the
/// event's counters. PostgreSQL's own figure is taken before and after, and the better one counts.
pub(crate) async fn measure(postgres: Option<&Server>, report: &mut Report) -> anyhow::Result<()> {
    let before = baseline(postgres, "before")?;
    let mut figures = Vec::new();
    for (engine, server) in engines(postgres) {
        figures.push(("registrations, one hot event", engine, hot(server).await?));
        let spread = spread(server).await?;
        figures.push(("registrations, over 1,000 events", engine, spread));
    }
    let baseline = before.max(baseline(postgres, "after")?);
    for (measure, engine, took) in figures {
        let rate = f64::from(GUESTS) / took.as_secs_f64();
        let compared = if baseline > 0.0 {
            format!("{:.1} × pgbench's {baseline:.0} updates/s", rate / baseline)
        } else {
            "no PostgreSQL here".to_owned()
        };
        report.add(measure, engine, format!("{rate:.0}/s"), compared);
    }
    Ok(())
}

fn baseline(postgres: Option<&Server>, name: &str) -> anyhow::Result<f64> {
    postgres.map_or(Ok(0.0), |server| pgbench::single_row_updates(server, name))
}

async fn hot(server: Option<&Server>) -> anyhow::Result<Duration> {
    let system = System::start(server).await?;
    let warm = system.publish(SEATS).await?.slug;
    system.register_all(WARM_UP, move |_| warm.clone()).await?;
    let event = system.publish(SEATS).await?;
    let slug = event.slug.clone();
    let took = system
        .register_all(GUESTS as usize, move |_| slug.clone())
        .await?;
    let event = system
        .call::<GetMyEvent>(GetMyEventRequest { id: event.id })
        .await?;
    ensure!(event.registrations_confirmed == SEATS, "{event:?}");
    ensure!(event.registrations_total == i32::try_from(GUESTS)?);
    Ok(took)
}

async fn spread(server: Option<&Server>) -> anyhow::Result<Duration> {
    let system = System::start(server).await?;
    let slugs = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let (owner, published) = (system.clone(), slugs.clone());
    in_crowd_of(MAKERS, EVENTS, move |_| {
        let (owner, published) = (owner.clone(), published.clone());
        async move {
            let event = owner.publish(SEATS).await?;
            published
                .lock()
                .expect("nothing panics while it holds the lock")
                .push(event.slug);
            Ok(())
        }
    })
    .await?;
    let slugs = slugs
        .lock()
        .expect("nothing panics while it holds the lock")
        .clone();
    let warm = slugs.clone();
    system
        .register_all(WARM_UP, move |guest| warm[guest % EVENTS].clone())
        .await?;
    // Other guests than those of the warm-up.
    in_crowd(GUESTS as usize, move |guest| {
        let (system, slug) = (system.clone(), slugs[guest % EVENTS].clone());
        async move { system.register(&slug, WARM_UP + guest).await }
    })
    .await
}
