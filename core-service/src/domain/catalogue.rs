//! The public catalogue: what an event can be found by, what a search looks for, and how changes are counted.

mod entry;
mod filter;
mod sitemap;
mod start;
mod version;

pub use entry::CatalogueEntry;
pub use filter::{CatalogueFilter, FilterTexts};
pub use sitemap::{EventAddress, InvalidCursor, SITEMAP_EVENTS, Sitemap, SitemapCursor};
pub use start::{InvalidBound, Starts};
pub use version::{CatalogueState, CatalogueVersion, ShardVersion};

/// Up to so many matches of a filter are counted and can be paged through.
pub const MOST_MATCHES: i32 = 10_000;
