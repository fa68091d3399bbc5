//! The documentation has every metric, and alerts and the dashboard name no other. `UPDATE_GOLDEN=1` rewrites what is made from others.

use std::{collections::BTreeSet, fs, path::PathBuf};

use serde_json::Value;
use server::metrics::{DECLARED, Declared};

/// What the language of queries and Prometheus itself name.
const WORDS: &[&str] = &[
    "and",
    "by",
    "changes",
    "count",
    "delta",
    "histogram_quantile",
    "max",
    "min",
    "or",
    "rate",
    "sum",
    "topk",
    "up",
];

/// Labels that Prometheus adds.
const ADDED_LABELS: &[&str] = &["instance", "job", "le"];

const RULES: &str = "deploy/monitoring/rules.yaml";
const RULES_OF_OPERATOR: &str = "deploy/kubernetes/monitoring/rules.yaml";
const DASHBOARD: &str = "deploy/monitoring/dashboard.json";
const DOCUMENTATION: &str = "docs/operations.md";

fn path(file: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(file)
}

fn read(file: &str) -> String {
    fs::read_to_string(path(file)).unwrap()
}

/// Fails if a file is not as it should be made; with `UPDATE_GOLDEN`, it is made so.
fn assert_made(file: &str, made: &str) {
    if read(file) == made {
        return;
    }
    assert!(
        std::env::var_os("UPDATE_GOLDEN").is_some(),
        "{file} is old: UPDATE_GOLDEN=1 cargo test -p tests metrics"
    );
    fs::write(path(file), made).unwrap();
}

/// The names of the samples of a metric.
fn samples(one: &Declared) -> Vec<String> {
    let endings: &[&str] = match one.kind {
        "Histogram" => &["_bucket", "_count", "_sum"],
        _ => &[""],
    };
    endings
        .iter()
        .map(|ending| format!("{}{ending}", one.name))
        .collect()
}

fn declared(sample: &str) -> Option<&'static Declared> {
    DECLARED
        .iter()
        .find(|one| samples(one).iter().any(|name| name == sample))
}

/// An expression without texts, ranges and numbers, in pieces: names, and braces around labels.
fn pieces(expression: &str) -> Vec<String> {
    let mut bare = String::new();
    let (mut is_text, mut is_range) = (false, false);
    for one in expression.chars() {
        match one {
            '"' => is_text = !is_text,
            '[' if !is_text => is_range = true,
            ']' if !is_text => is_range = false,
            _ if is_text || is_range => {}
            '{' | '}' => bare.extend([' ', one, ' ']),
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | ':' | '.' => bare.push(one),
            _ => bare.push(' '),
        }
    }
    let is_number = |piece: &str| piece.parse::<f64>().is_ok();
    let pieces = bare.split_whitespace().filter(|piece| !is_number(piece));
    pieces.map(str::to_owned).collect()
}

/// What an expression names that is not there.
fn unknown(expression: &str) -> Vec<String> {
    let mut unknown = Vec::new();
    let (mut metric, mut is_in_braces) = (None, false);
    let every_label: BTreeSet<&str> = DECLARED
        .iter()
        .flat_map(|one| one.labels)
        .copied()
        .collect();
    for piece in pieces(expression) {
        let is_added = ADDED_LABELS.contains(&&*piece);
        match &*piece {
            "{" => is_in_braces = true,
            "}" => is_in_braces = false,
            label if is_in_braces => {
                let labels = metric.map_or(&[][..], |one: &Declared| one.labels);
                if !is_added && !labels.contains(&label) {
                    unknown.push(piece);
                }
            }
            name => {
                let found = declared(name);
                metric = found;
                let is_word = WORDS.contains(&name) || is_added || every_label.contains(name);
                if found.is_none() && !is_word {
                    unknown.push(piece);
                }
            }
        }
    }
    unknown
}

/// Every value of `expr` in a document.
fn expressions(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|one| expressions(one, found)),
        Value::Object(members) => {
            for (name, member) in members {
                match (&**name, member) {
                    ("expr", Value::String(text)) => found.push(text.clone()),
                    _ => expressions(member, found),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn alerts_name_metrics_that_are_there() {
    let rules = read(RULES);
    let expressions: Vec<&str> = rules
        .lines()
        .filter_map(|line| line.trim().strip_prefix("expr: "))
        .collect();
    assert_eq!(expressions.len(), rules.matches("- alert: ").count());
    for expression in expressions {
        assert_eq!(unknown(expression), [""; 0], "{expression}");
    }
}

#[test]
fn the_dashboard_names_metrics_that_are_there() {
    let dashboard: Value = serde_json::from_str(&read(DASHBOARD)).unwrap();
    let mut found = Vec::new();
    expressions(&dashboard, &mut found);
    assert!(found.len() > 20);
    for expression in &found {
        assert_eq!(unknown(expression), [""; 0], "{expression}");
    }
    // And all of ours are on it.
    for one in DECLARED
        .iter()
        .filter(|one| one.name.starts_with("muster_"))
    {
        let is_shown = |expression: &String| expression.contains(one.name);
        assert!(
            found.iter().any(is_shown),
            "{} is not on the dashboard",
            one.name
        );
    }
}

#[test]
fn what_is_not_there_is_found() {
    assert_eq!(
        unknown("sum(rate(muster_requests_total[5m])) > 1"),
        ["muster_requests_total"]
    );
    assert_eq!(unknown(r#"muster_mails_total{result="sent"}"#), ["result"]);
    assert_eq!(unknown("sum by (slug) (muster_mails_total)"), ["slug"]);
    assert_eq!(
        unknown("muster_http_request_duration_seconds > 1"),
        ["muster_http_request_duration_seconds"]
    );
}

#[test]
fn the_operator_has_the_same_alerts() {
    let (rules, of_operator) = (read(RULES), read(RULES_OF_OPERATOR));
    let (_, groups) = rules.split_once("\ngroups:\n").unwrap();
    let (head, _) = of_operator.split_once("  groups:\n").unwrap();
    let indented = groups.lines().map(|line| format!("  {line}\n"));
    let made = format!("{head}  groups:\n{}", indented.collect::<String>());
    assert_made(RULES_OF_OPERATOR, &made);
}

#[test]
fn every_alert_is_explained() {
    let (rules, documentation) = (read(RULES), read(DOCUMENTATION));
    for alert in rules
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- alert: "))
    {
        assert!(documentation.contains(&format!("| `{alert}` |")), "{alert}");
    }
}

#[test]
fn the_documentation_has_every_metric() {
    let (begin, end) = ("<!-- metrics -->\n", "<!-- end of metrics -->");
    let documentation = read(DOCUMENTATION);
    let (before, rest) = documentation.split_once(begin).unwrap();
    let (_, after) = rest.split_once(end).unwrap();
    let rows = DECLARED.iter().map(|one| {
        let labels: Vec<String> = one
            .labels
            .iter()
            .map(|label| format!("`{label}`"))
            .collect();
        let Declared {
            name, kind, help, ..
        } = one;
        format!(
            "| `{name}` | {} | {} | {} |\n",
            kind.to_lowercase(),
            labels.join(", "),
            help.trim()
        )
    });
    let table = format!(
        "| metric | type | labels | meaning |\n|---|---|---|---|\n{}",
        rows.collect::<String>()
    );
    assert_made(
        DOCUMENTATION,
        &format!("{before}{begin}{table}{end}{after}"),
    );
}
