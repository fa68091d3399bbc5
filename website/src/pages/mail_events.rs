//! Where mail providers report that mails came back, or were called spam. Core knows the secret and the forms of providers; this passes on what
//! they send.

use axum::body::Body;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use http::{HeaderMap, Method, StatusCode, header::AUTHORIZATION};
use http_kit::{Problem, Resource, json};
use muster_api::{
    Reason,
    internal::v1::{ReceiveMailEventsRequest, bindings::ReceiveMailEvents},
};
use serde_json::json;

use crate::{
    layout::PageResult,
    request_context::{RequestContext, Site},
};

/// Its path.
const PATH: &str = "/mail-events";

pub(in crate::pages) fn resource(site: &Site) -> Resource {
    Resource::new(PATH).with(site.operation(Method::POST, take))
}

async fn take(context: RequestContext, body: Body) -> PageResult {
    let secret = secret(&context.parts.headers).ok_or_else(|| {
        let message =
            "this needs the secret of --mail-events-secret, as a bearer token or as a password";
        Problem::new(Reason::Unauthorized, message)
    })?;
    let body = context.body(body).await?;
    let body = String::from_utf8(body.into()).map_err(|_| http_kit::body::invalid("is not UTF-8"));
    let request = ReceiveMailEventsRequest {
        secret: Some(secret),
        body: Some(body?),
    };
    let taken = context.ask::<ReceiveMailEvents>(request).await?;
    let answer = json!({"recorded": taken.recorded, "ignored": taken.ignored});
    Ok(json(StatusCode::OK, answer.to_string()))
}

/// The secret in `Authorization`: a bearer token, or the password of any user, which some providers take from the URL.
fn secret(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, rest) = value.split_once(' ')?;
    let rest = rest.trim();
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(rest.to_owned());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = String::from_utf8(BASE64_STANDARD.decode(rest).ok()?).ok()?;
    let (_, password) = decoded.split_once(':')?;
    Some(password.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Option<String> {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, value.parse().unwrap());
        secret(&headers)
    }

    #[test]
    fn a_secret_is_a_token_or_a_password() {
        assert_eq!(read("Bearer abc").as_deref(), Some("abc"));
        assert_eq!(read("bearer  abc").as_deref(), Some("abc"));
        // muster:a:b
        assert_eq!(read("Basic bXVzdGVyOmE6Yg==").as_deref(), Some("a:b"));
        for none in ["abc", "Basic", "Basic %%%", "Basic YWJj", "Digest abc"] {
            assert_eq!(read(none), None, "{none}");
        }
        assert_eq!(secret(&HeaderMap::new()), None);
    }
}
