//! MCP over HTTP at `/mcp`, without sessions, so that any replica can answer any request.

mod gate;
mod refusal;
mod revision;

use std::sync::Arc;

use axum::{
    extract::Request,
    response::{IntoResponse as _, Response},
    routing::any,
};
use http::{Method, StatusCode};
use http_kit::{Resource, Router, body::MAX_BYTES, oauth::OAuth};
use rand::RngExt;
use rmcp::{
    model::RequestStateCodec,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};
use rpc_client::Core;
use secrecy::{ExposeSecret, SecretString};
use server::{cors::SharedWith, networks::THIS_MACHINE, observe::Route};
use sha2::{Digest, Sha256};

use crate::{Options, SURFACE, caller::Credentials, handler::Bridge, table::Table};
use gate::Gate;

/// The path of MCP.
const PATH: &str = "/mcp";

/// The path of its metadata for clients that look for a token.
const METADATA: &str = "/.well-known/oauth-protected-resource/mcp";

/// Means any host in the list of hosts.
const ANY_HOST: &str = "*";

impl Table {
    /// The router of `/mcp`, with the bridge's health and an answer to unknown paths.
    pub fn into_router(self, core: Core, options: &Options) -> Router {
        let table = Arc::new(self);
        let core = SURFACE.core(core);
        let bridge = Bridge::new(
            Arc::clone(&table),
            core.clone(),
            options.clone(),
            codec(options.state_key.as_ref()),
            None,
        );
        let service = StreamableHttpService::new(
            move || Ok(bridge.clone()),
            Arc::new(NeverSessionManager::default()),
            config(options),
        );
        let oauth = OAuth::new(core.clone());
        let metadata = Resource::new(METADATA).with(oauth.resource(PATH));
        let gate = Arc::new(Gate {
            table,
            oauth,
            core: core.clone(),
            options: options.clone(),
            credentials: Credentials::default(),
            permits: gate::permits(options.concurrency),
            service,
        });
        let shared = SharedWith::from(options.origins.clone());
        let answer = move |request: Request| {
            let (gate, shared) = (Arc::clone(&gate), shared.clone());
            async move {
                let mut response = answer(gate, &shared, request).await;
                response.extensions_mut().insert(Route(PATH));
                response
            }
        };
        // Not every client follows a redirect with the same method.
        let with_slash = format!("{PATH}/");
        let routes = axum::Router::new()
            .route(&with_slash, any(answer.clone()))
            .route(PATH, any(answer));
        let routes = metadata.add_to(routes);
        let cache = options.calls.cache.clone();
        SURFACE.router(routes, &core, cache).at(&options.public_url)
    }
}

/// Answers a request. A preflight of a page that may call has no credential; any other request needs one.
async fn answer(gate: Arc<Gate>, shared: &SharedWith, request: Request) -> Response {
    let allowed = shared.allowed(request.headers());
    if allowed.is_some() && request.method() == Method::OPTIONS {
        let mut response = StatusCode::NO_CONTENT.into_response();
        shared.invite(&Method::POST, request.headers(), response.headers_mut());
        return response;
    }
    let mut response = gate.answer(request).await;
    shared.share(allowed, response.headers_mut());
    response
}

fn config(options: &Options) -> StreamableHttpServerConfig {
    let others = options
        .origins
        .iter()
        .map(|origin| origin.exact().to_owned());
    // A foreign page cannot have a local origin, at any port.
    let local = ["http", "https"]
        .into_iter()
        .flat_map(|scheme| THIS_MACHINE.map(|host| format!("{scheme}://{host}:*")));
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_BYTES)
        .with_allowed_origins(local.chain(others))
        .enforce_origin_validation();
    if options.hosts.iter().any(|host| host == ANY_HOST) {
        return config.disable_allowed_hosts();
    }
    let hosts = options.hosts.iter().map(String::as_str);
    let local = THIS_MACHINE.map(|host| host.trim_matches(['[', ']']));
    config.with_allowed_hosts(hosts.chain(local))
}

/// The codec that seals confirmations. Without a set key it is random; then a confirmation is valid for this process only.
pub(crate) fn codec(key: Option<&SecretString>) -> RequestStateCodec {
    let key: [u8; 32] = match key {
        Some(key) => Sha256::digest(key.expose_secret()).into(),
        None => rand::rng().random(),
    };
    RequestStateCodec::try_new(key).expect("32 bytes are long enough")
}
