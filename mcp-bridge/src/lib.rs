//! Muster over the Model Context Protocol: the generated table of tools, resources and prompts, served by rmcp.
//!
//! A request goes through `http` (credential, limits) or `stdio` to `handler`, which finds the row in `table`. A tool call is
//! read by `arguments`, perhaps held up by `confirmation`, run by `rpcs` and answered by `answer`, which also words what went
//! wrong. No rpc is known by name: `muster_api::TOOLS`, `muster_api::MCP` and [`muster_api::binding::Rpc`] say all there is.

mod answer;
mod arguments;
mod caller;
mod confirmation;
mod credentials;
mod handler;
mod http;
mod origins;
mod prompts;
mod resources;
mod rpcs;
mod settings;
mod stdio;
mod table;
mod template;

use axum::Router;
use edge::{Core, http::Surface};
use muster_api::metadata;
use process::{Failure, shutdown};

pub use origins::Origin;
pub use settings::{List, McpSettings, Options, Settings};
pub use table::Table;

/// The paths that the bridge answers, with all below them, where it shares its port with other surfaces.
pub const PATHS: &[&str] = &["/mcp", "/.well-known/oauth-protected-resource/mcp"];

const SURFACE: Surface = Surface::of_data(
    metadata::Surface::Mcp,
    "nothing is at this path; MCP is served at /mcp",
);

/// Muster's own tools, resources and prompts, served at `/mcp`, and the bridge's health, on one router. Every other path is
/// answered as JSON, too.
///
/// # Errors
/// [`Failure::Internal`] when the generated table contradicts itself.
pub fn router(core: Core, options: &Options) -> Result<Router, Failure> {
    Ok(Table::muster()?.into_router(core, options))
}

/// Runs the bridge as a program of its own until it is told to stop.
///
/// # Errors
/// When it cannot start.
pub async fn run(settings: Settings) -> Result<(), Failure> {
    let options = settings.options();
    if settings.stdio {
        // It calls for the one whose key it has, as any client of core.
        let (stop, core) = (shutdown::on_signal()?, settings.edge.core.client()?);
        let (table, key) = (Table::muster()?, settings.api_key.as_ref());
        return stdio::run(table, core, &options, key, stop).await;
    }
    edge::http::run(&settings.edge, |core| router(core, &options)).await
}
