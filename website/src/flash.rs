//! What a page says once, after a form was taken: a cookie carries a code of this closed set over the redirect.

use axum::response::Response;
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{COOKIE, LOCATION, SET_COOKIE},
};

use crate::layout::keep_private;

const NAME: &str = "muster-done";

/// How long the next page may take to load, in seconds.
const SECONDS: u32 = 60;

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flash {
    Confirmed,
    Cancelled,
    TakenOver,
}

impl Flash {
    const ALL: [Self; 3] = [Self::Confirmed, Self::Cancelled, Self::TakenOver];

    const fn code(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Cancelled => "cancelled",
            Self::TakenOver => "taken-over",
        }
    }

    /// What the page says.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Confirmed => "Thank you. Your registration is confirmed.",
            Self::Cancelled => "Done. Thank you for saying so: somebody else may come now.",
            Self::TakenOver => "Done. Your registration has the new details.",
        }
    }

    /// What the request's cookie says.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let values = headers.get_all(COOKIE).iter();
        let mut cookies = values.flat_map(|value| value.to_str().unwrap_or_default().split(';'));
        let code =
            cookies.find_map(|cookie| cookie.trim().strip_prefix(NAME)?.strip_prefix('='))?;
        Self::ALL.into_iter().find(|flash| flash.code() == code)
    }

    /// The cookie, for the page that comes next.
    fn cookie(self, path: &str) -> Option<HeaderValue> {
        let code = self.code();
        cookie(code, path, SECONDS)
    }
}

/// Makes a browser forget what it was told.
pub(crate) fn forget(response: &mut Response, path: &str) {
    if let Some(cookie) = cookie("", path, 0) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
}

/// The way to a private page after a form, which says there what was done.
pub(crate) fn see(path: &str, done: Option<Flash>) -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::SEE_OTHER;
    keep_private(&mut response);
    let headers = response.headers_mut();
    if let Ok(location) = HeaderValue::try_from(path) {
        headers.insert(LOCATION, location);
    }
    if let Some(cookie) = done.and_then(|done| done.cookie(path)) {
        headers.insert(SET_COOKIE, cookie);
    }
    response
}

/// A cookie that scripts do not see. It grants nothing, so it needs no encryption.
fn cookie(value: &str, path: &str, seconds: u32) -> Option<HeaderValue> {
    let text = format!("{NAME}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax");
    HeaderValue::try_from(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_codes_are_shown() {
        for (cookies, found) in [
            ("muster-done=confirmed", Some(Flash::Confirmed)),
            ("a=b; muster-done=taken-over; c=d", Some(Flash::TakenOver)),
            ("muster-done=<b>", None),
            ("muster-done=", None),
            ("muster-donee=confirmed", None),
            ("x-muster-done=confirmed", None),
        ] {
            let headers = [(COOKIE, HeaderValue::from_static(cookies))];
            assert_eq!(
                Flash::of(&HeaderMap::from_iter(headers)),
                found,
                "{cookies}"
            );
        }
    }
}
