//! Openverse: <https://api.openverse.org/v1/>. Works of many collections under licences of their own.

use reqwest::Url;
use serde::Deserialize;
use uuid::Uuid;

use super::credit::Credit;
use super::provider::Candidate;
use crate::photo;

/// Licences that ask for no more than credit: a cover is cropped, which "no derivatives" forbids; an event may be commercial;
/// and what "share alike" would ask of a page around the cover is nothing to decide for its owner.
const LICENSES: [&str; 3] = ["cc0", "pdm", "by"];

/// A work in a search's answer.
#[derive(Debug, Deserialize)]
pub(super) struct Work {
    id: String,
    title: Option<String>,
    creator: Option<String>,
    creator_url: Option<String>,
    foreign_landing_url: Option<String>,
    source: Option<String>,
    license: String,
    license_version: Option<String>,
    license_url: Option<String>,
    width: Option<u32>,
    height: Option<u32>,
}

pub(super) fn search(words: &str) -> (&'static str, Vec<(&'static str, String)>) {
    let parameters = vec![
        ("q", words.to_owned()),
        ("license", LICENSES.join(",")),
        ("aspect_ratio", "wide".to_owned()),
        // The others may be drawings, animations or formats that few programs read.
        ("extension", "jpg,jpeg,png".to_owned()),
        ("mature", "false".to_owned()),
    ];
    ("v1/images/", parameters)
}

pub(super) fn candidate(base: &Url, work: Work) -> Option<Candidate> {
    let license = license_name(&work.license, work.license_version.as_deref())?;
    // Not every work has its size in the index.
    if let (Some(width), Some(height)) = (work.width, work.height)
        && !photo::is_fit(width, height)
    {
        return None;
    }
    // The API's own copy; `url` in the answer leads to whatever machine the work lies on.
    let id = Uuid::try_parse(&work.id).ok()?;
    let mut image = base.join(&format!("v1/images/{id}/thumb/")).ok()?;
    image
        .query_pairs_mut()
        .append_pair("full_size", "true")
        .append_pair("compressed", "true");
    Some(Candidate {
        image,
        report: None,
        credit: Credit {
            title: work.title,
            author: work.creator,
            author_url: work.creator_url,
            source: work.source.map_or_else(
                || "Openverse".to_owned(),
                |source| format!("{source} by Openverse"),
            ),
            source_url: work.foreign_landing_url,
            license,
            license_url: work.license_url,
        },
    })
}

/// The licence's usual name; nothing for one that was not asked for.
fn license_name(code: &str, version: Option<&str>) -> Option<String> {
    let name = match code {
        "cc0" => "CC0",
        "pdm" => "Public Domain Mark",
        "by" => "CC BY",
        _ => return None,
    };
    Some(version.map_or_else(|| name.to_owned(), |version| format!("{name} {version}")))
}
