//! The API catalogue for programs (RFC 9727): links to the API's description and reference.

use edge::http::Operation;
use http::{HeaderValue, Method, header::LINK};

use crate::documents::document;

const PATH: &str = "/.well-known/api-catalog";

/// The links. They are relative to the catalogue itself, since the gateway does not know the names that proxies serve it under.
const LINKS: &str = r#"{"linkset":[{"anchor":"/api/v1","service-desc":[{"href":"/api/v1/openapi.json","type":"application/json"},{"href":"/api/v1/openapi.yaml","type":"application/yaml"},{"href":"/api/v1/openapi-3.0.json","type":"application/json"}],"service-doc":[{"href":"/docs","type":"text/html"}]}]}"#;

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
