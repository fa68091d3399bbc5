//! Answers to clients: an rpc's answer, or an error. This is the only mapping of errors to MCP.

use std::fmt::Write as _;

use http_kit::Problem;
use muster_api::{Reason, violation::Violation};
use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock},
};
use serde_json::{Value, json};

use crate::rpcs::Output;

/// Why a tool call failed.
#[derive(Debug)]
pub(crate) enum Failed {
    /// An error for the model.
    Refused(Problem),
    /// An error of the client itself, which other arguments would not correct.
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

/// An rpc's answer as a tool's result: its JSON as text, and structured, without what is null.
pub(crate) fn success(output: Output) -> CallToolResult {
    let value = without_nulls(output.value());
    let mut result = CallToolResult::success(vec![ContentBlock::text(output.text)]);
    result.structured_content = Some(value);
    result
}

/// A value without fields that are null: schemas that every client takes have types alone, and none of two.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
            fields
                .map(|(name, value)| (name, without_nulls(value)))
                .collect()
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

/// A result with a text only. With structured content, clients would hide the text.
pub(crate) fn text_result(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text.into())])
}

/// A failed tool call as a result, so that the model reads the error and its correction.
pub(crate) fn refusal(problem: &Problem) -> CallToolResult {
    text_result(error_text(problem))
}

/// An error of listing or reading resources, where the protocol has its own form. It names what was not found.
pub(crate) fn protocol_error(problem: &Problem, uri: Option<&str>) -> ErrorData {
    let message = error_text(problem);
    match problem.http_status {
        404 => ErrorData::resource_not_found(message, uri.map(|uri| json!({ "uri": uri }))),
        400..=499 => ErrorData::invalid_params(message, None),
        _ => ErrorData::internal_error(message, None),
    }
}

/// The code, the error (one line for each argument), and what to do about it. For example `INVALID_REQUEST: limit must be from
/// 1 to 100, is 0`, and on the next line `Correct these arguments and call again.`
fn error_text(problem: &Problem) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_null_is_left_out_of_the_structured_answer_and_stays_in_the_text() {
        let text = r#"{"items":[{"id":"a","city":null}],"next_cursor":null,"count":1}"#;
        let output = Output {
            text: text.to_owned(),
        };
        let result = serde_json::to_value(success(output)).unwrap();
        let structured = json!({"items": [{"id": "a"}], "count": 1});
        assert_eq!(result["structuredContent"], structured);
        assert_eq!(result["content"][0]["text"], text);
    }
}
