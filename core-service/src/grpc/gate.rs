//! The gate that every call passes: it recognizes edges, sets a deadline, limits how many calls there are at a time, authenticates
//! the caller, checks the scope, and counts the call for the account's limits.

mod admission;

use std::{
    convert::Infallible,
    future::Future,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt as _, Full};
use muster_api::{
    Reason,
    binding::AccessRule,
    deadline,
    status::{overloaded, status},
};
use server::{
    adaptive_limit::{AdaptiveLimit, Kind, Permit},
    metrics,
};
use tonic::{Code, Status, body::Body};
use tower::{Layer, Service};
use tracing::Instrument as _;

use self::admission::Admission;
use super::{
    call_record::{CallFrom, CallRecord},
    edges::{CallOrigin, EdgeTokens, Edges, Transport, transport},
    held_permit::{Deadline, HeldPermit},
    message::Bounds,
    status::write_allowance,
};
use crate::service::{Allowance, Authenticator, CallLimits, Caller};

/// No call runs longer, with any deadline of its client, so that a stuck call releases its connection and locks.
const MAX_CALL_TIMEOUT: Duration = Duration::from_mins(1);
/// How many reads, and how many writes, there are at a time: two full batches of registrations.
pub const MAX_CALLS: u32 = 512;
/// The same while they are slow: a few for each connection to the database.
pub const MIN_CALLS: u32 = 32;
/// How much earlier than the client's deadline a call is ended: tonic's own timer would answer CANCELLED.
const MARGIN: Duration = Duration::from_millis(5);

/// Puts a [`Gate`] in front of a service.
#[derive(Debug, Clone)]
pub struct GateLayer {
    authenticator: Authenticator,
    limit: AdaptiveLimit,
    call_limits: CallLimits,
    edges: Arc<Edges>,
    /// Bounds on messages; edges in this process have read them within bounds of their own.
    bounds: Option<Arc<Bounds>>,
    /// The callers are in this process. They are edges and log their requests themselves.
    in_process: bool,
}

impl GateLayer {
    /// The gate of a port, which logs one line per call. Sending a message may pause for `message_idle`.
    pub fn of_port(
        authenticator: Authenticator,
        limit: AdaptiveLimit,
        call_limits: CallLimits,
        tokens: EdgeTokens,
        message_idle: Duration,
    ) -> Self {
        Self {
            authenticator,
            limit,
            call_limits,
            edges: Arc::new(Edges::new(tokens)),
            bounds: Some(Arc::new(Bounds::new(message_idle))),
            in_process: false,
        }
    }

    /// The gate for edges in this process.
    pub fn in_process(
        authenticator: Authenticator,
        limit: AdaptiveLimit,
        call_limits: CallLimits,
    ) -> Self {
        Self {
            authenticator,
            limit,
            call_limits,
            edges: Arc::default(),
            bounds: None,
            in_process: true,
        }
    }
}

impl<S> Layer<S> for GateLayer {
    type Service = Gate<S>;

    fn layer(&self, inner: S) -> Gate<S> {
        let layer = Arc::new(self.clone());
        Gate { inner, layer }
    }
}

/// A service behind the gate.
#[derive(Debug, Clone)]
pub struct Gate<S> {
    inner: S,
    layer: Arc<GateLayer>,
}

impl<S> Service<Request<Body>> for Gate<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
        + Clone
        + Send
        + 'static,
    S::Future: Send,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let clone = self.inner.clone();
        let inner = std::mem::replace(&mut self.inner, clone);
        let layer = Arc::clone(&self.layer);
        let record = CallRecord::begin(&request);
        let span = record.span.clone();
        let answered = async move {
            let limit = time_for(request.headers());
            request.extensions_mut().insert(Deadline::after(limit));
            let origin = layer.origin(&mut request);
            let known = origin.as_ref().ok();
            let from = CallFrom {
                surface: known.and_then(|origin| origin.surface),
                client: known.and_then(|origin| origin.client),
                ..CallFrom::default()
            };
            // Pinned where it is made, since it is large, and `timeout` would copy it twice.
            let answer = pin!(async {
                if limit.is_zero() {
                    // Timers count whole milliseconds, so tonic's own may fire first.
                    return Err(Box::new(late(limit)));
                }
                let admitted = layer.admit(origin?, &mut request).await;
                // Also of a call that is refused.
                if let Some(caller) = request.extensions().get::<Caller>() {
                    from.caller.get_or_init(|| *caller);
                }
                layer.pass(inner, request, admitted?).await
            });
            let mut response = match tokio::time::timeout(limit, answer).await {
                Ok(Ok(response)) => response,
                Ok(Err(refusal)) => refusal.into_http(),
                Err(_elapsed) => late(limit).into_http(),
            };
            record.end(&mut response, &from, layer.in_process);
            Ok(response)
        };
        Box::pin(answered.instrument(span))
    }
}

impl GateLayer {
    fn origin(&self, request: &mut Request<Body>) -> Result<CallOrigin, Box<Status>> {
        if self.in_process {
            return self.edges.origin(request, Transport::InProcess);
        }
        self.edges.origin_at_port(request)
    }

    /// The request with a bounded body.
    fn bound(&self, request: Request<Body>, rule: Option<&AccessRule>) -> Request<Body> {
        let origin = request.extensions().get::<CallOrigin>().copied();
        let (Some(bounds), Some(origin)) = (&self.bounds, origin) else {
            return request;
        };
        let peer = transport(request.extensions()).and_then(Transport::ip);
        request.map(|body| bounds.body(body, rule, &origin, peer))
    }

    /// Calls the service. The call of an rpc gets its permit only when its message is there: clients that send slowly take none from
    /// others. It gives it back before it ends if it waits.
    async fn pass<S>(
        &self,
        mut service: S,
        request: Request<Body>,
        admission: Option<Admission>,
    ) -> Result<Response<Body>, Box<Status>>
    where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    {
        let rule = admission.as_ref().map(|admission| &admission.rule);
        let request = self.bound(request, rule);
        let (request, held) = match admission {
            None => (request, None),
            Some(admission) => {
                let (parts, body) = request.into_parts();
                let message = body.collect().await.map_err(Box::new)?.to_bytes();
                let mut whole = Request::from_parts(parts, Body::new(Full::new(message)));
                let kind = Kind::of(admission.rule.read_only);
                let permit = HeldPermit::new(self.permit(kind)?);
                whole.extensions_mut().insert(permit.clone());
                (whole, Some((permit, admission)))
            }
        };
        let allowance = request.extensions().get::<Allowance>().copied();
        let mut response = match service.call(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        if let Some((permit, admission)) = held {
            if permit.is_released() {
                // Boxed, since few calls wait.
                Box::pin(self.check_again(&admission)).await?;
            }
            // An answer that is a stream may hold on to its request.
            permit.release();
        }
        if let Some(allowance) = allowance {
            write_allowance(response.headers_mut(), allowance);
        }
        Ok(response)
    }

    fn permit(&self, kind: Kind) -> Result<Permit, Box<Status>> {
        self.limit.acquire(kind).ok_or_else(|| {
            metrics::measure(|all| all.rpcs_shed.add_one([kind.name().into()]));
            Box::new(overloaded())
        })
    }
}

/// The time limit of the call: `grpc-timeout`, at most [`MAX_CALL_TIMEOUT`].
fn time_for(headers: &HeaderMap) -> Duration {
    let given = header(headers, deadline::HEADER).and_then(deadline::parse);
    given.map_or(MAX_CALL_TIMEOUT, |given| {
        given.saturating_sub(MARGIN).min(MAX_CALL_TIMEOUT)
    })
}

fn late(limit: Duration) -> Status {
    let message = format!(
        "the call took longer than its deadline of {} ms",
        millis(limit)
    );
    let late = status(Reason::Unavailable, message);
    // The same details, but with the code by which gRPC clients distinguish this from a service that is down.
    Status::with_details(
        Code::DeadlineExceeded,
        late.message(),
        late.details().to_vec().into(),
    )
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
