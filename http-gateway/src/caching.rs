//! `Cache-Control`, by the proto's option of each rpc.

use http::HeaderValue;
use muster_api::binding::{Access, Caching};

use crate::route::Route;

/// The value for an answer. Caches must not keep answers that need a credential. They must revalidate public answers, unless
/// the rpc says how long they may be kept.
pub(crate) fn cache_control(route: &Route, is_provisional: bool) -> HeaderValue {
    match (route.caching, route.access) {
        (Some(caching), _) => shared_for(caching, is_provisional),
        (None, Access::Public) => HeaderValue::from_static("no-cache"),
        (None, Access::Bearer | Access::Paid | Access::Session) => {
            HeaderValue::from_static("no-store")
        }
    }
}

fn shared_for(caching: Caching, is_provisional: bool) -> HeaderValue {
    let Caching {
        max_age_seconds: fresh,
        stale_while_revalidate_seconds: stale,
        provisional_max_age_seconds: provisional,
    } = caching;
    let text = match (is_provisional, stale) {
        (true, _) => format!("public, max-age={provisional}"),
        (false, 0) => format!("public, max-age={fresh}"),
        (false, _) => format!("public, max-age={fresh}, stale-while-revalidate={stale}"),
    };
    // Digits and letters are always a valid header value.
    HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static("no-cache"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_kept_as_long_as_its_rpc_says() {
        let caching = Caching {
            max_age_seconds: 10,
            stale_while_revalidate_seconds: 20,
            provisional_max_age_seconds: 5,
        };
        let fresh = Caching {
            stale_while_revalidate_seconds: 0,
            ..caching
        };
        assert_eq!(
            shared_for(caching, false),
            "public, max-age=10, stale-while-revalidate=20"
        );
        assert_eq!(shared_for(fresh, false), "public, max-age=10");
        assert_eq!(shared_for(caching, true), "public, max-age=5");
    }
}
