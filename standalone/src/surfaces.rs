//! All HTTP surfaces on one port.

use http_kit::Router;
use rpc_client::Core;
use server::Failure;
use website::Views;

use crate::Config;

/// The gateway and the bridge, each at its own paths, and the site at all others, which counts `views`.
///
/// # Errors
/// [`Failure::Internal`] when a generated table contradicts itself; [`Failure::Settings`] when the logo cannot be used.
pub fn router(core: &Core, config: &Config, views: Views) -> Result<Router, Failure> {
    let look = config.look.look(&config.mail.brand)?;
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
        grpc_url: Some(config.grpc_url()),
        look,
        views,
    };
    let site = website::router(core.clone(), site);
    let surfaces = [
        (http_gateway::PATHS, &gateway),
        (mcp_bridge::PATHS, &bridge),
    ];
    Ok(Router::mount(&surfaces, &site))
}
