//! gRPC-web from pages of other origins (CORS).

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use http::{
    HeaderValue, Method, Request, Response, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, Entry,
        STRICT_TRANSPORT_SECURITY,
    },
};
use muster_api::binding::Access;
use server::{ONLY_HTTPS, cors::SharedWith};
use tonic::body::Body;
use tower::Service;

/// Headers that web pages may send. Headers of edges are not among them.
const FROM_BROWSERS: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, grpc-timeout, idempotency-key, traceparent, tracestate, x-grpc-web, x-request-id, x-user-agent",
);

/// A service that pages may call as [`server::cors`] says.
#[derive(Debug, Clone)]
pub(super) struct Browsers<S> {
    inner: S,
    /// The pages that may register people.
    named: SharedWith,
    /// Whether answers tell browsers to use https alone.
    is_strict: bool,
}

impl<S> Browsers<S> {
    /// Pages call it below this public URL.
    pub(super) fn new(inner: S, named: SharedWith, public_url: &str) -> Self {
        Self {
            inner,
            named,
            is_strict: public_url.starts_with("https://"),
        }
    }

    /// Which pages may call the rpc at a path. Health and reflection are public.
    fn shared(&self, path: &str) -> SharedWith {
        match muster_api::access(path) {
            None => SharedWith::Everyone,
            Some(rule) if rule.internal => SharedWith::Nobody,
            Some(rule) => {
                SharedWith::of(rule.access != Access::Public, rule.read_only, &self.named)
            }
        }
    }
}

fn secure(answer: &mut Response<Body>, is_strict: bool) {
    if is_strict {
        let headers = answer.headers_mut();
        headers.insert(STRICT_TRANSPORT_SECURITY, ONLY_HTTPS);
    }
}

impl<S> Service<Request<Body>> for Browsers<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let shared = self.shared(request.uri().path());
        let is_strict = self.is_strict;
        let headers = request.headers();
        if request.method() == Method::OPTIONS
            && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
        {
            let mut answer = Response::new(Body::empty());
            *answer.status_mut() = StatusCode::NO_CONTENT;
            shared.invite(&Method::POST, headers, answer.headers_mut());
            if let Entry::Occupied(mut sent) =
                answer.headers_mut().entry(ACCESS_CONTROL_ALLOW_HEADERS)
            {
                sent.insert(FROM_BROWSERS);
            }
            secure(&mut answer, is_strict);
            return Box::pin(std::future::ready(Ok(answer)));
        }
        let allowed = shared.allowed(headers);
        let answering = self.inner.call(request);
        Box::pin(async move {
            let mut answer = answering.await?;
            shared.share(allowed, answer.headers_mut());
            secure(&mut answer, is_strict);
            Ok(answer)
        })
    }
}
