//! The public catalogue, and covers.

use std::net::IpAddr;

use bytes::Bytes;
use covers::{CoverRequest, Studio};
use domain::catalogue::FilterTexts;
use muster_api::{
    entity_tag,
    frame::Messages,
    http_body::HttpBody,
    reference::of_instance,
    v1::{
        CalendarFile, CityList, Event, EventList, EventPage, GetCatalogueCalendarRequest,
        GetCoverRequest, GetEventCalendarRequest, GetEventPageRequest, GetEventRequest,
        GetGuideRequest, GetOrganizerRequest, GetUseCaseRequest, ListCitiesRequest,
        ListEventsRequest, ListGuidesRequest, ListSitemapEventsRequest,
        ListSitemapOrganizersRequest, ListSitemapsRequest, ListUseCasesRequest, Organizer, Page,
        SitemapList, SitemapOrganizerPage, SitemapPage, StaticItem, StaticItemList,
        services::CatalogueHandlers,
    },
};
use server::brand::SiteName;
use tonic::Response;

use super::{
    Api, convert,
    frame::{CoreFrame, PublicCaller},
};
use crate::{
    calendar::{self, Addresses},
    content,
    service::{CoverLimit, CoverView, Error, Links, OrganizerPage, PageView},
};

/// Events of the catalogue's calendar file.
const CALENDAR_EVENTS: i32 = 200;

/// A drawn cover: from the cache, or drawn now, of which a client gets only so many.
pub(super) async fn drawn(
    (studio, limit): (&Studio, &CoverLimit),
    request: CoverRequest,
    client: Option<IpAddr>,
) -> Result<Bytes, Error> {
    if let Some(png) = studio.find(&request) {
        return Ok(png);
    }
    limit.count(client)?;
    studio.cover(request).await.map_err(not_drawn)
}

/// Why there is no drawing.
pub(super) fn not_drawn(error: covers::Error) -> Error {
    match error {
        covers::Error::Busy => Error::CoversBusy,
        covers::Error::Drawing(cause) => Error::unreadable("cover", cause),
    }
}

impl CatalogueHandlers<CoreFrame> for Api {
    async fn list_events(
        &self,
        _: PublicCaller,
        request: ListEventsRequest,
    ) -> Result<Response<EventList>, Error> {
        let (limit, offset) = (request.limit(), request.offset());
        let filter = FilterTexts {
            q: request.q.as_deref(),
            city: request.city.as_deref(),
            from: request.from.as_deref(),
            to: request.to.as_deref(),
            running: request.running(),
            organizer: request.organizer.as_deref(),
            past: request.past(),
            series: request.series.as_deref(),
        };
        let page = self.catalogue.events(filter, limit, offset).await?;
        let shown = |event| convert::public_event(event, &self.links);
        Ok(Response::new(EventList {
            items: page.events.into_iter().map(shown).collect(),
            count: page.count,
            limit,
            offset,
            next_offset: page.next_offset,
            count_is_exact: page.count_is_exact,
        }))
    }

    async fn list_cities(
        &self,
        _: PublicCaller,
        _: ListCitiesRequest,
    ) -> Result<Response<CityList>, Error> {
        let items = self.catalogue.cities().await?;
        Ok(Response::new(CityList { items }))
    }

    async fn get_organizer(
        &self,
        _: PublicCaller,
        request: GetOrganizerRequest,
    ) -> Result<Response<Organizer>, Error> {
        let organizer = self.catalogue.organizer(&request.handle).await?;
        let organizer = convert::organizer(organizer, &self.links);
        Ok(Response::new(organizer))
    }

    async fn get_event(
        &self,
        _: PublicCaller,
        request: GetEventRequest,
    ) -> Result<Response<Event>, Error> {
        let event = self.catalogue.get(&request.slug).await?;
        let event = convert::public_event(event, &self.links);
        Ok(Response::new(event))
    }

    async fn get_event_page(
        &self,
        _: PublicCaller,
        request: GetEventPageRequest,
    ) -> Result<Response<EventPage>, Error> {
        let page = self.catalogue.page(&request.slug).await?;
        Ok(Response::new(convert::event_page(page, &self.links)))
    }

    async fn get_event_calendar(
        &self,
        _: PublicCaller,
        request: GetEventCalendarRequest,
    ) -> Result<Response<CalendarFile>, Error> {
        let PageView { event, .. } = self.catalogue.page(&request.slug).await?;
        let addresses = Addresses {
            host: &self.links.host(),
            event_url: &self.links.event(&event.slug),
        };
        let text = calendar::of_event(&event, addresses);
        Ok(Response::new(CalendarFile { text }))
    }

    async fn get_catalogue_calendar(
        &self,
        _: PublicCaller,
        request: GetCatalogueCalendarRequest,
    ) -> Result<Response<CalendarFile>, Error> {
        let filter = FilterTexts {
            q: request.q.as_deref(),
            city: request.city.as_deref(),
            from: request.from.as_deref(),
            to: request.to.as_deref(),
            running: request.running(),
            organizer: request.organizer.as_deref(),
            past: false,
            series: request.series.as_deref(),
        };
        let organizer = match filter.organizer() {
            Some(handle) => Some(self.catalogue.organizer(handle).await?),
            None => None,
        };
        let whose = organizer.map_or_else(|| self.brand.name.to_string(), |found| found.name);
        let page = self.catalogue.events(filter, CALENDAR_EVENTS, 0);
        let events = page.await?.events.into_iter();
        let events: Vec<_> = events.map(|shown| shown.event).collect();
        let event_url = |slug: &str| self.links.event(slug);
        let text = calendar::of_catalogue(&events, &whose, &self.links.host(), event_url);
        Ok(Response::new(CalendarFile { text }))
    }

    async fn list_sitemaps(
        &self,
        _: PublicCaller,
        _: ListSitemapsRequest,
    ) -> Result<Response<SitemapList>, Error> {
        let sitemaps = self.catalogue.sitemaps().await?;
        Ok(Response::new(convert::sitemaps(&sitemaps)))
    }

    async fn list_sitemap_events(
        &self,
        _: PublicCaller,
        request: ListSitemapEventsRequest,
    ) -> Result<Response<SitemapPage>, Error> {
        let cursor = convert::sitemap_cursor(request.cursor.as_deref())?;
        let page = self
            .catalogue
            .sitemap_page(request.number(), cursor.as_ref())
            .await?;
        Ok(Response::new(convert::sitemap_page(page)))
    }

    async fn list_sitemap_organizers(
        &self,
        _: PublicCaller,
        request: ListSitemapOrganizersRequest,
    ) -> Result<Response<SitemapOrganizerPage>, Error> {
        let page = self.catalogue.organizer_handles(request.after.as_deref());
        let OrganizerPage { handles, has_more } = page.await?;
        Ok(Response::new(SitemapOrganizerPage { handles, has_more }))
    }

    async fn get_cover(
        &self,
        caller: PublicCaller,
        request: GetCoverRequest,
    ) -> Result<Response<Messages<HttpBody>>, Error> {
        let cover = self.catalogue.cover(&request.slug).await?;
        // A cover that the client has is not made again: its tag is known without it.
        let is_known = |etag: &str| {
            let (tags, tag) = (caller.if_none_match.as_deref(), format!("\"{etag}\""));
            tags.is_some_and(|tags| entity_tag::is_named(tags, tag.as_bytes()))
        };
        let (content_type, data, etag) = match cover {
            CoverView::Photo(cover) => {
                let etag = convert::hexadecimal(&cover.digest);
                let data = if is_known(&etag) {
                    Bytes::new()
                } else {
                    cover.jpeg.into()
                };
                ("image/jpeg", data, etag)
            }
            CoverView::Drawn(words) => {
                let drawing = convert::cover_request(words, request.text());
                let etag = covers::etag(&drawing);
                let data = if is_known(&etag) {
                    Bytes::new()
                } else {
                    drawn((&self.studio, &self.cover_limit), drawing, caller.client).await?
                };
                ("image/png", data, etag)
            }
        };
        let body = HttpBody {
            content_type: content_type.into(),
            data,
        };
        let pieces: Messages<HttpBody> = Box::pin(tokio_stream::once(Ok(body)));
        let mut response = Response::new(pieces);
        let metadata = response.metadata_mut();
        if let Ok(etag) = format!("\"{etag}\"").parse() {
            metadata.insert("etag", etag);
        }
        Ok(response)
    }

    async fn list_use_cases(
        &self,
        _: PublicCaller,
        _: ListUseCasesRequest,
    ) -> Result<Response<StaticItemList>, Error> {
        let links = &self.links;
        let url = |slug: &str| links.use_case(slug);
        Ok(static_items(content::USE_CASES, &self.brand.name, url))
    }

    async fn list_guides(
        &self,
        _: PublicCaller,
        _: ListGuidesRequest,
    ) -> Result<Response<StaticItemList>, Error> {
        let links = &self.links;
        let url = |slug: &str| links.guide(slug);
        Ok(static_items(content::GUIDES, &self.brand.name, url))
    }

    async fn get_guide(
        &self,
        _: PublicCaller,
        request: GetGuideRequest,
    ) -> Result<Response<Page>, Error> {
        let page = content::Page::find(content::GUIDES, &request.slug)
            .ok_or(Error::NotFound { what: "guide" })?;
        let url = self.links.guide(page.slug);
        Ok(text_of(page, url, &self.links, &self.brand.name))
    }

    async fn get_use_case(
        &self,
        _: PublicCaller,
        request: GetUseCaseRequest,
    ) -> Result<Response<Page>, Error> {
        let page = content::Page::find(content::USE_CASES, &request.slug)
            .ok_or(Error::NotFound { what: "use case" })?;
        let url = self.links.use_case(page.slug);
        Ok(text_of(page, url, &self.links, &self.brand.name))
    }
}

fn text_of(page: &content::Page, url: String, links: &Links, site: &SiteName) -> Response<Page> {
    Response::new(Page {
        slug: page.slug.to_owned(),
        title: named(page, site, page.title()),
        summary: named(page, site, &page.summary()),
        url,
        markdown: named(
            page,
            site,
            &of_instance(page.markdown, links.public_url(), links.grpc_url()),
        ),
    })
}

/// A text of a page with the name of the site. Those who run the software know it by its own.
fn named(page: &content::Page, site: &SiteName, text: &str) -> String {
    match page.audience {
        content::Audience::Operators => text.to_owned(),
        content::Audience::Organizers | content::Audience::Developers => site.in_text(text),
    }
}

fn static_items(
    pages: &[content::Page],
    site: &SiteName,
    url: impl Fn(&str) -> String,
) -> Response<StaticItemList> {
    let item = |page: &content::Page| StaticItem {
        slug: page.slug.to_owned(),
        url: url(page.slug),
        title: named(page, site, page.title()),
        summary: named(page, site, &page.summary()),
        audience: page.audience.name().to_owned(),
    };
    Response::new(StaticItemList {
        items: pages.iter().map(item).collect(),
    })
}
