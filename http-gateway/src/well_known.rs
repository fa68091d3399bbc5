//! What programs find without being told: the API catalogue (RFC 9727), with links to the API's description and reference, and where
//! they get access tokens (RFC 9728).

use http::{HeaderValue, Method, header::LINK};
use http_kit::{
    Operation,
    oauth::{OAuth, PROTECTED_RESOURCE},
};

use crate::documents::document;

/// The path of the API below the public URL, for which a token can be.
pub(crate) const API: &str = "/api/v1";

const API_METADATA: &str = "/.well-known/oauth-protected-resource/api/v1";

const PATH: &str = "/.well-known/api-catalog";

/// The links. They are relative to the catalogue itself, since the gateway does not know the names that proxies serve it under.
const LINKS: &str = concat!(
    r#"{"linkset":[{"anchor":"/api/v1","service-desc":[{"href":"/api/v1/openapi.json","type":"application/json"},{"href":"/api/v1/openapi.yaml","type":"application/yaml"},{"href":"/api/v1/openapi-3.0.json","type":"application/json"}],"service-doc":[{"href":"/docs","type":"text/html"}]}]}"#,
    "\n"
);

const MEDIA_TYPE: &str =
    r#"application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727""#;

/// The header that RFC 9727 requires in an answer to `HEAD`.
const SELF: HeaderValue =
    HeaderValue::from_static(r#"</.well-known/api-catalog>; rel="api-catalog""#);

pub(crate) fn catalog() -> (&'static str, Operation) {
    let operation = Operation::new(Method::GET, async |_request| {
        let mut response = document(LINKS.into(), MEDIA_TYPE);
        response.headers_mut().insert(LINK, SELF);
        Ok(response)
    });
    (PATH, operation.shared())
}

/// The metadata of the API, and of all that the public URL has.
pub(crate) fn resources(oauth: &OAuth) -> [(&'static str, Operation); 2] {
    [
        (PROTECTED_RESOURCE, oauth.resource("")),
        (API_METADATA, oauth.resource(API)),
    ]
}
