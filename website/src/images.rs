//! The pictures in our own texts: WebP files of `content/images`, which `.ci/browser/guides.py` makes.

use axum::extract::Request;
use bytes::Bytes;
use http::Method;
use http_kit::{Operation, Problem, Resource, document};
use muster_api::Reason;

use crate::files::A_DAY;

const WEBP: &str = "image/webp";

/// A picture, with its size, so that nothing on a page moves when it has come.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Image {
    /// Its path on the site.
    pub(crate) path: &'static str,
    /// In pixels.
    pub(crate) width: u16,
    /// In pixels.
    pub(crate) height: u16,
    bytes: &'static [u8],
}

macro_rules! images {
    ($($name:literal),+ $(,)?) => {
        &[$(Image::new(
            concat!("/images/", $name, ".webp"),
            include_bytes!(concat!("../../content/images/", $name, ".webp")),
        )),+]
    };
}

/// All of them, in the order of the guides.
const IMAGES: &[Image] = images![
    "new-event",
    "publish",
    "share-link",
    "event-page",
    "register-someone",
    "invite-member",
    "approval",
    "approve",
    "waitlist",
    "door",
    "ticket",
    "ticket-staff",
    "new-place",
    "cancel-reason",
    "cancel-review",
];

impl Image {
    /// The size stands at the beginning of a file in the extended format, one less than it is (RFC 9649, section 2.7.1).
    const fn new(path: &'static str, bytes: &'static [u8]) -> Self {
        #[rustfmt::skip]
        let [
            b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', b'V', b'P', b'8', b'X', _, _, _, _,
            _, _, _, _, width, width_high, _, height, height_high, _, ..
        ] = bytes
        else {
            panic!("a picture is a WebP file as Chromium writes it");
        };
        Self {
            path,
            width: u16::from_le_bytes([*width, *width_high]) + 1,
            height: u16::from_le_bytes([*height, *height_high]) + 1,
            bytes,
        }
    }

    /// Finds the picture with this path.
    pub(crate) fn find(path: &str) -> Option<&'static Self> {
        IMAGES.iter().find(|image| image.path == path)
    }
}

pub(crate) fn resource() -> Resource {
    let file = Operation::new(Method::GET, async |request: Request| {
        let image = Image::find(request.uri().path());
        let image = image.ok_or_else(|| Problem::new(Reason::NotFound, "there is no such file"))?;
        Ok(document(Bytes::from_static(image.bytes), WEBP, A_DAY))
    });
    Resource::new("/images/{file}").with(file.shared())
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::Path};

    use super::*;

    #[test]
    fn every_file_is_a_picture_of_the_site() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../content/images");
        let files = std::fs::read_dir(folder).unwrap();
        let files: BTreeSet<_> = files
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        let images = IMAGES.iter().map(|image| &image.path["/images/".len()..]);
        assert_eq!(images.map(str::to_owned).collect::<BTreeSet<_>>(), files);
    }

    #[test]
    fn pictures_are_small_and_have_a_size() {
        let mut sum = 0;
        for image in IMAGES {
            assert!(image.bytes.len() <= 45_000, "{}", image.path);
            assert!((300..1000).contains(&image.width), "{image:?}");
            assert!((300..1000).contains(&image.height), "{image:?}");
            sum += image.bytes.len();
        }
        assert!(sum <= 500_000, "{sum}");
    }
}
