//! The public catalogue: what an event can be found by, and what a search looks for.

mod entry;
mod filter;
pub mod search_words;
mod sitemap;
mod start;

pub use entry::CatalogueEntry;
pub use filter::{CatalogueFilter, FilterTexts, read_series};
pub use sitemap::{EventAddress, InvalidCursor, SITEMAP_EVENTS, Sitemap, SitemapCursor};
pub use start::{InvalidBound, Starts};

/// Up to so many matches of a filter are counted and can be paged through.
pub const MAX_MATCHES: i32 = 10_000;
