//! The layers of a surface around its routes, as one service. As layers of a router each would be boxed, and cloned for every request with
//! all that it contains.

use axum::{Router, extract::Request, response::Response};
use tower::ServiceExt as _;

use crate::{Surface, compress, conditional, guard};

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
        guard::guard(request, surface, compressed).await
    }
}
