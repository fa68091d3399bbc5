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
use edge::Core;
use process::{Failure, serve};

pub use origins::Origin;
pub use settings::{List, McpSettings, Options, Settings};
pub use table::Table;

/// Muster's own tools, resources and prompts as a router that answers `/mcp` alone.
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
    let shutdown = process::shutdown::on_signal()?;
    let (table, options) = (Table::muster()?, settings.options());
    if settings.stdio {
        // It calls for the one whose key it has, as any client of core.
        let core = settings.core.client()?;
        return stdio::run(table, core, &options, settings.api_key.as_ref(), shutdown).await;
    }
    let core = settings.core.edge()?;
    let listener = serve::bind("--http-addr (MUSTER_HTTP_ADDR)", settings.http_addr).await?;
    tracing::info!(address = %settings.http_addr, "serving MCP");
    let router = http::with_health(table.into_router(core.clone(), &options), core);
    serve::serve(listener, router, serve::Limits::default(), shutdown).await;
    Ok(())
}
