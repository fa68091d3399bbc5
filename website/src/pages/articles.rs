//! Use cases and guides: the shelf of each kind, and their pages.

use std::fmt::Write as _;

use askama::Template;
use axum::response::Response;
use http_kit::{Problem, document};
use muster_api::v1::{
    GetGuideRequest, GetUseCaseRequest, ListGuidesRequest, ListUseCasesRequest, Page as Article,
    StaticItem,
    bindings::{GetGuide, GetUseCase, ListGuides, ListUseCases},
};

use super::docs::{self, MARKDOWN};
use crate::{
    layout::{FRESH, Page, PageResult, Section, public},
    markdown::Author,
    request_context::RequestContext,
};

/// A kind of articles.
struct Shelf {
    section: Section,
    path: &'static str,
    name: &'static str,
    lead: &'static str,
}

static USE_CASES: Shelf = Shelf {
    section: Section::UseCases,
    path: "/use-cases",
    name: "Use cases",
    lead: "What people organize here, and how.",
};

static GUIDES: Shelf = Shelf {
    section: Section::Guides,
    path: "/guides",
    name: "Guides",
    lead: "How to publish an event, take registrations and welcome your guests, step by step.",
};

#[derive(Template)]
#[template(path = "shelf.html")]
struct ShelfPage {
    page: Page,
    shelf: &'static Shelf,
    items: Vec<StaticItem>,
}

#[derive(Template)]
#[template(path = "article.html")]
struct ArticlePage {
    page: Page,
    shelf: &'static Shelf,
    /// Path and name of the page that lists it.
    above: (&'static str, &'static str),
    article: Article,
    items: Vec<StaticItem>,
}

pub(in crate::pages) async fn use_cases(context: RequestContext) -> PageResult {
    USE_CASES.show(&context, list_use_cases(&context).await?)
}

pub(in crate::pages) async fn use_cases_as_markdown(context: RequestContext) -> PageResult {
    Ok(USE_CASES.as_markdown(&list_use_cases(&context).await?))
}

pub(in crate::pages) async fn guides(context: RequestContext) -> PageResult {
    GUIDES.show(&context, list_guides(&context).await?)
}

pub(in crate::pages) async fn guides_as_markdown(context: RequestContext) -> PageResult {
    Ok(GUIDES.as_markdown(&list_guides(&context).await?))
}

pub(in crate::pages) async fn use_case(context: RequestContext) -> PageResult {
    let name = Name::of(&context)?;
    let slug = name.slug.clone();
    let (article, items) = tokio::try_join!(
        context.ask::<GetUseCase>(GetUseCaseRequest { slug }),
        list_use_cases(&context),
    )?;
    USE_CASES.show_one(&context, &name, article, items)
}

pub(in crate::pages) async fn guide(context: RequestContext) -> PageResult {
    let name = Name::of(&context)?;
    let slug = name.slug.clone();
    let (article, items) = tokio::try_join!(
        context.ask::<GetGuide>(GetGuideRequest { slug }),
        list_guides(&context),
    )?;
    GUIDES.show_one(&context, &name, article, items)
}

pub(in crate::pages) async fn list_use_cases(
    context: &RequestContext,
) -> Result<Vec<StaticItem>, Problem> {
    let list = context.ask::<ListUseCases>(ListUseCasesRequest {});
    Ok(list.await?.items)
}

pub(in crate::pages) async fn list_guides(
    context: &RequestContext,
) -> Result<Vec<StaticItem>, Problem> {
    let list = context.ask::<ListGuides>(ListGuidesRequest {});
    Ok(list.await?.items)
}

/// The last segment of a path: an article, as a page or as Markdown.
pub(in crate::pages) struct Name {
    pub(in crate::pages) slug: String,
    pub(in crate::pages) is_markdown: bool,
}

impl Name {
    /// Reads it.
    ///
    /// # Errors
    /// Not found, if it is no text.
    pub(in crate::pages) fn of(context: &RequestContext) -> Result<Self, Problem> {
        let segment = context.segment(1)?;
        let text = segment.strip_suffix(".md");
        Ok(Self {
            slug: text.unwrap_or(&segment).to_owned(),
            is_markdown: text.is_some(),
        })
    }
}

impl Shelf {
    /// The articles for visitors; those for developers and operators are below `/docs`.
    fn show(&'static self, context: &RequestContext, items: Vec<StaticItem>) -> PageResult {
        let page = Page::unlisted(context.site.links(), self.name, self.lead, self.section);
        let items = items.into_iter().filter(is_for_visitors).collect();
        public(&ShelfPage {
            page: page.at(context.site.url(self.path)),
            shelf: self,
            items,
        })
    }

    fn as_markdown(&self, items: &[StaticItem]) -> Response {
        let mut text = format!("# {}\n\n{}\n\n", self.name, self.lead);
        for StaticItem {
            title,
            url,
            summary,
            ..
        } in items
        {
            let _infallible = writeln!(text, "- [{title}]({url}.md): {summary}");
        }
        document(text, MARKDOWN, FRESH)
    }

    /// An article, beside the others for the same people.
    fn show_one(
        &'static self,
        context: &RequestContext,
        name: &Name,
        article: Article,
        items: Vec<StaticItem>,
    ) -> PageResult {
        if name.is_markdown {
            let text = docs::absolute(&article.markdown, &context.site);
            return Ok(document(text, MARKDOWN, FRESH));
        }
        let (links, url) = (context.site.links(), article.url.clone());
        let this = items.iter().find(|item| item.slug == article.slug);
        let audience = this.map_or_else(String::new, |item| item.audience.clone());
        let is_for_visitors = this.is_none_or(is_for_visitors);
        let items = items.into_iter().filter(|item| item.audience == audience);
        let (section, path, name) = if is_for_visitors {
            (self.section, self.path, self.name)
        } else {
            (Section::Developers, docs::PATH, docs::NAME)
        };
        let page = Page::unlisted(links, &article.title, &article.summary, section);
        public(&ArticlePage {
            page: page.at(url),
            shelf: self,
            above: (path, name),
            items: items.collect(),
            article,
        })
    }
}

fn is_for_visitors(item: &StaticItem) -> bool {
    item.audience == "organizers"
}
