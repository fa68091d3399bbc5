//! Static files: style sheets, script, icons, preview and manifest. The pictures were rendered once: the icons from `favicon.svg`,
//! the preview by `crates/covers`. Their names have a fingerprint of their content, so that browsers may cache
//! them for ever. The operator's look changes the colour, the icons and the name in the manifest.

mod scanner;

use axum::response::Response;
use bytes::Bytes;
use http::{HeaderValue, header::CONTENT_SECURITY_POLICY};
use http_kit::document;
use serde_json::json;
use server::brand::Accent;
use sha2::{Digest as _, Sha256};

use crate::look::{LogoKind, Look};
use scanner::Scanner;

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// For home screens, 180 × 180 pixels.
pub(crate) const TOUCH: &[u8] = include_bytes!("../assets/touch-icon.png");

/// The bytes of a fingerprint: enough to tell versions of one file apart.
const FINGERPRINT_BYTES: usize = 6;

/// Where previews find the picture of a site with a name of its own, which core draws.
pub(crate) const DRAWN_PREVIEW: &str = "/preview.png";

/// An SVG of the operator may have scripts, which run nowhere: pages show it as a picture, and this is for those who open it alone.
const NO_SCRIPTS: HeaderValue =
    HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; sandbox");

/// The static files of a site.
#[derive(Debug, Default)]
pub(crate) struct Assets {
    pub(crate) style: Asset,
    pub(crate) dashboard_style: Asset,
    pub(crate) script: Asset,
    pub(crate) scanner: Scanner,
    /// The logo, if the operator has one.
    pub(crate) icon: Asset,
    /// For home screens, unless the icon is an SVG of the operator's.
    pub(crate) touch_icon: Option<Asset>,
    /// What previews of pages show that are not about an event, 1200 × 630 pixels; core draws those of sites with a name of their own.
    preview: Option<Asset>,
    pub(crate) manifest: Asset,
}

/// A static file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asset {
    /// Its path, with its fingerprint.
    pub(crate) path: String,
    pub(crate) media_type: &'static str,
    bytes: Bytes,
}

impl Assets {
    /// The files of a site that looks like this.
    pub(crate) fn new(look: &Look) -> Self {
        const CSS: &str = "text/css; charset=utf-8";
        let icon = icon(look);
        let touch_icon = match &look.logo {
            Some(logo) if logo.kind == LogoKind::Png => Some(icon.clone()),
            None if look.has_usual_mark() => {
                Some(Asset::new("touch-icon", "png", "image/png", TOUCH))
            }
            _ => None,
        };
        let preview = &include_bytes!("../assets/preview.png")[..];
        let preview = Asset::new("preview", "png", "image/png", preview);
        Self {
            style: Asset::new(
                "style",
                "css",
                CSS,
                coloured(include_str!("../assets/style.css"), &look.brand.accent),
            ),
            dashboard_style: Asset::new(
                "dashboard",
                "css",
                CSS,
                include_str!("../assets/dashboard.css"),
            ),
            script: Asset::new("site", "js", SCRIPT, include_str!("../assets/site.js")),
            scanner: Scanner::new(),
            preview: look.name().chosen().is_none().then_some(preview),
            manifest: manifest(look, &icon, touch_icon.as_ref()),
            touch_icon,
            icon,
        }
    }

    /// The path of what previews show.
    pub(crate) fn preview_path(&self) -> &str {
        self.preview
            .as_ref()
            .map_or(DRAWN_PREVIEW, |preview| &preview.path)
    }

    /// The file at a path.
    pub(crate) fn find(&self, path: &str) -> Option<&Asset> {
        let all = [
            &self.style,
            &self.dashboard_style,
            &self.script,
            &self.icon,
            &self.manifest,
        ];
        let some = self.touch_icon.iter().chain(&self.preview);
        let all = all.into_iter().chain(self.scanner.files());
        all.chain(some).find(|asset| asset.path == path)
    }
}

/// The logo; without one the mark of the software, or the first letter of the site's own name.
fn icon(look: &Look) -> Asset {
    const ICON: &str = include_str!("../assets/favicon.svg");
    let svg = LogoKind::Svg.media_type();
    if let Some(logo) = &look.logo {
        let (ending, media_type) = (logo.kind.ending(), logo.kind.media_type());
        return Asset::new("logo", ending, media_type, logo.bytes.clone());
    }
    let mark = match look.name().chosen() {
        None => ICON.to_owned(),
        Some(name) => letter(name),
    };
    Asset::new("favicon", "svg", svg, coloured(&mark, &look.brand.accent))
}

/// A tile as that of the software, with a letter.
fn letter(name: &str) -> String {
    // A name has no other characters that mean something in SVG.
    let first: String = name.chars().take(1).flat_map(char::to_uppercase).collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\"><rect width=\"32\" height=\"32\" rx=\"8\" fill=\"#2447b5\"/>\
         <text x=\"16\" y=\"23\" font-family=\"system-ui, sans-serif\" font-size=\"20\" font-weight=\"700\" text-anchor=\"middle\" \
         fill=\"#fff\">{}</text></svg>",
        first.replace('&', "&amp;")
    )
}

/// A file that is written with the usual colours, with those of the operator.
fn coloured(text: &str, accent: &Accent) -> String {
    let usual = Accent::default();
    let tones = [
        (&usual.light, &accent.light),
        (&usual.dark, &accent.dark),
        (&usual.light_wash, &accent.light_wash),
        (&usual.dark_wash, &accent.dark_wash),
    ];
    // In one pass: a colour of the operator may be one of the usual ones.
    let mut coloured = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('#') {
        let (before, from) = rest.split_at(at);
        coloured.push_str(before);
        let tone = tones.iter().find(|(usual, _)| from.starts_with(&***usual));
        let (written, length) = tone.map_or(("#", 1), |(usual, own)| (&***own, usual.len()));
        coloured.push_str(written);
        rest = &from[length..];
    }
    coloured.push_str(rest);
    coloured
}

fn manifest(look: &Look, icon: &Asset, touch_icon: Option<&Asset>) -> Asset {
    let name = look.name().as_str();
    let mut icons = vec![json!({
        "src": icon.path, "sizes": "any", "type": icon.media_type, "purpose": "any",
    })];
    icons.extend(touch_icon.filter(|_| look.has_usual_mark()).map(|touch| {
        json!({"src": touch.path, "sizes": "180x180", "type": touch.media_type, "purpose": "maskable"})
    }));
    let manifest = json!({
        "name": name,
        "short_name": name,
        "description": "Events, and the people who register for them",
        "id": "/",
        "start_url": "/",
        "scope": "/",
        "display": "browser",
        "background_color": "#f7f5f1",
        "theme_color": look.brand.accent.light,
        "icons": icons,
    });
    let text = format!("{manifest:#}\n");
    Asset::new("manifest", "webmanifest", "application/manifest+json", text)
}

impl Asset {
    pub(crate) fn new(
        stem: &str,
        ending: &str,
        media_type: &'static str,
        bytes: impl Into<Bytes>,
    ) -> Self {
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

    /// The file as an answer.
    pub(crate) fn answer(&self, caching: &'static str) -> Response {
        let mut response = document(self.bytes.clone(), self.media_type, caching);
        if self.media_type == LogoKind::Svg.media_type() {
            response
                .headers_mut()
                .insert(CONTENT_SECURITY_POLICY, NO_SCRIPTS);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_sheet_and_the_script_are_small() {
        let assets = Assets::new(&Look::default());
        assert!(assets.style.bytes.len() < 30_000);
        assert!(assets.script.bytes.len() < 5_500);
    }

    #[test]
    fn the_manifest_names_the_icon_by_its_fingerprint() {
        let assets = Assets::new(&Look::default());
        let text = String::from_utf8_lossy(&assets.manifest.bytes);
        assert!(text.contains(&assets.icon.path), "{text}");
    }

    #[test]
    fn the_usual_colours_are_written_as_they_are_replaced() {
        let (sheet, usual) = (include_str!("../assets/style.css"), Accent::default());
        for colour in [
            &usual.light,
            &usual.dark,
            &usual.light_wash,
            &usual.dark_wash,
        ] {
            assert_eq!(sheet.matches(&**colour).count(), 1, "{colour}");
        }
    }
}
