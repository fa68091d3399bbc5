//! What metrics and traces show of tool calls. HTTP's status says nothing of them: it is 200 for those that fail, too.

use http::{HeaderMap, HeaderName, HeaderValue};
use rmcp::model::RequestMetaObject;
use server::metrics;
use tracing::Span;

use crate::{answer::Failed, table::Tool};

const DONE: &str = "done";
const FAILED: &str = "failed";
pub(crate) const REFUSED: &str = "refused";
pub(crate) const CANCELLED: &str = "cancelled";

/// Counts a call of a tool, or of none that there is, that ended so.
pub(crate) fn count(tool: Option<&Tool>, outcome: &'static str) {
    let rpc = tool.map_or("none", |tool| tool.rpc.name);
    metrics::measure(|all| all.tool_calls.add_one([rpc.into(), outcome.into()]));
}

/// How a call ended, whether its client or Muster is at fault.
pub(crate) fn outcome<A>(ended: &Result<A, Failed>) -> &'static str {
    match ended {
        Ok(_) => DONE,
        Err(Failed::Refused(problem)) if problem.http_status >= 500 => FAILED,
        Err(_) => REFUSED,
    }
}

/// The keys in `_meta`, which are those of W3C.
const KEYS: [&str; 2] = ["traceparent", "tracestate"];

/// The trace that a client names in `_meta`, as MCP says, instead of the headers of HTTP; none if it names none.
pub(crate) fn trace_of(meta: &RequestMetaObject) -> Option<HeaderMap> {
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
