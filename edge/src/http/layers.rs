//! The layers of a surface around its routes, as one service. As layers of a router each would be boxed, and cloned for every request with
//! all that it contains.

use std::{
    convert::Infallible,
    task::{Context, Poll},
};

use axum::{Router, extract::Request, response::Response};
use futures_util::future::BoxFuture;
use tower::{Service, ServiceExt as _};

use super::{Surface, compress, conditional, guard};

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

    pub(super) async fn answer(self, request: Request) -> Response {
        let Self { surface, routes } = self;
        let by_routes = move |request: Request| {
            let routes = routes.clone();
            async move {
                let Ok(response) = routes.oneshot(request).await;
                response
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

impl Service<Request> for Layers {
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        // Routers are always ready.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let layers = self.clone();
        Box::pin(async move { Ok(layers.answer(request).await) })
    }
}
