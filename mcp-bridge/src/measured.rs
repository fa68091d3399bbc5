//! What metrics show of tool calls. HTTP's status says nothing of them: it is 200 for those that fail, too.

use edge::Problem;
use process::metrics;

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
        Err(Failed::Protocol(_)) => REFUSED,
        Err(Failed::Refused(problem)) => outcome_of(problem),
    }
}

/// The same of a call that failed.
pub(crate) const fn outcome_of(problem: &Problem) -> &'static str {
    if problem.http_status >= 500 {
        "failed"
    } else {
        REFUSED
    }
}

pub(crate) const DONE: &str = "done";
pub(crate) const REFUSED: &str = "refused";
pub(crate) const CANCELLED: &str = "cancelled";
