//! Pages about the concepts of the API, which stand beside its reference. Their tables of error codes and scopes are those of the proto.

use std::{fmt::Write as _, sync::LazyLock};

use muster_api::{Reason, Scope, reference::ReferencePage};

use crate::markdown::summary;

/// Maximum length of a summary: what search engines show.
const SUMMARY_CHARACTERS: usize = 160;

/// The pages with their texts whole, in the order in which people need them.
pub(crate) static CONCEPTS: LazyLock<Vec<ReferencePage>> = LazyLock::new(|| {
    let page = |(slug, text): &(&'static str, &str)| concept(slug, text);
    TEXTS.iter().map(page).collect()
});

macro_rules! concepts {
    ($($slug:literal),+ $(,)?) => {
        &[$(($slug, include_str!(concat!("../../content/concepts/", $slug, ".md")))),+]
    };
}

const TEXTS: &[(&str, &str)] = concepts![
    "first-call",
    "keys-and-oauth",
    "errors",
    "paging",
    "idempotency",
    "rate-limits",
    "conditional-requests",
    "times",
    "cors",
    "versioning",
    "generated-clients",
    "trying",
    "embedding",
];

/// The texts live as long as the program.
fn concept(slug: &'static str, text: &str) -> ReferencePage {
    let markdown: &'static str = text
        .replace("{errors}", &errors())
        .replace("{scopes}", &scopes())
        .leak();
    let (title, rest) = markdown.split_once("\n\n").unwrap_or((markdown, ""));
    let first = rest.split("\n\n").next().unwrap_or_default();
    ReferencePage {
        slug,
        title: title.trim_start_matches("# "),
        summary: summary(first, SUMMARY_CHARACTERS).leak(),
        group: None,
        names: &[],
        markdown,
    }
}

fn errors() -> String {
    let mut table =
        "| Code | Status | gRPC | When | What to do |\n|---|---|---|---|---|".to_owned();
    for reason in Reason::ALL {
        let (code, status) = (reason.code(), reason.http_status());
        let (when, cure) = (reason.description(), reason.remedy());
        let grpc = muster_api::status::code_name(reason.grpc_code());
        let _infallible = write!(
            table,
            "\n| `{code}` | {status} | {grpc} | {when} | {cure} |"
        );
    }
    table
}

fn scopes() -> String {
    let mut table = "| Scope | What it allows |\n|---|---|".to_owned();
    for scope in Scope::ALL {
        let _infallible = write!(table, "\n| `{}` | {} |", scope.name(), scope.description());
    }
    table
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::Path};

    use super::*;

    #[test]
    fn every_file_is_a_page_with_a_title_and_a_summary() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../content/concepts");
        let files = std::fs::read_dir(folder).unwrap();
        let files: BTreeSet<_> = files
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        let pages = CONCEPTS.iter().map(|page| format!("{}.md", page.slug));
        assert_eq!(pages.collect::<BTreeSet<_>>(), files);
        for page in &*CONCEPTS {
            assert!(page.markdown.starts_with("# "), "{}", page.slug);
            assert!(!page.markdown.contains("{errors}") && !page.markdown.contains("{scopes}"));
            assert!(page.summary.len() > 20, "{}: {}", page.slug, page.summary);
        }
    }
}
