//! What a request asks for: whether the cache may answer it, what names its answer, and in which encoding it is wanted.

use http::{
    HeaderMap, HeaderName, Method,
    header::{ACCEPT_ENCODING, AUTHORIZATION, COOKIE, RANGE},
};
use muster_api::{deadline, metadata::Surface};

use crate::{health, layers};

/// A client's own time limit says nothing of core, and is not for those who wait for the same.
const GRPC_TIMEOUT: HeaderName = HeaderName::from_static(deadline::HEADER);

/// What a request may do with the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Be answered from it.
    Read,
    /// The same, and its answer may be stored.
    ReadAndFill,
}

/// Returns what a request may do with the cache; `None` if it passes it by.
pub(super) fn access<B>(request: &http::Request<B>) -> Option<Access> {
    let headers = request.headers();
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let is_special = [COOKIE, RANGE, GRPC_TIMEOUT]
        .iter()
        .any(|name| headers.contains_key(name));
    if !is_read
        || is_special
        || health::is_health(request.uri().path())
        || layers::oversized(request).is_some()
    {
        return None;
    }
    // Public answers are made without the credential; but whether an answer is public is not known before.
    Some(if headers.contains_key(AUTHORIZATION) {
        Access::Read
    } else {
        Access::ReadAndFill
    })
}

/// The longest path and query that is cached, in bytes. Searches of the catalogue are far shorter.
pub(super) const MAX_TARGET_BYTES: usize = 1 << 10;

/// The key of a request, borrowed from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct RequestKey<'r> {
    surface: &'static str,
    target: &'r str,
}

/// The key of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    surface: &'static str,
    target: Box<str>,
}

impl<'r> RequestKey<'r> {
    /// Returns the key of a request to a surface; `None` if it is too long, or has no path.
    pub(super) fn of<B>(request: &'r http::Request<B>, surface: Surface) -> Option<Self> {
        let target = request.uri().path_and_query()?.as_str();
        (target.len() <= MAX_TARGET_BYTES).then_some(Self {
            surface: surface.name(),
            target,
        })
    }

    pub(super) fn to_owned(self) -> Key {
        Key {
            surface: self.surface,
            target: self.target.into(),
        }
    }
}

impl Key {
    pub(super) const fn borrowed(&self) -> RequestKey<'_> {
        RequestKey {
            surface: self.surface,
            target: &self.target,
        }
    }

    /// How many bytes its text has.
    pub(super) const fn len(&self) -> usize {
        self.target.len()
    }
}

/// A content encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Identity,
    Gzip,
    Brotli,
    Zstd,
}

impl Encoding {
    /// The names of what can be asked for.
    const NAMES: [(&str, Self); 4] = [
        ("identity", Self::Identity),
        ("gzip", Self::Gzip),
        ("br", Self::Brotli),
        ("zstd", Self::Zstd),
    ];

    /// Returns what a client wants most; of several that it wants alike, the last. A client that takes any
    /// encoding gets gzip.
    pub(super) fn wanted(headers: &HeaderMap) -> Self {
        let mut best = (Self::Identity, 0.0);
        for value in headers.get_all(ACCEPT_ENCODING) {
            let text = value.to_str().unwrap_or_default();
            if text.trim() == "*" {
                return Self::Gzip;
            }
            for item in text.split(',') {
                let (name, weight) = weighed(item);
                let mut known = Self::NAMES.iter();
                let known = known.find(|(known, _)| known.eq_ignore_ascii_case(name));
                if let Some((_, encoding)) = known
                    && weight > 0.0
                    && weight >= best.1
                {
                    best = (*encoding, weight);
                }
            }
        }
        best.0
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip => "gzip",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }
}

/// An encoding's name, and how much it is wanted.
fn weighed(item: &str) -> (&str, f32) {
    let mut parts = item.split(';');
    let name = parts.next().unwrap_or_default().trim();
    let weight = parts.find_map(|part| part.trim().strip_prefix("q=")?.parse().ok());
    (name, weight.unwrap_or(1.0))
}

#[cfg(test)]
mod tests {
    use http::{HeaderValue, Request};

    use super::*;

    fn request(method: &Method, path: &str, header: Option<HeaderName>) -> Request<()> {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(name) = header {
            request = request.header(name, "x");
        }
        request.body(()).unwrap()
    }

    #[test]
    fn only_reads_without_anything_of_their_own_use_the_cache() {
        let get = |header| access(&request(&Method::GET, "/events", header));
        assert_eq!(get(None), Some(Access::ReadAndFill));
        assert_eq!(get(Some(AUTHORIZATION)), Some(Access::Read));
        for name in [COOKIE, RANGE, GRPC_TIMEOUT] {
            assert_eq!(get(Some(name)), None);
        }
        let head = request(&Method::HEAD, "/events", None);
        assert_eq!(access(&head), Some(Access::ReadAndFill));
        assert_eq!(access(&request(&Method::POST, "/events", None)), None);
        for path in ["/healthz", "/readyz", "/version"] {
            assert_eq!(access(&request(&Method::GET, path, None)), None, "{path}");
        }
    }

    #[test]
    fn clients_get_the_encoding_that_they_want_most() {
        for (asked, encoding) in [
            ("", Encoding::Identity),
            ("gzip", Encoding::Gzip),
            ("*", Encoding::Gzip),
            ("deflate, gzip, br, zstd", Encoding::Zstd),
            ("br;q=0.5, gzip;q=0.9, identity;q=0.1", Encoding::Gzip),
            ("gzip;q=0", Encoding::Identity),
            ("GZIP", Encoding::Gzip),
            ("compress", Encoding::Identity),
        ] {
            let headers =
                HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(asked))]);
            assert_eq!(Encoding::wanted(&headers), encoding, "{asked:?}");
        }
    }
}
