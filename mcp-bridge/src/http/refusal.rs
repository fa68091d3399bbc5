//! Errors of HTTP, before MCP.

use axum::response::Response;
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{ALLOW, CONTENT_TYPE},
};
use http_body_util::{BodyExt, Limited};
use http_kit::{Problem, json};
use muster_api::Reason;
use rmcp::model::{ErrorData, JsonRpcError, RequestId as MessageId};
use serde::de::IgnoredAny;
use server::observe::RequestId;

/// Maximum size of an error of rmcp; the longest is far smaller.
const REFUSAL_BYTES: usize = 4 << 10;

/// The JSON-RPC error for a batch, which only the revision 2025-03-26 has. `None` if the body is none.
pub(super) fn batch(bytes: &[u8]) -> Option<Response> {
    let is_batch = bytes.trim_ascii_start().starts_with(b"[")
        && serde_json::from_slice::<Vec<IgnoredAny>>(bytes).is_ok();
    let message = "batches are not supported: send each message in a request of its own";
    is_batch.then(|| protocol(None, ErrorData::invalid_request(message, None)))
}

/// The JSON-RPC error for a body without a message, which rmcp reports as a wrong media type. `None` if the body is valid.
pub(super) fn unreadable(bytes: &[u8]) -> Option<Response> {
    let error = match serde_json::from_slice::<IgnoredAny>(bytes) {
        Err(error) => ErrorData::parse_error(format!("this is not JSON: {error}"), None),
        Ok(_) if is_message(bytes) => return None,
        Ok(_) => ErrorData::invalid_request(
            "this is not a JSON-RPC message: it must be one object with jsonrpc, method, and id and params if needed",
            None,
        ),
    };
    Some(protocol(None, error))
}

/// The JSON-RPC answer with an error.
pub(super) fn protocol(id: Option<MessageId>, error: ErrorData) -> Response {
    // These values always serialize.
    let body = serde_json::to_vec(&JsonRpcError::new(id, error)).unwrap_or_default();
    json(StatusCode::BAD_REQUEST, body)
}

fn is_message(bytes: &[u8]) -> bool {
    serde_json::from_slice::<rmcp::model::ClientJsonRpcMessage>(bytes).is_ok()
}

/// The answer of rmcp, with its plain-text errors as JSON, as on every surface.
pub(super) async fn in_our_words(response: Response, method: &Method, id: &RequestId) -> Response {
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || is_json(response.headers()) {
        return response;
    }
    let allow = response.headers().get(ALLOW).cloned();
    let text = Limited::new(response.into_body(), REFUSAL_BYTES)
        .collect()
        .await;
    let text = text.map(http_body_util::Collected::to_bytes);
    let text = text.unwrap_or_default();
    let mut response = worded(status, method, &String::from_utf8_lossy(&text)).into_response(id);
    if let Some(allow) = allow {
        response.headers_mut().insert(ALLOW, allow);
    }
    response
}

fn worded(status: StatusCode, method: &Method, text: &str) -> Problem {
    let invalid = |message: &str| Problem::new(Reason::InvalidRequest, message);
    let problem = match status {
        StatusCode::METHOD_NOT_ALLOWED => {
            let message = format!("this path takes POST, not {method}");
            Problem::new(Reason::MethodNotAllowed, message)
        }
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            let message = "the Content-Type must be application/json";
            Problem::new(Reason::UnsupportedMediaType, message)
        }
        StatusCode::FORBIDDEN if text.contains("Host") => invalid(
            "MCP is not served under this host; the setting --mcp-hosts names those that it is served under",
        ),
        StatusCode::FORBIDDEN => invalid(
            "pages of this origin may not call; the setting --mcp-origins names those that may",
        ),
        status if status.is_client_error() => invalid(text.trim_start_matches("Bad Request: ")),
        _ => Problem::new(Reason::Internal, "Muster failed").caused_by(text),
    };
    problem.answered(status.as_u16())
}

pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let media_type = headers.get(CONTENT_TYPE);
    media_type
        .map(HeaderValue::as_bytes)
        .is_some_and(|media_type| media_type.starts_with(b"application/json"))
}
