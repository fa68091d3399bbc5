//! The link from a page of a list to the next one (RFC 8288).

use http::{HeaderValue, Uri};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The header `Link`, relative to what was asked for: the same query with another value of this parameter. The gateway does not
/// know the names that proxies serve it under.
pub(crate) fn next(asked: &Uri, parameter: &str, value: &str) -> Option<HeaderValue> {
    let others = asked.query().unwrap_or_default().split('&');
    let others = others.filter(|pair| !pair.is_empty() && !names(pair, parameter));
    let value = utf8_percent_encode(value, NON_ALPHANUMERIC);
    let next = format!("{parameter}={value}");
    let query: Vec<&str> = others.chain([&*next]).collect();
    let link = format!("<{}?{}>; rel=\"next\"", asked.path(), query.join("&"));
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

    fn link(asked: &'static str, parameter: &str, value: &str) -> String {
        let link = next(&Uri::from_static(asked), parameter, value).unwrap();
        link.to_str().unwrap().to_owned()
    }

    #[test]
    fn the_next_page_keeps_everything_but_where_it_begins() {
        assert_eq!(
            link("/api/v1/events", "offset", "50"),
            "</api/v1/events?offset=50>; rel=\"next\""
        );
        assert_eq!(
            link("/events?limit=2&offset=2&q=a%20b+c&", "offset", "4"),
            "</events?limit=2&q=a%20b+c&offset=4>; rel=\"next\""
        );
        assert_eq!(
            link("/events?%63ursor=a&cursors=b", "cursor", "x/=y"),
            "</events?cursors=b&cursor=x%2F%3Dy>; rel=\"next\""
        );
    }
}
