//! The one log line of a request.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Instant,
};

use bytes::Buf;
use http::{Method, Response, StatusCode};
use http_body::{Body, Frame, SizeHint};

use tracing::Span;

use super::{Cause, ClientNetwork, Quiet, RequestId, Route};
use crate::{
    metrics::{self, Label},
    traces,
};

/// Collects the line's fields and logs them when dropped, also when the client disconnects before the answer.
pub(super) struct Line {
    method: Method,
    request_id: RequestId,
    client: ClientNetwork,
    started: Instant,
    route: Option<&'static str>,
    status: Option<StatusCode>,
    cause: Option<String>,
    is_quiet: bool,
    bytes: u64,
    /// Until the end of the answer.
    span: Span,
}

impl Line {
    pub(super) fn start(
        method: Method,
        request_id: RequestId,
        client: ClientNetwork,
        span: Span,
    ) -> Self {
        metrics::measure(|all| all.http_in_flight.up([]));
        Self {
            method,
            request_id,
            client,
            started: Instant::now(),
            route: None,
            status: None,
            cause: None,
            is_quiet: false,
            bytes: 0,
            span,
        }
    }

    pub(super) const fn request_id(&self) -> &RequestId {
        &self.request_id
    }

    pub(super) fn answered<B>(&mut self, response: &Response<B>) {
        self.status = Some(response.status());
        self.route = response.extensions().get::<Route>().map(|route| route.0);
        self.is_quiet = response.extensions().get::<Quiet>().is_some();
        self.cause = response
            .extensions()
            .get::<Cause>()
            .map(|cause| cause.0.clone());
    }
}

impl Line {
    fn name_span(&self) {
        if self.span.is_none() {
            return;
        }
        let (method, route) = (method(&self.method), self.route.unwrap_or("none"));
        traces::rename(&self.span, format!("{method} {route}"));
        self.span.record("http.route", route);
        let Some(status) = self.status else {
            return;
        };
        self.span
            .record("http.response.status_code", status.as_u16());
        if status.is_server_error() {
            self.span.record("otel.status_code", "ERROR");
        }
    }

    fn labels(&self) -> [Label; 3] {
        let status = self.status.map(|status| status.as_u16().into());
        [
            method(&self.method).into(),
            self.route.unwrap_or("none").into(),
            status.unwrap_or(Label::Word("cancelled")),
        ]
    }
}

/// The name of a method; clients can make up others.
pub(super) fn method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        metrics::measure(|all| all.http_in_flight.down([]));
        if self.is_quiet {
            return;
        }
        self.name_span();
        let duration = self.started.elapsed().as_secs_f64();
        metrics::measure(|all| all.http_requests.observe(self.labels(), duration));
        let duration_ms = duration * 1000.0;
        macro_rules! line {
            ($level:ident) => {
                tracing::$level!(
                    target: "http",
                    method = %self.method,
                    route = self.route.unwrap_or("none"),
                    status = self.status.map(|status| status.as_u16()),
                    duration_ms = (duration_ms * 10.0).round() / 10.0,
                    bytes = self.bytes,
                    client = self.client.shown(),
                    request_id = %self.request_id,
                    cause = self.cause,
                    "{}", if self.status.is_some() { "request" } else { "request cancelled by the client" }
                )
            };
        }
        if self.status.is_some_and(|status| status.is_server_error()) {
            line!(error);
        } else {
            line!(info);
        }
    }
}

/// An answer's body, whose bytes are counted. The line is logged when it is dropped.
pub(crate) struct LoggedBody<B> {
    body: B,
    line: Line,
}

impl<B> LoggedBody<B> {
    pub(super) const fn new(body: B, line: Line) -> Self {
        Self { body, line }
    }
}

impl<B: Body + Unpin> Body for LoggedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let frame = std::task::ready!(Pin::new(&mut self.body).poll_frame(context));
        if let Some(Ok(data)) = frame
            .as_ref()
            .map(|frame| frame.as_ref().map(Frame::data_ref))
        {
            self.line.bytes += data.map_or(0, |data| data.remaining() as u64);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
