//! Muster's API as JSON over HTTP: the binding table as routes.
//!
//! A request goes through [`http_kit`], which finds the operation; `endpoint` runs it (credential, `decode`, core,
//! `respond`). No rpc is known by name: [`muster_api::binding::Binding`] has everything.

mod decode;
mod documents;
mod endpoint;
mod index;
mod respond;
mod route;
mod settings;
mod table;
mod well_known;

use futures_util::future::BoxFuture;
use http_kit::{Router, Surface};
use muster_api::metadata;
use rpc_client::Core;
use server::Failure;

pub use documents::OpenApi;
pub use settings::{Options, Settings};
pub use table::Table;

/// The path prefixes of the gateway, if it shares its port with other surfaces.
pub const PATHS: &[&str] = &[
    "/api",
    "/.well-known/api-catalog",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/api/v1",
];

const SURFACE: Surface =
    Surface::of_data(metadata::Surface::Api, "nothing is at this path; see /docs");

/// Muster's API, its documents and its health, on one router. Unknown paths get an error as JSON.
pub fn router(core: Core, options: Options) -> Router {
    let mut table = Table::default();
    muster_api::visit_bindings(&mut table);
    table.into_router(core, options)
}

/// Runs the gateway as its own process until the signal to stop, or its command.
///
/// # Errors
/// When it cannot start, or the command fails.
pub fn run(settings: Settings) -> BoxFuture<'static, Result<(), Failure>> {
    Box::pin(async move {
        let router = Box::new(|core, cache| Ok(router(core, settings.options(cache))));
        let public_url = settings.public_url.as_deref();
        http_kit::run(&settings.edge, public_url, settings.command, router).await
    })
}
