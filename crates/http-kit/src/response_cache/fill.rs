//! The one request to a surface's routes whose answer is for all who wait for it, and which answers are stored.

use std::sync::Arc;

use axum::{body::Body, response::Response};
use http::{
    HeaderMap, StatusCode,
    header::{CACHE_CONTROL, CONTENT_ENCODING, SET_COOKIE, VARY},
};
use http_body::Body as _;
use http_body_util::BodyExt as _;
use server::observe::{RequestId, Route};

use super::{
    ResponseCache, Source,
    asked::Key,
    entry::{Basis, Entry},
    flight::Flight,
};
use crate::{Problem, Surface, layers};

/// The largest body that is stored, in bytes.
const MAX_BODY_BYTES: u64 = 1 << 20;

/// A fill of the cache. Those who wait are released when it is dropped.
#[derive(Debug)]
pub(super) struct Fill {
    pub(super) cache: ResponseCache,
    pub(super) surface: Surface,
    pub(super) basis: Basis,
    pub(super) flight: Flight<(Key, u64), Outcome>,
}

/// What those get who wait for a fill.
#[derive(Debug, Clone)]
pub(super) enum Outcome {
    Answer(Arc<Entry>),
    Unreachable(Arc<Refusal>),
    /// The answer is nobody else's.
    NotShared,
}

/// An answer that says that core cannot be reached.
#[derive(Debug)]
pub(super) struct Refusal {
    problem: Problem,
    headers: HeaderMap,
    route: Option<Route>,
}

impl Fill {
    /// Shares an answer of the routes with those who wait, and stores it if it may be. Returns it for the one who asked.
    pub(super) async fn complete(&self, response: Response) -> Response {
        if is_cacheable(&response) {
            return self.store(response).await;
        }
        if is_gone(response.status()) {
            // What is known to be gone does not come back while core cannot be reached.
            self.cache.invalidate(self.basis.key.borrowed());
        }
        self.flight.land(match Refusal::of(&response) {
            Some(refusal) => Outcome::Unreachable(Arc::new(refusal)),
            None => Outcome::NotShared,
        });
        response
    }

    async fn store(&self, response: Response) -> Response {
        let (parts, body) = response.into_parts();
        let Ok(whole) = body.collect().await else {
            // Bytes in memory are always read to their end.
            return Response::from_parts(parts, Body::empty());
        };
        let body = whole.to_bytes();
        let entry = Arc::new(Entry::new(
            self.basis.clone(),
            self.surface,
            parts.headers.clone(),
            body.clone(),
            parts.extensions.get().copied(),
        ));
        self.cache.count(Source::Core);
        // An answer from before a change is right for those who asked before it, and for nobody later.
        let is_current = self.cache.0.changes.is_current(&self.basis.generation);
        if is_current && self.flight.is_latest() {
            self.cache.insert(Arc::clone(&entry));
        }
        self.flight.land(Outcome::Answer(entry));
        Response::from_parts(parts, Body::from(body))
    }
}

impl Refusal {
    /// Returns the refusal that an answer is, if it is one.
    fn of(response: &Response) -> Option<Self> {
        if !is_unreachable(response.status()) {
            return None;
        }
        Some(Self {
            problem: response.extensions().get::<Problem>()?.clone(),
            headers: response.headers().clone(),
            route: response.extensions().get().copied(),
        })
    }

    /// Returns the same refusal of another request.
    pub(super) fn answer(&self, id: &RequestId, surface: Surface) -> Response {
        let mut response = self.problem.clone().into_response(id);
        let headers = response.headers_mut();
        headers.clone_from(&self.headers);
        layers::set_defaults(headers, surface);
        if let Some(route) = self.route {
            response.extensions_mut().insert(route);
        }
        response
    }
}

/// Whether an answer says that it is the same for everyone, and is small.
fn is_cacheable(response: &Response) -> bool {
    let headers = response.headers();
    let is_public = headers
        .get(CACHE_CONTROL)
        .is_some_and(|directives| directives.as_bytes().starts_with(b"public"));
    let is_one_of_several = [SET_COOKIE, VARY, CONTENT_ENCODING]
        .iter()
        .any(|name| headers.contains_key(name));
    // A stream has no exact size.
    let size = response.body().size_hint().exact();
    response.status() == StatusCode::OK
        && is_public
        && !is_one_of_several
        && size.is_some_and(|size| size <= MAX_BODY_BYTES)
}

/// Whether an answer says that there is nothing to show any more. That a client asks too often says nothing of what it asks for.
fn is_gone(status: StatusCode) -> bool {
    status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS
}

/// Whether an answer says that core cannot be reached, or has too much to do.
pub(super) fn is_unreachable(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::GATEWAY_TIMEOUT
    )
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    /// A small public answer with one more header.
    fn answer(name: HeaderName, value: &'static str) -> Response {
        let mut response = Response::new(Body::from("x"));
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=1"));
        headers.insert(name, HeaderValue::from_static(value));
        response
    }

    #[test]
    fn only_small_public_answers_that_are_the_same_for_everyone_are_stored() {
        let public = || answer(CACHE_CONTROL, "public, no-cache");
        assert!(is_cacheable(&public()));
        for (name, value) in [
            (CACHE_CONTROL, "no-store"),
            (CACHE_CONTROL, "private, max-age=1"),
            (SET_COOKIE, "a=b"),
            (VARY, "origin"),
            (CONTENT_ENCODING, "gzip"),
        ] {
            assert!(!is_cacheable(&answer(name, value)), "{value}");
        }
        let large = public().map(|_| Body::from(vec![0; (1 << 20) + 1]));
        assert!(!is_cacheable(&large));
        let stream = public().map(|_| {
            let pieces = futures_util::stream::iter([Ok::<_, std::io::Error>("x")]);
            Body::from_stream(pieces)
        });
        assert!(!is_cacheable(&stream));
        let mut missing = public();
        *missing.status_mut() = StatusCode::NOT_FOUND;
        assert!(!is_cacheable(&missing));
    }
}
