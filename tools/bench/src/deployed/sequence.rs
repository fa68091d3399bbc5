//! One client that repeats one request.

use std::time::{Duration, Instant};

use anyhow::ensure;
use bytes::Bytes;
use http::Request;
use http_body_util::Full;

use super::{client::Answer, running::Running, surface::Surface};
use crate::report::Figure;

/// How often and how long it asks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    /// Requests before the clock runs.
    pub(crate) warm_up: usize,
    /// It stops once it has asked so many times, and for so long.
    pub(crate) times: usize,
    pub(crate) time: Duration,
}

/// What came of it.
pub(crate) struct Sequence {
    /// How long each answer took to begin, and to end.
    pub(crate) first_byte: Vec<Duration>,
    pub(crate) took: Vec<Duration>,
    pub(crate) last: Answer,
    seconds: f64,
    surface_seconds: f64,
    core_seconds: f64,
}

impl Sequence {
    /// Answers a second.
    pub(crate) fn rate(&self) -> Figure {
        Figure::per_second(self.calls() / self.seconds)
    }

    /// The processor time of each answer in the surface.
    pub(crate) fn in_surface(&self) -> Figure {
        Figure::seconds(self.surface_seconds / self.calls())
    }

    /// The processor time of each answer in core.
    pub(crate) fn in_core(&self) -> Figure {
        Figure::seconds(self.core_seconds / self.calls())
    }

    fn calls(&self) -> f64 {
        u32::try_from(self.took.len()).map_or(f64::INFINITY, f64::from)
    }
}

/// Asks a surface in front of this core. It fails if it is refused.
pub(crate) async fn ask(
    surface: &Surface,
    core: &Running,
    turn: Turn,
    request: impl Fn() -> http::Result<Request<Full<Bytes>>>,
) -> anyhow::Result<Sequence> {
    let mut client = surface.client().await?;
    for _ in 0..turn.warm_up {
        client.send(request()?).await?;
    }
    let before = (surface.worked()?, core.worked()?);
    let started = Instant::now();
    let (mut first_byte, mut took) = (Vec::new(), Vec::new());
    loop {
        let last = client.send(request()?).await?;
        let is_error = last.status.is_client_error() || last.status.is_server_error();
        ensure!(!is_error, "{last:?}");
        first_byte.push(last.first_byte);
        took.push(last.took);
        if took.len() >= turn.times && started.elapsed() >= turn.time {
            return Ok(Sequence {
                first_byte,
                took,
                last,
                seconds: started.elapsed().as_secs_f64(),
                surface_seconds: surface.worked()? - before.0,
                core_seconds: core.worked()? - before.1,
            });
        }
    }
}
