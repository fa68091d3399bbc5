//! What a client is told: an rpc's answer, and what went wrong. Failures are mapped here and nowhere else.

use std::fmt::Write as _;

use edge::Problem;
use muster_api::{Reason, validation::Violation};
use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock},
};
use serde_json::json;

use crate::rpcs::Output;

/// Why a tool call came to nothing.
#[derive(Debug)]
pub(crate) enum Failed {
    /// What the model is told.
    Refused(Problem),
    /// What the client itself did wrong, which no other arguments would mend.
    Protocol(ErrorData),
}

impl From<Problem> for Failed {
    fn from(problem: Problem) -> Self {
        Self::Refused(problem)
    }
}

impl From<ErrorData> for Failed {
    fn from(error: ErrorData) -> Self {
        Self::Protocol(error)
    }
}

/// An rpc's answer as a tool's result: structured, and the same JSON as text.
pub(crate) fn success(output: Output) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(output.text)]);
    result.structured_content = Some(output.value);
    result
}

/// A text that says why nothing was done. Without structured content, which would make clients hide the text.
pub(crate) fn text_result(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text.into())])
}

/// A failed tool call as its result, so that the model reads what is wrong and what would be right.
pub(crate) fn refusal(problem: &Problem) -> CallToolResult {
    text_result(wording(problem))
}

/// A failure where the protocol has no room for a text of ours: listing and reading resources. What was not found is named.
pub(crate) fn protocol_error(problem: &Problem, uri: Option<&str>) -> ErrorData {
    let message = wording(problem);
    match problem.http_status {
        404 => ErrorData::resource_not_found(message, uri.map(|uri| json!({ "uri": uri }))),
        400..=499 => ErrorData::invalid_params(message, None),
        _ => ErrorData::internal_error(message, None),
    }
}

/// The code, what is wrong (one line for each argument), and what to do about it. For example
/// `INVALID_REQUEST: limit must be from 1 to 100, is 0`, and on the next line `Correct these arguments and call again.`
fn wording(problem: &Problem) -> String {
    let mut text = format!("{}: ", problem.code);
    match problem.details.as_slice() {
        [] => text.push_str(&problem.message),
        [one] => text.push_str(&line(one)),
        several => {
            let count = several.len();
            let _infallible = write!(text, "{count} arguments are wrong");
            for one in several {
                text.push_str("\n- ");
                text.push_str(&line(one));
            }
        }
    }
    let remedy = Reason::from_code(problem.code).map_or("", Reason::remedy);
    if !remedy.is_empty() {
        text.push('\n');
        text.push_str(remedy);
    }
    if let Some(seconds) = problem.retry_after_seconds {
        let _infallible = write!(text, " Retry after {seconds} s.");
    }
    text
}

fn line(violation: &Violation) -> String {
    format!("{} {}", violation.field, violation.message)
}
