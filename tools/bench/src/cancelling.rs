//! The time to cancel an event with many registrants.

use std::time::{Duration, Instant};

use anyhow::ensure;
use muster_api::v1::{CancelRequest, bindings::CancelEvent};

use crate::{
    report::{Figure, Row},
    run::{Run, Size},
    system::System,
};

/// The most that an event can seat.
const GUESTS: Size<i32> = Size {
    full: 10_000,
    quick: 100,
};

/// Cancellations of each engine; the slowest counts.
const ROUNDS: Size<usize> = Size { full: 3, quick: 1 };

const AIM: Figure = Figure::seconds(0.5);

/// Measures cancelling an event: the event, its audit entry and the mails' jobs, committed.
pub(crate) async fn measure(run: &Run) -> anyhow::Result<()> {
    let guests = run.of(GUESTS);
    for (engine, server) in run.engines() {
        let system = System::start(server).await?;
        let mut slowest = Duration::ZERO;
        for _ in 0..run.of(ROUNDS) {
            let event = system.publish(guests).await?;
            let slug = event.slug.clone();
            let crowd = usize::try_from(guests)?;
            system.register_all(crowd, move |_| slug.clone()).await?;
            let request = CancelRequest {
                id: event.id,
                scope: None,
                reason: Some("The venue is flooded.".to_owned()),
            };
            let started = Instant::now();
            let cancelled = system.call::<CancelEvent>(request).await?;
            slowest = slowest.max(started.elapsed());
            ensure!(cancelled.registrants_notified == guests);
        }
        let row = Row::new(
            "cancelling with 10,000 registrants",
            engine,
            Figure::from(slowest),
        );
        run.add(row.note("the slowest of 3").at_most(AIM));
    }
    Ok(())
}
