//! Content encodings: which one a client wants most.

use http::{HeaderMap, header::ACCEPT_ENCODING};

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
    use http::HeaderValue;

    use super::*;

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
