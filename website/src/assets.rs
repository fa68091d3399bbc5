//! Static files: style sheets, script, icons, preview and manifest. The pictures were rendered once: the icons from `favicon.svg`,
//! the preview by `crates/covers`. Their names have a fingerprint of their content, so that browsers may cache
//! them for ever.

use std::sync::LazyLock;

use axum::extract::Request;
use bytes::Bytes;
use http::Method;
use http_kit::{Operation, Problem, Resource, document};
use muster_api::Reason;
use sha2::{Digest as _, Sha256};

/// A year, the longest that caches keep anything.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// For icons that are found by a name that browsers know.
const A_DAY: &str = "public, max-age=86400";

/// For programs that do not read SVG, in three sizes.
const ICO: &[u8] = include_bytes!("../assets/favicon.ico");

/// For home screens, 180 × 180 pixels.
const TOUCH: &[u8] = include_bytes!("../assets/touch-icon.png");

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
    pub(crate) touch_icon: Asset,
    /// What previews of pages show that are not about an event, 1200 × 630 pixels.
    pub(crate) preview: Asset,
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
        let touch_icon = Asset::new("touch-icon", "png", "image/png", TOUCH);
        let manifest = MANIFEST
            .replace("/assets/favicon.svg", &icon.path)
            .replace("/assets/touch-icon.png", &touch_icon.path);
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
            touch_icon,
            preview: Asset::new(
                "preview",
                "png",
                "image/png",
                &include_bytes!("../assets/preview.png")[..],
            ),
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
            &self.touch_icon,
            &self.preview,
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

pub(crate) fn resources() -> [Resource; 4] {
    let file = Operation::new(Method::GET, async |request: Request| {
        let asset = ASSETS.find(request.uri().path());
        let asset = asset.ok_or_else(|| Problem::new(Reason::NotFound, "there is no such file"))?;
        Ok(document(asset.bytes.clone(), asset.media_type, FOR_EVER))
    });
    let known = |path, media_type, bytes: &'static [u8]| {
        let read = move |_: Request| async move { Ok(document(bytes, media_type, A_DAY)) };
        Resource::new(path).with(Operation::new(Method::GET, read))
    };
    [
        Resource::new("/assets/{file}").with(file.shared()),
        // Browsers and programs ask for these where a document names no icon.
        known("/favicon.ico", "image/x-icon", ICO),
        known("/apple-touch-icon.png", "image/png", TOUCH),
        known("/apple-touch-icon-precomposed.png", "image/png", TOUCH),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_sheet_and_the_script_are_small() {
        assert!(ASSETS.style.bytes.len() < 30_000);
        assert!(ASSETS.script.bytes.len() < 5_000);
    }

    #[test]
    fn the_manifest_names_the_icon_by_its_fingerprint() {
        let text = String::from_utf8_lossy(&ASSETS.manifest.bytes);
        assert!(text.contains(&ASSETS.icon.path), "{text}");
    }
}
