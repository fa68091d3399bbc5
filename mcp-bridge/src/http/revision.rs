//! The header that names the revision a request is made in, which says how all the rest of it is read.
//!
//! rmcp holds header and message against each other. It lets pass what it knows and Muster does not speak, a header that is
//! missing and one that is there twice: proxies would read such a request otherwise than its server does.

use axum::response::Response;
use http::{HeaderMap, HeaderValue};
use rmcp::model::{ErrorData, ProtocolVersion, RequestId};
use serde::{Deserialize, de::IgnoredAny};

use super::refusal;
use crate::handler::REVISIONS;

const HEADER: &str = "mcp-protocol-version";

/// As much of a message as is needed to answer it.
#[derive(Deserialize)]
struct Envelope {
    #[serde(rename = "jsonrpc")]
    _version: IgnoredAny,
    #[serde(default)]
    id: Option<RequestId>,
    method: String,
}

/// The answer to a message whose header is wrong.
pub(super) fn refuse(headers: &HeaderMap, message: &[u8]) -> Option<Response> {
    let error = wrong(headers)?;
    // What is no message is refused as such.
    let message: Envelope = serde_json::from_slice(message).ok()?;
    // The handshake is there to find a revision, so it needs to name none.
    (message.method != "initialize").then(|| refusal::protocol(message.id, error))
}

fn wrong(headers: &HeaderMap) -> Option<ErrorData> {
    let mismatch = |message: &'static str| Some(ErrorData::header_mismatch(message, None));
    let mut values = headers.get_all(HEADER).iter();
    let Some(value) = values.next() else {
        return mismatch("the header MCP-Protocol-Version is missing");
    };
    if values.next().is_some() {
        return mismatch("the header MCP-Protocol-Version is there twice");
    }
    let is_spoken = |value: &HeaderValue| REVISIONS.iter().any(|spoken| spoken.as_str() == value);
    if is_spoken(value) {
        return None;
    }
    let named = String::from_utf8_lossy(value.as_bytes());
    let named: ProtocolVersion = serde_json::from_value(named.into()).ok()?;
    Some(ErrorData::unsupported_protocol_version(named, REVISIONS))
}
