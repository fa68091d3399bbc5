//! The results of `doctor`, as text and as JSON.

use serde_json::{Value, json};

use crate::admin::Output;

/// The result of one check.
pub(super) struct Finding {
    name: &'static str,
    level: Level,
    /// The result; for an error also how to repair it.
    message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Ok,
    /// An operator should look at it, but Muster works.
    Note,
    Error,
}

impl Level {
    const fn mark(self) -> &'static str {
        match self {
            Self::Ok => "ok   ",
            Self::Note => "note ",
            Self::Error => "ERROR",
        }
    }
}

impl Finding {
    /// A check that succeeded or failed.
    pub(super) fn new(name: &'static str, outcome: Result<String, String>) -> Self {
        let (level, message) = match outcome {
            Ok(message) => (Level::Ok, message),
            Err(message) => (Level::Error, message),
        };
        Self {
            name,
            level,
            message,
        }
    }

    /// A note for the operator.
    pub(super) const fn note(name: &'static str, message: String) -> Self {
        Self {
            name,
            level: Level::Note,
            message,
        }
    }
}

/// One line for each check, and a summary.
pub(super) fn report(findings: &[Finding]) -> Output {
    let width = findings.iter().map(|one| one.name.len()).max().unwrap_or(0);
    let lines = findings.iter().map(|one| {
        let (mark, name, message) = (one.level.mark(), one.name, &one.message);
        format!("{mark}  {name:width$}  {message}\n")
    });
    let errors = findings
        .iter()
        .filter(|one| one.level == Level::Error)
        .count();
    let summary = match errors {
        0 => "no errors".to_owned(),
        1 => "1 error".to_owned(),
        _ => format!("{errors} errors"),
    };
    let checks: Vec<Value> = findings
        .iter()
        .map(|one| {
            json!({
                "name": one.name,
                "ok": one.level != Level::Error,
                "note": one.level == Level::Note,
                "message": one.message,
            })
        })
        .collect();
    Output {
        text: format!("{}\n{summary}", lines.collect::<String>()),
        json: json!({ "ok": errors == 0, "checks": checks }),
        succeeded: errors == 0,
    }
}
