//! The session of a visitor in the browser: how it begins and ends there. Core decides whether it is any good.

use axum::response::Response;
use http::header::SET_COOKIE;

use crate::{
    cookies::{Cookie, SESSION},
    request_context::Site,
};

/// How long a browser keeps a session. Core ends it earlier if nobody uses it.
const SECONDS: u64 = 30 * 24 * 60 * 60;

/// Makes the browser send this token from now on, instead of any other one.
pub(crate) fn begin(response: &mut Response, site: &Site, token: &str) {
    set(response, site, SESSION, token, SECONDS);
}

/// Makes the browser forget its session.
pub(crate) fn forget(response: &mut Response, site: &Site) {
    set(response, site, SESSION, "", 0);
}

/// Adds a cookie to an answer.
pub(crate) fn set(response: &mut Response, site: &Site, cookie: Cookie, value: &str, seconds: u64) {
    if let Some(cookie) = cookie.set(value, seconds, site.is_secure()) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
}
