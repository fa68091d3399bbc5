//! One try of a job.

use std::{sync::Arc, time::Duration};

use domain::{instant::Instant, job::ClaimedJob};
use server::{metrics, traces};
use tokio::task::JoinError;
use tracing::{Instrument as _, Span, field::Empty};

use crate::{
    email::Undelivered,
    jobs::{AttemptError, Delivery, Done, Handler},
};

/// A try that has ended.
#[derive(Debug)]
pub(super) struct Try {
    pub(super) job: ClaimedJob,
    pub(super) started: Instant,
    pub(super) outcome: Outcome,
    /// The mail to a registrant that was not handed over, and what the server said.
    pub(super) unsent: Option<Unsent>,
}

impl Try {
    /// One that did not begin before others were to be done first.
    pub(super) const fn not_begun(job: ClaimedJob, now: Instant) -> Self {
        Self {
            job,
            started: now,
            outcome: Outcome::NotBegun,
            unsent: None,
        }
    }
}

/// A mail to a registrant that was not handed over.
#[derive(Debug)]
pub(super) struct Unsent {
    pub(super) delivery: Box<Delivery>,
    pub(super) why: Undelivered,
}

/// The outcome of a try.
#[derive(Debug)]
pub(super) enum Outcome {
    /// It is done.
    Done(Done),
    /// It is tried again later, unless this was the last try.
    Retry(String),
    /// It is tried again after this time, and this try does not count.
    Wait(Duration, String),
    /// Its destination does not work: it is tried again, and this try does not count.
    Unreachable(String),
    /// Its destination has too much to do, or does not work. What becomes of the job is recorded already.
    Slowed(Option<Duration>, String),
    /// It failed, and is not tried again.
    Failed(String),
    /// It waits until it is released, and this try does not count.
    Held,
    /// It was withdrawn while it ran, and is recorded already.
    Withdrawn,
    /// It did not begin, so it is tried again and does not count.
    NotBegun,
}

impl Outcome {
    const fn is_no_failure(&self) -> bool {
        matches!(
            self,
            Self::Done(_) | Self::Wait(..) | Self::Held | Self::Withdrawn | Self::NotBegun
        )
    }

    /// Its name in metrics.
    const fn name(&self) -> &'static str {
        match self {
            Self::Done(_) => "done",
            Self::Retry(_) => "retry",
            Self::Wait(..) => "wait",
            Self::Unreachable(_) => "unreachable",
            Self::Slowed(..) => "slowed",
            Self::Failed(_) => "failed",
            Self::Held => "held",
            Self::Withdrawn => "withdrawn",
            Self::NotBegun => "not_begun",
        }
    }
}

/// The span of a try. It leads back to what made the job. The first try is also part of that trace, unless it has many: later ones may come
/// a day afterwards.
fn span(job: &ClaimedJob) -> Span {
    let span = server::span!(
        "job",
        otel.kind = "consumer",
        otel.name = job.key.kind.name(),
        otel.status_code = Empty,
        muster.job.kind = job.key.kind.name(),
        muster.job.attempt = job.attempt,
        muster.job.outcome = Empty,
    );
    match &job.trace_parent {
        Some(made_by) => {
            let is_part = job.attempt == 1 && job.key.kind.is_of_one_command();
            traces::made(span, made_by, is_part)
        }
        None => span,
    }
}

/// Runs one try. The handler has a task of its own, so that a panic ends only this try.
pub(super) async fn attempt(
    handler: Arc<dyn Handler>,
    job: ClaimedJob,
    started: Instant,
    limit: Duration,
) -> Try {
    let began = metrics::now();
    let span = span(&job);
    let tried = tokio::spawn({
        let job = job.clone();
        let tried = async move { tokio::time::timeout(limit, handler.handle(&job)).await };
        tried.instrument(span.clone())
    });
    let mut unsent = None;
    let outcome = match tried.await {
        Ok(Ok(Ok(done))) => Outcome::Done(done),
        Ok(Ok(Err(error))) => {
            if let AttemptError::Unsent(delivery, why) = &error {
                let (delivery, why) = (delivery.clone(), why.clone());
                unsent = Some(Unsent { delivery, why });
            }
            Outcome::from(error)
        }
        Ok(Err(_)) => Outcome::Retry(format!("took longer than {} s", limit.as_secs())),
        // A panic would most likely happen again with the same job, so the job fails.
        Err(error) => Outcome::Failed(panic_text(error)),
    };
    if !span.is_none() {
        span.record("muster.job.outcome", outcome.name());
        if !outcome.is_no_failure() {
            span.record("otel.status_code", "ERROR");
        }
    }
    metrics::since(began, |all, seconds| {
        let labels = [job.key.kind.name().into(), outcome.name().into()];
        all.job_tries.observe(labels, seconds);
    });
    Try {
        job,
        started,
        outcome,
        unsent,
    }
}

impl From<AttemptError> for Outcome {
    fn from(error: AttemptError) -> Self {
        match error {
            AttemptError::Early(wait, text) => Self::Wait(wait, text),
            AttemptError::Temporary(text) => Self::Retry(text),
            AttemptError::Unreachable(text) => Self::Unreachable(text),
            AttemptError::Slowed(wait, text) => Self::Slowed(wait, text),
            AttemptError::Permanent(text) => Self::Failed(text),
            AttemptError::Held => Self::Held,
            AttemptError::Withdrawn => Self::Withdrawn,
            AttemptError::Unsent(_, why) => Self::from(AttemptError::from(why)),
        }
    }
}

fn panic_text(error: JoinError) -> String {
    let Ok(panic) = error.try_into_panic() else {
        return "cancelled".to_owned();
    };
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("panicked: {}", text.unwrap_or("without a text"))
}
