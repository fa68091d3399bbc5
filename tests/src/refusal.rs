//! An error for clients, the same on every surface.

use muster_api::{Reason, status::DOMAIN, violation::Violation};
use serde_json::Value;
use tonic::Status;
use tonic_types::StatusExt as _;

use crate::Reply;

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The code.
    pub reason: Reason,
    /// For people.
    pub message: String,
    /// A violation of one field, or a quota that is used up.
    pub details: Vec<Violation>,
}

impl Refusal {
    /// The invalid fields, in their order.
    pub fn fields(&self) -> Vec<&str> {
        let fields = self.details.iter();
        fields.map(|violation| violation.field.as_str()).collect()
    }

    /// Checks that it blames exactly these fields, in this order, and that its message names the first.
    #[track_caller]
    pub fn blames(&self, fields: &[&str]) {
        assert_eq!(self.reason, Reason::InvalidRequest, "{self:?}");
        assert_eq!(self.fields(), fields, "{self:?}");
        let first = fields.first().copied().unwrap_or_default();
        assert!(self.message.starts_with(first), "{self:?}");
    }

    /// Reads the error body, which has the same shape for every failure (rule 14 of docs/rules.md).
    #[track_caller]
    pub(crate) fn from_http(answer: &Reply) -> Self {
        let body = answer.json();
        let text = |value: &Value| -> String {
            let text = value
                .as_str()
                .unwrap_or_else(|| panic!("no text: {answer:?}"));
            text.to_owned()
        };
        let error = &body["error"];
        let reason = Reason::from_code(&text(&error["code"])).expect("a known code");
        assert_eq!(answer.status, reason.http_status(), "{answer:?}");
        let request_id = text(&error["request_id"]);
        if !answer.may_repeat {
            assert_eq!(Some(request_id.as_str()), answer.header("x-request-id"));
        }
        let details = error.get("details").map(|details| {
            let details = details.as_array().expect("details are a list").iter();
            details
                .map(|detail| Violation {
                    field: text(&detail["field"]),
                    message: text(&detail["message"]),
                })
                .collect()
        });
        Self {
            reason,
            message: text(&error["message"]),
            details: details.unwrap_or_default(),
        }
    }

    /// Reads the text of a refused tool call: the code, what is wrong, what to do about it.
    #[track_caller]
    pub(crate) fn from_mcp(text: &str) -> Self {
        let (code, rest) = text.split_once(": ").unwrap_or_else(|| panic!("{text}"));
        let reason = Reason::from_code(code).unwrap_or_else(|| panic!("no code: {text}"));
        let (message, _remedy) = rest.split_once(reason.remedy()).expect("a way out");
        let violation = |line: &str| {
            let (field, message) = line.split_once(' ').expect("a field and a message");
            Violation {
                field: field.to_owned(),
                message: message.to_owned(),
            }
        };
        let mut lines = message.trim_end().split("\n- ");
        let first = lines.next().unwrap_or_default();
        let mut details: Vec<_> = lines.map(violation).collect();
        let mut message = first.to_owned();
        if reason == Reason::InvalidRequest && details.is_empty() {
            details.push(violation(first));
        } else if let [first, ..] = details.as_slice() {
            message = format!("{} {}", first.field, first.message);
        }
        Self {
            reason,
            message,
            details,
        }
    }

    /// Reads the rich details, which every status of Muster's own carries.
    #[track_caller]
    pub fn from_grpc(status: &Status) -> Self {
        let details = status.get_error_details();
        let info = details
            .error_info()
            .unwrap_or_else(|| panic!("no ErrorInfo: {status:?}"));
        assert_eq!(info.domain, DOMAIN);
        let reason = Reason::from_code(&info.reason).expect("a known reason");
        assert_eq!(status.code(), reason.grpc_code(), "{status:?}");
        let violations = details.bad_request().map(|bad| {
            let violations = bad.field_violations.iter();
            violations
                .map(|violation| Violation {
                    field: violation.field.clone(),
                    message: violation.description.clone(),
                })
                .collect()
        });
        let quotas = details.quota_failure().map(|failure| {
            let quotas = failure.violations.iter();
            quotas
                .map(|quota| Violation {
                    field: quota.subject.clone(),
                    message: quota.description.clone(),
                })
                .collect()
        });
        Self {
            reason,
            message: status.message().to_owned(),
            details: violations.or(quotas).unwrap_or_default(),
        }
    }
}
