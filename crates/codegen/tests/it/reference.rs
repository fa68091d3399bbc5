//! The pages about operations say what works.

use serde_json::Value;

use crate::sources::{muster, text};

/// What a request is about.
const IDENTITIES: [&str; 7] = [
    "id",
    "code",
    "token",
    "slug",
    "handle",
    "registration_id",
    "webhook_id",
];

/// The name and the text of each page about an operation.
fn pages() -> Vec<(String, String)> {
    let outputs = muster();
    let names = outputs.iter().map(|output| output.name.clone());
    let pages = names.filter(|name| name.starts_with("muster.v1/reference/"));
    let pages: Vec<_> = pages
        .map(|name| (name.clone(), text(&outputs, &name).to_owned()))
        .filter(|(_, page)| page.contains("### grpcurl"))
        .collect();
    assert!(pages.len() > 50);
    pages
}

/// The part of a text between two others.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    text.split_once(start)?
        .1
        .split_once(end)
        .map(|(part, _)| part)
}

#[test]
fn every_error_has_a_cure_that_speaks_to_those_who_call() {
    for (name, page) in pages() {
        let errors = page.split("## Errors\n").nth(1).unwrap();
        let rows = errors.lines().filter(|line| line.contains("| `"));
        for row in rows {
            let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
            assert!(cells.len() == 4 && !cells[3].is_empty(), "{name}: {row}");
            let cure = cells[3].to_lowercase();
            assert!(!cure.contains("the user"), "{name}: {row}");
        }
    }
}

#[test]
fn a_line_for_grpcurl_says_what_the_call_is_about_and_what_it_changes() {
    for (name, page) in pages() {
        let line = between(&page, "### grpcurl\n\n```sh\n", "\n```").unwrap();
        let data = between(line, "-d '", "' \\").or_else(|| between(line, "printf '", "' \"$("));
        let data: Value = serde_json::from_str(data.unwrap_or("{}")).unwrap();
        assert!(
            data["update_mask"].is_null() || data["update_mask"] != "",
            "{name}"
        );
        let tables = page.split("## Call it").next().unwrap();
        let has_row = |field: &str| tables.contains(&format!("\n| `{field}` | "));
        // In a query they are filters.
        let required = tables.split("## In the query").next().unwrap();
        for field in IDENTITIES {
            let is_given = data.get(field).is_some();
            let is_asked =
                required.contains(&format!("\n| `{field}` | ")) && !required.contains("### ");
            assert!(
                is_given || !is_asked,
                "{name}: {field} is missing in {line}"
            );
        }
        assert_eq!(
            has_row("file"),
            line.contains("| tr -d '\\n'"),
            "{name}: {line}"
        );
    }
}
