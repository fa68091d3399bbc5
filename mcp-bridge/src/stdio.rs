//! MCP on standard input and output, for a client on this machine that starts the bridge itself.

use std::sync::Arc;

use http::{HeaderMap, HeaderValue, header::AUTHORIZATION};
use rmcp::{ServiceExt, transport::io::stdio_pipes};
use rpc_client::Core;
use secrecy::{ExposeSecret, SecretString};
use server::{CancellationToken, Failure};

use crate::{Options, handler::Bridge, http::codec, table::Table};

/// Serves until the client closes the input, or until the signal to stop.
pub(crate) async fn run(
    table: Table,
    core: Core,
    options: &Options,
    key: Option<&SecretString>,
    shutdown: CancellationToken,
) -> Result<(), Failure> {
    let headers = credential(key)?;
    let codec = codec(options.state_key.as_ref());
    let bridge = Bridge::new(Arc::new(table), core, options.clone(), codec, Some(headers));
    tracing::info!("serving MCP on standard input and output");
    let serving = bridge.serve_with_ct(stdio_pipes(), shutdown);
    // A client may disconnect before its first message.
    let Ok(serving) = serving.await.inspect_err(|error| {
        tracing::info!(%error, "the client disconnected before its first message");
    }) else {
        return Ok(());
    };
    let ended = serving.waiting().await;
    ended.map_err(|error| Failure::Internal(error.to_string()))?;
    Ok(())
}

fn credential(key: Option<&SecretString>) -> Result<HeaderMap, Failure> {
    let key =
        key.ok_or_else(|| Failure::setting("--api-key (MUSTER_API_KEY): required with --stdio"))?;
    let value = HeaderValue::try_from(format!("Bearer {}", key.expose_secret().trim()));
    let mut value = value.map_err(|_| {
        Failure::setting("--api-key (MUSTER_API_KEY): must be an API key such as mus_live_...")
    })?;
    value.set_sensitive(true);
    Ok(HeaderMap::from_iter([(AUTHORIZATION, value)]))
}
