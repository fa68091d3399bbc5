//! One call to one replica, and what its failure says about the replica.

use std::error::Error;

use bytes::Bytes;
use http::uri::PathAndQuery;
use muster_api::status::code_name;
use server::{metrics, traces};
use tokio::time::{Duration, Instant, error::Elapsed, timeout_at};
use tonic::{Code, Status, Streaming, client::Grpc, metadata::MetadataMap};
use tracing::{Instrument as _, Span, field::Empty};

use super::{
    Context,
    context::Identity,
    endpoint::Endpoint,
    rpc::{Encoded, EncodedRequest, RpcMethod},
};

/// The largest answer accepted from core. A page of 200 registrations and a drawn cover are far smaller.
const MAX_ANSWER_BYTES: usize = 16 << 20;

/// A replica that does not answer within this time is considered hung. With less, clients with short deadlines would eject
/// replicas.
const HUNG_TIMEOUT: Duration = Duration::from_secs(1);

/// The precision of deadlines: timers of both sides are rounded to milliseconds.
const TIMER_PRECISION: Duration = Duration::from_millis(2);

/// The beginning of core's answer, its messages encoded.
pub(crate) struct Reply {
    pub(crate) metadata: MetadataMap,
    pub(crate) first: Option<Bytes>,
    pub(crate) rest: Streaming<Bytes>,
}

/// A failed call.
pub(crate) struct CallFailure {
    pub(crate) status: Status,
    pub(crate) kind: FailureKind,
}

impl CallFailure {
    /// Whether core refused the call because it cannot do more.
    pub(crate) fn is_shed(&self) -> bool {
        self.kind == FailureKind::Answered && self.status.code() == Code::Unavailable
    }

    /// The failure of a call to a replica that hangs.
    pub(crate) fn hung() -> Self {
        Self {
            status: Status::deadline_exceeded("core did not answer in time"),
            kind: FailureKind::Hung,
        }
    }
}

/// How far a failed call came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// Core answered with a status.
    Answered,
    /// There was no connection, so core has not seen the call.
    NotSent,
    /// The connection was closing, and core has not seen the call.
    Closing,
    /// The connection broke, so core may have seen it.
    Broken,
    /// There was no answer within a time in which a working replica answers.
    Hung,
    /// There was no answer in time, but the time was short, or core itself reported it.
    Late,
}

/// Calls one replica, up to the first message of the answer. Unary rpcs are called as streams.
pub(crate) async fn attempt(
    endpoint: &Endpoint,
    request: &EncodedRequest,
    context: &Context,
    edge: &Identity,
    deadline: Instant,
) -> Result<Reply, CallFailure> {
    let started = Instant::now();
    let mut grpc =
        Grpc::new(endpoint.transport.clone()).max_decoding_message_size(MAX_ANSWER_BYTES);
    let (method, message) = (request.method, request.message.clone());
    let mut request = context.request(message, method.access, deadline, edge);
    let span = span(&method);
    traces::name_in(&span, request.metadata_mut().as_mut());
    let exchange = async {
        grpc.ready().await?;
        let path = PathAndQuery::from_static(method.path);
        let answer = grpc.server_streaming(request, path, Encoded).await?;
        let (metadata, mut rest, _) = answer.into_parts();
        let first = rest.message().await?;
        Ok(Reply {
            metadata,
            first,
            rest,
        })
    };
    let began = metrics::now();
    let ended = timeout_at(deadline, exchange.instrument(span.clone())).await;
    note_end(&span, code(&ended));
    metrics::since(began, |all, seconds| {
        all.core_calls
            .observe([method.name().into(), code(&ended).into()], seconds);
    });
    let status = match ended {
        Ok(Ok(answer)) => return Ok(answer),
        Ok(Err(status)) => status,
        Err(_elapsed) => Status::deadline_exceeded("core did not answer in time"),
    };
    Err(classify(status, started, deadline))
}

/// The span of a call. Calls that need no permit are probes.
fn span(method: &RpcMethod) -> Span {
    if method.kind.is_none() {
        return Span::none();
    }
    server::span!(
        "call",
        otel.kind = "client",
        otel.name = method.name(),
        otel.status_code = Empty,
        rpc.system.name = "grpc",
        rpc.method = method.name(),
        rpc.response.status_code = Empty,
    )
}

fn note_end(span: &Span, code: &'static str) {
    if span.is_none() {
        return;
    }
    span.record("rpc.response.status_code", code);
    if code != "OK" {
        span.record("otel.status_code", "ERROR");
    }
}

/// The canonical name of the code with which a call ended.
fn code<A>(ended: &Result<Result<A, Status>, Elapsed>) -> &'static str {
    code_name(match ended {
        Ok(Ok(_)) => Code::Ok,
        Ok(Err(status)) => status.code(),
        Err(_) => Code::DeadlineExceeded,
    })
}

fn classify(status: Status, started: Instant, deadline: Instant) -> CallFailure {
    let over = Instant::now() + TIMER_PRECISION >= deadline;
    let late = match status.code() {
        // Core reports a missed deadline itself shortly before it; then it is late, not hung.
        Code::DeadlineExceeded => true,
        // Tonic answers this at a deadline, on both sides.
        Code::Cancelled => over,
        _ => false,
    };
    let kind = if late && over && deadline.saturating_duration_since(started) >= HUNG_TIMEOUT {
        FailureKind::Hung
    } else if late {
        FailureKind::Late
    } else {
        match status.source() {
            None => FailureKind::Answered,
            Some(source) if has_cause::<tonic::ConnectError>(source) => FailureKind::NotSent,
            Some(source) if is_unseen(source) => FailureKind::Closing,
            Some(_) => FailureKind::Broken,
        }
    };
    let status = match kind {
        FailureKind::Answered => status,
        FailureKind::NotSent | FailureKind::Closing | FailureKind::Broken => as_seen(status),
        FailureKind::Hung | FailureKind::Late => {
            Status::deadline_exceeded("core did not answer in time")
        }
    };
    CallFailure { status, kind }
}

/// A status as callers see it: what a broken connection makes of it says nothing but that core is out of reach.
pub(crate) fn as_seen(status: Status) -> Status {
    match status.source() {
        None => status,
        Some(_) => Status::unavailable(format!("cannot reach core: {}", root(&status))),
    }
}

fn has_cause<E: Error + 'static>(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(<dyn Error>::is::<E>)
}

/// Whether a call was never sent, or core says that it has not looked at it: it asks clients to use another connection
/// (`GOAWAY`), or refuses a call above the limit of the connection (`REFUSED_STREAM`).
fn is_unseen(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(|cause| {
        let hyper = cause.downcast_ref::<hyper::Error>();
        if hyper.is_some_and(hyper::Error::is_canceled) {
            return true;
        }
        let refused =
            |h2: &h2::Error| h2.is_go_away() || h2.reason() == Some(h2::Reason::REFUSED_STREAM);
        let h2 = cause.downcast_ref::<h2::Error>();
        h2.is_some_and(|h2| h2.is_remote() && refused(h2))
    })
}

/// The root cause, which is the system's error.
fn root(status: &Status) -> String {
    let root = status.source().and_then(|source| causes(source).last());
    root.map_or_else(|| status.message().to_owned(), ToString::to_string)
}

/// An error and its sources.
fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}
