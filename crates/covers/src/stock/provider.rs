//! The providers: their requests and answers.

use std::fmt;

use reqwest::{
    Url,
    header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::credit::Credit;
use super::{Error, openverse, pexels, unsplash};

/// Number of results to request: enough that one of them is usable. Further ones are ignored.
pub(super) const RESULTS: usize = 10;

/// A provider of photographs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Provider {
    /// openverse.org: openly licensed works from many collections; needs no key.
    Openverse,
    /// unsplash.com.
    Unsplash,
    /// pexels.com.
    Pexels,
}

impl fmt::Display for Provider {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Openverse => "openverse",
            Self::Unsplash => "unsplash",
            Self::Pexels => "pexels",
        })
    }
}

/// A picture that a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    /// Where the picture is, in a size fit for a cover.
    pub(super) image: Url,
    /// The address to report the use of the picture to, if the provider requires this.
    pub(super) report: Option<Url>,
    /// Its credit.
    pub(super) credit: Credit,
}

impl Provider {
    /// The address of its API.
    pub(super) const fn api(self) -> &'static str {
        match self {
            Self::Openverse => "https://api.openverse.org/",
            Self::Unsplash => "https://api.unsplash.com/",
            Self::Pexels => "https://api.pexels.com/",
        }
    }

    /// The host of its pictures beside the API's own, always by HTTPS. Openverse's API hands out the works of others itself,
    /// so that their hosts need not be trusted.
    pub(super) const fn image_host(self) -> Option<&'static str> {
        match self {
            Self::Openverse => None,
            Self::Unsplash => Some("images.unsplash.com"),
            Self::Pexels => Some("images.pexels.com"),
        }
    }

    /// The headers of every call to the API.
    pub(super) fn headers(self, key: Option<&SecretString>) -> Result<HeaderMap, Error> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let scheme = match self {
            Self::Openverse => return Ok(headers),
            Self::Unsplash => {
                let version = HeaderName::from_static("accept-version");
                headers.insert(version, HeaderValue::from_static("v1"));
                "Client-ID "
            }
            Self::Pexels => "",
        };
        let missing = || Error::Settings(format!("--covers {self} needs a key: set --covers-key"));
        let key = key.ok_or_else(missing)?.expose_secret();
        let malformed = |_| {
            Error::Settings("--covers-key (MUSTER_COVERS_KEY): must be one line of text".to_owned())
        };
        let mut value = HeaderValue::try_from(format!("{scheme}{key}")).map_err(malformed)?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
        Ok(headers)
    }

    /// The address of a search for these words.
    pub(super) fn search(self, base: &Url, words: &str) -> Option<Url> {
        let (path, parameters) = match self {
            Self::Openverse => openverse::search(words),
            Self::Unsplash => unsplash::search(words),
            Self::Pexels => pexels::search(words),
        };
        let mut url = base.join(path).ok()?;
        url.query_pairs_mut()
            .extend_pairs(parameters)
            .append_pair(self.page_size(), &RESULTS.to_string());
        Some(url)
    }

    const fn page_size(self) -> &'static str {
        match self {
            Self::Openverse => "page_size",
            Self::Unsplash | Self::Pexels => "per_page",
        }
    }

    /// The pictures in a search's answer, best first.
    pub(super) fn read(self, base: &Url, answer: &[u8]) -> serde_json::Result<Vec<Candidate>> {
        match self {
            Self::Openverse => read_with(answer, |work| openverse::candidate(base, work)),
            Self::Unsplash => read_with(answer, unsplash::candidate),
            Self::Pexels => read_with(answer, pexels::candidate),
        }
    }
}

/// The needed parts of a search's answer.
#[derive(Deserialize)]
struct SearchAnswer {
    #[serde(alias = "photos")]
    results: Vec<Value>,
}

/// Skips invalid entries instead of refusing the whole answer.
fn read_with<T: DeserializeOwned>(
    answer: &[u8],
    candidate: impl Fn(T) -> Option<Candidate>,
) -> serde_json::Result<Vec<Candidate>> {
    let answer: SearchAnswer = serde_json::from_slice(answer)?;
    let pictures = answer.results.into_iter().take(RESULTS);
    Ok(pictures
        .filter_map(|picture| serde_json::from_value(picture).ok().and_then(&candidate))
        .collect())
}
