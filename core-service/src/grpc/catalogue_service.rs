//! The public catalogue, and covers.

use covers::Studio;
use muster_api::{
    Reason,
    http_body::HttpBody,
    metadata::PROVISIONAL,
    status::status,
    v1::{
        Event, EventList, GetCoverRequest, GetEventRequest, GetGuideRequest, GetUseCaseRequest,
        ListEventsRequest, ListGuidesRequest, ListUseCasesRequest, Page, StaticItem,
        StaticItemList, catalogue_service_server::CatalogueService,
    },
};
use tokio_stream::Once;
use tonic::{Request, Response, Status, metadata::MetadataValue};

use super::{convert, status::refuse};
use crate::{
    content,
    service::{Catalogue, CoverView, Links},
};

/// The rpcs of the public catalogue.
pub(super) struct CatalogueApi {
    pub(super) catalogue: Catalogue,
    pub(super) links: Links,
    pub(super) studio: Studio,
}

#[tonic::async_trait]
impl CatalogueService for CatalogueApi {
    type GetCoverStream = Once<Result<HttpBody, Status>>;

    async fn list_events(
        &self,
        request: Request<ListEventsRequest>,
    ) -> Result<Response<EventList>, Status> {
        let (limit, offset) = (request.get_ref().limit(), request.get_ref().offset());
        let page = self.catalogue.list(limit, offset).await.map_err(refuse)?;
        let links = &self.links;
        Ok(Response::new(EventList {
            items: page
                .events
                .into_iter()
                .map(|event| convert::public_event(event, links))
                .collect(),
            count: page.count,
            limit,
            offset,
            next_offset: page.next_offset,
        }))
    }

    async fn get_event(
        &self,
        request: Request<GetEventRequest>,
    ) -> Result<Response<Event>, Status> {
        let event = self
            .catalogue
            .get(&request.get_ref().slug)
            .await
            .map_err(refuse)?;
        Ok(Response::new(convert::public_event(event, &self.links)))
    }

    async fn get_cover(
        &self,
        request: Request<GetCoverRequest>,
    ) -> Result<Response<Self::GetCoverStream>, Status> {
        let cover = self
            .catalogue
            .cover(&request.get_ref().slug)
            .await
            .map_err(refuse)?;
        let (body, etag, is_provisional) = match cover {
            CoverView::Stock(cover) => {
                let etag = convert::hexadecimal(&cover.digest);
                let body = HttpBody {
                    content_type: "image/jpeg".into(),
                    data: cover.jpeg.into(),
                };
                (body, etag, false)
            }
            CoverView::Drawn {
                words,
                is_provisional,
            } => {
                let cover = self.studio.cover(convert::cover_request(words)).await;
                let cover = cover.map_err(|error| refuse_cover(&error))?;
                let body = HttpBody {
                    content_type: "image/png".into(),
                    data: cover.png,
                };
                (body, cover.etag, is_provisional)
            }
        };
        let mut response = Response::new(tokio_stream::once(Ok(body)));
        let metadata = response.metadata_mut();
        if is_provisional {
            metadata.insert(PROVISIONAL, MetadataValue::from_static("1"));
        }
        if let Ok(etag) = format!("\"{etag}\"").parse() {
            metadata.insert("etag", etag);
        }
        Ok(response)
    }

    async fn list_use_cases(
        &self,
        _: Request<ListUseCasesRequest>,
    ) -> Result<Response<StaticItemList>, Status> {
        let links = &self.links;
        Ok(static_items(content::USE_CASES, |slug| {
            links.use_case(slug)
        }))
    }

    async fn list_guides(
        &self,
        _: Request<ListGuidesRequest>,
    ) -> Result<Response<StaticItemList>, Status> {
        let links = &self.links;
        Ok(static_items(content::GUIDES, |slug| links.guide(slug)))
    }

    async fn get_guide(&self, request: Request<GetGuideRequest>) -> Result<Response<Page>, Status> {
        let page = content::Page::find(content::GUIDES, &request.get_ref().slug)
            .ok_or_else(|| status(Reason::NotFound, "there is no such guide"))?;
        Ok(text_of(page, self.links.guide(page.slug)))
    }

    async fn get_use_case(
        &self,
        request: Request<GetUseCaseRequest>,
    ) -> Result<Response<Page>, Status> {
        let page = content::Page::find(content::USE_CASES, &request.get_ref().slug)
            .ok_or_else(|| status(Reason::NotFound, "there is no such use case"))?;
        Ok(text_of(page, self.links.use_case(page.slug)))
    }
}

fn text_of(page: &content::Page, url: String) -> Response<Page> {
    Response::new(Page {
        slug: page.slug.to_owned(),
        title: page.title().to_owned(),
        url,
        markdown: page.markdown.to_owned(),
    })
}

fn static_items(pages: &[content::Page], url: impl Fn(&str) -> String) -> Response<StaticItemList> {
    let item = |page: &content::Page| StaticItem {
        slug: page.slug.to_owned(),
        url: url(page.slug),
        title: page.title().to_owned(),
    };
    Response::new(StaticItemList {
        items: pages.iter().map(item).collect(),
    })
}

fn refuse_cover(error: &covers::Error) -> Status {
    match error {
        covers::Error::Busy => status(Reason::Unavailable, error.to_string()),
        covers::Error::Drawing(_) => {
            tracing::error!(%error, "drawing a cover failed");
            status(Reason::Internal, "internal error")
        }
    }
}
