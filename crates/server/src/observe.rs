//! What every HTTP surface does around a request: a request id, and one log line.
//!
//! The line's fields are named here and nowhere else: `method`, `route` (the template, never the path, which may hold a
//! private link), `status`, `duration_ms`, `bytes` (of the answer's body), `client` (its network, without the last part of its
//! address), `request_id`, `cause` (of a failure). Core's line of the call has the account and the credential's id.

mod line;

use std::{
    convert::Infallible,
    fmt,
    net::IpAddr,
    pin::Pin,
    sync::{Arc, OnceLock},
    task::{Context, Poll, ready},
};

use http::{Extensions, HeaderMap, HeaderName, HeaderValue, Request, Response};
use pin_project_lite::pin_project;
use rand::RngExt as _;
use tower::Service;
use tracing::{Instrument as _, Span, field::Empty, instrument::Instrumented};

use crate::{networks, traces};
use line::{Line, LoggedBody};

/// The header that carries a request id, both ways.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest request id accepted from a client: enough for the ids of common proxies.
const REQUEST_ID_BYTES: usize = 128;

/// The id of one request in logs, answers and calls to core. [`crate::serve`] puts it into the extensions of every request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(Arc<str>);

impl RequestId {
    /// Parses an id from a client or proxy: 1 to 128 letters, digits, `-`, `_` or `.`.
    pub fn parse(text: &str) -> Option<Self> {
        let valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        (!text.is_empty() && text.len() <= REQUEST_ID_BYTES && text.bytes().all(valid))
            .then(|| Self(text.into()))
    }

    /// A new id. It decides nothing, so tests need not decide it.
    pub fn fresh() -> Self {
        let id = uuid::Builder::from_random_bytes(rand::rng().random()).into_uuid();
        let mut text = uuid::Uuid::encode_buffer();
        Self((&*id.hyphenated().encode_lower(&mut text)).into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id in these extensions, or a new one.
    pub fn in_extensions(extensions: &Extensions) -> Self {
        extensions.get().cloned().unwrap_or_else(Self::fresh)
    }

    /// The id in these headers, or a new one.
    pub fn of(headers: &HeaderMap) -> Self {
        let given = headers
            .get(REQUEST_ID)
            .and_then(|value| value.to_str().ok());
        given.and_then(Self::parse).unwrap_or_else(Self::fresh)
    }

    /// The id as a header's value; `Some` for every id. HTTP/2 does not remember values that are marked: this one never comes again, and
    /// each of those that came would be compared with the next.
    pub fn header(&self) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&self.0).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The template of the route that answered. A service puts it into its response's extensions.
#[derive(Debug, Clone, Copy)]
pub struct Route(pub &'static str);

/// Says that an answer is not worth a line of the log. A service puts it into its response's extensions.
#[derive(Debug, Clone, Copy)]
pub struct Quiet;

/// The cause of a failure, for the log only. A service puts it into its response's extensions.
#[derive(Debug, Clone)]
pub struct Cause(pub String);

/// The network of a request's client, for its line. [`Observe`] puts it into the extensions of every request; whoever knows the trusted
/// proxies notes it.
#[derive(Debug, Clone, Default)]
pub struct ClientNetwork(Arc<OnceLock<String>>);

impl ClientNetwork {
    /// Notes the network of this client.
    pub fn note(&self, client: IpAddr) {
        self.0.get_or_init(|| networks::coarse(client));
    }

    fn shown(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }
}

/// Gives each request an id, returns it in a header, and logs one line when the answer is sent or the client disconnects.
#[derive(Debug, Clone)]
pub(crate) struct Observe<S>(S);

impl<S> Observe<S> {
    pub(crate) const fn new(service: S) -> Self {
        Self(service)
    }
}

impl<S, A, B> Service<Request<A>> for Observe<S>
where
    S: Service<Request<A>, Response = Response<B>, Error = Infallible>,
{
    type Response = Response<LoggedBody<B>>;
    type Error = Infallible;
    type Future = Answering<S::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<A>) -> Self::Future {
        let id = RequestId::of(request.headers());
        request.extensions_mut().insert(id.clone());
        let client = ClientNetwork::default();
        request.extensions_mut().insert(client.clone());
        let span = traces::called(span(&request, &id), request.headers());
        traces::name_in(&span, request.headers_mut());
        let line = Line::start(request.method().clone(), id, client, span.clone());
        let answer = span.in_scope(|| self.0.call(request));
        Answering {
            answer: answer.instrument(span),
            line: Some(line),
        }
    }
}

pin_project! {
    /// An answer on its way.
    pub(crate) struct Answering<F> {
        #[pin]
        answer: Instrumented<F>,
        // Until there is an answer, whose body has it then.
        line: Option<Line>,
    }
}

impl<F, B> Future for Answering<F>
where
    F: Future<Output = Result<Response<B>, Infallible>>,
{
    type Output = Result<Response<LoggedBody<B>>, Infallible>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let Ok(mut response) = ready!(this.answer.poll(context));
        let mut line = this
            .line
            .take()
            .expect("a future is not polled after its end");
        if let Some(id) = line.request_id().header() {
            response.headers_mut().insert(REQUEST_ID, id);
        }
        line.answered(&response);
        Poll::Ready(Ok(response.map(|body| LoggedBody::new(body, line))))
    }
}

/// Paths of probes and of metrics, which are read every few seconds and are worth no span.
const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

fn span<A>(request: &Request<A>, id: &RequestId) -> Span {
    if !traces::is_on() || PROBES.contains(&request.uri().path()) {
        return Span::none();
    }
    crate::span!(
        "request",
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = line::method(request.method()),
        http.route = Empty,
        http.response.status_code = Empty,
        muster.request_id = id.as_str(),
    )
}
