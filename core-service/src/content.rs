//! The embedded static pages: use cases and guides.

/// A page of the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Its name in paths.
    pub slug: &'static str,
    /// Whom it is for.
    pub audience: Audience,
    /// Its text as Markdown. The first line is the title.
    pub markdown: &'static str,
}

/// Whom a page is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// People who organize events.
    Organizers,
    /// People who write programs for Muster.
    Developers,
    /// People who run Muster.
    Operators,
}

impl Audience {
    /// Its name in the contract.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Organizers => "organizers",
            Self::Developers => "developers",
            Self::Operators => "operators",
        }
    }
}

impl Page {
    /// The title, without Markdown's mark.
    pub fn title(&self) -> &'static str {
        let first = self.markdown.lines().next().unwrap_or_default();
        first.trim_start_matches("# ")
    }

    /// Its first sentences as plain text, for lists and search engines: those of its first paragraph that fit, or the beginning of the
    /// first one.
    pub fn summary(&self) -> String {
        let (_, text) = self.markdown.split_once("\n\n").unwrap_or_default();
        let (paragraph, _) = text.split_once("\n\n").unwrap_or((text, ""));
        let text = plain(paragraph);
        let fits = |end: &usize| is_short(text.get(..*end).unwrap_or_default());
        let whole = sentence_ends(&text).take_while(fits).last();
        match whole.and_then(|end| text.get(..end)) {
            Some(sentences) => sentences.to_owned(),
            None => beginning(&text),
        }
    }

    /// Finds the page with this slug.
    pub fn find(pages: &'static [Self], slug: &str) -> Option<&'static Self> {
        pages.iter().find(|page| page.slug == slug)
    }
}

/// Maximum length of a summary in characters: what search engines show.
const SUMMARY_CHARACTERS: usize = 160;

fn is_short(text: &str) -> bool {
    text.chars().count() <= SUMMARY_CHARACTERS
}

/// A paragraph in one line, without marks of emphasis and code, and with the words of links only.
fn plain(paragraph: &str) -> String {
    let mut text = String::new();
    let mut characters = paragraph.trim().chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '*' | '`' | '[' => {}
            ']' if characters.peek() == Some(&'(') => {
                let _ = characters.find(|next| *next == ')');
            }
            '\n' => text.push(' '),
            other => text.push(other),
        }
    }
    text
}

fn sentence_ends(text: &str) -> impl Iterator<Item = usize> {
    let ends = text.char_indices().filter(|(at, character)| {
        let rest = text.get(at + 1..).unwrap_or_default();
        matches!(character, '.' | '!' | '?') && (rest.is_empty() || rest.starts_with(' '))
    });
    ends.map(|(at, _)| at + 1)
}

/// As many words as fit, and an ellipsis.
fn beginning(text: &str) -> String {
    let mut short = String::new();
    for word in text.split(' ') {
        if !is_short(&format!("{short} {word}…")) {
            break;
        }
        short.push_str(if short.is_empty() { "" } else { " " });
        short.push_str(word);
    }
    short + "…"
}

/// Lists pages by audience and name, from a folder of `content/`; a test compares the list with the folder.
macro_rules! pages {
    ($folder:literal: $($audience:ident: $($slug:literal),+;)+) => {
        &[$($(Page {
            slug: $slug,
            audience: Audience::$audience,
            markdown: include_str!(concat!("../../content/", $folder, "/", $slug, ".md")),
        }),+),+]
    };
}

/// What Muster is used for.
pub const USE_CASES: &[Page] = pages!(
    "use-cases":
    Organizers: "community-meetups", "workshops-and-courses", "conferences", "company-events",
        "sports-and-outdoors", "agent-run-events";
    Developers: "build-on-muster";
);

/// How to do things with Muster, in the order in which a newcomer reads them.
pub const GUIDES: &[Page] = pages!(
    "guides":
    Organizers: "publish-an-event", "invite-people", "approve-registrations", "check-people-in",
        "change-or-cancel-an-event";
    Developers: "tour-in-curl", "publish-your-first-event", "approval-and-waitlist", "custom-questions",
        "bring-a-list-in", "check-in-at-the-door", "write-to-your-guests", "cancel-an-event", "what-registrants-receive", "time-zones",
        "first-event-by-an-agent", "connect-an-mcp-client", "connect-a-program", "receive-webhooks", "call-it-over-grpc";
    Operators: "run-it-in-containers", "from-sqlite-to-postgresql";
);

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::Path};

    use super::*;

    #[test]
    fn every_file_is_a_page() {
        for (folder, pages) in [("use-cases", USE_CASES), ("guides", GUIDES)] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../content")
                .join(folder);
            let files: BTreeSet<String> = std::fs::read_dir(path)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            let listed: BTreeSet<String> = pages
                .iter()
                .map(|page| format!("{}.md", page.slug))
                .collect();
            assert_eq!(listed, files);
        }
    }

    #[test]
    fn every_page_has_a_summary_that_reads_well() {
        for page in USE_CASES.iter().chain(GUIDES) {
            let summary = page.summary();
            assert!(is_short(&summary), "{}: {summary}", page.slug);
            assert!(summary.chars().count() > 20, "{}: {summary}", page.slug);
            assert!(summary.ends_with(['.', '…']), "{}: {summary}", page.slug);
            let marks = ['*', '`', '[', ']', '#', '|', '\n'];
            assert!(!summary.contains(marks), "{}: {summary}", page.slug);
        }
    }

    #[test]
    fn a_summary_has_whole_sentences_as_long_as_one_fits() {
        let summary = |text: &str| {
            let markdown = format!("# Title\n\n{text}\n\nNext.\n").leak();
            Page {
                markdown,
                ..USE_CASES[0]
            }
            .summary()
        };
        assert_eq!(summary("One **two** `3.0`.\nFour?"), "One two 3.0. Four?");
        assert_eq!(summary("See [the guide](/guides/x). Now"), "See the guide.");
        let long = format!("Short. {}.", "word ".repeat(40));
        assert_eq!(summary(&long), "Short.");
        let endless = summary(&"größe ".repeat(40));
        assert!(endless.ends_with("größe…"), "{endless}");
        assert!(is_short(&endless) && endless.chars().count() > 150);
    }

    #[test]
    fn every_page_begins_with_its_title() {
        for page in USE_CASES.iter().chain(GUIDES) {
            assert!(page.markdown.starts_with("# "), "{}", page.slug);
            assert!(
                page.title().len() > 5 && !page.title().contains('#'),
                "{}",
                page.slug
            );
            assert!(page.markdown.ends_with('\n'), "{}", page.slug);
        }
    }
}
