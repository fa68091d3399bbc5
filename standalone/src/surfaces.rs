//! All HTTP surfaces on one port.

use axum::Router;
use edge::{
    Core,
    http::{Surface, mount},
};
use muster_api::metadata;
use process::Failure;

use crate::Config;

/// Answers all other paths, where web pages will be.
const REST: Surface = Surface::of_data(
    metadata::Surface::Site,
    "nothing is at this path; /docs shows the API, and agents connect to /mcp",
);

/// The gateway and the bridge, each at its own paths, and this process's health.
///
/// # Errors
/// [`Failure::Internal`] when a generated table contradicts itself.
pub fn router(core: &Core, config: &Config) -> Result<Router, Failure> {
    let options = http_gateway::Options {
        calls: config.http.calls(),
        ..http_gateway::Options::default()
    };
    let gateway = http_gateway::router(core.clone(), options);
    let bridge = mcp_bridge::router(core.clone(), &config.mcp_options())?;
    let surfaces = [
        (http_gateway::PATHS, &gateway),
        (mcp_bridge::PATHS, &bridge),
    ];
    Ok(mount(&surfaces, &REST.router(Router::new(), core)))
}
