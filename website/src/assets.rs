//! Static files: style sheets, script, icon and manifest. Their names have a fingerprint of their content, so that browsers may cache
//! them for ever.

use std::sync::LazyLock;

use axum::{extract::Request, response::Response};
use bytes::Bytes;
use http::{
    HeaderValue, Method, StatusCode,
    header::{CACHE_CONTROL, LOCATION},
};
use http_kit::{Operation, Problem, Resource, document};
use muster_api::Reason;
use sha2::{Digest as _, Sha256};

/// A year, the longest that caches keep anything.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// The icon's name changes with its content.
const A_DAY: HeaderValue = HeaderValue::from_static("public, max-age=86400");

/// The bytes of a fingerprint: enough to tell versions of one file apart.
const FINGERPRINT_BYTES: usize = 6;

/// The static files of this binary.
pub(crate) static ASSETS: LazyLock<Assets> = LazyLock::new(Assets::new);

/// The static files.
#[derive(Debug)]
pub(crate) struct Assets {
    pub(crate) style: Asset,
    pub(crate) dashboard_style: Asset,
    pub(crate) script: Asset,
    pub(crate) icon: Asset,
    pub(crate) manifest: Asset,
}

/// A static file.
#[derive(Debug)]
pub(crate) struct Asset {
    /// Its path, with its fingerprint.
    pub(crate) path: String,
    media_type: &'static str,
    bytes: Bytes,
}

impl Assets {
    fn new() -> Self {
        const CSS: &str = "text/css; charset=utf-8";
        const SCRIPT: &str = "text/javascript; charset=utf-8";
        const ICON: &str = include_str!("../assets/favicon.svg");
        const MANIFEST: &str = include_str!("../assets/manifest.webmanifest");
        let icon = Asset::new("favicon", "svg", "image/svg+xml", ICON);
        let manifest = MANIFEST.replace("/assets/favicon.svg", &icon.path);
        Self {
            style: Asset::new("style", "css", CSS, include_str!("../assets/style.css")),
            dashboard_style: Asset::new(
                "dashboard",
                "css",
                CSS,
                include_str!("../assets/dashboard.css"),
            ),
            script: Asset::new("site", "js", SCRIPT, include_str!("../assets/site.js")),
            icon,
            manifest: Asset::new(
                "manifest",
                "webmanifest",
                "application/manifest+json",
                manifest,
            ),
        }
    }

    fn find(&self, path: &str) -> Option<&Asset> {
        let all = [
            &self.style,
            &self.dashboard_style,
            &self.script,
            &self.icon,
            &self.manifest,
        ];
        all.into_iter().find(|asset| asset.path == path)
    }
}

impl Asset {
    fn new(stem: &str, ending: &str, media_type: &'static str, bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        let digest = Sha256::digest(&bytes);
        let hex = digest.iter().take(FINGERPRINT_BYTES);
        let hex: Vec<String> = hex.map(|byte| format!("{byte:02x}")).collect();
        let hex = hex.concat();
        Self {
            path: format!("/assets/{stem}.{hex}.{ending}"),
            media_type,
            bytes,
        }
    }
}

pub(crate) fn resources() -> [Resource; 2] {
    let file = Operation::new(Method::GET, async |request: Request| {
        let asset = ASSETS.find(request.uri().path());
        let asset = asset.ok_or_else(|| Problem::new(Reason::NotFound, "there is no such file"))?;
        Ok(document(asset.bytes.clone(), asset.media_type, FOR_EVER))
    });
    // Browsers ask for it where a document names no icon.
    let icon = Operation::new(Method::GET, async |_request| {
        let mut response = Response::default();
        *response.status_mut() = StatusCode::FOUND;
        let headers = response.headers_mut();
        if let Ok(path) = HeaderValue::try_from(&*ASSETS.icon.path) {
            headers.insert(LOCATION, path);
        }
        headers.insert(CACHE_CONTROL, A_DAY);
        Ok(response)
    });
    [
        Resource::new("/assets/{file}").with(file.shared()),
        Resource::new("/favicon.ico").with(icon),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_sheet_and_the_script_are_small() {
        assert!(ASSETS.style.bytes.len() < 30_000);
        assert!(ASSETS.script.bytes.len() < 3_000);
    }

    #[test]
    fn the_manifest_names_the_icon_by_its_fingerprint() {
        let text = String::from_utf8_lossy(&ASSETS.manifest.bytes);
        assert!(text.contains(&ASSETS.icon.path), "{text}");
    }
}
