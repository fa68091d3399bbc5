//! The short way of a plain tool call.
//!
//! For each request rmcp tries one kind of message after the other, starts a service with tasks of its own, and makes a tree of the answer:
//! more work than the call itself. Almost all requests are calls of a tool that need none of that. They are read here, and answered with
//! the bytes that rmcp would answer; a test compares them. Whatever is unusual about a request, wrong or not, is left to rmcp.

use std::sync::Arc;

use axum::{body::Body, response::Response};
use edge::http::JSON;
use http::{
    HeaderMap,
    header::{ACCEPT, CONTENT_TYPE, HOST, ORIGIN},
    request::Parts,
    uri::Authority,
};
use rmcp::model::{
    JsonRpcResponse, JsonRpcVersion2_0, ProtocolVersion, RequestId, RequestMetaObject,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::revision;
use crate::{
    answer,
    caller::Caller,
    handler::{Bridge, REVISIONS},
    measured,
    table::Tool,
};

const JSON_RPC: &str = "2.0";
const METHOD: &str = "tools/call";

/// The headers that repeat method and name, since the revision without sessions.
const METHOD_HEADER: &str = "mcp-method";
const NAME_HEADER: &str = "mcp-name";

/// How the value of such a header begins that does not stand there as it is.
const ENCODED: &str = "=?base64?";

/// The hosts under which MCP is served.
#[derive(Debug, Clone)]
pub(super) enum Hosts {
    Any,
    Named(Vec<String>),
}

/// A tool call that says all there is to say.
pub(super) struct PlainCall {
    id: RequestId,
    tool: Arc<Tool>,
    arguments: Option<Map<String, Value>>,
    meta: RequestMetaObject,
    is_sessionless: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message<'m> {
    jsonrpc: &'m str,
    id: RequestId,
    method: &'m str,
    #[serde(borrow)]
    params: Params<'m>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params<'m> {
    name: &'m str,
    arguments: Option<Map<String, Value>>,
    #[serde(rename = "_meta")]
    meta: Option<RequestMetaObject>,
}

impl Hosts {
    /// Whether the request names one of them, just as it is written.
    fn include(&self, headers: &HeaderMap) -> bool {
        let Some(host) = once(headers, HOST.as_str()) else {
            return false;
        };
        let Ok(authority) = Authority::try_from(host) else {
            return false;
        };
        match self {
            Self::Any => true,
            Self::Named(names) => names
                .iter()
                .any(|name| name == authority.host() || name == host),
        }
    }
}

impl PlainCall {
    /// The call, if the request is a plain one of a tool that there is.
    pub(super) fn read(
        hosts: &Hosts,
        bridge: &Bridge,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Option<Self> {
        if headers.contains_key(ORIGIN) || !hosts.include(headers) || !is_json_both_ways(headers) {
            return None;
        }
        let said = once(headers, revision::HEADER)?;
        let revision = REVISIONS.iter().find(|spoken| spoken.as_str() == said)?;
        let message: Message<'_> = serde_json::from_slice(body).ok()?;
        let Params {
            name,
            arguments,
            meta,
        } = message.params;
        if message.jsonrpc != JSON_RPC || message.method != METHOD {
            return None;
        }
        let meta = meta.unwrap_or_default();
        let is_sessionless = *revision >= ProtocolVersion::V_2026_07_28;
        let is_in_order = if is_sessionless {
            meta.protocol_version().as_ref() == Some(revision)
                && meta.missing_required_keys(revision).is_empty()
                && once(headers, METHOD_HEADER) == Some(METHOD)
                && once(headers, NAME_HEADER) == Some(name)
                && !name.starts_with(ENCODED)
        } else {
            meta.protocol_version().is_none()
        };
        let tool = bridge.tool(name).filter(|tool| tool.is_plain)?;
        is_in_order.then(|| Self {
            id: message.id,
            tool: Arc::clone(tool),
            arguments,
            meta,
            is_sessionless,
        })
    }

    /// Makes the call.
    pub(super) async fn answer(self, bridge: &Bridge, parts: Parts) -> Response {
        let caller = Caller::sending(parts);
        let done = bridge.call_plainly(&self.tool, self.arguments, &self.meta, &caller);
        let body = match done.await {
            Ok(output) => {
                measured::count(Some(&self.tool), measured::DONE);
                success(&self.id, self.is_sessionless, &output.text)
            }
            Err(problem) => {
                measured::count(Some(&self.tool), measured::outcome_of(&problem));
                caller.note(&self.tool.definition.name, &problem);
                let mut result = answer::refusal(&problem);
                if !self.is_sessionless {
                    result.result_type = None;
                }
                let jsonrpc = JsonRpcVersion2_0;
                let id = self.id;
                serde_json::to_vec(&JsonRpcResponse {
                    jsonrpc,
                    id,
                    result,
                })
            }
        };
        // What is written here always serializes.
        let mut response = Response::new(Body::from(body.unwrap_or_default()));
        response.headers_mut().insert(CONTENT_TYPE, JSON);
        response
    }
}

/// [`answer::success`] as rmcp writes it.
fn success(id: &RequestId, is_sessionless: bool, json: &str) -> serde_json::Result<Vec<u8>> {
    /// Room for what stands around it, and for some escapes in the text.
    const OTHERS: usize = 256;
    let mut out = Vec::with_capacity(OTHERS + json.len() * 5 / 2);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    serde_json::to_writer(&mut out, id)?;
    out.extend_from_slice(br#","result":{"#);
    if is_sessionless {
        out.extend_from_slice(br#""resultType":"complete","#);
    }
    out.extend_from_slice(br#""content":[{"type":"text","text":"#);
    serde_json::to_writer(&mut out, json)?;
    out.extend_from_slice(br#"}],"structuredContent":"#);
    out.extend_from_slice(json.as_bytes());
    out.extend_from_slice(br#","isError":false}}"#);
    Ok(out)
}

/// Whether the body is JSON, and the client takes both forms of answers, without further wishes.
fn is_json_both_ways(headers: &HeaderMap) -> bool {
    let is_json = |media_type: &str| media_type.trim().eq_ignore_ascii_case("application/json");
    let body = once(headers, CONTENT_TYPE.as_str());
    let Some(accepted) = once(headers, ACCEPT.as_str()) else {
        return false;
    };
    let is_stream = |media_type: &str| media_type.trim().eq_ignore_ascii_case("text/event-stream");
    body.is_some_and(is_json)
        && !accepted.contains(['"', ';'])
        && accepted.split(',').any(is_json)
        && accepted.split(',').any(is_stream)
}

/// The value of a header that is there once.
fn once<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() {
        return None;
    }
    value.to_str().ok()
}

#[cfg(test)]
mod tests;
