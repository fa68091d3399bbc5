//! The time to cancel an event with many registrants.

use std::time::Instant;

use anyhow::ensure;
use muster_api::v1::{CancelRequest, bindings::CancelEvent};
use test_postgres::Server;

use crate::{
    report::Report,
    system::{System, engines},
};

/// The most that an event can seat.
const GUESTS: i32 = 10_000;

/// Cancellations of each engine; the slowest counts.
const ROUNDS: usize = 3;

/// Measures cancelling an event with 10,000 registrants: the event, its audit entry and 10,000 mails' jobs, committed.
pub(crate) async fn measure(postgres: Option<&Server>, report: &mut Report) -> anyhow::Result<()> {
    for (engine, server) in engines(postgres) {
        let system = System::start(server).await?;
        let mut slowest = std::time::Duration::ZERO;
        for _ in 0..ROUNDS {
            let event = system.publish(GUESTS).await?;
            let slug = event.slug.clone();
            let guests = usize::try_from(GUESTS)?;
            system.register_all(guests, move |_| slug.clone()).await?;
            let request = CancelRequest {
                id: event.id,
                reason: Some("The venue is flooded.".to_owned()),
            };
            let started = Instant::now();
            let cancelled = system.call::<CancelEvent>(request).await?;
            slowest = slowest.max(started.elapsed());
            ensure!(cancelled.registrants_notified == GUESTS);
        }
        let figure = format!("{:.0} ms", slowest.as_secs_f64() * 1_000.0);
        let compared = format!("slowest of {ROUNDS}; aim: below 500 ms");
        report.add(
            "cancelling with 10,000 registrants",
            engine,
            figure,
            compared,
        );
    }
    Ok(())
}
