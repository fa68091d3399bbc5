//! Sitemaps: the events of the catalogue in the order of creation, divided into files and pages of them.

use std::{fmt, str::FromStr};

use crate::{instant::Instant, slug};

/// The most events of a sitemap. Search engines read so many addresses of a file.
pub const SITEMAP_EVENTS: i64 = 50_000;

/// A sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sitemap {
    /// How many events it has.
    pub events: i64,
    /// When the latest change of one of its events was.
    pub updated_at: Instant,
}

/// An event in a sitemap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventAddress {
    /// Its slug.
    pub slug: String,
    /// When it was last changed.
    pub updated_at: Instant,
}

/// Where a page of a sitemap begins: after an event, and not at a number, since events leave the catalogue meanwhile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitemapCursor {
    /// How many events of the sitemap were listed.
    pub listed: i64,
    /// The slug of the last one.
    pub after: String,
}

/// A text that is no cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be the next_cursor of the page before")]
pub struct InvalidCursor;

impl fmt::Display for SitemapCursor {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}", self.listed, self.after)
    }
}

impl FromStr for SitemapCursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let (listed, after) = text.split_once('.').ok_or(InvalidCursor)?;
        let listed = listed.parse().map_err(|_| InvalidCursor)?;
        if !(1..SITEMAP_EVENTS).contains(&listed) || !slug::is_possible(after) {
            return Err(InvalidCursor);
        }
        Ok(Self {
            listed,
            after: after.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        let cursor = SitemapCursor {
            listed: 10_000,
            after: "rust-meetup-berlin".to_owned(),
        };
        assert_eq!(cursor.to_string().parse(), Ok(cursor));
    }

    #[test]
    fn what_nobody_was_given_is_no_cursor() {
        for text in [
            "",
            "10",
            "10.",
            ".a",
            "0.a",
            "-1.a",
            "50000.a",
            "x.a",
            "99999999999999999999.a",
        ] {
            assert_eq!(text.parse::<SitemapCursor>(), Err(InvalidCursor), "{text}");
        }
    }
}
