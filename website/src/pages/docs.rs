//! `/docs`: what developers read. The reference of the API, its concepts, and the guides for developers and operators.

use std::{cmp::Reverse, fmt::Write as _};

use askama::Template;
use http_kit::{Problem, document};
use muster_api::{
    Reason,
    reference::{PAGES, ReferencePage},
    v1::StaticItem,
};

use super::articles::{Name, list_guides, list_use_cases};
use crate::{
    concepts::CONCEPTS,
    layout::{FRESH, Page, PageResult, Section, public},
    markdown::Author,
    request_context::{RequestContext, Site},
};

pub(in crate::pages) const PATH: &str = "/docs";
pub(in crate::pages) const NAME: &str = "Developers";
const LEAD: &str = "One API over HTTP, gRPC and MCP: what it can do, and how to call it.";

/// The media type of Markdown (RFC 7763).
pub(in crate::pages) const MARKDOWN: &str = "text/markdown; charset=utf-8";

/// The longest text that is searched for, in bytes; more is cut.
const MAX_SEARCH_BYTES: usize = 200;

/// A group of operations with its operations.
struct Group {
    page: &'static ReferencePage,
    operations: Vec<&'static ReferencePage>,
}

/// A guide or a use case.
struct Article {
    path: String,
    title: String,
}

#[derive(Template)]
#[template(path = "docs.html")]
struct IndexPage {
    page: Page,
    name: &'static str,
    lead: &'static str,
    query: String,
    found: Option<Vec<&'static ReferencePage>>,
    concepts: &'static [ReferencePage],
    groups: Vec<Group>,
    developers: Vec<Article>,
    operators: Vec<Article>,
}

#[derive(Template)]
#[template(path = "docs_page.html")]
struct ReferenceShown {
    page: Page,
    shown: &'static ReferencePage,
    html: String,
    concepts: &'static [ReferencePage],
    groups: Vec<Group>,
}

pub(in crate::pages) async fn index(context: RequestContext) -> PageResult {
    let (guides, use_cases) = tokio::try_join!(list_guides(&context), list_use_cases(&context))?;
    let of = |audience: &str| {
        let guides = articles("/guides", &guides, audience);
        let use_cases = articles("/use-cases", &use_cases, audience);
        guides.chain(use_cases).collect()
    };
    let (developers, operators) = (of("developers"), of("operators"));
    let mut query = context.query().text("q").unwrap_or_default();
    query.truncate(query.floor_char_boundary(MAX_SEARCH_BYTES));
    let found = Some(find(&query)).filter(|_| !query.is_empty());
    let page = Page::unlisted(context.site.links(), NAME, LEAD, Section::Developers);
    let page = match found {
        None => page.at(context.site.url(PATH)),
        Some(_) => page,
    };
    public(&IndexPage {
        page,
        name: NAME,
        lead: LEAD,
        query,
        found,
        concepts: &CONCEPTS,
        groups: groups(),
        developers,
        operators,
    })
}

/// The articles of a shelf for an audience.
fn articles<'a>(
    shelf: &'a str,
    items: &'a [StaticItem],
    audience: &'a str,
) -> impl Iterator<Item = Article> + 'a {
    let items = items.iter().filter(move |item| item.audience == audience);
    items.map(move |item| Article {
        path: format!("{shelf}/{}", item.slug),
        title: item.title.clone(),
    })
}

/// The same as Markdown: every page with its address.
pub(in crate::pages) async fn index_as_markdown(context: RequestContext) -> PageResult {
    let mut text = format!("# {NAME}\n\n{LEAD}\n\n");
    list(&mut text, &context.site);
    Ok(document(text, MARKDOWN, FRESH))
}

pub(in crate::pages) async fn show(context: RequestContext) -> PageResult {
    let name = Name::of(&context)?;
    let found = all().find(|page| page.slug == name.slug);
    let shown =
        found.ok_or_else(|| Problem::new(Reason::NotFound, "there is no such page; see /docs"))?;
    if name.is_markdown {
        return Ok(document(markdown(shown, &context.site), MARKDOWN, FRESH));
    }
    let text = context.site.addressed(shown.markdown);
    let page = Page::unlisted(
        context.site.links(),
        shown.title,
        shown.summary,
        Section::Developers,
    );
    public(&ReferenceShown {
        page: page.at(url(shown, &context.site)),
        shown,
        html: crate::markdown::html(&text, Author::Muster),
        concepts: &CONCEPTS,
        groups: groups(),
    })
}

/// Every page: the concepts, then each group and its operations.
pub(in crate::pages) fn all() -> impl Iterator<Item = &'static ReferencePage> {
    CONCEPTS.iter().chain(PAGES)
}

/// The address of a page.
pub(in crate::pages) fn url(page: &ReferencePage, site: &Site) -> String {
    site.url(&format!("{PATH}/{}", page.slug))
}

/// The text of a page, whose links lead to the instance from wherever it is read.
pub(in crate::pages) fn markdown(page: &ReferencePage, site: &Site) -> String {
    absolute(&site.addressed(page.markdown), site)
}

/// A text whose links within the site have its address.
pub(in crate::pages) fn absolute(text: &str, site: &Site) -> String {
    text.replace("](/", &format!("]({}/", site.public_url()))
}

/// Adds a list of all pages.
pub(in crate::pages) fn list(text: &mut String, site: &Site) {
    let mut line = |page: &ReferencePage| {
        let url = url(page, site);
        let _infallible = writeln!(text, "- [{}]({url}.md): {}", page.title, page.summary);
    };
    all().for_each(&mut line);
}

fn groups() -> Vec<Group> {
    let groups = PAGES.iter().filter(|page| page.group.is_none());
    let group = |page: &'static ReferencePage| Group {
        page,
        operations: PAGES
            .iter()
            .filter(|one| one.group == Some(page.slug))
            .collect(),
    };
    groups.map(group).collect()
}

/// The pages that have all words of a query in their titles, summaries or names. The best come first: a page that has one of these
/// names, then one with the words in its title.
fn find(query: &str) -> Vec<&'static ReferencePage> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let has = |page: &&ReferencePage| {
        let title = page.title.to_lowercase();
        let summary = page.summary.to_lowercase();
        let names: Vec<String> = page.names.iter().map(|name| name.to_lowercase()).collect();
        // Concepts have no names: their texts are as short.
        let text = match page.names {
            [] => page.markdown.to_lowercase(),
            _ => String::new(),
        };
        words.iter().all(|word| {
            page.slug.contains(word)
                || title.contains(word)
                || summary.contains(word)
                || names.iter().any(|name| name.contains(word))
                || text.contains(word)
        })
    };
    let rank = |page: &&ReferencePage| {
        let is_named = page.names.iter().any(|name| name.to_lowercase() == query);
        let is_titled = words
            .iter()
            .all(|word| page.title.to_lowercase().contains(word));
        Reverse((is_named && page.group.is_some(), is_titled))
    };
    let mut found: Vec<&ReferencePage> = all().filter(has).collect();
    found.sort_by_key(rank);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_of_webhook_messages_is_found_by_its_name() {
        for name in ["registration.checked_in", "event.created"] {
            assert_eq!(find(name)[0].title, name);
        }
        let mut all = find("webhook messages").into_iter();
        assert!(all.any(|page| page.slug == "webhook-messages"));
    }

    #[test]
    fn an_operation_is_found_by_each_of_its_names() {
        for query in [
            "createEvent",
            "create_event",
            "POST /api/v1/events",
            "Create an event",
            "muster.v1.EventService/CreateEvent",
        ] {
            let found = find(query);
            let place = found.iter().position(|page| page.slug == "create-event");
            assert!(place.is_some_and(|place| place < 3), "{query}: {place:?}");
        }
        assert!(find("seats_left").len() > 1);
        assert!(
            find("IDEMPOTENCY_KEY_REUSED")
                .iter()
                .any(|page| page.slug == "errors")
        );
        assert!(find("no such words").is_empty());
    }
}
