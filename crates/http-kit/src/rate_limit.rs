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
