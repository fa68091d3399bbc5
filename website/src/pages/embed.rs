//! The card of an event for other sites: a page for their frames, and how they find it (oEmbed).

use askama::Template;
use http::{HeaderValue, header::CONTENT_SECURITY_POLICY};
use http_kit::{Problem, document};
use muster_api::Reason;
use serde_json::json;

use crate::{
    assets::ASSETS,
    cover::encoded,
    event::{EventState, ShownEvent},
    layout::{FRESH, HTML, PageResult, SITE_NAME, escaped, rendered},
    pages::event::read,
    request_context::{RequestContext, Site},
};

/// The size of the card in CSS pixels: the width of a column, and the height of its longest texts. It can be as narrow as 280.
const WIDTH: u32 = 560;
const HEIGHT: u32 = 300;

/// It may be in frames of all sites, so it has no forms, and no cookie is of use to it.
const IN_FRAMES: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *",
);

#[derive(Template)]
#[template(path = "embed.html")]
struct EmbedPage {
    event: ShownEvent,
    state: EventState,
    requires_approval: bool,
    style_url: &'static str,
    site_name: &'static str,
}

/// The line that shows the card on another site.
pub(crate) fn line(site: &Site, slug: &str, title: &str) -> String {
    line_of_size(site, slug, title, (WIDTH, HEIGHT))
}

fn line_of_size(site: &Site, slug: &str, title: &str, (width, height): (u32, u32)) -> String {
    let url = site.url(&format!("/events/{}/embed", encoded(slug)));
    // Browsers fill a frame whose color scheme differs from the frame element's.
    format!(
        "<iframe src=\"{}\" title=\"{}\" width=\"{width}\" height=\"{height}\" style=\"border:0;max-width:100%;color-scheme:light dark\" loading=\"lazy\"></iframe>",
        escaped(&url),
        escaped(title)
    )
}

/// Where an event's card is described.
pub(crate) fn oembed_url(site: &Site, link: &str) -> String {
    let url: String = form_urlencoded::byte_serialize(link.as_bytes()).collect();
    site.url(&format!("/oembed?url={url}"))
}

pub(in crate::pages) async fn embed(context: RequestContext) -> PageResult {
    let (answer, event) = read(&context, context.segment(1)?).await?;
    let page = EmbedPage {
        event: ShownEvent::of(&event)?,
        state: EventState::of(&answer),
        requires_approval: answer.requires_approval,
        style_url: &ASSETS.style.path,
        site_name: SITE_NAME,
    };
    let mut response = document(rendered(&page)?, HTML, FRESH);
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, IN_FRAMES);
    Ok(response)
}

/// The card of the event whose page is asked for, as oembed.com says.
pub(in crate::pages) async fn oembed(context: RequestContext) -> PageResult {
    let query = context.query();
    if query.value("format").is_some_and(|format| format != "json") {
        let message = "only the format json is served";
        return Err(Problem::new(Reason::InvalidRequest, message).answered(501));
    }
    let unknown = || Problem::new(Reason::NotFound, "url must be the page of an event here");
    let slug = query
        .value("url")
        .and_then(|url| slug_of(&context.site, url));
    let (_answer, event) = read(&context, slug.ok_or_else(unknown)?).await?;
    let at_most = |name: &str, own: u32| {
        let asked = query.value(name).and_then(|text| text.parse().ok());
        own.min(asked.unwrap_or(own))
    };
    let (width, height) = (at_most("maxwidth", WIDTH), at_most("maxheight", HEIGHT));
    let mut object = json!({
        "version": "1.0",
        "type": "rich",
        "provider_name": SITE_NAME,
        "provider_url": context.site.url("/"),
        "title": event.title,
        "author_name": event.organizer,
        "html": line_of_size(&context.site, &event.slug, &event.title, (width, height)),
        "width": width,
        "height": height,
        "cache_age": 3_600,
        "thumbnail_url": event.image_url,
        "thumbnail_width": event.image_url.as_ref().map(|_| 1_200),
        "thumbnail_height": event.image_url.as_ref().map(|_| 630),
    });
    if let Some(fields) = object.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    let json = "application/json; charset=utf-8";
    Ok(document(format!("{object}\n"), json, FRESH))
}

/// The slug in the URL of an event's page on this site.
fn slug_of(site: &Site, url: &str) -> Option<String> {
    let path = url.strip_prefix(&site.url("/events/"))?;
    let slug = path.split(['?', '#']).next()?.trim_end_matches('/');
    (!slug.is_empty() && !slug.contains('/')).then(|| slug.to_owned())
}
