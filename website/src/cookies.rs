//! Cookies of this site. Scripts do not see them, and no form of another site is sent with them.

use http::{HeaderMap, HeaderValue, header::COOKIE};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

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

/// A proof that somebody signed in with this browser before.
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
    pub(crate) fn set(self, value: &str, seconds: u64, is_secure: bool) -> Option<HeaderValue> {
        let name = self.name(is_secure);
        let value = utf8_percent_encode(value, NON_ALPHANUMERIC);
        let secure = if is_secure { "; Secure" } else { "" };
        let text =
            format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
        HeaderValue::try_from(text).ok()
    }
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
