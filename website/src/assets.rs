//! Static files: style sheet, script, icon and manifest. `build.rs` puts a fingerprint into their names, so that browsers may keep
//! them for ever, and compresses them.

use axum::{extract::Request, response::Response};
use bytes::Bytes;
use edge::{
    Problem,
    http::{Operation, Resource},
};
use http::{
    HeaderMap, HeaderValue, Method, StatusCode,
    header::{
        ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, LOCATION,
        VARY,
    },
};
use muster_api::Reason;

/// A file in this binary.
struct Asset {
    /// With its fingerprint.
    name: &'static str,
    media_type: &'static str,
    plain: &'static [u8],
    gzip: &'static [u8],
    brotli: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// A year, the longest that caches keep anything.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// The icon's name changes with its content.
const A_DAY: HeaderValue = HeaderValue::from_static("public, max-age=86400");

pub(crate) fn resources() -> [Resource; 2] {
    let file = Operation::new(Method::GET, async |request: Request| {
        let name = request.uri().path().rsplit('/').next().unwrap_or_default();
        let asset = ASSETS.iter().find(|asset| asset.name == name);
        let unknown = || Problem::new(Reason::NotFound, "there is no such file");
        asset
            .map(|asset| asset.answer(request.headers()))
            .ok_or_else(unknown)
    });
    // Browsers ask for it where a document names no icon.
    let icon = Operation::new(Method::GET, async |_request| {
        let mut response = Response::default();
        *response.status_mut() = StatusCode::FOUND;
        let headers = response.headers_mut();
        headers.insert(LOCATION, HeaderValue::from_static(ICON));
        headers.insert(CACHE_CONTROL, A_DAY);
        Ok(response)
    });
    [
        Resource::new("/assets/{file}").with(file.shared()),
        Resource::new("/favicon.ico").with(icon),
    ]
}

impl Asset {
    /// The file in the smallest coding that the client accepts.
    fn answer(&self, headers: &HeaderMap) -> Response {
        let (coding, bytes) = if accepts(headers, "br") {
            (Some("br"), self.brotli)
        } else if accepts(headers, "gzip") {
            (Some("gzip"), self.gzip)
        } else {
            (None, self.plain)
        };
        let mut response = Response::new(Bytes::from_static(bytes).into());
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        headers.insert(CONTENT_LENGTH, bytes.len().into());
        headers.insert(CACHE_CONTROL, FOR_EVER);
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        if let Some(coding) = coding {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding));
        }
        response
    }
}

/// Whether the client accepts a coding, other than by `*`.
fn accepts(headers: &HeaderMap, coding: &str) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).iter();
    let mut listed = values.flat_map(|value| value.to_str().unwrap_or_default().split(','));
    listed.any(|one| {
        let mut parts = one.split(';').map(str::trim);
        let is_it = parts
            .next()
            .is_some_and(|name| name.eq_ignore_ascii_case(coding));
        let weight = parts.find_map(|part| part.strip_prefix("q="));
        is_it && weight.and_then(|weight| weight.parse().ok()) != Some(0.0_f32)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coding_is_accepted_when_it_is_named_and_not_weighed_at_nothing() {
        for (header, accepted) in [
            ("br", true),
            ("gzip, deflate, BR;q=0.5", true),
            ("br;q=0", false),
            ("br; q=0.0", false),
            ("gzip", false),
            ("*", false),
            ("", false),
        ] {
            let headers = [(ACCEPT_ENCODING, HeaderValue::from_static(header))];
            let headers = HeaderMap::from_iter(headers);
            assert_eq!(accepts(&headers, "br"), accepted, "{header:?}");
        }
    }

    #[test]
    fn the_style_sheet_and_the_script_are_small() {
        let size = |path: &str| {
            let asset = ASSETS.iter().find(|asset| path.ends_with(asset.name));
            asset.unwrap().plain.len()
        };
        assert!(size(STYLE) < 30_000, "{}", size(STYLE));
        assert!(size(SCRIPT) < 3_000, "{}", size(SCRIPT));
    }

    #[test]
    fn the_manifest_names_the_icon_by_its_fingerprint() {
        let manifest = ASSETS.iter().find(|asset| MANIFEST.ends_with(asset.name));
        let text = std::str::from_utf8(manifest.unwrap().plain).unwrap();
        assert!(text.contains(ICON), "{text}");
    }
}
