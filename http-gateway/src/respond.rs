//! Core's answer as an HTTP answer: its body, the headers from core, the link to the next page, and `Cache-Control` by the proto's option of each rpc.

use axum::{body::Body, response::Response};
use http::{
    HeaderMap, HeaderName, HeaderValue, Uri,
    header::{
        CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, ETAG, LAST_MODIFIED, LINK, RETRY_AFTER,
    },
};
use http_kit::{JSON, Problem, entity_tag, rate_limit};
use muster_api::binding::{Access, Caching};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rpc_client::File;
use tonic::metadata::MetadataMap;

use crate::route::{Json, Route};

/// The metadata of core that become headers; all others belong to gRPC.
const FORWARDED: [HeaderName; 6] = [
    CONTENT_DISPOSITION,
    ETAG,
    LAST_MODIFIED,
    RETRY_AFTER,
    rate_limit::LEFT,
    rate_limit::POLICY,
];

/// The capacity for these and for those that are set here and around it, so that the map does not grow.
const MAX_HEADERS: usize = 12;

/// One message as JSON, with a tag if it was read, and a link below the public URL to the next page if there is one.
pub(crate) fn json(
    route: &Route,
    public_url: &str,
    asked: &Uri,
    message: &[u8],
    metadata: MetadataMap,
) -> Result<Response, Problem> {
    let Json {
        mut text,
        next_page,
    } = (route.json)(message)?;
    // A terminal shows its prompt after the line.
    text.push(b'\n');
    let mut headers = forwarded(route, metadata.into_headers());
    headers.insert(CONTENT_TYPE, JSON);
    if route.is_read
        && let Some(tag) = entity_tag(&text)
    {
        headers.entry(ETAG).or_insert(tag);
    }
    if let Some((parameter, value)) = next_page
        && let Some(link) = next_link(public_url, asked, parameter, &value)
    {
        headers.insert(LINK, link);
    }
    let mut response = Response::new(Body::from(text));
    *response.headers_mut() = headers;
    Ok(response)
}

/// A file, as a stream.
pub(crate) fn file(route: &Route, file: File) -> Response {
    let (mut response, metadata) = http_kit::file(file);
    response.headers_mut().extend(forwarded(route, metadata));
    response
}

fn forwarded(route: &Route, mut metadata: HeaderMap) -> HeaderMap {
    let forwarded = FORWARDED
        .into_iter()
        .filter_map(|name| metadata.remove(&name).map(|value| (name, value)));
    let mut headers = HeaderMap::with_capacity(MAX_HEADERS);
    headers.extend(forwarded);
    headers.insert(CACHE_CONTROL, cache_control(route));
    headers
}

/// The `Cache-Control` of an answer. Caches must not keep answers that need a credential. They must revalidate public answers, unless
/// the rpc has a `max-age`.
fn cache_control(route: &Route) -> HeaderValue {
    match (route.caching, route.access) {
        (Some(caching), _) => shared_for(caching),
        (None, Access::Public) => HeaderValue::from_static("no-cache"),
        (None, Access::Bearer | Access::Paid | Access::Session) => {
            HeaderValue::from_static("no-store")
        }
    }
}

fn shared_for(caching: Caching) -> HeaderValue {
    let Caching {
        max_age_seconds: fresh,
        stale_while_revalidate_seconds: stale,
    } = caching;
    let text = match stale {
        0 => format!("public, max-age={fresh}"),
        _ => format!("public, max-age={fresh}, stale-while-revalidate={stale}"),
    };
    // Digits and letters are always a valid header value.
    HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static("no-cache"))
}

/// The header `Link` to the next page of a list (RFC 8288): what was asked for with another value of this parameter. It is absolute, since
/// the usual clients do not resolve it.
fn next_link(public_url: &str, asked: &Uri, parameter: &str, value: &str) -> Option<HeaderValue> {
    let others = asked.query().unwrap_or_default().split('&');
    let others = others.filter(|pair| !pair.is_empty() && !names(pair, parameter));
    let value = utf8_percent_encode(value, NON_ALPHANUMERIC);
    let next = format!("{parameter}={value}");
    let query: Vec<&str> = others.chain([&*next]).collect();
    let (path, query) = (asked.path(), query.join("&"));
    let link = format!("<{public_url}{path}?{query}>; rel=\"next\"");
    HeaderValue::try_from(link).ok()
}

/// Whether a pair of the query is this parameter, however its name is written.
fn names(pair: &str, parameter: &str) -> bool {
    let name = pair.split('=').next().unwrap_or(pair);
    percent_decode_str(name)
        .decode_utf8()
        .is_ok_and(|name| name == parameter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_kept_as_long_as_its_rpc_says() {
        let caching = Caching {
            max_age_seconds: 10,
            stale_while_revalidate_seconds: 20,
        };
        let fresh = Caching {
            stale_while_revalidate_seconds: 0,
            ..caching
        };
        assert_eq!(
            shared_for(caching),
            "public, max-age=10, stale-while-revalidate=20"
        );
        assert_eq!(shared_for(fresh), "public, max-age=10");
    }

    fn link(asked: &'static str, parameter: &str, value: &str) -> String {
        let asked = Uri::from_static(asked);
        let link = next_link("https://muster.example", &asked, parameter, value).unwrap();
        link.to_str().unwrap().to_owned()
    }

    #[test]
    fn the_next_page_keeps_everything_but_where_it_begins() {
        assert_eq!(
            link("/api/v1/events", "offset", "50"),
            "<https://muster.example/api/v1/events?offset=50>; rel=\"next\""
        );
        assert_eq!(
            link("/events?limit=2&offset=2&q=a%20b+c&", "offset", "4"),
            "<https://muster.example/events?limit=2&q=a%20b+c&offset=4>; rel=\"next\""
        );
        assert_eq!(
            link("/events?%63ursor=a&cursors=b", "cursor", "x/=y"),
            "<https://muster.example/events?cursors=b&cursor=x%2F%3Dy>; rel=\"next\""
        );
    }
}
