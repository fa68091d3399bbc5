//! Conditional requests: an answer that the client already has is not sent again.

use std::time::SystemTime;

use axum::{extract::Request, response::Response};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, StatusCode,
    header::{
        CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH,
        LAST_MODIFIED,
    },
};
use muster_api::entity_tag;

use super::{answer::nothing, compress::is_among};

/// Answers 304 if the client already has this answer. `compressed` are the media types that may be compressed.
pub(super) async fn revalidate<F>(
    request: Request,
    compressed: &'static [&'static str],
    answer: impl FnOnce(Request) -> F,
) -> Response
where
    F: Future<Output = Response>,
{
    let (method, conditions) = (request.method().clone(), conditions(request.headers()));
    let mut response = answer(request).await;
    if is_among(compressed, response.headers()) {
        // It may be compressed, so the bytes may differ and the tag must be weak.
        weaken(response.headers_mut());
    }
    if response.status() != StatusCode::OK || !is_known(&method, &conditions, response.headers()) {
        return response;
    }
    not_modified(response)
}

/// The answer to a client that has this one.
fn not_modified(response: Response) -> Response {
    let mut response = response.map(|_body| nothing());
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    without_content(response.headers_mut());
    response
}

/// Takes out what describes a body.
pub(super) fn without_content(headers: &mut HeaderMap) {
    for name in [CONTENT_TYPE, CONTENT_LENGTH, CONTENT_ENCODING] {
        headers.remove(name);
    }
}

/// Those of a request's headers that say what its client has.
pub(super) fn conditions(asked: &HeaderMap) -> HeaderMap {
    let are_conditions = |name: &HeaderName| *name == IF_NONE_MATCH || *name == IF_MODIFIED_SINCE;
    let conditions = asked.iter().filter(|(name, _)| are_conditions(name));
    conditions
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Whether a client that asks in this way has the answer with these headers. Tags are exact, so a time counts only where there are none
/// (RFC 9110, section 13.1.3).
pub(super) fn is_known(method: &Method, asked: &HeaderMap, answer: &HeaderMap) -> bool {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return false;
    }
    let mut tags = asked.get_all(IF_NONE_MATCH).iter().peekable();
    if tags.peek().is_some() {
        return answer.get(ETAG).is_some_and(|tag| {
            tags.any(|known| entity_tag::is_named(known.as_bytes(), tag.as_bytes()))
        });
    }
    // Replicas say of the same document that it changed when they saw it, and one may have missed what came and went meanwhile. So a
    // later time says nothing here.
    time(asked, &IF_MODIFIED_SINCE).is_some_and(|known| time(answer, &LAST_MODIFIED) == Some(known))
}

/// The time in a header that is there once.
fn time(headers: &HeaderMap, name: &HeaderName) -> Option<SystemTime> {
    let mut values = headers.get_all(name).iter();
    let text = values.next()?.to_str().ok()?;
    if values.next().is_some() {
        return None;
    }
    httpdate::parse_http_date(text).ok()
}

pub(super) fn weaken(headers: &mut HeaderMap) {
    if let Some(tag) = headers.get_mut(ETAG)
        && tag.as_bytes().starts_with(b"\"")
        && let Ok(weak) = HeaderValue::from_bytes(&[b"W/", tag.as_bytes()].concat())
    {
        *tag = weak;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAG: &str = "W/\"a\"";
    const NOON: &str = "Sun, 22 Nov 2026 12:00:00 GMT";
    const LATER: &str = "Sun, 22 Nov 2026 12:00:01 GMT";

    fn headers(pairs: &[(HeaderName, &'static str)]) -> HeaderMap {
        let pairs = pairs.iter().cloned();
        pairs
            .map(|(name, value)| (name, HeaderValue::from_static(value)))
            .collect()
    }

    /// Whether who asks with these headers has the answer with that tag and time.
    fn has(asked: &[(HeaderName, &'static str)], modified: &'static str) -> bool {
        let answer = headers(&[(ETAG, TAG), (LAST_MODIFIED, modified)]);
        is_known(&Method::GET, &headers(asked), &answer)
    }

    #[test]
    fn a_tag_names_an_answer_and_a_time_does_where_no_tag_is_sent() {
        assert!(has(&[(IF_NONE_MATCH, "\"b\", \"a\"")], LATER));
        assert!(!has(&[(IF_NONE_MATCH, "\"b\"")], NOON));
        assert!(has(&[(IF_MODIFIED_SINCE, NOON)], NOON));
        assert!(!has(&[(IF_MODIFIED_SINCE, LATER)], NOON));
        assert!(!has(&[(IF_MODIFIED_SINCE, NOON)], LATER));
        // The tag says that the answer is another one, whatever the time.
        let both = [(IF_NONE_MATCH, "\"b\""), (IF_MODIFIED_SINCE, NOON)];
        assert!(!has(&both, NOON));
    }

    #[test]
    fn what_is_no_time_or_no_reading_request_is_left_alone() {
        for text in ["", "soon", "2026-11-22T12:00:00Z", "-1"] {
            assert!(!has(&[(IF_MODIFIED_SINCE, text)], NOON), "{text:?}");
        }
        let asked = headers(&[(IF_MODIFIED_SINCE, NOON)]);
        let answer = headers(&[(LAST_MODIFIED, NOON)]);
        assert!(!is_known(&Method::POST, &asked, &answer));
        assert!(!is_known(&Method::GET, &asked, &HeaderMap::new()));
    }
}
