//! The layers of a surface around its routes, as one service. As layers of a router each would be boxed, and cloned for every request with
//! all that it contains.

use std::sync::Arc;

use axum::{Router, extract::Request, response::Response};
use tower::ServiceExt as _;

use super::{Surface, compress, conditional, guard, response_cache::Fill};

/// Routes within size limits, security headers, compression and conditional requests.
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

    /// Answers a request. What the routes make of it goes to the fill of the cache, if there is one.
    pub(super) async fn answer(self, request: Request, fill: Option<Arc<Fill>>) -> Response {
        let Self { surface, routes } = self;
        let by_routes = move |request: Request| {
            let (routes, fill) = (routes.clone(), fill.clone());
            async move {
                let Ok(response) = routes.oneshot(request).await;
                match fill {
                    Some(fill) => fill.complete(response).await,
                    None => response,
                }
            }
        };
        let media_types = surface.compressed;
        let revalidated = move |request: Request| {
            conditional::revalidate(request, media_types, by_routes.clone())
        };
        let compressed = |request: Request| compress::compress(request, media_types, revalidated);
        guard::guard(request, surface, compressed).await
    }
}
