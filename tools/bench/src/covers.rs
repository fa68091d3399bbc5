//! The cost of making a cover of a photograph.

use std::time::{Duration, Instant};

use anyhow::ensure;
use bytes::Bytes;
use muster_api::{
    http_body::HttpBody,
    v1::{PutCoverRequest, bindings::PutCover},
};

use crate::{
    processor,
    report::{Figure, Row},
    run::{Run, Size},
    system::System,
};

/// The photograph: 12 megapixels.
const PIXELS: Size<(u16, u16)> = Size {
    full: (4_000, 3_000),
    quick: (1_200, 900),
};

/// Photographs of each engine: enough to count ticks of 10 ms.
const ROUNDS: Size<u32> = Size { full: 20, quick: 1 };

const AIM: Figure = Figure::seconds(0.25);

/// Measures sending a cover: the photograph is decoded, cropped, encoded and stored. Its time is that of one core, since one is made at a
/// time.
pub(crate) async fn measure(run: &Run) -> anyhow::Result<()> {
    let (width, height) = run.of(PIXELS);
    let photograph = Bytes::from(test_photos::photograph(width, height));
    for (engine, server) in run.engines() {
        let system = System::start(server).await?;
        let event = system.publish(100).await?.id;
        let rounds = run.of(ROUNDS);
        let mut slowest = Duration::ZERO;
        let worked = processor::seconds()?;
        for _ in 0..rounds {
            let request = PutCoverRequest {
                id: event.clone(),
                file: Some(HttpBody {
                    content_type: "image/jpeg".to_owned(),
                    data: photograph.clone(),
                }),
            };
            let started = Instant::now();
            let event = system.call::<PutCover>(request).await?;
            slowest = slowest.max(started.elapsed());
            ensure!(event.has_own_cover);
        }
        let worked = (processor::seconds()? - worked) / f64::from(rounds);
        let row = Row::new(
            "cover of a 12-megapixel JPEG, processor",
            engine,
            Figure::seconds(worked),
        );
        let slowest = Figure::from(slowest);
        let kilobytes = photograph.len() / 1_000;
        let row = row.note(format!("slowest of 20 {slowest}; {kilobytes} kB"));
        run.add(row.at_most(AIM));
    }
    Ok(())
}
