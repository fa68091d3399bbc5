//! The OpenAPI document in three forms. The website shows the same to people.

use bytes::Bytes;
use http::Method;
use http_kit::Operation;
use muster_api::EXAMPLE_URL;

/// The paths of the forms of the OpenAPI document.
const OPENAPI: &str = "/api/v1/openapi.json";
const OPENAPI_YAML: &str = "/api/v1/openapi.yaml";
const OPENAPI_3_0: &str = "/api/v1/openapi-3.0.json";

/// The media type of JSON documents, and that of YAML (RFC 9512).
const JSON: &str = "application/json";
const YAML: &str = "application/yaml";

/// A description of the API, in three forms.
#[derive(Debug, Clone, Copy)]
pub struct OpenApi {
    /// OpenAPI 3.1 as JSON.
    pub json: &'static str,
    /// OpenAPI 3.1 as YAML.
    pub yaml: &'static str,
    /// OpenAPI 3.0 as JSON, for tools that do not read 3.1.
    pub older: &'static str,
}

impl Default for OpenApi {
    fn default() -> Self {
        Self {
            json: muster_api::OPENAPI,
            yaml: muster_api::OPENAPI_YAML,
            older: muster_api::OPENAPI_3_0,
        }
    }
}

pub(crate) fn operations(openapi: OpenApi, public_url: &str) -> [(&'static str, Operation); 3] {
    let OpenApi { json, yaml, older } = openapi;
    let openapi = |text: &str, media_type| {
        let text = Bytes::from(text.replace(EXAMPLE_URL, public_url));
        let answer = Operation::new(Method::GET, move |_request| {
            let text = text.clone();
            async move { Ok(document(text, media_type)) }
        });
        answer.shared()
    };
    [
        (OPENAPI, openapi(json, JSON)),
        (OPENAPI_YAML, openapi(yaml, YAML)),
        (OPENAPI_3_0, openapi(older, JSON)),
    ]
}

/// A document that changes only with this binary, and which browsers revalidate.
pub(crate) fn document(bytes: Bytes, media_type: &'static str) -> axum::response::Response {
    http_kit::document(bytes, media_type, "no-cache")
}
