//! The browser of a visitor: its secret, by which core tells who asked for a code, and what people recognize it by.

use axum::response::Response;
use http::{
    HeaderMap,
    header::{SET_COOKIE, USER_AGENT},
};
use rand::{RngExt as _, distr::Alphanumeric};

use crate::{cookies::BROWSER, request_context::Site};

/// The length of a secret: 256 bits in letters and digits.
const SECRET_CHARACTERS: usize = 43;

/// What core takes as a secret.
const SECRET_BOUNDS: std::ops::RangeInclusive<usize> = 32..=128;

/// How long a browser keeps its secret: 180 days.
const SECONDS: u32 = 180 * 24 * 60 * 60;

/// A browser's secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Browser(String);

impl Browser {
    /// The browser of a request, if it has a secret.
    pub(crate) fn known(headers: &HeaderMap, site: &Site) -> Option<Self> {
        let secret = BROWSER.read(headers, site.is_secure())?;
        let is_one = SECRET_BOUNDS.contains(&secret.len())
            && secret.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_one.then_some(Self(secret))
    }

    /// The browser of a request, with a new secret if it has none.
    pub(crate) fn of(headers: &HeaderMap, site: &Site) -> Self {
        Self::known(headers, site).unwrap_or_else(Self::new)
    }

    fn new() -> Self {
        let signs = rand::rng().sample_iter(Alphanumeric);
        Self(signs.take(SECRET_CHARACTERS).map(char::from).collect())
    }

    pub(crate) fn secret(&self) -> &str {
        &self.0
    }

    /// Makes the browser remember it.
    pub(crate) fn remember(&self, response: &mut Response, site: &Site) {
        if let Some(cookie) = BROWSER.set(&self.0, SECONDS, site.is_secure()) {
            response.headers_mut().append(SET_COOKIE, cookie);
        }
    }
}

/// The names of browsers and systems in `User-Agent`, those that others also claim to be last.
const PROGRAMS: [(&str, &str); 6] = [
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];
const SYSTEMS: [(&str, &str); 6] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
];

/// What people recognize a session by, for example `Firefox on Linux`; empty if the browser does not say.
pub(crate) fn device(headers: &HeaderMap) -> String {
    let said = headers.get(USER_AGENT).and_then(|text| text.to_str().ok());
    let said = said.unwrap_or_default();
    let named = |table: &[(&str, &'static str)]| {
        let found = table.iter().find(|(mark, _)| said.contains(mark));
        found.map(|(_, name)| *name)
    };
    match (named(&PROGRAMS), named(&SYSTEMS)) {
        (Some(program), Some(system)) => format!("{program} on {system}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_session_has_a_name_that_people_recognize() {
        for (said, name) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
                "Firefox on Linux",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
                "Safari on iPhone",
            ),
            ("curl/8.14.1", ""),
        ] {
            let headers = [(USER_AGENT, HeaderValue::from_static(said))];
            assert_eq!(device(&HeaderMap::from_iter(headers)), name, "{said}");
        }
        assert_eq!(device(&HeaderMap::new()), "");
    }

    #[test]
    fn no_two_browsers_share_a_secret() {
        let (one, other) = (Browser::new(), Browser::new());
        assert_ne!(one, other);
        assert!(SECRET_BOUNDS.contains(&one.secret().len()));
    }
}
