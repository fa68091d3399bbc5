//! The time to import a list of people.

use std::time::{Duration, Instant};

use anyhow::ensure;
use muster_api::{
    http_body::HttpBody,
    v1::{ImportRegistrationsRequest, bindings::ImportRegistrations},
};

use crate::{
    report::{Figure, Row},
    run::{Run, Size},
    system::System,
};

/// The longest list.
const PEOPLE: Size<i32> = Size {
    full: 10_000,
    quick: 100,
};

/// Lists of each engine; the slowest counts.
const ROUNDS: Size<usize> = Size { full: 3, quick: 1 };

const AIM: Figure = Figure::seconds(5.0);

/// Measures importing a list: the registrations, their audit entries and their mails' jobs, committed.
pub(crate) async fn measure(run: &Run) -> anyhow::Result<()> {
    let people = run.of(PEOPLE);
    let lines = (0..people).map(|one| format!("Guest {one},guest-{one}@example.org\n"));
    let list = format!("Name,Email\n{}", lines.collect::<String>());
    for (engine, server) in run.engines() {
        let system = System::start(server).await?;
        let mut slowest = Duration::ZERO;
        for _ in 0..run.of(ROUNDS) {
            let event = system.publish(people).await?;
            let request = ImportRegistrationsRequest {
                id: event.id,
                file: Some(HttpBody {
                    content_type: "text/csv".to_owned(),
                    data: list.clone().into(),
                }),
                ..ImportRegistrationsRequest::default()
            };
            let started = Instant::now();
            let imported = system.call::<ImportRegistrations>(request).await?;
            slowest = slowest.max(started.elapsed());
            ensure!(imported.added == people);
        }
        let row = Row::new("importing 10,000 lines", engine, Figure::from(slowest));
        run.add(row.note("the slowest of 3").at_most(AIM));
    }
    Ok(())
}
