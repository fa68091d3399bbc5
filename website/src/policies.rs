//! What browsers may do with the pages of the site, as headers of their answers.

use http::{HeaderMap, HeaderName, HeaderValue, Uri, header::CONTENT_SECURITY_POLICY};

use crate::{
    form::Form,
    return_path::{RETURN_PATH, own_path},
};

/// Where an app sends a person.
pub(crate) const AUTHORIZE: &str = "/oauth/authorize";

/// What a page may load and do: files and forms of its own origin, nothing inline, in no frame.
pub(crate) const CONTENT: &str = concat!(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; ",
    "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
);

/// The same for pages that show a mail in a frame, which has their policy: mails have their looks in attributes.
pub(crate) const CONTENT_WITH_MAIL: HeaderValue = HeaderValue::from_static(concat!(
    "default-src 'none'; style-src 'self'; style-src-attr 'unsafe-inline'; script-src 'self'; img-src 'self' data:; ",
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
));

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

/// The page at the door reads codes with the camera.
const PERMISSIONS_AT_DOOR: HeaderValue =
    HeaderValue::from_static("camera=(self), geolocation=(), microphone=(), payment=(), usb=()");

const OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// The pages of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Policies {
    /// Their forms lead to an app.
    is_consent: bool,
    /// An app may have opened them in a window, and waits for it to come back.
    is_on_the_way: bool,
    /// It is the door of an event.
    is_at_door: bool,
}

/// The policies of an address.
pub(crate) fn of(uri: &Uri) -> Policies {
    let is_below = |path: &str| {
        let rest = uri.path().strip_prefix(path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    Policies {
        is_at_door: is_door(uri.path()),
        is_consent: is_below(AUTHORIZE),
        is_on_the_way: is_below("/oauth") || (is_below("/sign-in") && leads_to_consent(uri)),
    }
}

/// Whether it is the page of the door, and no other page or file of the event.
fn is_door(path: &str) -> bool {
    let event = path.strip_prefix("/dashboard/events/");
    let event = event.and_then(|rest| rest.strip_suffix("/check-in"));
    event.is_some_and(|event| !event.contains('/'))
}

/// Whether who signs in there goes on to the consent.
fn leads_to_consent(uri: &Uri) -> bool {
    let query = Form::parse(uri.query().unwrap_or_default().as_bytes());
    own_path(query.value(RETURN_PATH)).starts_with(AUTHORIZE)
}

impl Policies {
    pub(crate) fn add_to(self, headers: &mut HeaderMap) {
        if self.is_consent {
            headers.insert(CONTENT_SECURITY_POLICY, CONTENT_OF_CONSENT);
        }
        // Elsewhere no other page gets hold of a window of this site, and none sees by it whether someone is signed in: redirects have
        // the same policy.
        let opener = if self.is_on_the_way {
            "unsafe-none"
        } else {
            "same-origin"
        };
        headers
            .entry(OPENER)
            .or_insert(HeaderValue::from_static(opener));
        let (name, nothing) = PERMISSIONS;
        let value = if self.is_at_door {
            PERMISSIONS_AT_DOOR
        } else {
            nothing
        };
        headers.entry(name).or_insert(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_door_has_the_camera() {
        let (_, nothing) = PERMISSIONS;
        let (nothing, door) = (nothing.to_str().unwrap(), PERMISSIONS_AT_DOOR);
        let all_but_camera = nothing.replace("camera=()", "camera=(self)");
        assert_eq!(door.to_str().unwrap(), all_but_camera);
        assert!(is_door("/dashboard/events/1/check-in"));
        for path in [
            "/check-in/7KQ2-M9XD-04TB",
            "/dashboard/events/1/check-in/count",
            "/dashboard/events/1/2/check-in",
            "/dashboard/events/1",
            "/dashboard",
        ] {
            assert!(!is_door(path), "{path}");
        }
    }

    #[test]
    fn pages_with_a_mail_differ_from_all_others_in_the_looks_of_the_mail() {
        let inline = " style-src-attr 'unsafe-inline';";
        let with_mail = CONTENT_WITH_MAIL.to_str().unwrap().replace(inline, "");
        assert_eq!(with_mail, CONTENT);
    }

    #[test]
    fn the_consent_differs_from_all_other_pages_in_where_its_form_leads() {
        let consent = CONTENT_OF_CONSENT;
        let expected = CONTENT.replace("form-action 'self'; ", "");
        assert_eq!(consent, expected);
        for path in ["/oauth/authorize", "/oauth/authorize/x"] {
            assert!(of(&Uri::from_static(path)).is_consent, "{path}");
        }
        for path in ["/", "/oauth/token", "/oauth/authorizes", "/sign-in"] {
            assert!(!of(&Uri::from_static(path)).is_consent, "{path}");
        }
        let way = |uri| of(&Uri::from_static(uri)).is_on_the_way;
        let next = "/sign-in/code?next=%2Foauth%2Fauthorize%3Fclient_id%3Dx";
        assert!(way("/oauth/authorize") && way(next));
        for elsewhere in [
            "/sign-in",
            "/sign-in?next=%2Fdashboard",
            "/sign-in?next=https%3A%2F%2Fevil.example%2Foauth%2Fauthorize",
            "/dashboard?next=%2Foauth%2Fauthorize",
        ] {
            assert!(!way(elsewhere), "{elsewhere}");
        }
    }
}
