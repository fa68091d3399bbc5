//! The header that names the revision a request is made in, which says how all the rest of it is read.
//!
//! rmcp holds header and message against each other. It lets pass what it knows and Muster does not speak, a header that is
//! there twice, and one that is missing where the message names a revision: proxies would read such a request otherwise than
//! its server does. A message that names none itself may come without: those before 2026-07-28 ask servers to serve clients
//! from before there was this header.

use axum::response::Response;
use http::{HeaderMap, HeaderValue};
use rmcp::model::{ErrorData, ProtocolVersion, RequestId};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;

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
    #[serde(default)]
    params: Value,
}

impl Envelope {
    fn names_revision(&self) -> bool {
        let revision = &self.params["_meta"]["io.modelcontextprotocol/protocolVersion"];
        !revision.is_null()
    }
}

/// The answer to a message whose header is wrong.
pub(super) fn refuse(headers: &HeaderMap, message: &[u8]) -> Option<Response> {
    let mut values = headers.get_all(HEADER).iter();
    let value = values.next();
    let error = if values.next().is_some() {
        ErrorData::header_mismatch("the header MCP-Protocol-Version is there twice", None)
    } else if let Some(value) = value {
        unspoken(value)?
    } else {
        ErrorData::header_mismatch("the header MCP-Protocol-Version is missing", None)
    };
    // What is no message is refused as such.
    let message: Envelope = serde_json::from_slice(message).ok()?;
    // The handshake is there to find a revision, so it needs to name none.
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
