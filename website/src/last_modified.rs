//! `Last-Modified` of public documents, for clients that compare times and keep no tags. What a page shows comes from many rows and
//! from the time itself, so its time is the one at which this process saw it change. Replicas give different times, and a time counts
//! only where it is exactly the one that would be sent now: at worst a client gets again what it has.

use std::{
    hash::{DefaultHasher, Hash, Hasher as _},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::{extract::Request, middleware::Next, response::Response};
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{CACHE_CONTROL, ETAG, LAST_MODIFIED},
};
use moka::sync::Cache;

/// How many addresses are remembered. One that was forgotten has changed just now.
const MOST_ADDRESSES: u64 = 10_000;

/// The documents that were sent, by their address.
#[derive(Debug, Clone)]
pub(crate) struct Changes(Cache<u64, Version>);

/// What was last sent, and since when, in seconds of Unix time.
#[derive(Debug, Clone, Copy)]
struct Version {
    tag: u64,
    since: u64,
}

impl Changes {
    pub(crate) fn new() -> Self {
        Self(Cache::new(MOST_ADDRESSES))
    }

    /// Says of a public document since when it has been the same.
    #[expect(
        clippy::disallowed_methods,
        reason = "it is compared with times that were sent before, not with those of core"
    )]
    pub(crate) async fn stamp(self, request: Request, next: Next) -> Response {
        let address = request.uri().path_and_query().map(hash);
        let mut response = next.run(request).await;
        if response.status() != StatusCode::OK {
            return response;
        }
        let tag = tag(response.headers()).map(hash);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        if let (Some(address), Some(tag), Ok(now)) = (address, tag, now)
            && let Some(since) = self.since(address, tag, now.as_secs())
        {
            let time = httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(since));
            if let Ok(time) = HeaderValue::try_from(time) {
                response.headers_mut().insert(LAST_MODIFIED, time);
            }
        }
        response
    }

    /// Since when the document at an address has had this tag. A document that changes twice in a second gets its second time from
    /// the future, so that no two have the same; until then it has none.
    fn since(&self, address: u64, tag: u64, now: u64) -> Option<u64> {
        let known = self.0.get(&address);
        let since = match known {
            Some(version) if version.tag == tag => version.since,
            _ => {
                let earlier = known.map_or(0, |version| version.since);
                let since = now.max(earlier + 1);
                self.0.insert(address, Version { tag, since });
                since
            }
        };
        (since <= now).then_some(since)
    }
}

/// The tag of an answer that caches may keep, unless it says itself when it changed.
fn tag(headers: &HeaderMap) -> Option<&HeaderValue> {
    let caching = headers.get(CACHE_CONTROL)?;
    let is_public = caching.as_bytes().starts_with(b"public");
    let tag = headers.get(ETAG)?;
    (is_public && !headers.contains_key(LAST_MODIFIED)).then_some(tag)
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_the_time_at_which_it_changed() {
        let changes = Changes::new();
        assert_eq!(changes.since(1, 10, 100), Some(100));
        assert_eq!(changes.since(1, 10, 105), Some(100));
        assert_eq!(changes.since(1, 11, 110), Some(110));
        assert_eq!(changes.since(2, 10, 111), Some(111));
    }

    #[test]
    fn no_two_versions_have_the_same_time() {
        let changes = Changes::new();
        assert_eq!(changes.since(1, 10, 100), Some(100));
        assert_eq!(changes.since(1, 11, 100), None);
        assert_eq!(changes.since(1, 10, 100), None);
        assert_eq!(changes.since(1, 10, 102), Some(102));
        // The clock was set back.
        assert_eq!(changes.since(1, 12, 90), None);
    }

    #[test]
    fn only_what_caches_may_keep_has_a_time() {
        let public = HeaderValue::from_static("public, max-age=60");
        let mut headers = HeaderMap::new();
        headers.insert(CACHE_CONTROL, public);
        assert_eq!(tag(&headers), None);
        headers.insert(ETAG, HeaderValue::from_static("\"a\""));
        assert_eq!(tag(&headers), headers.get(ETAG));
        headers.insert(LAST_MODIFIED, HeaderValue::from_static("x"));
        assert_eq!(tag(&headers), None);
        headers.remove(LAST_MODIFIED);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        assert_eq!(tag(&headers), None);
    }
}
