//! What is at the base of the API: its paths, and where they are described.

use bytes::Bytes;
use http::{HeaderValue, Method, header::LINK};
use http_kit::{Operation, Resource};

use crate::documents::document;

const PATH: &str = "/api/v1";

/// The same for programs that read headers only.
const LINKS: HeaderValue = HeaderValue::from_static(
    "</api/v1/openapi.json>; rel=\"service-desc\", </docs>; rel=\"service-doc\", </.well-known/api-catalog>; rel=\"api-catalog\"",
);

/// The index of these resources.
pub(crate) fn resource<'a>(resources: impl Iterator<Item = &'a Resource>) -> Resource {
    let text = Bytes::from(text(resources));
    let operation = Operation::new(Method::GET, move |_request| {
        let mut response = document(text.clone(), "application/json");
        response.headers_mut().insert(LINK, LINKS);
        async move { Ok(response) }
    });
    Resource::new(PATH).with(operation.shared())
}

fn text<'a>(resources: impl Iterator<Item = &'a Resource>) -> String {
    let below = resources.filter(|resource| resource.path().starts_with(PATH));
    let paths: Vec<String> = below.map(line).collect();
    let paths = paths.join(",\n");
    format!(
        "{{\n\"description\": \"/api/v1/openapi.json\",\n\"reference\": \"/docs\",\n\"paths\": {{\n{paths}\n}}\n}}\n"
    )
}

/// A path with its methods. Neither has characters that JSON would escape.
fn line(resource: &Resource) -> String {
    let methods = resource.methods().map(|method| format!("\"{method}\""));
    let methods: Vec<String> = methods.collect();
    format!("\"{}\": [{}]", resource.path(), methods.join(", "))
}
