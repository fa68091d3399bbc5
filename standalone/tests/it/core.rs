//! Cores that know no rules, and requests to the surfaces before them.

use std::convert::Infallible;

use axum::{body::Body, response::Response};
use http::{HeaderMap, HeaderValue, Request};
use http_body_util::{BodyExt, Full};
use http_kit::Router;
use rpc_client::Core;
use serde_json::Value;
use tower::{ServiceExt, service_fn};

/// A core that answers every call with an empty message, that it serves when it is asked for its health, and that credentials may
/// be used for creating events.
pub(crate) fn willing() -> Core {
    // Each begins with a flag, no compression, and its length.
    const EMPTY: &[u8] = &[0, 0, 0, 0, 0];
    const SERVING: &[u8] = &[0, 0, 0, 0, 2, 8, 1];
    const SCOPES: &[u8] = b"\0\0\0\0\x0e\x1a\x0cevents:write";
    Core::in_process(service_fn(async |call: Request<tonic::body::Body>| {
        let message = match call.uri().path() {
            path if path.starts_with("/grpc.health.") => SERVING,
            path if path.ends_with("/CheckCredential") => SCOPES,
            _ => EMPTY,
        };
        let ok = HeaderMap::from_iter([("grpc-status".parse().unwrap(), HeaderValue::from(0))]);
        let body = Full::from(message).with_trailers(async { Some(Ok::<_, Infallible>(ok)) });
        let response = http::Response::builder().header("content-type", "application/grpc");
        Ok::<_, Infallible>(response.body(body).unwrap())
    }))
}

/// A core that never answers.
pub(crate) fn stuck() -> Core {
    Core::in_process(service_fn(|_call| async {
        std::future::pending::<Result<http::Response<Full<bytes::Bytes>>, Infallible>>().await
    }))
}

/// `GET` with a credential.
pub(crate) fn get(path: &str) -> Request<Body> {
    let request = Request::get(path).header("host", "localhost");
    let request = request.header("authorization", "Bearer good");
    request.body(Body::empty()).unwrap()
}

/// An MCP message with a credential.
pub(crate) fn mcp(method: &str) -> Request<Body> {
    let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#);
    Request::post("/mcp")
        .header("host", "localhost")
        .header("authorization", "Bearer good")
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2025-11-25")
        .body(message.into())
        .unwrap()
}

pub(crate) async fn send(router: &Router, request: Request<Body>) -> Response {
    router.clone().oneshot(request).await.unwrap()
}

pub(crate) async fn bytes(response: Response) -> Vec<u8> {
    response
        .into_body()
        .collect()
        .await
        .unwrap()
        .to_bytes()
        .into()
}

/// Checks that this is an error as every error is, and answers its code and its message.
pub(crate) async fn error(response: Response) -> (u16, String, String) {
    let status = response.status().as_u16();
    let header = |name: &str| {
        response
            .headers()
            .get(name)
            .map(|value| value.to_str().unwrap().to_owned())
    };
    assert_eq!(header("content-type").as_deref(), Some("application/json"));
    assert_eq!(header("cache-control").as_deref(), Some("no-store"));
    let json: Value = serde_json::from_slice(&bytes(response).await).unwrap();
    let error = &json["error"];
    assert!(!error["request_id"].as_str().unwrap().is_empty(), "{json}");
    let text = |name: &str| error[name].as_str().unwrap().to_owned();
    (status, text("code"), text("message"))
}
