//! The trace that a client names in `_meta`, as MCP says, in place of the headers of HTTP.

use http::{HeaderMap, HeaderName, HeaderValue};
use rmcp::model::RequestMetaObject;
use tracing::Span;

use crate::table::Tool;

/// The keys in `_meta`, which are those of W3C.
const KEYS: [&str; 2] = ["traceparent", "tracestate"];

/// What `_meta` has of it, as headers; none if it names no trace.
pub(crate) fn named_in(meta: &RequestMetaObject) -> Option<HeaderMap> {
    let headers: HeaderMap = KEYS
        .iter()
        .filter_map(|key| {
            let value = HeaderValue::from_str(meta.get(*key)?.as_str()?).ok()?;
            Some((HeaderName::from_static(key), value))
        })
        .collect();
    headers.contains_key("traceparent").then_some(headers)
}

/// The span of a tool's call.
pub(crate) fn span(tool: &Tool) -> Span {
    server::span!(
        "tool",
        otel.kind = "server",
        otel.name = &*tool.definition.name,
        mcp.method.name = "tools/call",
        gen_ai.tool.name = &*tool.definition.name,
    )
}
