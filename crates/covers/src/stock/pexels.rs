//! Pexels: <https://www.pexels.com/api/documentation/>. Asks for a link to itself and, where possible, the photographer's name.

use reqwest::Url;
use serde::Deserialize;

use super::credit::Credit;
use super::provider::Candidate;

/// A photograph in a search's answer.
#[derive(Debug, Deserialize)]
pub(super) struct Photo {
    url: String,
    photographer: String,
    photographer_url: Option<String>,
    src: Sources,
}

#[derive(Debug, Deserialize)]
struct Sources {
    /// Cropped to 1200 × 627 pixels, nearly a cover's.
    landscape: String,
}

pub(super) fn search(words: &str) -> (&'static str, Vec<(&'static str, String)>) {
    let parameters = vec![
        ("query", words.to_owned()),
        ("orientation", "landscape".to_owned()),
    ];
    ("v1/search", parameters)
}

pub(super) fn candidate(photo: Photo) -> Option<Candidate> {
    Some(Candidate {
        image: Url::parse(&photo.src.landscape).ok()?,
        report: None,
        credit: Credit {
            title: None,
            author: Some(photo.photographer),
            author_url: photo.photographer_url,
            source: "Pexels".to_owned(),
            source_url: Some(photo.url),
            license: "Pexels License".to_owned(),
            license_url: Some("https://www.pexels.com/license/".to_owned()),
        },
    })
}
