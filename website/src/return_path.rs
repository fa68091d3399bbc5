//! Where to go after signing in: only to pages of this site.

use crate::form::link;

/// The longest address that is returned to. Requests of apps to be connected are the longest; escaped within another address, they
/// must still be short enough for a request.
const MAX_BYTES: usize = 4_000;

/// Where people go who asked for nothing else.
pub(crate) const DASHBOARD: &str = "/dashboard";

/// Where a first event is made, and every other one.
pub(crate) const NEW_EVENT: &str = "/dashboard/events/new";

/// The parameter that names it.
pub(crate) const RETURN_PATH: &str = "next";

/// The address, if it is a path of this site that a signed-in person may have asked for; else the dashboard.
///
/// Browsers take `//host`, `/\host` and a path after control characters for other sites.
pub(crate) fn own_path(next: Option<&str>) -> &str {
    let is_own = |path: &&str| {
        let is_plain = path
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b'\\');
        let is_returned_to = SIGNED_IN_PATHS.iter().any(|part| {
            let rest = path.strip_prefix(part);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
        });
        is_plain && is_returned_to && path.len() <= MAX_BYTES
    };
    next.filter(is_own).unwrap_or(DASHBOARD)
}

/// The parts of the site that need a session.
const SIGNED_IN_PATHS: [&str; 4] = [
    "/dashboard",
    "/check-in",
    "/invitations",
    "/oauth/authorize",
];

/// A page with the address to return to.
pub(crate) fn with_return_path(path: &str, next: &str) -> String {
    if next == DASHBOARD {
        return path.to_owned();
    }
    link(path, &[(RETURN_PATH, next)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_this_site_are_returned_to() {
        for path in [
            "/dashboard",
            "/dashboard/events/x/registrations?q=a%20b&status=Pending",
            "/check-in/abc",
            "/oauth/authorize?client_id=x&redirect_uri=http%3A%2F%2F127.0.0.1",
        ] {
            assert_eq!(own_path(Some(path)), path);
        }
        for other in [
            "https://evil.example/dashboard",
            "//evil.example/dashboard",
            "/\\evil.example",
            "/dashboard\\..\\x",
            "/dashboard\r\nset-cookie: a=b",
            "/dashboardx",
            "/oauth/token",
            "/sign-out",
            "javascript:alert(1)",
            "dashboard",
            "",
        ] {
            assert_eq!(own_path(Some(other)), DASHBOARD, "{other}");
        }
        assert_eq!(own_path(None), DASHBOARD);
        assert_eq!(
            own_path(Some(&format!("/dashboard/{}", "x".repeat(4_000)))),
            DASHBOARD
        );
    }

    #[test]
    fn the_way_back_is_returned_to_in_the_address() {
        assert_eq!(with_return_path("/sign-in", "/dashboard"), "/sign-in");
        assert_eq!(
            with_return_path("/sign-in", "/check-in/a?b=c"),
            "/sign-in?next=%2Fcheck-in%2Fa%3Fb%3Dc"
        );
    }
}
