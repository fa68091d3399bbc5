//! The OpenAPI document in three forms, and a page to read it and to try the API. The page works without the Internet: all its files are in
//! this binary.

use std::{collections::HashMap, fmt::Write as _, io::Read, sync::LazyLock};

use axum::{extract::Request, response::Response};
use bytes::Bytes;
use flate2::read::GzDecoder;
use http::{HeaderValue, Method, header::CONTENT_SECURITY_POLICY};
use http_kit::{Operation, Problem};
use muster_api::{EXAMPLE_URL, Reason};

const PAGE: &str = include_str!("documents/page.html");
const START: &str = include_str!("documents/start.js");
const INTRODUCTION: &str = include_str!("documents/introduction.txt");
/// See `documents/scalar/README.md`.
const SCALAR: &[u8] = include_bytes!("documents/scalar/standalone.js.gz");

/// The page may run only its own scripts and call only its own origin. Scalar sets inline styles.
const OWN_ORIGIN: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'",
);

/// The page's files, unpacked at the first request.
static FILES: LazyLock<HashMap<&'static str, Bytes>> = LazyLock::new(|| {
    [
        ("scalar.js", unpacked(SCALAR)),
        ("start.js", START.into()),
        ("introduction.txt", introduction().into()),
    ]
    .into()
});

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

pub(crate) fn operations(openapi: OpenApi, public_url: &str) -> [(&'static str, Operation); 5] {
    let OpenApi { json, yaml, older } = openapi;
    let openapi = |text: &str, media_type| {
        let text = Bytes::from(text.replace(EXAMPLE_URL, public_url));
        let answer = Operation::new(Method::GET, move |_request| {
            let text = text.clone();
            async move { Ok(document(text, media_type)) }
        });
        answer.shared()
    };
    let page = Operation::new(Method::GET, async |_request| {
        let mut page = document(PAGE.into(), "text/html; charset=utf-8");
        page.headers_mut()
            .insert(CONTENT_SECURITY_POLICY, OWN_ORIGIN);
        Ok(page)
    });
    let file = Operation::new(Method::GET, async |request: Request| {
        file(request.uri().path().rsplit('/').next().unwrap_or_default())
    });
    [
        (OPENAPI, openapi(json, JSON)),
        (OPENAPI_YAML, openapi(yaml, YAML)),
        (OPENAPI_3_0, openapi(older, JSON)),
        ("/docs", page),
        ("/docs/{file}", file),
    ]
}

fn file(name: &str) -> Result<Response, Problem> {
    let Some(bytes) = FILES.get(name).cloned() else {
        let message = "nothing is at this path";
        return Err(Problem::new(Reason::NotFound, message));
    };
    let media_type = match name.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        _ => "text/plain; charset=utf-8",
    };
    Ok(document(bytes, media_type))
}

/// A document that changes only with this binary, and which browsers revalidate.
pub(crate) fn document(bytes: Bytes, media_type: &'static str) -> Response {
    http_kit::document(bytes, media_type, "no-cache")
}

fn unpacked(packed: &[u8]) -> Bytes {
    let mut bytes = Vec::new();
    // A file in this binary is whole; a test reads it.
    let _whole = GzDecoder::new(packed).read_to_end(&mut bytes);
    bytes.into()
}

/// The first thing that a reader sees: how to make a first call, and all error codes. The page fills in where the API is.
fn introduction() -> String {
    let mut rows = String::new();
    for reason in Reason::ALL {
        let (code, status, meaning) = (reason.code(), reason.http_status(), reason.description());
        let _infallible = writeln!(rows, "| `{code}` | {status} | {meaning} |");
    }
    INTRODUCTION.replace("{errors}\n", &rows)
}
