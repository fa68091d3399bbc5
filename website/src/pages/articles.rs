//! Use cases and guides: the shelf of each kind, and their pages.

use askama::Template;
use axum::response::Response;
use edge::{Problem, http::Resource};
use muster_api::v1::{
    GetGuideRequest, GetUseCaseRequest, ListGuidesRequest, ListUseCasesRequest, Page as Article,
    StaticItem,
    bindings::{GetGuide, GetUseCase, ListGuides, ListUseCases},
};

use crate::{
    layout::{Page, Section, public},
    markdown::{Author, html},
    visit::{Site, Visit},
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

pub(crate) fn resources(site: &Site) -> [Resource; 4] {
    [
        site.page("/use-cases", use_cases),
        site.page("/use-cases/{slug}", use_case),
        site.page("/guides", guides),
        site.page("/guides/{slug}", guide),
    ]
}

async fn use_cases(visit: Visit) -> Result<Response, Problem> {
    let list = visit.ask::<ListUseCases>(ListUseCasesRequest {}).await?;
    USE_CASES.show(&visit, list.items)
}

async fn guides(visit: Visit) -> Result<Response, Problem> {
    let list = visit.ask::<ListGuides>(ListGuidesRequest {}).await?;
    GUIDES.show(&visit, list.items)
}

async fn use_case(visit: Visit) -> Result<Response, Problem> {
    let slug = visit.segment(1)?;
    let (article, list) = tokio::try_join!(
        visit.ask::<GetUseCase>(GetUseCaseRequest { slug }),
        visit.ask::<ListUseCases>(ListUseCasesRequest {}),
    )?;
    USE_CASES.show_one(&visit, article, list.items)
}

async fn guide(visit: Visit) -> Result<Response, Problem> {
    let slug = visit.segment(1)?;
    let (article, list) = tokio::try_join!(
        visit.ask::<GetGuide>(GetGuideRequest { slug }),
        visit.ask::<ListGuides>(ListGuidesRequest {}),
    )?;
    GUIDES.show_one(&visit, article, list.items)
}

impl Shelf {
    fn show(&self, visit: &Visit, items: Vec<StaticItem>) -> Result<Response, Problem> {
        let page = Page::unlisted(visit.site.links(), self.name, self.lead, self.section);
        public(&ShelfPage {
            page: page.at(visit.site.url(self.path)),
            heading: self.name,
            lead: self.lead,
            items: self.items(items, ""),
        })
    }

    fn show_one(
        &self,
        visit: &Visit,
        article: Article,
        items: Vec<StaticItem>,
    ) -> Result<Response, Problem> {
        let page = Page::unlisted(
            visit.site.links(),
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
