//! All HTTP surfaces on one port.

use http_kit::Router;
use rpc_client::Core;
use server::Failure;

use crate::Config;

/// The gateway and the bridge, each at its own paths, and the site at all others.
///
/// # Errors
/// [`Failure::Internal`] when a generated table contradicts itself.
pub fn router(core: &Core, config: &Config) -> Result<Router, Failure> {
    let cache = config.http.cache.cache(core.changes());
    let options = http_gateway::Options {
        calls: config.http.calls(cache.clone()),
        public_url: config.public_url(),
        public_changes: config.rules.cors.register_origins.clone(),
        ..http_gateway::Options::default()
    };
    let gateway = http_gateway::router(core.clone(), options);
    let bridge = mcp_bridge::router(core.clone(), &config.mcp_options(cache.clone()))?;
    let site = website::Options {
        calls: config.http.calls(cache),
        public_url: config.public_url(),
    };
    let site = website::router(core.clone(), site);
    let surfaces = [
        (http_gateway::PATHS, &gateway),
        (mcp_bridge::PATHS, &bridge),
    ];
    Ok(Router::mount(&surfaces, &site))
}
