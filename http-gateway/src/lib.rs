//! Muster's API as JSON over HTTP: the binding table as routes.
//!
//! A request goes through [`router`]: `resource` finds the operation, `endpoint` runs it (credential, `decode`, core,
//! `respond`), `error` words what went wrong. No rpc is known by name: [`muster_api::binding::Binding`] says all there is.

mod caching;
mod compress;
mod decode;
mod documents;
mod endpoint;
mod error;
mod guard;
mod health;
mod resource;
mod respond;
mod settings;
mod table;

use axum::Router;
use edge::Core;
use process::{Failure, serve};

pub use settings::{Options, Settings};
pub use table::Table;

/// Muster's own API, its documents and its health, on one router. Every path that it does not know is answered as JSON, too.
pub fn router(core: Core, options: Options) -> Router {
    let mut table = Table::default();
    muster_api::visit_bindings(&mut table);
    muster_api::visit_internal_rpcs(&mut table);
    table.into_router(core, options)
}

/// Runs the gateway as a program of its own until it is told to stop.
///
/// # Errors
/// When it cannot start.
pub async fn run(settings: Settings) -> Result<(), Failure> {
    let shutdown = process::shutdown::on_signal()?;
    let core = settings.core.edge()?;
    let listener = serve::bind("--http-addr (MUSTER_HTTP_ADDR)", settings.http_addr).await?;
    tracing::info!(address = %settings.http_addr, "serving the HTTP API");
    let router = router(core, settings.options());
    serve::serve(listener, router, serve::Limits::default(), shutdown).await;
    Ok(())
}
