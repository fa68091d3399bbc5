//! Registrations a second.

use std::time::Duration;

use anyhow::ensure;
use muster_api::v1::{GetMyEventRequest, bindings::GetMyEvent};
use test_postgres::Server;

use crate::{
    pgbench,
    report::{Figure, Row},
    run::{Engine, Run, Size},
    system::{System, in_crowd, in_crowd_of},
};

/// Guests of each measurement: a few seconds' worth.
const GUESTS: Size<u32> = Size {
    full: 30_000,
    quick: 300,
};

/// Seats of the hot event: the most that there may be, so that a part of the guests waits.
const SEATS: Size<i32> = Size {
    full: 10_000,
    quick: 100,
};

/// Events that the crowd spreads over.
const EVENTS: Size<usize> = Size {
    full: 1_000,
    quick: 10,
};

/// How many of these events are made at a time.
const MAKERS: usize = 8;

/// Guests who come before the clock runs, so that connections and plans are there.
const WARM_UP: Size<usize> = Size {
    full: 2_000,
    quick: 50,
};

/// How many people one registration may be for at most.
const MAX_PARTY: i32 = 10;

/// Measurements of events with and without parties, one after the other; the fastest of each counts.
const ROUNDS: Size<u32> = Size { full: 3, quick: 1 };

/// How many times the registrations without parties those with them are at least.
const PARTIES_AIM: f64 = 0.97;

/// How many times pgbench's updates of one row a hot event takes at least.
const fn aim(server: Option<&Server>) -> f64 {
    match server {
        Some(_) => 5.0,
        None => 8.0,
    }
}

/// Measures a hot event and many events on each engine. Each registration is a row with its audit entry and its mail's job, and the
/// event's counters. PostgreSQL's own figure is taken before and after, and the better one counts.
pub(crate) async fn measure(run: &Run) -> anyhow::Result<()> {
    let before = updates(run, "before")?;
    let mut rows = Vec::new();
    for (engine, server) in run.engines() {
        let row = |measure, took| Row::new(measure, engine, rate(run, took));
        let hot = row("registrations, one hot event", hot(run, server, 1).await?);
        rows.push(hot.at_least_times(aim(server)));
        let spread = spread(run, server).await?;
        rows.push(row("registrations, over 1,000 events", spread));
    }
    let after = updates(run, "after")?;
    let updates = before.into_iter().chain(after).reduce(f64::max);
    for row in rows {
        run.add(row.beside(
            "pgbench's updates of one row",
            updates.map(Figure::per_second),
        ));
    }
    for engine in run.engines() {
        run.add(parties(run, engine).await?);
    }
    Ok(())
}

fn rate(run: &Run, took: Duration) -> Figure {
    Figure::per_second(f64::from(run.of(GUESTS)) / took.as_secs_f64())
}

/// One person at a time registers for an event that takes parties, beside one that takes none.
async fn parties(run: &Run, (engine, server): Engine<'_>) -> anyhow::Result<Row> {
    let (mut without, mut with) = (Duration::MAX, Duration::MAX);
    for _ in 0..run.of(ROUNDS) {
        without = without.min(hot(run, server, 1).await?);
        with = with.min(hot(run, server, MAX_PARTY).await?);
    }
    let measure = "registrations, one hot event, max_party 10";
    let row = Row::new(measure, engine, rate(run, with));
    let row = row.beside("max_party 1", rate(run, without));
    Ok(row.at_least_times(PARTIES_AIM))
}

/// What PostgreSQL itself does in a second; `None` without it.
fn updates(run: &Run, name: &str) -> anyhow::Result<Option<f64>> {
    let server = run.postgres.as_ref();
    let updates = server.map(|server| pgbench::single_row_updates(run, server, name));
    updates.transpose()
}

async fn hot(run: &Run, server: Option<&Server>, max_party: i32) -> anyhow::Result<Duration> {
    let (guests, seats) = (run.of(GUESTS), run.of(SEATS));
    let system = System::start(server).await?;
    let warm = system.publish_for_parties(seats, max_party).await?.slug;
    let warm_up = run.of(WARM_UP);
    system.register_all(warm_up, move |_| warm.clone()).await?;
    let event = system.publish_for_parties(seats, max_party).await?;
    let slug = event.slug.clone();
    let took = system
        .register_all(usize::try_from(guests)?, move |_| slug.clone())
        .await?;
    let event = system
        .call::<GetMyEvent>(GetMyEventRequest { id: event.id })
        .await?;
    ensure!(event.registrations_confirmed == seats, "{event:?}");
    ensure!(event.registrations_total == i32::try_from(guests)?);
    Ok(took)
}

async fn spread(run: &Run, server: Option<&Server>) -> anyhow::Result<Duration> {
    let (guests, seats) = (usize::try_from(run.of(GUESTS))?, run.of(SEATS));
    let (events, warm_up) = (run.of(EVENTS), run.of(WARM_UP));
    let system = System::start(server).await?;
    let slugs = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let (owner, published) = (system.clone(), slugs.clone());
    in_crowd_of(MAKERS, events, move |_| {
        let (owner, published) = (owner.clone(), published.clone());
        async move {
            let event = owner.publish(seats).await?;
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
        .register_all(warm_up, move |guest| warm[guest % events].clone())
        .await?;
    // Other guests than those of the warm-up.
    in_crowd(guests, move |guest| {
        let (system, slug) = (system.clone(), slugs[guest % events].clone());
        async move { system.register(&slug, warm_up + guest).await }
    })
    .await
}
