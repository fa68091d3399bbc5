//! Refuses forms that other sites send. Private pages act without a password, so a form of another site could act for the visitor.

use http::{
    HeaderMap, HeaderValue,
    header::{HOST, ORIGIN},
};
use http_kit::Problem;
use muster_api::Reason;

/// Checks that a page of this site sent the request: `Sec-Fetch-Site` says so, or, from browsers that do not send it, `Origin`.
///
/// `same-site` is not enough: browsers say it of another port of the same host, too.
///
/// # Errors
/// 403.
pub(crate) fn require(headers: &HeaderMap, public_url: &str) -> Result<(), Problem> {
    let is_own = match headers.get("sec-fetch-site").map(HeaderValue::as_bytes) {
        Some(site) => matches!(site, b"same-origin" | b"none"),
        None => has_own_origin(headers, public_url),
    };
    if is_own {
        return Ok(());
    }
    let message = "this form was sent from another site; open the page here and send it again";
    Err(Problem::new(Reason::InvalidRequest, message).answered(403))
}

/// Whether `Origin` is the public URL's, or of the host that the request names. Proxies may change `Host`, and on a private network
/// people may use another name than the public one.
fn has_own_origin(headers: &HeaderMap, public_url: &str) -> bool {
    let text = |value: &HeaderValue| value.to_str().ok().map(str::to_ascii_lowercase);
    let Some(origin) = headers.get(ORIGIN).and_then(text) else {
        return false;
    };
    let Some((_, authority)) = origin.split_once("://") else {
        return false;
    };
    let host = headers.get(HOST).and_then(text);
    host.as_deref() == Some(authority) || Some(origin) == origin_of(public_url)
}

/// The origin of a URL, as browsers write it.
fn origin_of(url: &str) -> Option<String> {
    let url = url.to_ascii_lowercase();
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split('/').next()?;
    let usual = match scheme {
        "https" => ":443",
        _ => ":80",
    };
    let authority = authority.strip_suffix(usual).unwrap_or(authority);
    Some(format!("{scheme}://{authority}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://Muster.example:443/below";

    fn is_taken(headers: &[(&'static str, &'static str)]) -> bool {
        let headers = headers
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)));
        require(&headers.collect(), URL).is_ok()
    }

    #[test]
    fn a_browser_that_says_where_a_form_comes_from_is_believed() {
        for (site, taken) in [
            ("same-origin", true),
            ("none", true),
            ("same-site", false),
            ("cross-site", false),
            ("", false),
        ] {
            assert_eq!(is_taken(&[("sec-fetch-site", site)]), taken, "{site}");
            // A right origin does not mend it.
            let origin = ("origin", "https://muster.example");
            assert_eq!(is_taken(&[("sec-fetch-site", site), origin]), taken);
        }
    }

    #[test]
    fn otherwise_the_origin_must_be_this_sites() {
        let host = ("host", "10.0.0.7:8080");
        for (origin, taken) in [
            ("https://muster.example", true),
            ("HTTPS://MUSTER.EXAMPLE", true),
            ("http://10.0.0.7:8080", true),
            ("http://muster.example", false),
            ("https://muster.example:8443", false),
            ("https://muster.example.evil.example", false),
            ("http://10.0.0.7:8081", false),
            ("null", false),
            ("", false),
        ] {
            assert_eq!(is_taken(&[("origin", origin), host]), taken, "{origin}");
        }
    }

    #[test]
    fn a_form_without_any_word_about_its_sender_is_refused() {
        assert!(!is_taken(&[]));
        assert!(!is_taken(&[("host", "muster.example")]));
    }
}
