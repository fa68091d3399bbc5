//! Which `Authorization` is a credential.

use http::{HeaderMap, HeaderValue};
use http_kit::require_bearer;

fn headers(credentials: &[&str]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for credential in credentials {
        headers.append("authorization", HeaderValue::try_from(*credential).unwrap());
    }
    headers
}

#[test]
fn a_bearer_token_is_recognized_in_any_case() {
    for good in [
        "Bearer abc",
        "bearer abc",
        "BEARER a-b._~+/==",
        "Bearer   abc ",
    ] {
        require_bearer(&headers(&[good])).unwrap();
    }
}

#[test]
fn anything_else_is_no_credential() {
    for bad in [
        "",
        "Bearer",
        "Bearer ",
        "Basic abc",
        "Bearer a b",
        "Bearer a,b",
        "Bearerabc",
        "abc",
    ] {
        let problem = require_bearer(&headers(&[bad])).unwrap_err();
        assert_eq!(
            (problem.http_status, problem.code),
            (401, "UNAUTHORIZED"),
            "{bad:?}"
        );
    }
    require_bearer(&headers(&[])).unwrap_err();
    require_bearer(&headers(&["Bearer a", "Bearer b"])).unwrap_err();
}
