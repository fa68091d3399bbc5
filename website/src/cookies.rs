//! Cookies of this site. Scripts do not see them, and no form of another site is sent with them.

use axum::response::Response;
use http::{
    HeaderMap, HeaderValue,
    header::{COOKIE, SET_COOKIE},
};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// How long a browser keeps a session. Core ends it earlier if nobody uses it.
const SESSION_SECONDS: u32 = 30 * 24 * 60 * 60;

/// How long a browser remembers the address to which a code went: a little longer than the code is valid.
const SIGN_IN_SECONDS: u32 = 15 * 60;

/// A cookie for the whole site. Over https its name makes browsers refuse one that another host or a plain page sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cookie {
    secure: &'static str,
    plain: &'static str,
}

/// The session of a person who is signed in.
pub(crate) const SESSION: Cookie = Cookie {
    secure: "__Host-muster",
    plain: "muster-session",
};

/// A sign-in that waits for its code: it is bound to the browser that began it.
pub(crate) const SIGN_IN: Cookie = Cookie {
    secure: "__Host-muster-sign-in",
    plain: "muster-sign-in",
};

/// A proof that someone signed in with this browser before.
pub(crate) const BROWSER: Cookie = Cookie {
    secure: "__Host-muster-browser",
    plain: "muster-browser",
};

impl Cookie {
    const fn name(self, is_secure: bool) -> &'static str {
        if is_secure { self.secure } else { self.plain }
    }

    /// Its value in a request, if it has one.
    pub(crate) fn read(self, headers: &HeaderMap, is_secure: bool) -> Option<String> {
        let value = raw(headers, self.name(is_secure))?;
        let value = percent_decode_str(value).decode_utf8().ok()?;
        (!value.is_empty()).then(|| value.into_owned())
    }

    /// Sets it for a time, or ends it if that is none.
    pub(crate) fn set(self, value: &str, seconds: u32, is_secure: bool) -> Option<HeaderValue> {
        let value = utf8_percent_encode(value, NON_ALPHANUMERIC).to_string();
        header(self.name(is_secure), &value, "/", seconds, is_secure)
    }
}

/// Makes the browser send the token of a session from now on, instead of any other one.
pub(crate) fn begin_session(response: &mut Response, is_secure: bool, token: &str) {
    add(response, is_secure, SESSION, token, SESSION_SECONDS);
}

/// Ends the session in the browser. Core decides whether it is any good elsewhere.
pub(crate) fn end_session(response: &mut Response, is_secure: bool) {
    add(response, is_secure, SESSION, "", 0);
}

/// Makes the browser remember the address to which a code went.
pub(crate) fn begin_sign_in(response: &mut Response, is_secure: bool, email: &str) {
    add(response, is_secure, SIGN_IN, email, SIGN_IN_SECONDS);
}

/// Ends what the browser remembers of a sign-in.
pub(crate) fn end_sign_in(response: &mut Response, is_secure: bool) {
    add(response, is_secure, SIGN_IN, "", 0);
}

fn add(response: &mut Response, is_secure: bool, cookie: Cookie, value: &str, seconds: u32) {
    if let Some(header) = cookie.set(value, seconds, is_secure) {
        response.headers_mut().append(SET_COOKIE, header);
    }
}

/// The header that sets a cookie for pages below a path.
pub(crate) fn header(
    name: &str,
    value: &str,
    path: &str,
    seconds: u32,
    is_secure: bool,
) -> Option<HeaderValue> {
    let secure = if is_secure { "; Secure" } else { "" };
    let text =
        format!("{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::try_from(text).ok()
}

/// The value of a cookie as it came.
pub(crate) fn raw<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let values = headers.get_all(COOKIE).iter();
    let mut cookies = values.flat_map(|value| value.to_str().unwrap_or_default().split(';'));
    cookies.find_map(|cookie| cookie.trim().strip_prefix(name)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(cookies: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(COOKIE, HeaderValue::from_static(cookies))])
    }

    #[test]
    fn over_https_only_a_cookie_that_no_other_host_can_set_is_read() {
        let both = headers("muster-session=plain; __Host-muster=secure");
        assert_eq!(SESSION.read(&both, true).as_deref(), Some("secure"));
        assert_eq!(SESSION.read(&both, false).as_deref(), Some("plain"));
        assert_eq!(SESSION.read(&headers("muster-session=plain"), true), None);
        assert_eq!(
            SESSION.read(&headers("__Host-muster-sign-in=x"), true),
            None
        );
        assert_eq!(SESSION.read(&headers("__Host-muster="), true), None);
    }

    #[test]
    fn a_value_survives_its_way_through_a_browser() {
        let value = "mus_ses_a;b\r\nSet-Cookie: c=d ~ü";
        let header = SESSION.set(value, 60, true).unwrap();
        let text = header.to_str().unwrap();
        assert!(
            text.ends_with("; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure"),
            "{text}"
        );
        let pair = text.split(';').next().unwrap().to_owned();
        let back = HeaderMap::from_iter([(COOKIE, HeaderValue::try_from(pair).unwrap())]);
        assert_eq!(SESSION.read(&back, true).as_deref(), Some(value));
        assert!(
            !SESSION
                .set(value, 60, false)
                .unwrap()
                .to_str()
                .unwrap()
                .contains("Secure")
        );
    }
}
