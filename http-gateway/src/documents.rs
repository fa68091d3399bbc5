//! The OpenAPI document, and a page to read it and to try the API. Everything the page needs is in this binary: it works
//! without the internet.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    io::{Cursor, Read},
    sync::{Arc, LazyLock},
};

use axum::{body::Body, extract::Request, response::Response};
use bytes::Bytes;
use edge::Problem;
use futures_util::{FutureExt, future::BoxFuture};
use http::{
    HeaderValue, Method,
    header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG},
};
use muster_api::Reason;

use crate::{resource::Operation, respond, table::Gateway};

const PAGE: &str = include_str!("documents/page.html");
const START: &str = include_str!("documents/start.js");

/// The page runs its own scripts and talks to its own origin, nothing else. Swagger UI sets styles in place.
const OWN_ORIGIN: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'",
);

/// Files change only with this binary, and are asked for again with their tag.
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

/// What the page loads, unpacked when it is first asked for.
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

pub(crate) fn operations() -> Vec<(&'static str, Operation)> {
    let operation = |is_shared, handle| Operation {
        method: Method::GET,
        is_shared,
        handle,
    };
    vec![
        (
            "/api/v1/openapi.json",
            operation(true, |gateway, request| openapi(&gateway, request)),
        ),
        ("/docs", operation(false, |_, request| page(request))),
        ("/docs/{file}", operation(false, |_, request| file(request))),
    ]
}

fn openapi(
    gateway: &Arc<Gateway>,
    request: Request,
) -> BoxFuture<'static, Result<Response, Problem>> {
    text(gateway.options.openapi.into(), "application/json", request)
}

fn page(request: Request) -> BoxFuture<'static, Result<Response, Problem>> {
    let page = text(PAGE.into(), "text/html; charset=utf-8", request);
    page.map(|response| {
        let mut response = response?;
        response
            .headers_mut()
            .insert(CONTENT_SECURITY_POLICY, OWN_ORIGIN);
        Ok(response)
    })
    .boxed()
}

fn file(request: Request) -> BoxFuture<'static, Result<Response, Problem>> {
    let name = request.uri().path().rsplit('/').next().unwrap_or_default();
    let Some(bytes) = FILES.get(name).cloned() else {
        return async {
            Err(Problem::new(
                Reason::NotFound,
                "there is nothing at this path",
            ))
        }
        .boxed();
    };
    let media_type = match name.rsplit('.').next() {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        _ => "image/png",
    };
    text(bytes, media_type, request)
}

fn text(
    bytes: Bytes,
    media_type: &'static str,
    request: Request,
) -> BoxFuture<'static, Result<Response, Problem>> {
    let (parts, _body) = request.into_parts();
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    let tag = format!("W/\"{:016x}\"", hasher.finish());
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(CACHE_CONTROL, REVALIDATE);
    if let Ok(tag) = HeaderValue::try_from(tag) {
        headers.insert(ETAG, tag);
    }
    async move { Ok(respond::unless_known(response, &parts)) }.boxed()
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
