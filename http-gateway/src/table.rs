//! Makes a router of the bindings.

use std::{collections::BTreeMap, sync::Arc};

use http::Method;
use http_kit::{Resource, Router, oauth::OAuth};
use muster_api::binding::{Binding, Visitor};
use rpc_client::Core;

use crate::{
    Options, SURFACE, documents,
    endpoint::{self, Gateway},
    index,
    route::Route,
    well_known,
};

/// Collects the routes of bindings.
#[derive(Default)]
pub struct Table {
    routes: Vec<(Method, Route)>,
}

impl Visitor for Table {
    fn visit<B: Binding>(&mut self, _binding: B) {
        self.routes.push((B::METHOD, Route::of::<B>()));
    }
}

impl Table {
    /// The router of all visited bindings, with the documents, the health checks and an answer to unknown paths.
    pub fn into_router(self, core: Core, options: Options) -> Router {
        let core = SURFACE.core(core);
        let documents = documents::operations(options.openapi, &options.public_url);
        let oauth = OAuth::new(core.clone());
        let cache = options.calls.cache.clone();
        let public_url = options.public_url.clone();
        let gateway = Arc::new(Gateway {
            core: core.clone(),
            options,
            oauth: oauth.clone(),
        });
        let operations = self
            .routes
            .into_iter()
            .map(|(method, route)| {
                let gateway = Arc::clone(&gateway);
                (route.path, endpoint::operation(method, route, gateway))
            })
            .chain(documents)
            .chain([well_known::catalog()])
            .chain(well_known::resources(&oauth));
        // By path without the names of parameters: `/events/{slug}` and `/events/{id}` are one resource.
        let mut resources: BTreeMap<String, Resource> = BTreeMap::new();
        for (path, operation) in operations {
            let shape = shape(path);
            let resource = resources.remove(&shape);
            let resource = resource.unwrap_or_else(|| Resource::new(path));
            resources.insert(shape, resource.with(operation));
        }
        let index = index::resource(resources.values());
        let routes = resources
            .into_values()
            .chain([index])
            .fold(axum::Router::new(), |routes, resource| {
                resource.add_to(routes)
            });
        SURFACE.router(routes, &core, cache).at(&public_url)
    }
}

/// A path's template without the names of its parameters.
fn shape(path: &str) -> String {
    let segments = path.split('/').map(|segment| {
        if segment.starts_with('{') {
            "{}"
        } else {
            segment
        }
    });
    segments.collect::<Vec<_>>().join("/")
}
