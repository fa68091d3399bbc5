//! Unsplash: <https://unsplash.com/documentation>. Its guidelines ask for the photographer's and its own credit with links that
//! name who refers, and to be told of each photograph that is used; both are done. They also ask that pictures be shown from
//! Unsplash's own address; Muster keeps a cropped copy, since a cover's address never changes (docs/adr/0009-stock-covers.md).

use reqwest::Url;
use serde::Deserialize;

use super::credit::Credit;
use super::provider::Candidate;
use crate::{HEIGHT, WIDTH};

/// Names the referring application, in links to Unsplash.
const REFERRAL: [(&str, &str); 2] = [("utm_source", "muster"), ("utm_medium", "referral")];

/// A photograph in a search's answer.
#[derive(Debug, Deserialize)]
pub(super) struct Photo {
    urls: Urls,
    links: Links,
    user: User,
}

#[derive(Debug, Deserialize)]
struct Urls {
    raw: String,
}

#[derive(Debug, Deserialize)]
struct Links {
    html: String,
    download_location: String,
}

#[derive(Debug, Deserialize)]
struct User {
    name: String,
    links: UserLinks,
}

#[derive(Debug, Deserialize)]
struct UserLinks {
    html: String,
}

pub(super) fn search(words: &str) -> (&'static str, Vec<(&'static str, String)>) {
    let parameters = vec![
        ("query", words.to_owned()),
        ("orientation", "landscape".to_owned()),
        ("content_filter", "high".to_owned()),
    ];
    ("search/photos", parameters)
}

pub(super) fn candidate(photo: Photo) -> Option<Candidate> {
    let mut image = Url::parse(&photo.urls.raw).ok()?;
    image.query_pairs_mut().extend_pairs([
        ("w", WIDTH.to_string().as_str()),
        ("h", HEIGHT.to_string().as_str()),
        ("fit", "crop"),
        ("fm", "jpg"),
        ("q", "90"),
    ]);
    Some(Candidate {
        image,
        report: Some(Url::parse(&photo.links.download_location).ok()?),
        credit: Credit {
            // Descriptions there are written by machines, or are keywords.
            title: None,
            author: Some(photo.user.name),
            author_url: referring(&photo.user.links.html),
            source: "Unsplash".to_owned(),
            source_url: referring(&photo.links.html),
            license: "Unsplash License".to_owned(),
            license_url: Some("https://unsplash.com/license".to_owned()),
        },
    })
}

fn referring(url: &str) -> Option<String> {
    let mut url = Url::parse(url).ok()?;
    url.query_pairs_mut().extend_pairs(REFERRAL);
    Some(url.into())
}
