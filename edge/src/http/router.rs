//! What answers the requests of a port.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    sync::Arc,
    task::{Context, Poll},
};

use axum::{
    BoxError,
    body::{Body, HttpBody},
    response::Response,
};
use bytes::Bytes;
use futures_util::future::{BoxFuture, Either};
use http::Request;
use tower::Service;

use super::pages::{Found, Pages};

/// Answers requests: those of one surface, or of several on one port, each at its own paths. What is in memory it answers by itself;
/// axum's routers, which copy and box what they call, get the rest. Clones share it.
#[derive(Clone)]
pub struct Router(Arc<Parts>);

struct Parts {
    /// Other surfaces, by the beginnings of their paths; the longest first.
    mounts: Vec<(&'static str, Router)>,
    pages: Option<Pages>,
    routes: axum::Router,
}

impl Router {
    /// Answers from these pages, if there are any, and by these routes what is not among them.
    pub(super) fn new(pages: Option<Pages>, routes: axum::Router) -> Self {
        Self(Arc::new(Parts {
            mounts: Vec::new(),
            pages,
            routes,
        }))
    }

    /// A router that passes each request to the surface with the longest matching path prefix, and all others to `rest`. Surfaces
    /// see the whole path, as on their own ports.
    pub fn mount(surfaces: &[(&[&'static str], &Self)], rest: &Self) -> Self {
        let mut mounts: Vec<(&'static str, Self)> = surfaces
            .iter()
            .flat_map(|(paths, router)| paths.iter().map(|path| (*path, (*router).clone())))
            .chain(rest.0.mounts.iter().cloned())
            .collect();
        mounts.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        let (pages, routes) = (rest.0.pages.clone(), rest.0.routes.clone());
        Self(Arc::new(Parts {
            mounts,
            pages,
            routes,
        }))
    }

    fn parts_for(&self, path: &str) -> &Parts {
        let mut mounts = self.0.mounts.iter();
        let found = mounts.find(|(mount, _)| is_below(mount, path));
        found.map_or(&*self.0, |(_, router)| router.parts_for(path))
    }
}

fn is_below(mount: &str, path: &str) -> bool {
    let rest = path.strip_prefix(mount);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl From<axum::Router> for Router {
    /// Answers everything by these routes.
    fn from(routes: axum::Router) -> Self {
        Self::new(None, routes)
    }
}

impl<B> Service<Request<B>> for Router
where
    B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Either<
        Ready<Result<Response, Infallible>>,
        BoxFuture<'static, Result<Response, Infallible>>,
    >;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        // Routers are always ready.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let Parts { pages, routes, .. } = self.parts_for(request.uri().path());
        let found = pages.as_ref().map(|pages| (pages, pages.find(&request)));
        match found {
            Some((_, Found::Answer(answer))) => Either::Left(ready(Ok(answer))),
            None | Some((_, Found::Nothing)) => {
                Either::Right(Box::pin(routes.clone().call(request)))
            }
            Some((pages, found)) => {
                let (pages, routes) = (pages.clone(), routes.clone());
                let request = request.map(Body::new);
                let answering = async move { Ok(pages.answer(found, request, routes).await) };
                Either::Right(Box::pin(answering))
            }
        }
    }
}
