//! The OpenAPI document, and a page to read it and to try the API. The page works without the Internet: all its files are in
//! this binary.

use std::{
    collections::HashMap,
    io::{Cursor, Read},
    sync::LazyLock,
};

use axum::{extract::Request, response::Response};
use bytes::Bytes;
use edge::{Problem, http::Operation};
use http::{HeaderValue, Method, header::CONTENT_SECURITY_POLICY};
use muster_api::Reason;

const PAGE: &str = include_str!("documents/page.html");
const START: &str = include_str!("documents/start.js");

/// The page may run only its own scripts and call only its own origin. Swagger UI sets inline styles.
const OWN_ORIGIN: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'",
);

/// The page's files, unpacked at the first request.
static FILES: LazyLock<HashMap<&'static str, Bytes>> = LazyLock::new(|| {
    let names = [
        "swagger-ui.css",
        "swagger-ui-bundle.js",
        "favicon-32x32.png",
    ];
    let unpacked = names
        .into_iter()
        .filter_map(|name| Some((name, unpack(name)?)));
    unpacked.chain([("start.js", START.into())]).collect()
});

pub(crate) fn operations(openapi: &'static str) -> [(&'static str, Operation); 3] {
    let openapi = Operation::new(Method::GET, async move |_request| {
        Ok(document(openapi.into(), "application/json"))
    });
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
        ("/api/v1/openapi.json", openapi.shared()),
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
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        _ => "image/png",
    };
    Ok(document(bytes, media_type))
}

/// A document that changes only with this binary, and which browsers revalidate.
pub(crate) fn document(bytes: Bytes, media_type: &'static str) -> Response {
    edge::http::document(bytes, media_type, "no-cache")
}

/// One file of Swagger UI's distribution.
fn unpack(name: &str) -> Option<Bytes> {
    let archive = Cursor::new(utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED);
    let mut archive = zip::ZipArchive::new(archive).ok()?;
    let path = format!("/dist/{name}");
    let index = archive
        .file_names_raw()
        .position(|name| name.ends_with(path.as_bytes()))?;
    let mut bytes = Vec::new();
    archive.by_index(index).ok()?.read_to_end(&mut bytes).ok()?;
    Some(bytes.into())
}
