//! What browsers may do with the pages of the site, as headers of their answers.

use http::{HeaderMap, HeaderName, HeaderValue, header::CONTENT_SECURITY_POLICY};

/// What a page may load and do: files and forms of its own origin, nothing inline, in no frame.
pub(crate) const CONTENT: &str = concat!(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; ",
    "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
);

/// The same for pages whose form leads to an app that is being connected: browsers would take `form-action` for a limit of where
/// the answer to a form leads, too. `own_site` still refuses forms of other sites.
const CONTENT_OF_CONSENT: HeaderValue = HeaderValue::from_static(concat!(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; ",
    "manifest-src 'self'; base-uri 'none'; frame-ancestors 'none'"
));

/// The pages need no device.
const PERMISSIONS: (HeaderName, HeaderValue) = (
    HeaderName::from_static("permissions-policy"),
    HeaderValue::from_static("camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
);

const OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// The pages of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Policies {
    /// Their forms lead to an app.
    is_consent: bool,
    /// An app may have opened them in a window, and waits for it to come back.
    is_on_the_way: bool,
}

/// The policies of a path.
pub(crate) fn of(path: &str) -> Policies {
    let is_below = |place: &str| {
        let rest = path.strip_prefix(place);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    Policies {
        is_consent: is_below("/oauth/authorize"),
        is_on_the_way: is_below("/oauth") || is_below("/sign-in"),
    }
}

impl Policies {
    pub(crate) fn add_to(self, headers: &mut HeaderMap) {
        if self.is_consent {
            headers.insert(CONTENT_SECURITY_POLICY, CONTENT_OF_CONSENT);
        }
        // Elsewhere no other page gets hold of a window of this site.
        let opener = if self.is_on_the_way {
            "unsafe-none"
        } else {
            "same-origin"
        };
        headers
            .entry(OPENER)
            .or_insert(HeaderValue::from_static(opener));
        let (name, value) = PERMISSIONS;
        headers.entry(name).or_insert(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_consent_differs_from_all_other_pages_in_where_its_form_leads() {
        let consent = CONTENT_OF_CONSENT;
        let expected = CONTENT.replace("form-action 'self'; ", "");
        assert_eq!(consent, expected);
        assert!(of("/oauth/authorize").is_consent && of("/oauth/authorize/x").is_consent);
        for path in ["/", "/oauth/token", "/oauth/authorizes", "/sign-in"] {
            assert!(!of(path).is_consent, "{path}");
        }
        assert!(of("/sign-in/code").is_on_the_way && !of("/dashboard").is_on_the_way);
    }
}
