//! The card of an event, and the events of an organizer, for other sites: pages for their frames, and how they find them (oEmbed).

use askama::Template;
use http::{HeaderValue, header::CONTENT_SECURITY_POLICY};
use http_kit::{Problem, document};
use muster_api::{
    Reason,
    v1::{GetOrganizerRequest, bindings::GetOrganizer},
};
use serde_json::{Value, json};

use crate::{
    cover::encoded,
    event::{EventState, ShownEvent},
    form::Form,
    json_ld::retain_values,
    layout::{FRESH, HTML, PageResult, escaped, rendered},
    pages::event::read,
    request_context::{RequestContext, Site},
};

/// The size of the card in CSS pixels: the width of a column, and the height of its longest texts. It can be as narrow as 280.
const WIDTH: u32 = 560;
const HEIGHT: u32 = 300;

/// It may be in frames of all sites, so it has no forms, and no cookie is of use to it.
const IN_FRAMES: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *",
);

#[derive(Template)]
#[template(path = "embed.html")]
struct EmbedPage {
    event: ShownEvent,
    state: EventState,
    requires_approval: bool,
    style_url: String,
    script_url: String,
    site_name: String,
}

/// The height of an organizer's list, which scrolls in its frame.
const LIST_HEIGHT: u32 = 600;

/// The line that shows the card on another site.
pub(crate) fn line(site: &Site, slug: &str, title: &str) -> String {
    line_of_size(site, &card_path(slug), title, (WIDTH, HEIGHT))
}

/// The line that shows the events of an organizer on another site.
pub(crate) fn line_of_list(site: &Site, handle: &str, name: &str) -> String {
    line_of_size(site, &list_path(handle), name, (WIDTH, LIST_HEIGHT))
}

fn card_path(slug: &str) -> String {
    format!("/events/{}/embed", encoded(slug))
}

fn list_path(handle: &str) -> String {
    format!("/o/{handle}/embed")
}

fn line_of_size(site: &Site, path: &str, title: &str, (width, height): (u32, u32)) -> String {
    let url = site.url(path);
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
        style_url: context.site.assets().style.path.clone(),
        script_url: context.site.assets().script.path.clone(),
        site_name: context.site.name().to_string(),
    };
    framed(&page)
}

/// A page for frames of other sites.
pub(in crate::pages) fn framed(page: &impl Template) -> PageResult {
    let mut response = document(rendered(page)?, HTML, FRESH);
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, IN_FRAMES);
    Ok(response)
}

/// The card of the event, or the list of the organizer, whose page is asked for, as oembed.com says.
pub(in crate::pages) async fn oembed(context: RequestContext) -> PageResult {
    let query = context.query();
    if query.value("format").is_some_and(|format| format != "json") {
        let message = "only the format json is served";
        return Err(Problem::new(Reason::InvalidRequest, message).answered(501));
    }
    let url = query.value("url").unwrap_or_default();
    let below = |path: &str| name_below(&context.site, path, url);
    let mut object = match (below("/events/"), below("/o/")) {
        (Some(slug), _) => card_object(&context, slug, &query).await?,
        (None, Some(handle)) => list_object(&context, handle, &query).await?,
        (None, None) => {
            let message = "url must be the page of an event or an organizer here";
            return Err(Problem::new(Reason::NotFound, message));
        }
    };
    retain_values(&mut object);
    let json = "application/json; charset=utf-8";
    Ok(document(format!("{object}\n"), json, FRESH))
}

async fn card_object(
    context: &RequestContext,
    slug: String,
    query: &Form,
) -> Result<Value, Problem> {
    let (_answer, event) = read(context, slug).await?;
    let (path, size) = (card_path(&event.slug), (WIDTH, HEIGHT));
    let mut object = object(&context.site, query, &path, &event.title, size);
    object["author_name"] = json!(event.organizer);
    object["author_url"] = json!(event.organizer_url);
    object["thumbnail_url"] = json!(event.image_url);
    if event.image_url.is_some() {
        object["thumbnail_width"] = json!(1_200);
        object["thumbnail_height"] = json!(630);
    }
    Ok(object)
}

async fn list_object(
    context: &RequestContext,
    handle: String,
    query: &Form,
) -> Result<Value, Problem> {
    let organizer = context
        .ask::<GetOrganizer>(GetOrganizerRequest { handle })
        .await?;
    let (path, size) = (list_path(&organizer.handle), (WIDTH, LIST_HEIGHT));
    Ok(object(&context.site, query, &path, &organizer.name, size))
}

/// What every answer says of a page for frames, which is at most as large as asked.
fn object(
    site: &Site,
    query: &Form,
    path: &str,
    title: &str,
    (width, height): (u32, u32),
) -> Value {
    let at_most = |name: &str, own: u32| {
        let asked = query.value(name).and_then(|text| text.parse().ok());
        own.min(asked.unwrap_or(own))
    };
    let (width, height) = (at_most("maxwidth", width), at_most("maxheight", height));
    json!({
        "version": "1.0",
        "type": "rich",
        "provider_name": site.name().as_str(),
        "provider_url": site.url("/"),
        "title": title,
        "html": line_of_size(site, path, title, (width, height)),
        "width": width,
        "height": height,
        "cache_age": 3_600,
    })
}

/// The last part of the URL of a page on this site, below a path.
fn name_below(site: &Site, path: &str, url: &str) -> Option<String> {
    let path = url.strip_prefix(&site.url(path))?;
    let slug = path.split(['?', '#']).next()?.trim_end_matches('/');
    (!slug.is_empty() && !slug.contains('/')).then(|| slug.to_owned())
}
