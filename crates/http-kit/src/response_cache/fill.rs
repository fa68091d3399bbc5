//! The one request to a surface's routes whose answer is for all who wait for it.

use std::sync::Arc;

use axum::{body::Body, response::Response};
use http::HeaderMap;
use http_body_util::BodyExt as _;
use server::observe::{RequestId, Route};

use super::{
    ResponseCache, Source,
    asked::Key,
    entry::{Basis, Entry},
    flight::Flight,
    policy,
};
use crate::{Problem, Surface, layers};

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
        if policy::is_cacheable(&response) {
            return self.store(response).await;
        }
        if policy::is_gone(response.status()) {
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
        if !policy::is_unreachable(response.status()) {
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
