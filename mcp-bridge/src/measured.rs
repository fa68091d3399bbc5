//! What metrics show of tool calls. HTTP's status says nothing of them: it is 200 for those that fail, too.

use server::metrics;

use crate::{answer::Failed, table::Tool};

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

const DONE: &str = "done";
const FAILED: &str = "failed";
pub(crate) const REFUSED: &str = "refused";
pub(crate) const CANCELLED: &str = "cancelled";
