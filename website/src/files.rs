//! The addresses of static files, and of the icons that browsers look for by name.

use axum::extract::Request;
use bytes::BytesMut;
use futures_util::TryStreamExt as _;
use http::{HeaderName, HeaderValue, Method};
use http_kit::{Operation, Problem, Resource, document};
use muster_api::{
    Reason,
    internal::v1::{GetSitePreviewRequest, bindings::GetSitePreview},
};

use crate::{
    assets::{Asset, DRAWN_PREVIEW, TOUCH},
    layout::PageResult,
    request_context::{RequestContext, Site},
};

/// A year, the longest that caches keep anything.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// For files whose names stay when their content changes.
pub(crate) const A_DAY: &str = "public, max-age=86400";

/// The service worker of the door lies elsewhere than the pages that it is for. Its script asks for that of one event.
const KEEPER_SCOPE: (HeaderName, HeaderValue) = (
    HeaderName::from_static("service-worker-allowed"),
    HeaderValue::from_static("/dashboard/events/"),
);

/// For programs that do not read SVG, in three sizes.
const ICO: &[u8] = include_bytes!("../assets/favicon.ico");

pub(crate) fn resources(site: &Site) -> [Resource; 5] {
    let files = site.clone();
    let file = Operation::new(Method::GET, move |request: Request| {
        let found = files.assets().find(request.uri().path());
        let keeper = &files.assets().scanner.keeper;
        let found = found.map(|asset| {
            let mut answer = asset.answer(FOR_EVER);
            if asset.path == keeper.path {
                let (name, scope) = KEEPER_SCOPE;
                answer.headers_mut().insert(name, scope);
            }
            answer
        });
        async move { found.ok_or_else(|| Problem::new(Reason::NotFound, "there is no such file")) }
    });
    // Browsers and programs ask for these where a document names no icon.
    let known = |path, usual: Asset| {
        let assets = site.assets();
        let icon = if site.has_usual_mark() {
            usual
        } else {
            assets.touch_icon.as_ref().unwrap_or(&assets.icon).clone()
        };
        let read = move |_: Request| {
            let answer = icon.answer(A_DAY);
            async move { Ok(answer) }
        };
        Resource::new(path).with(Operation::new(Method::GET, read))
    };
    let touch = || Asset::new("touch-icon", "png", "image/png", TOUCH);
    [
        Resource::new("/assets/{file}").with(file.shared()),
        Resource::new(DRAWN_PREVIEW).with(site.get(preview).shared()),
        known(
            "/favicon.ico",
            Asset::new("favicon", "ico", "image/x-icon", ICO),
        ),
        known("/apple-touch-icon.png", touch()),
        known("/apple-touch-icon-precomposed.png", touch()),
    ]
}

/// What previews show of a site with a name of its own.
async fn preview(context: RequestContext) -> PageResult {
    let file = context
        .file::<GetSitePreview>(GetSitePreviewRequest {})
        .await?;
    let pieces = file.pieces.map_err(|status| Problem::from(&status));
    let png = pieces.try_fold(BytesMut::new(), async |mut whole, piece| {
        whole.extend_from_slice(&piece);
        Ok(whole)
    });
    Ok(document(png.await?, "image/png", A_DAY))
}
