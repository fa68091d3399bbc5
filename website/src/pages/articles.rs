//! Use cases and guides: the shelf of each kind, and their pages.

use askama::Template;
use muster_api::v1::{
    GetGuideRequest, GetUseCaseRequest, ListGuidesRequest, ListUseCasesRequest, Page as Article,
    StaticItem,
    bindings::{GetGuide, GetUseCase, ListGuides, ListUseCases},
};

use crate::{
    layout::{Page, PageResult, Section, public},
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
    lead: "What people organize with Muster, and how.",
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
    article: Article,
    items: Vec<StaticItem>,
}

pub(in crate::pages) async fn use_cases(context: RequestContext) -> PageResult {
    let list = context.ask::<ListUseCases>(ListUseCasesRequest {}).await?;
    USE_CASES.show(&context, list.items)
}

pub(in crate::pages) async fn guides(context: RequestContext) -> PageResult {
    let list = context.ask::<ListGuides>(ListGuidesRequest {}).await?;
    GUIDES.show(&context, list.items)
}

pub(in crate::pages) async fn use_case(context: RequestContext) -> PageResult {
    let slug = context.segment(1)?;
    let (article, list) = tokio::try_join!(
        context.ask::<GetUseCase>(GetUseCaseRequest { slug }),
        context.ask::<ListUseCases>(ListUseCasesRequest {}),
    )?;
    USE_CASES.show_one(&context, article, list.items)
}

pub(in crate::pages) async fn guide(context: RequestContext) -> PageResult {
    let slug = context.segment(1)?;
    let (article, list) = tokio::try_join!(
        context.ask::<GetGuide>(GetGuideRequest { slug }),
        context.ask::<ListGuides>(ListGuidesRequest {}),
    )?;
    GUIDES.show_one(&context, article, list.items)
}

impl Shelf {
    fn show(&'static self, context: &RequestContext, items: Vec<StaticItem>) -> PageResult {
        let page = Page::unlisted(context.site.links(), self.name, self.lead, self.section);
        public(&ShelfPage {
            page: page.at(context.site.url(self.path)),
            shelf: self,
            items,
        })
    }

    fn show_one(
        &'static self,
        context: &RequestContext,
        article: Article,
        items: Vec<StaticItem>,
    ) -> PageResult {
        let (links, url) = (context.site.links(), article.url.clone());
        let page = Page::unlisted(links, &article.title, &article.summary, self.section);
        public(&ArticlePage {
            page: page.at(url),
            shelf: self,
            article,
            items,
        })
    }
}
