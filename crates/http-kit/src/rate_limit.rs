//! Rate limits in the form of draft-ietf-httpapi-ratelimit-headers.

use http::{HeaderMap, HeaderName, HeaderValue};
use muster_api::metadata;
use tonic::metadata::MetadataMap;

/// The header and metadata with the remaining allowance.
pub const LEFT: HeaderName = HeaderName::from_static(metadata::RATE_LIMIT);

/// The header and metadata with the limit.
pub const POLICY: HeaderName = HeaderName::from_static(metadata::RATE_LIMIT_POLICY);

/// A rate limit, as header values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimit {
    /// The limit: `RateLimit-Policy`.
    pub policy: HeaderValue,
    /// The remaining allowance: `RateLimit`.
    pub left: HeaderValue,
}

impl RateLimit {
    /// The rate limit in core's metadata, if any.
    pub(crate) fn of(metadata: &MetadataMap) -> Option<Self> {
        let headers: &HeaderMap = metadata.as_ref();
        Some(Self {
            policy: headers.get(POLICY)?.clone(),
            left: headers.get(LEFT)?.clone(),
        })
    }

    pub(super) fn write(&self, headers: &mut HeaderMap) {
        headers.insert(POLICY, self.policy.clone());
        headers.insert(LEFT, self.left.clone());
    }
}

#[cfg(test)]
mod tests {
    use http::header::{ETAG, LINK, RETRY_AFTER, WWW_AUTHENTICATE};
    use server::{cors::EXPOSED, observe::REQUEST_ID};

    use super::*;

    #[test]
    fn pages_of_other_origins_may_read_what_answers_say_in_headers() {
        let exposed: Vec<&str> = EXPOSED.split(", ").collect();
        for name in [
            ETAG,
            LINK,
            LEFT,
            POLICY,
            RETRY_AFTER,
            WWW_AUTHENTICATE,
            REQUEST_ID,
        ] {
            assert!(exposed.contains(&name.as_str()), "{name}");
        }
    }
}
