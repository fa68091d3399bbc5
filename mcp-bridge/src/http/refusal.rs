//! Refusals that HTTP itself gives, before MCP is spoken.

use axum::{body::Body, response::Response};
use edge::Problem;
use http::{
    HeaderValue, StatusCode,
    header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE},
};
use process::observe::{Cause, RequestId};
use rmcp::model::{ErrorData, JsonRpcError, RequestId as MessageId};
use serde::de::IgnoredAny;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A problem as every edge shows it.
pub(super) fn response(problem: Problem, id: &RequestId) -> Response {
    let status = StatusCode::from_u16(problem.http_status);
    let mut response = json(
        status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
        problem.document(id).into(),
    );
    let headers = response.headers_mut();
    if let Some(seconds) = problem.retry_after_seconds {
        headers.insert(RETRY_AFTER, seconds.into());
    }
    match problem.http_status {
        401 => headers.insert(
            WWW_AUTHENTICATE,
            HeaderValue::from_static("Bearer realm=\"muster\""),
        ),
        // The rest of the body is still on its way; it is not worth waiting for.
        408 | 413 => headers.insert(CONNECTION, HeaderValue::from_static("close")),
        _ => None,
    };
    if let Some(cause) = problem.cause {
        response.extensions_mut().insert(Cause(cause));
    }
    response
}

/// What JSON-RPC answers to a body that holds no message: rmcp itself takes it for a wrong media type. `None` when the body is
/// not to blame.
pub(super) fn unreadable(bytes: &[u8]) -> Option<Response> {
    let error = match serde_json::from_slice::<IgnoredAny>(bytes) {
        Err(error) => ErrorData::parse_error(format!("this is no JSON: {error}"), None),
        Ok(_) if is_message(bytes) => return None,
        Ok(_) => ErrorData::invalid_request(
            "this is no JSON-RPC message: one object with jsonrpc, method, and id and params if need be",
            None,
        ),
    };
    Some(protocol(None, error))
}

/// What JSON-RPC answers to a message that cannot be taken.
pub(super) fn protocol(id: Option<MessageId>, error: ErrorData) -> Response {
    // An id, a code, a text and what the revisions are always serialize.
    let body = serde_json::to_vec(&JsonRpcError::new(id, error)).unwrap_or_default();
    json(StatusCode::BAD_REQUEST, body.into())
}

fn is_message(bytes: &[u8]) -> bool {
    serde_json::from_slice::<rmcp::model::ClientJsonRpcMessage>(bytes).is_ok()
}

pub(super) fn json(status: StatusCode, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, JSON);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
