//! The time to repeat an event.

use std::time::{Duration, Instant};

use anyhow::ensure;
use muster_api::v1::{RepeatEventRequest, bindings::RepeatEvent};

use crate::{
    report::{Figure, Row},
    run::{Run, Size},
    system::System,
};

/// The most dates of one call.
const DATES: Size<i32> = Size { full: 52, quick: 4 };

/// Repetitions on each engine; the median counts.
const ROUNDS: Size<usize> = Size { full: 9, quick: 1 };

const AIM: Figure = Figure::seconds(0.1);

/// Measures repeating an event: events, their counters, audit entries and jobs, committed.
pub(crate) async fn measure(run: &Run) -> anyhow::Result<()> {
    let dates = run.of(DATES);
    for (engine, server) in run.engines() {
        let system = System::start(server).await?;
        let mut times: Vec<Duration> = Vec::new();
        for _ in 0..run.of(ROUNDS) {
            let event = system.publish(100).await?;
            let request = RepeatEventRequest {
                id: event.id,
                every: Some("week".to_owned()),
                count: Some(dates),
                is_public: Some(true),
                ..RepeatEventRequest::default()
            };
            let started = Instant::now();
            let repeated = system.call::<RepeatEvent>(request).await?;
            times.push(started.elapsed());
            ensure!(repeated.items.len() == usize::try_from(dates)?);
        }
        times.sort();
        let median = times[times.len() / 2];
        let row = Row::new(
            "repeating an event on 52 dates",
            engine,
            Figure::from(median),
        );
        run.add(row.note("the median of 9").at_most(AIM));
    }
    Ok(())
}
