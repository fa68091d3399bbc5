//! The bridge in front of a toy core.

use axum::{body::Body, response::Response};
use http::Request;
use http_kit::Router;
use mcp_bridge::{Options, Rpcs, Table};
use rpc_client::Core;
use serde_json::{Value, json};
use test_toy::{GOOD, Toy};

/// The bridge in front of this core.
pub(crate) fn bridge(toy: &Toy, options: &Options) -> Router {
    let mut rpcs = Rpcs::default();
    test_toy::visit_rpcs(&mut rpcs);
    Table::new(test_toy::TOOLS, test_toy::MCP, &rpcs)
        .unwrap()
        .into_router(Core::in_process(toy.routes()), options)
}

/// A tool call that core never answers.
pub(crate) fn waiting() -> Value {
    json!({"name": "get_my_thing", "arguments": {"id": "hang"}})
}

/// A request with a key.
pub(crate) fn request(method: &str, params: &Value) -> Request<Body> {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    Request::post("http://localhost/mcp")
        .header("host", "localhost")
        .header("authorization", GOOD)
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2025-11-25")
        .body(Body::from(message.to_string()))
        .unwrap()
}

/// The JSON of an answer.
pub(crate) async fn json(response: Response) -> Value {
    let bytes = axum::body::to_bytes(response.into_body(), usize::MAX).await;
    serde_json::from_slice(&bytes.unwrap()).unwrap()
}
