//! The site is cached as the gateway is.

use std::sync::Arc;

use domain::plan::Plan;
use http_kit::{CacheOptions, ResponseCache};
use serde_json::json;
use tests::{Http, Reply, Surface, TestApp, core_at};
use tokio::time::{Instant, sleep};

use super::{LOOK, TIMEOUT, await_hit};

/// A site with a response cache.
async fn cached_site(app: &TestApp) -> (Http, ResponseCache) {
    let core = core_at(&format!("http://{}", app.grpc.address()));
    let core = core.edge().unwrap();
    let cache = ResponseCache::new(CacheOptions::default(), core.changes().clone());
    (app.serve_site_with(core, Some(cache.clone())).await, cache)
}

/// Asks for a page until it is as it should be.
async fn await_page(site: &Http, path: &str, is_right: impl Fn(&Reply) -> bool) {
    let start = Instant::now();
    loop {
        let page = site.page(path).send().await;
        if is_right(&page) {
            return;
        }
        assert!(start.elapsed() < TIMEOUT, "{page:?}");
        sleep(LOOK).await;
    }
}

async fn a_page_that_is_the_same_for_all_is_cached(app: Arc<TestApp>) {
    let (site, cache) = cached_site(&app).await;
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({"max_capacity": 2})).await;
    let path = format!("/events/{}", event.slug);
    await_page(&site, "/events", |page| {
        page.html(200).contains(&event.slug)
    })
    .await;
    for path in ["/", "/events", &*path, "/guides", "/sitemap.xml"] {
        let first = site.page(path).send().await;
        let second = await_hit(&cache, async || site.page(path).send().await).await;
        assert_eq!(second.body, first.body, "{path}");
        for name in ["etag", "cache-control", "content-security-policy"] {
            assert_eq!(second.header(name), first.header(name), "{path}");
        }
        // Someone who has a cookie may see something else.
        let own = site.page(path).header("cookie", "flash=registered");
        assert_eq!(own.send().await.status, 200);
    }
    let anyone = app.over(Surface::Http).anyone();
    let guest = json!({"slug": event.slug, "name": "Grace", "email": "grace@example.org"});
    anyone
        .ok::<muster_api::v1::bindings::RegisterAttendee>(guest)
        .await;
    let is_right = |page: &Reply| page.html(200).contains("1 spot left.");
    await_page(&site, &path, is_right).await;
    app.core
        .use_cases()
        .suspensions
        .hide(&event.slug, true, None)
        .await
        .unwrap();
    await_page(&site, &path, |page| page.status == 404).await;
    await_page(&site, "/events", |page| {
        !page.html(200).contains(&event.slug)
    })
    .await;
}

async fn the_page_of_an_event_that_is_not_listed_is_cached_as_others_are(app: Arc<TestApp>) {
    let (site, cache) = cached_site(&app).await;
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({"is_listed": false})).await;
    let path = format!("/events/{}", event.slug);
    await_hit(&cache, async || site.page(&path).send().await).await;
    let change = json!({"id": event.id, "title": "Another title"});
    owner
        .ok::<muster_api::v1::bindings::UpdateEvent>(change)
        .await;
    let is_right = |page: &Reply| page.html(200).contains("Another title");
    await_page(&site, &path, is_right).await;
}

tests::on_both_engines!(
    a_page_that_is_the_same_for_all_is_cached,
    the_page_of_an_event_that_is_not_listed_is_cached_as_others_are,
);
