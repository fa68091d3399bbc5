//! Sitemaps of a large catalogue.

use std::time::Instant;

use anyhow::Context as _;
use muster_api::v1::{
    ListSitemapEventsRequest, ListSitemapsRequest,
    bindings::{ListSitemapEvents, ListSitemaps},
};

use crate::{
    report::{Figure, Row},
    run::Run,
    system::System,
};

/// Measures the list of sitemaps, and the pages of the last one, which is the farthest from the beginning.
pub(super) async fn measure(run: &Run, system: &System, engine: &str) -> anyhow::Result<()> {
    let started = Instant::now();
    let list = system.call::<ListSitemaps>(ListSitemapsRequest {}).await?;
    let took = Figure::from(started.elapsed());
    let sitemaps = list.items.len();
    run.add(Row::new("list of sitemaps", engine, took).note(format!("{sitemaps} of them")));

    let farthest = list.items.last().context("the catalogue has events")?;
    let mut request = ListSitemapEventsRequest {
        number: Some(farthest.number),
        cursor: None,
    };
    let started = Instant::now();
    let (mut events, mut pages) = (0, 0);
    loop {
        let page = system.call::<ListSitemapEvents>(request.clone()).await?;
        events += page.items.len();
        pages += 1;
        if page.next_cursor.is_none() {
            break;
        }
        request.cursor = page.next_cursor;
    }
    let took = Figure::from(started.elapsed());
    let contents = format!("{events} events on {pages} pages");
    run.add(Row::new("the last sitemap", engine, took).note(contents));
    Ok(())
}
