//! What was found, for people and for programs.

use serde_json::{Value, json};

use crate::admin::Output;

/// One thing that was looked at.
pub(super) struct Finding {
    name: &'static str,
    verdict: Verdict,
    /// What was found; when something is wrong, what it is and how to mend it.
    message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Well,
    /// Somebody should look at it, but Muster does its work.
    Note,
    Wrong,
}

impl Verdict {
    const fn mark(self) -> &'static str {
        match self {
            Self::Well => "ok   ",
            Self::Note => "note ",
            Self::Wrong => "WRONG",
        }
    }
}

impl Finding {
    /// Something that is well or wrong.
    pub(super) fn new(name: &'static str, outcome: Result<String, String>) -> Self {
        let (verdict, message) = match outcome {
            Ok(message) => (Verdict::Well, message),
            Err(message) => (Verdict::Wrong, message),
        };
        Self {
            name,
            verdict,
            message,
        }
    }

    /// Something that somebody should look at.
    pub(super) const fn note(name: &'static str, message: String) -> Self {
        Self {
            name,
            verdict: Verdict::Note,
            message,
        }
    }
}

/// One finding a line, and what they come to.
pub(super) fn report(findings: &[Finding]) -> Output {
    let width = findings.iter().map(|one| one.name.len()).max().unwrap_or(0);
    let lines = findings.iter().map(|one| {
        let (mark, name, message) = (one.verdict.mark(), one.name, &one.message);
        format!("{mark}  {name:width$}  {message}\n")
    });
    let wrong = findings
        .iter()
        .filter(|one| one.verdict == Verdict::Wrong)
        .count();
    let summary = match wrong {
        0 => "all is well".to_owned(),
        1 => "one thing is wrong".to_owned(),
        _ => format!("{wrong} things are wrong"),
    };
    let checks: Vec<Value> = findings
        .iter()
        .map(|one| {
            json!({
                "name": one.name,
                "ok": one.verdict != Verdict::Wrong,
                "note": one.verdict == Verdict::Note,
                "message": one.message,
            })
        })
        .collect();
    Output {
        text: format!("{}\n{summary}", lines.collect::<String>()),
        json: json!({ "ok": wrong == 0, "checks": checks }),
        is_well: wrong == 0,
    }
}
