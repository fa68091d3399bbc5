//! Use cases and guides: the shelf of each kind, and their pages.

use askama::Template;
use axum::response::Response;
use http_kit::Problem;
use muster_api::v1::{
    GetGuideRequest, GetUseCaseRequest, ListGuidesRequest, ListUseCasesRequest, Page as Article,
    StaticItem,
    bindings::{GetGuide, GetUseCase, ListGuides, ListUseCases},
};

use crate::{
    layout::{Page, Section, public},
    markdown::{Author, html},
    request_context::RequestContext,
};

/// A kind of articles.
struct Shelf {
    section: Section,
    path: &'static str,
    name: &'static str,
    lead: &'static str,
}

const USE_CASES: Shelf = Shelf {
    section: Section::UseCases,
    path: "/use-cases",
    name: "Use cases",
    lead: "What people organize with Muster, and how.",
};

const GUIDES: Shelf = Shelf {
    section: Section::Guides,
    path: "/guides",
    name: "Guides",
    lead: "How to publish an event, take registrations and welcome your guests, step by step.",
};

#[derive(Template)]
#[template(path = "shelf.html")]
struct ShelfPage {
    page: Page,
    heading: &'static str,
    lead: &'static str,
    items: Vec<Item>,
}

#[derive(Template)]
#[template(path = "article.html")]
struct ArticlePage {
    page: Page,
    shelf_url: &'static str,
    shelf_name: &'static str,
    html: String,
    items: Vec<Item>,
}

/// An article in a list.
struct Item {
    url: String,
    title: String,
    summary: String,
    is_current: bool,
}

pub(in crate::pages) async fn use_cases(context: RequestContext) -> Result<Response, Problem> {
    let list = context.ask::<ListUseCases>(ListUseCasesRequest {}).await?;
    USE_CASES.show(&context, list.items)
}

pub(in crate::pages) async fn guides(context: RequestContext) -> Result<Response, Problem> {
    let list = context.ask::<ListGuides>(ListGuidesRequest {}).await?;
    GUIDES.show(&context, list.items)
}

pub(in crate::pages) async fn use_case(context: RequestContext) -> Result<Response, Problem> {
    let slug = context.segment(1)?;
    let (article, list) = tokio::try_join!(
        context.ask::<GetUseCase>(GetUseCaseRequest { slug }),
        context.ask::<ListUseCases>(ListUseCasesRequest {}),
    )?;
    USE_CASES.show_one(&context, article, list.items)
}

pub(in crate::pages) async fn guide(context: RequestContext) -> Result<Response, Problem> {
    let slug = context.segment(1)?;
    let (article, list) = tokio::try_join!(
        context.ask::<GetGuide>(GetGuideRequest { slug }),
        context.ask::<ListGuides>(ListGuidesRequest {}),
    )?;
    GUIDES.show_one(&context, article, list.items)
}

impl Shelf {
    fn show(&self, context: &RequestContext, items: Vec<StaticItem>) -> Result<Response, Problem> {
        let page = Page::unlisted(context.site.links(), self.name, self.lead, self.section);
        public(&ShelfPage {
            page: page.at(context.site.url(self.path)),
            heading: self.name,
            lead: self.lead,
            items: self.items(items, ""),
        })
    }

    fn show_one(
        &self,
        context: &RequestContext,
        article: Article,
        items: Vec<StaticItem>,
    ) -> Result<Response, Problem> {
        let page = Page::unlisted(
            context.site.links(),
            &article.title,
            &article.summary,
            self.section,
        );
        public(&ArticlePage {
            page: page.at(article.url),
            shelf_url: self.path,
            shelf_name: self.name,
            html: html(&article.markdown, Author::Muster),
            items: self.items(items, &article.slug),
        })
    }

    fn items(&self, items: Vec<StaticItem>, current: &str) -> Vec<Item> {
        let item = |item: StaticItem| Item {
            url: format!("{}/{}", self.path, item.slug),
            title: item.title,
            summary: item.summary,
            is_current: item.slug == current,
        };
        items.into_iter().map(item).collect()
    }
}
