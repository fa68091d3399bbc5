//! From bindings to a router.

use std::{collections::BTreeMap, sync::Arc};

use axum::{Router, extract::Request, middleware, routing::any};
use edge::{CheckCredential, Core, check_credential};
use muster_api::{
    binding::{Binding, InternalVisitor, Rpc, Visitor},
    metadata::Surface,
};

use crate::{
    Options, compress, documents, endpoint, error, guard, health,
    resource::{Operation, Resource},
};

/// What every request needs besides itself.
pub(crate) struct Gateway {
    pub(crate) core: Core,
    pub(crate) options: Options,
    /// Asks core whether a credential is any good.
    pub(crate) check: Option<CheckCredential>,
}

/// Collects operations; it visits bindings, and internal rpcs for the one that checks credentials.
#[derive(Default)]
pub struct Table {
    /// By path, the names of its parameters left out: `/events/{slug}` and `/events/{id}` are one resource.
    resources: BTreeMap<String, Resource>,
    check: Option<CheckCredential>,
}

impl Visitor for Table {
    fn visit<B: Binding>(&mut self, _binding: B) {
        self.add(B::PATH, endpoint::operation::<B>());
    }
}

impl InternalVisitor for Table {
    fn visit<R: Rpc>(&mut self, _rpc: R) {
        if R::CHECKS_CREDENTIAL {
            self.check = Some(check_credential::<R>);
        }
    }
}

impl Table {
    /// Everything that was visited as a router, with the documents, the health checks and an answer to unknown paths.
    pub fn into_router(mut self, core: Core, options: Options) -> Router {
        for (path, operation) in documents::operations()
            .into_iter()
            .chain(health::operations())
        {
            self.add(path, operation);
        }
        let gateway = Arc::new(Gateway {
            core: core.on_surface(Surface::Api),
            options,
            check: self.check,
        });
        let mut router = Router::new();
        for resource in self.resources.into_values() {
            let (path, resource, gateway) =
                (resource.path, Arc::new(resource), Arc::clone(&gateway));
            let answer = move |request: Request| {
                let (resource, gateway) = (Arc::clone(&resource), Arc::clone(&gateway));
                async move { resource.answer(gateway, request).await }
            };
            router = router.route(path, any(answer));
        }
        router
            .fallback(error::unknown_path)
            .layer(compress::layer())
            .layer(middleware::from_fn(guard::guard))
    }

    fn add(&mut self, path: &'static str, operation: Operation) {
        let shape = path.split('/').map(|segment| {
            if segment.starts_with('{') {
                "{}"
            } else {
                segment
            }
        });
        let shape = shape.collect::<Vec<_>>().join("/");
        self.resources
            .entry(shape)
            .or_insert_with(|| Resource::new(path))
            .add(operation);
    }
}
