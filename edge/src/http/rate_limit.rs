//! Rate limits in the words of draft-ietf-httpapi-ratelimit-headers.

use http::{HeaderMap, HeaderName, HeaderValue};
use muster_api::metadata;
use tonic::metadata::MetadataMap;

/// What is left: the header, and the metadata in which core says it.
pub const LEFT: HeaderName = HeaderName::from_static(metadata::RATE_LIMIT);

/// What is allowed: the header, and the metadata in which core says it.
pub const POLICY: HeaderName = HeaderName::from_static(metadata::RATE_LIMIT_POLICY);

/// A rate limit, as headers say it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimit {
    /// How often something may be done: `RateLimit-Policy`.
    pub policy: HeaderValue,
    /// What is left of that: `RateLimit`.
    pub left: HeaderValue,
}

impl RateLimit {
    /// What core says of a limit, if anything.
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
