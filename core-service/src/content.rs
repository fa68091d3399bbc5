//! The embedded static pages: use cases and guides.

/// A page of the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Its name in paths.
    pub slug: &'static str,
    /// Its text as Markdown. The first line is the title.
    pub markdown: &'static str,
}

impl Page {
    /// The title, without Markdown's mark.
    pub fn title(&self) -> &'static str {
        let first = self.markdown.lines().next().unwrap_or_default();
        first.trim_start_matches("# ")
    }

    /// Finds the page with this slug.
    pub fn find(pages: &'static [Self], slug: &str) -> Option<&'static Self> {
        pages.iter().find(|page| page.slug == slug)
    }
}

/// Lists pages by name, from a folder of `content/`; a test compares the list with the folder.
macro_rules! pages {
    ($folder:literal: $($slug:literal),+ $(,)?) => {
        &[$(Page {
            slug: $slug,
            markdown: include_str!(concat!("../../content/", $folder, "/", $slug, ".md")),
        }),+]
    };
}

/// What Muster is used for.
pub const USE_CASES: &[Page] =
    pages!("use-cases": "agent-run-events", "community-meetups", "workshops-and-courses");

/// How to do things with Muster.
pub const GUIDES: &[Page] =
    pages!("guides": "cancel-an-event", "publish-your-first-event", "time-zones");

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
