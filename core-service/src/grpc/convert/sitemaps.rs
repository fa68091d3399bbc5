//! Sitemaps as messages.

use domain::{
    catalogue::{Sitemap, SitemapCursor},
    violation::FieldViolation,
};
use muster_api::v1;

use super::violation;
use crate::service::SitemapPage;

/// The sitemaps of the catalogue.
pub(in crate::grpc) fn sitemaps(sitemaps: &[Sitemap]) -> v1::SitemapList {
    let message = |(sitemap, number): (&Sitemap, i32)| v1::Sitemap {
        number,
        events: i32::try_from(sitemap.events).unwrap_or(i32::MAX),
        updated_at: sitemap.updated_at.to_string(),
    };
    v1::SitemapList {
        items: sitemaps.iter().zip(1..).map(message).collect(),
    }
}

/// Where a page of a sitemap begins; `None` at the beginning.
pub(in crate::grpc) fn sitemap_cursor(
    text: Option<&str>,
) -> Result<Option<SitemapCursor>, Vec<FieldViolation>> {
    let cursor = text.map(str::parse::<SitemapCursor>).transpose();
    cursor.map_err(|error| violation("cursor", &error.to_string()))
}

/// A part of a sitemap.
pub(in crate::grpc) fn sitemap_page(page: SitemapPage) -> v1::SitemapPage {
    let events = page.events.into_iter();
    v1::SitemapPage {
        items: events
            .map(|event| v1::SitemapEvent {
                slug: event.slug,
                updated_at: event.updated_at.to_string(),
            })
            .collect(),
        next_cursor: page.next.map(|cursor| cursor.to_string()),
    }
}
