//! What is recorded of every call: its id, its span, its metrics, and one line of the log.

use std::{net::IpAddr, sync::OnceLock, time::Instant};

use http::{Request, Response};
use muster_api::{metadata::Surface, status::code_name};
use server::{
    metrics, networks,
    observe::{REQUEST_ID, RequestId},
    traces,
};
use tonic::{Code, Status, body::Body};
use tracing::{Span, field::Empty};

use crate::service::Caller;

/// Where a call comes from, as far as that is known by its end.
#[derive(Debug, Default)]
pub(super) struct CallFrom {
    /// The surface of its edge.
    pub(super) surface: Option<Surface>,
    /// The address of its client, of which the log has the network alone.
    pub(super) client: Option<IpAddr>,
    /// Whom its credential is of, once it is authenticated.
    pub(super) caller: OnceLock<Caller>,
}

/// A call that is not answered yet.
pub(super) struct CallRecord {
    /// The span in which it runs.
    pub(super) span: Span,
    path: String,
    request_id: RequestId,
    started: Instant,
}

impl CallRecord {
    /// Begins the record of a call.
    pub(super) fn begin(request: &Request<Body>) -> Self {
        let path = request.uri().path();
        Self {
            span: traces::called(span(path), request.headers()),
            path: path.to_owned(),
            request_id: RequestId::of(request.headers()),
            started: Instant::now(),
        }
    }

    /// Ends it with the answer, which gets the call's id. Edges in this process log their requests themselves, so that of their calls only
    /// those with a credential have a line: no edge knows whose it is.
    pub(super) fn end(self, response: &mut Response<Body>, from: &CallFrom, in_process: bool) {
        let code = code(response);
        let is_quiet = is_health(&self.path) && code == Code::Ok;
        let took = self.started.elapsed();
        if !is_quiet {
            metrics::measure(|all| {
                let rpc = muster_api::access(&self.path).map_or("none", |rule| rule.name);
                let labels = [rpc.into(), code_name(code).into()];
                all.rpcs.observe(labels, took.as_secs_f64());
            });
        }
        let is_logged = !in_process || from.caller.get().is_some();
        if is_logged && !is_quiet {
            let Self {
                path, request_id, ..
            } = &self;
            let duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
            let caller = from.caller.get();
            let principal = caller.and_then(|caller| caller.principal);
            let person = caller.and_then(|caller| caller.person);
            tracing::info!(
                rpc = %path,
                code = ?code,
                duration_ms,
                %request_id,
                surface = from.surface.map(Surface::name),
                client = from.client.map(networks::coarse),
                account = principal.map(|one| display(one.account)),
                key = principal.and_then(|one| one.actor.key_id()).map(display),
                app = principal.and_then(|one| one.actor.grant_id()).map(display),
                session = person.map(|one| display(one.session)),
                "call"
            );
        }
        if let Some(id) = self.request_id.header() {
            response.headers_mut().insert(REQUEST_ID, id);
        }
        self.end_span(code);
    }

    fn end_span(&self, code: Code) {
        if self.span.is_none() {
            return;
        }
        self.span
            .record("rpc.response.status_code", code_name(code));
        self.span
            .record("muster.request_id", self.request_id.as_str());
        // What is the fault of this side.
        if matches!(
            code,
            Code::Unknown
                | Code::DeadlineExceeded
                | Code::Unimplemented
                | Code::Internal
                | Code::Unavailable
                | Code::DataLoss
        ) {
            self.span.record("otel.status_code", "ERROR");
        }
    }
}

/// The span of a call. Health checks come every few seconds and are worth none.
fn span(path: &str) -> Span {
    if !traces::is_on() || is_health(path) {
        return Span::none();
    }
    let rpc = muster_api::access(path).map_or("none", |rule| rule.name);
    server::span!(
        "rpc",
        otel.kind = "server",
        otel.name = rpc,
        otel.status_code = Empty,
        rpc.system.name = "grpc",
        rpc.method = rpc,
        rpc.response.status_code = Empty,
        muster.request_id = Empty,
    )
}

fn code(response: &Response<Body>) -> Code {
    let status = Status::from_header_map(response.headers());
    status.map_or(Code::Ok, |status| status.code())
}

/// Whether it is a health check. Orchestrators make one every few seconds, which nobody wants to read of while nothing is wrong.
fn is_health(path: &str) -> bool {
    service(path) == Some(tonic_health::pb::health_server::SERVICE_NAME)
}

/// The service of a path `/service/method`.
pub(super) fn service(path: &str) -> Option<&str> {
    let (service, _) = path.strip_prefix('/')?.split_once('/')?;
    Some(service)
}
