//! How one surface differs from the others, and everything that it has in common with them.

use axum::{
    Router,
    extract::Request,
    middleware::{Next, from_fn},
};
use muster_api::{Reason, metadata};
use process::observe::RequestId;

use super::{compress, conditional, guard, health};
use crate::{Core, Problem};

/// For answers that are data: nothing in them is to be run or embedded, should a browser ever show one.
pub const DATA_ONLY: &str = "default-src 'none'; frame-ancestors 'none'";

/// How the media types begin that gain from compression. Not every `text/`: an event stream has to go out event by event.
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
    /// What it is to core.
    pub name: metadata::Surface,
    /// `Content-Security-Policy` of answers that bring none of their own.
    pub content_security_policy: &'static str,
    /// How the media types begin that are compressed.
    pub compressed: &'static [&'static str],
    /// `Cache-Control` of answers that bring none of their own.
    pub caching: &'static str,
    /// What a client is told that asks for a path which does not exist.
    pub unknown_path: &'static str,
}

impl Surface {
    /// A surface whose answers are data for the one that asked.
    pub const fn of_data(name: metadata::Surface, unknown_path: &'static str) -> Self {
        Self {
            name,
            content_security_policy: DATA_ONLY,
            compressed: TEXT,
            caching: "no-store",
            unknown_path,
        }
    }

    /// A client of core that says by which surface its calls come.
    pub fn core(&self, core: Core) -> Core {
        core.on_surface(self.name)
    }

    /// The surface's routes with everything around them: health, an answer to unknown paths, limits, security headers,
    /// conditional requests and compression.
    pub fn router(self, mut routes: Router, core: &Core) -> Router {
        for resource in health::resources(core.clone()) {
            routes = resource.add_to(routes);
        }
        let unknown = move |request: Request| async move {
            let problem = Problem::new(Reason::NotFound, self.unknown_path);
            problem.into_response(&RequestId::in_extensions(request.extensions()))
        };
        let revalidate = move |request: Request, next: Next| {
            conditional::revalidate(request, next, self.compressed)
        };
        let guarded = move |request: Request, next: Next| guard::guard(request, next, self);
        let routes = routes.fallback(unknown).layer(from_fn(revalidate));
        compress::layer(routes, self.compressed).layer(from_fn(guarded))
    }
}
