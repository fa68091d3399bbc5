//! Headers that pages of other origins may read (CORS).

use http::{
    HeaderName,
    header::{ETAG, RETRY_AFTER, WWW_AUTHENTICATE},
};
use process::observe::REQUEST_ID;

use super::rate_limit;

/// The exposed headers, in addition to the ones that are always readable.
pub const EXPOSED: [HeaderName; 6] = [
    ETAG,
    rate_limit::LEFT,
    rate_limit::POLICY,
    RETRY_AFTER,
    WWW_AUTHENTICATE,
    REQUEST_ID,
];

/// [`EXPOSED`] as one header.
pub(super) const EXPOSED_LIST: &str =
    "etag, ratelimit, ratelimit-policy, retry-after, www-authenticate, x-request-id";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_names_what_is_exposed() {
        let names = EXPOSED.map(|name| name.to_string());
        assert_eq!(names.join(", "), EXPOSED_LIST);
    }
}
