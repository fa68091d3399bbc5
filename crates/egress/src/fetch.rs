//! Reading documents of strangers.

use std::time::Duration;

use bytes::Bytes;
use http::{
    HeaderMap, Request, StatusCode,
    header::{ACCEPT, CACHE_CONTROL, CONNECTION, USER_AGENT},
};
use http_body_util::{BodyExt as _, Full, Limited};

use crate::{
    Fault,
    client::{self, AGENT, Client},
    target::Target,
};

/// The bytes of the largest answer.
pub const MAX_BYTES: usize = 5_000;

/// How long all of it may take: looking up the name, connecting, and the answer.
pub const TIME: Duration = Duration::from_secs(5);

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its text.
    pub text: String,
    /// For how long it may be kept, if its server says so; zero if it must not be kept.
    pub max_age: Option<Duration>,
}

/// Why a document was not read. The texts are for whoever publishes it: they say nothing about this machine's network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The URL is not one that is requested at all.
    #[error("its URL must begin with https:// and name a host")]
    Url,
    /// The name is unknown, or one of its addresses is not public.
    #[error("its host has no public address")]
    Address,
    /// Nobody answered, or not as HTTPS with a valid certificate.
    #[error("its server does not answer over https with a valid certificate")]
    Connection,
    /// The answer is another one than 200; redirects are not followed.
    #[error(
        "its server answered with status {0}, and it must answer with 200 and without a redirect"
    )]
    Status(u16),
    /// The answer is too large, or no UTF-8.
    #[error("it must be text of at most {MAX_BYTES} bytes")]
    Text,
    /// It took too long.
    #[error("its server took longer than {} seconds", TIME.as_secs())]
    Slow,
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Url => Self::Url,
            Fault::Address => Self::Address,
            Fault::Refused | Fault::Tls | Fault::Interrupted => Self::Connection,
            Fault::Slow => Self::Slow,
        }
    }
}

/// Gets a document from a target.
pub(crate) async fn get(client: &Client, target: &Target) -> Result<Document, Error> {
    if target.is_plain {
        return Err(Error::Url);
    }
    let answer = client.request(request(target)?).await;
    let answer = answer.map_err(|error| client::failure(&error).fault)?;
    if answer.status() != StatusCode::OK {
        return Err(Error::Status(answer.status().as_u16()));
    }
    let max_age = max_age(answer.headers());
    let body = Limited::new(answer.into_body(), MAX_BYTES).collect().await;
    let body = body.map_err(|_| Error::Text)?.to_bytes();
    let text = String::from_utf8(body.into()).map_err(|_| Error::Text)?;
    Ok(Document { text, max_age })
}

fn request(target: &Target) -> Result<Request<Full<Bytes>>, Error> {
    Request::get(target.uri.clone())
        .header(ACCEPT, "application/json")
        // A document is read once a day: its connection would be kept for nothing.
        .header(CONNECTION, "close")
        .header(USER_AGENT, AGENT)
        .body(Full::default())
        .map_err(|_| Error::Url)
}

/// For how long the answer may be kept.
fn max_age(headers: &HeaderMap) -> Option<Duration> {
    let mut all = headers.get_all(CACHE_CONTROL).iter();
    all.find_map(|value| {
        let directives = value.to_str().ok()?.split(',').map(str::trim);
        let seconds = |directive: &str| {
            if ["no-store", "no-cache"].contains(&directive.to_ascii_lowercase().as_str()) {
                return Some(0);
            }
            let (name, seconds) = directive.split_once('=')?;
            let is_age = name.eq_ignore_ascii_case("max-age");
            is_age.then(|| seconds.trim_matches('"').parse().ok())?
        };
        directives
            .filter_map(seconds)
            .min()
            .map(Duration::from_secs)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_says_for_how_long_its_document_may_be_kept() {
        for (value, seconds) in [
            ("max-age=600", Some(600)),
            ("public, Max-Age=\"60\"", Some(60)),
            ("max-age=600, no-store", Some(0)),
            ("no-cache", Some(0)),
            ("public", None),
            ("max-age=soon", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(CACHE_CONTROL, value.parse().unwrap());
            assert_eq!(
                max_age(&headers),
                seconds.map(Duration::from_secs),
                "{value}"
            );
        }
        assert_eq!(max_age(&HeaderMap::new()), None);
    }
}
