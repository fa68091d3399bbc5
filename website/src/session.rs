//! The session of a visitor in the browser: how it begins and ends there. Core decides whether it is any good.

use axum::response::Response;
use http::header::SET_COOKIE;

use crate::{
    cookies::{Cookie, SESSION, SIGN_IN},
    request_context::Site,
};

/// How long a browser keeps a session. Core ends it earlier if nobody uses it.
const SECONDS: u64 = 30 * 24 * 60 * 60;

/// How long a browser remembers the address to which a code went: a little longer than the code is valid.
const SIGN_IN_SECONDS: u64 = 15 * 60;

/// Makes the browser send this token from now on, instead of any other one.
pub(crate) fn begin(response: &mut Response, site: &Site, token: &str) {
    set(response, site, SESSION, token, SECONDS);
}

/// Ends the session in the browser.
pub(crate) fn end(response: &mut Response, site: &Site) {
    set(response, site, SESSION, "", 0);
}

/// Makes the browser remember the address to which a code went.
pub(crate) fn set_sign_in(response: &mut Response, site: &Site, email: &str) {
    set(response, site, SIGN_IN, email, SIGN_IN_SECONDS);
}

/// Ends what the browser remembers of a sign-in.
pub(crate) fn end_sign_in(response: &mut Response, site: &Site) {
    set(response, site, SIGN_IN, "", 0);
}

/// Adds a cookie to an answer.
fn set(response: &mut Response, site: &Site, cookie: Cookie, value: &str, seconds: u64) {
    if let Some(cookie) = cookie.set(value, seconds, site.is_secure()) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
}
