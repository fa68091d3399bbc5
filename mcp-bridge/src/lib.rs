//! Muster over the Model Context Protocol: the generated table of tools, resources and prompts, served by rmcp.
//!
//! A request goes through `http` (credential, limits) or `stdio` to `handler`, which finds the row in `table`. A tool call is
//! parsed by `arguments`, confirmed by `confirmation` if necessary, run by `rpcs` and answered by `answer`, which also writes
//! errors. No rpc is known by name: `muster_api::TOOLS`, `muster_api::MCP` and [`muster_api::binding::Rpc`] have everything.

mod answer;
mod arguments;
mod caller;
mod confirmation;
mod handler;
mod http;
mod observe;
mod prompts;
mod resources;
mod rpcs;
mod settings;
mod stdio;
mod table;
mod template;

use futures_util::future::BoxFuture;
use http_kit::{Router, Surface};
use muster_api::metadata;
use rpc_client::Core;
use server::{Failure, shutdown};

pub use rpcs::Rpcs;
pub use settings::{McpSettings, Options, Settings};
pub use table::Table;

/// The path prefixes of the bridge, if it shares its port with other surfaces.
pub const PATHS: &[&str] = &["/mcp", "/.well-known/oauth-protected-resource/mcp"];

const SURFACE: Surface = Surface::of_data(
    metadata::Surface::Mcp,
    "nothing is at this path; MCP is served at /mcp",
);

/// Muster's tools, resources and prompts at `/mcp`, and the bridge's health, on one router. Unknown paths get an error as JSON.
///
/// # Errors
/// [`Failure::Internal`] when the generated table contradicts itself.
pub fn router(core: Core, options: &Options) -> Result<Router, Failure> {
    Ok(Table::muster()?.into_router(core, options))
}

/// Runs the bridge as its own process until the signal to stop, or its command.
///
/// # Errors
/// When it cannot start, or the command fails.
pub fn run(settings: Settings) -> BoxFuture<'static, Result<(), Failure>> {
    Box::pin(async move {
        if settings.stdio {
            // It calls core with its own key, as an ordinary client.
            let (stop, core) = (
                shutdown::on_signal(settings.edge.stop)?,
                settings.edge.core.client()?,
            );
            let (table, key) = (Table::muster()?, settings.api_key.as_ref());
            let options = settings.options(None);
            return stdio::run(table, core, &options, key, stop.begun).await;
        }
        let router = Box::new(|core, cache| router(core, &settings.options(cache)));
        let public_url = settings.public_url.as_deref();
        http_kit::run(&settings.edge, public_url, settings.command, router).await
    })
}
