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
    extract::Request as AxumRequest,
    response::Response,
};
use bytes::Bytes;
use futures_util::{
    FutureExt as _,
    future::{BoxFuture, Either},
};
use http::{Request, Uri, header::STRICT_TRANSPORT_SECURITY};
use muster_api::Reason;
use rpc_client::Core;
use server::{ONLY_HTTPS, observe::RequestId};
use tower::Service;

use crate::{
    Problem, ResponseCache, Surface,
    answer::moved,
    health,
    layers::Layers,
    response_cache::{Front, Lookup},
};

/// Answers requests: those of one surface, or of several on one port, each at its own paths. What is cached is answered at once;
/// the layers of the surface, or axum's routers, get the rest. Clones share it.
#[derive(Clone)]
pub struct Router(Arc<Parts>);

struct Parts {
    /// Other surfaces, by the beginnings of their paths; the longest first.
    mounts: Vec<(&'static str, Router)>,
    answers: Answers,
    /// Whether browsers are told to use https alone.
    is_strict: bool,
}

/// What answers the requests that no other surface gets.
#[derive(Clone)]
enum Answers {
    Cache(Front),
    Layers(Layers),
    Routes(axum::Router),
}

impl Surface {
    /// The surface's routes with all layers: health, an answer to unknown paths, limits, security headers, conditional requests
    /// and compression. In front of them is the cache, if there is one.
    pub fn router(
        self,
        mut routes: axum::Router,
        core: &Core,
        cache: Option<ResponseCache>,
    ) -> Router {
        for resource in health::resources(core.clone()) {
            routes = resource.add_to(routes);
        }
        let unknown = move |request: AxumRequest| async move {
            if let Some(path) = without_slash(request.uri()) {
                return moved(&path);
            }
            let problem = Problem::new(Reason::NotFound, self.unknown_path);
            problem.into_response(&RequestId::in_extensions(request.extensions()))
        };
        let layers = Layers::around(routes.fallback(unknown), self);
        Router::new(match cache {
            Some(cache) => Answers::Cache(Front {
                cache,
                surface: self,
                layers,
            }),
            None => Answers::Layers(layers),
        })
    }
}

/// Path and query without the slashes at the end of the path; none if it has no other end. What browsers take for the name of a host is
/// no path.
fn without_slash(uri: &Uri) -> Option<String> {
    let path = uri.path();
    let shorter = path.trim_end_matches('/');
    let is_path = !shorter.starts_with("//") && !shorter.contains('\\');
    if shorter.is_empty() || shorter.len() == path.len() || !is_path {
        return None;
    }
    Some(match uri.query() {
        Some(query) => format!("{shorter}?{query}"),
        None => shorter.to_owned(),
    })
}

impl Router {
    fn new(answers: Answers) -> Self {
        Self(Arc::new(Parts {
            mounts: Vec::new(),
            answers,
            is_strict: false,
        }))
    }

    /// The same router. If its public URL is https, every answer tells browsers to use https alone.
    #[must_use]
    pub fn at(self, public_url: &str) -> Self {
        Self(Arc::new(Parts {
            mounts: self.0.mounts.clone(),
            answers: self.0.answers.clone(),
            is_strict: public_url.starts_with("https://"),
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
        Self(Arc::new(Parts {
            mounts,
            answers: rest.0.answers.clone(),
            is_strict: rest.0.is_strict,
        }))
    }

    fn parts_for(&self, path: &str) -> &Parts {
        let mut mounts = self.0.mounts.iter();
        let found = mounts.find(|(mount, _)| is_below(mount, path));
        found.map_or(&*self.0, |(_, router)| router.parts_for(path))
    }
}

fn secured(mut answer: Response, is_strict: bool) -> Response {
    if is_strict {
        let headers = answer.headers_mut();
        headers.insert(STRICT_TRANSPORT_SECURITY, ONLY_HTTPS);
    }
    answer
}

fn is_below(mount: &str, path: &str) -> bool {
    let rest = path.strip_prefix(mount);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl From<axum::Router> for Router {
    /// Answers everything by these routes.
    fn from(routes: axum::Router) -> Self {
        Self::new(Answers::Routes(routes))
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
        let parts = self.parts_for(request.uri().path());
        let (answers, is_strict) = (&parts.answers, parts.is_strict);
        let answering: BoxFuture<'static, Response> = match answers {
            Answers::Cache(front) => match front.lookup(&request) {
                Some(Lookup::Hit(answer)) => {
                    return Either::Left(ready(Ok(secured(answer, is_strict))));
                }
                Some(lookup) => Box::pin(front.clone().answer(lookup, request.map(Body::new))),
                None => Box::pin(front.layers.clone().answer(request.map(Body::new), ready)),
            },
            Answers::Layers(layers) => {
                Box::pin(layers.clone().answer(request.map(Body::new), ready))
            }
            Answers::Routes(routes) => {
                let answering = routes.clone().call(request);
                Box::pin(answering.map(|Ok(answer)| answer))
            }
        };
        Either::Right(Box::pin(
            answering.map(move |answer| Ok(secured(answer, is_strict))),
        ))
    }
}
