//! The public catalogue, and covers.

use std::{net::IpAddr, sync::Arc};

use bytes::Bytes;
use covers::{CoverRequest, Studio};
use muster_api::{
    Reason, entity_tag,
    http_body::HttpBody,
    metadata::{CATALOGUE, PROVISIONAL},
    status::{invalid, status},
    v1::{
        CalendarFile, Event, EventList, EventPage, GetCatalogueCalendarRequest, GetCoverRequest,
        GetEventCalendarRequest, GetEventPageRequest, GetEventRequest, GetGuideRequest,
        GetUseCaseRequest, ListEventsRequest, ListGuidesRequest, ListSitemapEventsRequest,
        ListSitemapsRequest, ListUseCasesRequest, Page, SitemapList, SitemapPage, StaticItem,
        StaticItemList, catalogue_service_server::CatalogueService,
    },
};
use process::telemetry::chain;
use tokio_stream::Once;
use tonic::{Request, Response, Status, metadata::MetadataValue};

use super::{convert, request::client_address, status::refuse};
use crate::{
    calendar::{self, Addresses},
    content,
    domain::{
        catalogue::{CatalogueFilter, CatalogueState, FilterTexts},
        event,
    },
    service::{Catalogue, CatalogueView, CoverLimit, CoverView, Links, PageView},
};

/// The rpcs of the public catalogue.
pub(super) struct CatalogueApi {
    pub(super) catalogue: Catalogue,
    pub(super) links: Links,
    pub(super) studio: Studio,
    pub(super) cover_limit: CoverLimit,
}

/// Events of the catalogue's calendar file.
const CALENDAR_EVENTS: i32 = 200;

impl CatalogueApi {
    /// The catalogue for a call. Its state may have been read already.
    fn catalogue_for<M>(&self, request: &Request<M>) -> Catalogue {
        let state = request.extensions().get::<Arc<CatalogueState>>();
        self.catalogue.knowing(state.cloned())
    }

    /// A page of the catalogue, or of a search.
    async fn page(
        catalogue: &Catalogue,
        filter: FilterTexts<'_>,
        limit: i32,
        offset: i32,
    ) -> Result<CatalogueView, Status> {
        let filter = CatalogueFilter::read(filter).map_err(|violations| invalid(&violations))?;
        let page = match filter {
            None => catalogue.list(limit, offset).await,
            Some(filter) => catalogue.search(&filter, limit, offset).await,
        };
        page.map_err(refuse)
    }

    /// A drawn cover: from the cache, or drawn now, of which a client gets only so many.
    async fn drawn(&self, request: CoverRequest, client: Option<IpAddr>) -> Result<Bytes, Status> {
        if let Some(png) = self.studio.find(&request) {
            return Ok(png);
        }
        self.cover_limit.count(client).map_err(refuse)?;
        let drawn = self.studio.cover(request).await;
        drawn.map_err(|error| refuse_cover(&error))
    }
}

#[tonic::async_trait]
impl CatalogueService for CatalogueApi {
    type GetCoverStream = Once<Result<HttpBody, Status>>;

    async fn list_events(
        &self,
        request: Request<ListEventsRequest>,
    ) -> Result<Response<EventList>, Status> {
        let catalogue = self.catalogue_for(&request);
        let request = request.get_ref();
        let (limit, offset) = (request.limit(), request.offset());
        let filter = FilterTexts {
            q: request.q.as_deref(),
            city: request.city.as_deref(),
            from: request.from.as_deref(),
            to: request.to.as_deref(),
        };
        let page = Self::page(&catalogue, filter, limit, offset).await?;
        let shown = |event: event::Event| {
            let left = page.seats_left.get(&event.id).copied();
            convert::public_event(event, left.unwrap_or_default(), &self.links)
        };
        let place_is_exact = page.place_is_exact;
        let answer = EventList {
            items: page.events.into_iter().map(shown).collect(),
            count: page.count,
            limit,
            offset,
            next_offset: page.next_offset,
            count_is_exact: page.count_is_exact,
        };
        Ok(if place_is_exact {
            of_catalogue(answer)
        } else {
            Response::new(answer)
        })
    }

    async fn get_event(
        &self,
        request: Request<GetEventRequest>,
    ) -> Result<Response<Event>, Status> {
        let catalogue = self.catalogue_for(&request);
        let found = catalogue.get_with_seats(&request.get_ref().slug).await;
        let (event, left) = found.map_err(refuse)?;
        let event = convert::public_event(event, left, &self.links);
        Ok(of_catalogue(event))
    }

    async fn get_event_page(
        &self,
        request: Request<GetEventPageRequest>,
    ) -> Result<Response<EventPage>, Status> {
        let catalogue = self.catalogue_for(&request);
        let page = catalogue.page(&request.get_ref().slug).await;
        let page = page.map_err(refuse)?;
        let is_live = page.is_live;
        let answer = convert::event_page(page, &self.links);
        Ok(if is_live {
            of_catalogue(answer)
        } else {
            Response::new(answer)
        })
    }

    async fn get_event_calendar(
        &self,
        request: Request<GetEventCalendarRequest>,
    ) -> Result<Response<CalendarFile>, Status> {
        let catalogue = self.catalogue_for(&request);
        let page = catalogue.page(&request.get_ref().slug).await;
        let PageView { event, is_live, .. } = page.map_err(refuse)?;
        let addresses = Addresses {
            host: &self.links.host(),
            event_url: &self.links.event(&event.slug),
        };
        let text = calendar::of_event(&event, addresses);
        let answer = CalendarFile { text };
        Ok(if is_live {
            of_catalogue(answer)
        } else {
            Response::new(answer)
        })
    }

    async fn get_catalogue_calendar(
        &self,
        request: Request<GetCatalogueCalendarRequest>,
    ) -> Result<Response<CalendarFile>, Status> {
        let catalogue = self.catalogue_for(&request);
        let request = request.get_ref();
        let filter = FilterTexts {
            q: request.q.as_deref(),
            city: request.city.as_deref(),
            from: request.from.as_deref(),
            to: request.to.as_deref(),
        };
        let page = Self::page(&catalogue, filter, CALENDAR_EVENTS, 0);
        let events = page.await?.events;
        let event_url = |slug: &str| self.links.event(slug);
        let text = calendar::of_catalogue(&events, &self.links.host(), event_url);
        Ok(of_catalogue(CalendarFile { text }))
    }

    async fn list_sitemaps(
        &self,
        _: Request<ListSitemapsRequest>,
    ) -> Result<Response<SitemapList>, Status> {
        let sitemaps = self.catalogue.sitemaps().await.map_err(refuse)?;
        Ok(of_catalogue(convert::sitemaps(&sitemaps)))
    }

    async fn list_sitemap_events(
        &self,
        request: Request<ListSitemapEventsRequest>,
    ) -> Result<Response<SitemapPage>, Status> {
        let request = request.get_ref();
        let cursor = convert::sitemap_cursor(request.cursor.as_deref());
        let cursor = cursor.map_err(|violations| invalid(&violations))?;
        let page = self
            .catalogue
            .sitemap_page(request.number(), cursor.as_ref())
            .await;
        Ok(Response::new(convert::sitemap_page(page.map_err(refuse)?)))
    }

    async fn get_cover(
        &self,
        request: Request<GetCoverRequest>,
    ) -> Result<Response<Self::GetCoverStream>, Status> {
        let client = client_address(&request);
        let cover = self
            .catalogue
            .cover(&request.get_ref().slug)
            .await
            .map_err(refuse)?;
        // A cover that the client has is not made again: its tag is known without it.
        let is_known = |etag: &str| {
            let tags = request.metadata().get("if-none-match");
            let tag = format!("\"{etag}\"");
            tags.is_some_and(|tags| entity_tag::is_named(tags.as_bytes(), tag.as_bytes()))
        };
        let (content_type, data, etag, is_provisional) = match cover {
            CoverView::Stock(cover) => {
                let etag = convert::hexadecimal(&cover.digest);
                let data = if is_known(&etag) {
                    Bytes::new()
                } else {
                    cover.jpeg.into()
                };
                ("image/jpeg", data, etag, false)
            }
            CoverView::Drawn {
                words,
                is_provisional,
            } => {
                let drawing = convert::cover_request(words);
                let etag = covers::etag(&drawing);
                let data = if is_known(&etag) {
                    Bytes::new()
                } else {
                    self.drawn(drawing, client).await?
                };
                ("image/png", data, etag, is_provisional)
            }
        };
        let body = HttpBody {
            content_type: content_type.into(),
            data,
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

/// An answer that changes only when the catalogue does, or with a new core.
fn of_catalogue<T>(answer: T) -> Response<T> {
    let mut response = Response::new(answer);
    let marked = MetadataValue::from_static("1");
    response.metadata_mut().insert(CATALOGUE, marked);
    response
}

fn text_of(page: &content::Page, url: String) -> Response<Page> {
    of_catalogue(Page {
        slug: page.slug.to_owned(),
        title: page.title().to_owned(),
        summary: page.summary(),
        url,
        markdown: page.markdown.to_owned(),
    })
}

fn static_items(pages: &[content::Page], url: impl Fn(&str) -> String) -> Response<StaticItemList> {
    let item = |page: &content::Page| StaticItem {
        slug: page.slug.to_owned(),
        url: url(page.slug),
        title: page.title().to_owned(),
        summary: page.summary(),
    };
    of_catalogue(StaticItemList {
        items: pages.iter().map(item).collect(),
    })
}

fn refuse_cover(error: &covers::Error) -> Status {
    match error {
        covers::Error::Busy => status(Reason::Unavailable, error.to_string()),
        covers::Error::Drawing(_) => {
            tracing::error!(error = %chain(&error), "drawing a cover failed");
            status(Reason::Internal, "internal error")
        }
    }
}
