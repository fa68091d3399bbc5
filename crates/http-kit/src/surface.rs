//! The settings of one surface, and the layers that all surfaces share.

use axum::extract::Request;
use muster_api::{Reason, metadata};
use rpc_client::Core;
use server::observe::RequestId;

use super::{
    ResponseCache, Router, health, layers::Layers, response_cache::Front, router::Answers,
};
use crate::Problem;

/// For answers that are data: a browser must not run or embed anything in them.
pub const DATA_ONLY: &str = "default-src 'none'; frame-ancestors 'none'";

/// Prefixes of the media types that are compressed. Not all of `text/`: an event stream must be sent event by event.
pub const TEXT: &[&str] = &[
    "application/json",
    "application/linkset+json",
    "text/css",
    "text/csv",
    "text/html",
    "text/javascript",
    "text/plain",
];

/// One HTTP surface.
#[derive(Debug, Clone, Copy)]
pub struct Surface {
    /// Its name for core.
    pub name: metadata::Surface,
    /// The default `Content-Security-Policy` of answers.
    pub content_security_policy: &'static str,
    /// Prefixes of the media types that are compressed.
    pub compressed: &'static [&'static str],
    /// The default `Cache-Control` of answers.
    pub caching: &'static str,
    /// The message for unknown paths.
    pub unknown_path: &'static str,
}

impl Surface {
    /// A surface whose answers are data for one client.
    pub const fn of_data(name: metadata::Surface, unknown_path: &'static str) -> Self {
        Self {
            name,
            content_security_policy: DATA_ONLY,
            compressed: TEXT,
            caching: "no-store",
            unknown_path,
        }
    }

    /// A client of core that names this surface.
    pub fn core(&self, core: Core) -> Core {
        core.on_surface(self.name)
    }

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
        let unknown = move |request: Request| async move {
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
