//! The header `MCP-Protocol-Version`, which names the revision of a request.
//!
//! rmcp compares the header with the message. But it accepts revisions that Muster does not support, a repeated header, and a
//! missing header if the message names a revision: a proxy could then read the request in another way than the server. A
//! message without a revision may have no header: revisions before 2026-07-28 require servers to accept clients without it, and
//! 2025-03-26 does not have it.

use axum::response::Response;
use http::{HeaderMap, HeaderValue};
use rmcp::model::{ErrorData, ProtocolVersion, RequestId};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;

use super::refusal;
use crate::handler::REVISIONS;

/// Its name.
const HEADER: &str = "mcp-protocol-version";

/// The parts of a message that an error needs.
#[derive(Deserialize)]
struct Envelope {
    #[serde(rename = "jsonrpc")]
    _version: IgnoredAny,
    #[serde(default)]
    id: Option<RequestId>,
    method: String,
    #[serde(default)]
    params: Value,
}

impl Envelope {
    fn names_revision(&self) -> bool {
        let revision = &self.params["_meta"]["io.modelcontextprotocol/protocolVersion"];
        !revision.is_null()
    }
}

/// The error for a message with a wrong header.
pub(super) fn refuse(headers: &HeaderMap, message: &[u8]) -> Option<Response> {
    let mut values = headers.get_all(HEADER).iter();
    let value = values.next();
    let error = if values.next().is_some() {
        ErrorData::header_mismatch("the header MCP-Protocol-Version is repeated", None)
    } else if let Some(value) = value {
        unspoken(value)?
    } else {
        ErrorData::header_mismatch("the header MCP-Protocol-Version is missing", None)
    };
    // A body without a message is refused elsewhere.
    let message: Envelope = serde_json::from_slice(message).ok()?;
    // The handshake negotiates the revision, so it does not need one.
    let may_pass = message.method == "initialize" || (value.is_none() && !message.names_revision());
    (!may_pass).then(|| refusal::protocol(message.id, error))
}

fn unspoken(value: &HeaderValue) -> Option<ErrorData> {
    if REVISIONS.iter().any(|spoken| spoken.as_str() == value) {
        return None;
    }
    let named = String::from_utf8_lossy(value.as_bytes());
    let named: ProtocolVersion = serde_json::from_value(named.into()).ok()?;
    Some(ErrorData::unsupported_protocol_version(named, REVISIONS))
}
