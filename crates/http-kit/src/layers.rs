//! The layers of a surface around its routes: limits on every request, headers on every answer, compression, conditional requests.

use std::panic::AssertUnwindSafe;

use axum::{Router, extract::Request, response::Response};
use futures_util::FutureExt;
use http::{
    HeaderMap, HeaderValue,
    header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS},
};
use muster_api::Reason;
use server::observe::RequestId;
use tower::ServiceExt as _;

use crate::{Problem, Surface, compress, conditional};

/// The longest path and query: far above any real one. Hyper itself stops at 64 KiB, with an empty 414.
const URI_BYTES: usize = 8 << 10;

/// Maximum size of all headers: enough for a large token. Hyper itself answers an empty 431 above 64 KiB.
const HEADERS_BYTES: usize = 32 << 10;

/// Routes within size limits, security headers, compression and conditional requests, as one service. As layers of a router each would
/// be boxed, and cloned for every request with all that it contains.
#[derive(Clone)]
pub(super) struct Layers {
    surface: Surface,
    routes: Router,
}

impl Layers {
    pub(super) fn around(routes: Router, surface: Surface) -> Self {
        // Handlers become services here, and not with every request.
        let routes = routes.with_state(());
        Self { surface, routes }
    }

    /// Answers a request. What the routes answer passes `complete` before the layers see it.
    pub(super) async fn answer<F>(
        self,
        request: Request,
        complete: impl Fn(Response) -> F + Clone,
    ) -> Response
    where
        F: Future<Output = Response>,
    {
        let Self { surface, routes } = self;
        let by_routes = move |request: Request| {
            let (routes, complete) = (routes.clone(), complete.clone());
            async move {
                let Ok(response) = routes.oneshot(request).await;
                complete(response).await
            }
        };
        let media_types = surface.compressed;
        let revalidated = move |request: Request| {
            conditional::revalidate(request, media_types, by_routes.clone())
        };
        let compressed = |request: Request| compress::compress(request, media_types, revalidated);
        limit(request, surface, compressed).await
    }
}

/// Refuses too large requests and adds security headers to answers.
async fn limit<F>(request: Request, surface: Surface, answer: impl FnOnce(Request) -> F) -> Response
where
    F: Future<Output = Response>,
{
    let id = RequestId::in_extensions(request.extensions());
    let outcome = match oversized(&request) {
        Some(problem) => Err(problem),
        // A panic in one request must not end its connection's other requests.
        None => AssertUnwindSafe(answer(request))
            .catch_unwind()
            .await
            .map_err(|_panic| panicked()),
    };
    let mut response = outcome.unwrap_or_else(|problem| problem.into_response(&id));
    set_defaults(response.headers_mut(), surface);
    response
}

/// Sets the headers that every answer has.
pub(super) fn set_defaults(headers: &mut HeaderMap, surface: Surface) {
    let defaults = [
        (CACHE_CONTROL, surface.caching),
        (CONTENT_SECURITY_POLICY, surface.content_security_policy),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    for (name, value) in defaults {
        let value = HeaderValue::from_static(value);
        headers.entry(name).or_insert(value);
    }
}

pub(super) fn oversized<B>(request: &http::Request<B>) -> Option<Problem> {
    let refuse =
        |status, message| Some(Problem::new(Reason::InvalidRequest, message).answered(status));
    let path = request.uri().path_and_query();
    if path.is_some_and(|path| path.as_str().len() > URI_BYTES) {
        let message = format!("the path and query are longer than {URI_BYTES} bytes");
        return refuse(414, message);
    }
    if size(request.headers()) > HEADERS_BYTES {
        let message = format!("the headers are larger than {HEADERS_BYTES} bytes");
        return refuse(431, message);
    }
    None
}

fn size(headers: &HeaderMap) -> usize {
    headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len())
        .sum()
}

fn panicked() -> Problem {
    Problem::new(Reason::Internal, "Muster failed")
        .caused_by("panicked; the panic's message is logged above")
}
