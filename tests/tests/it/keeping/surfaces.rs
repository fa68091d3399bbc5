//! The site and the bridge use the same memory.

use std::sync::Arc;

use core_service::domain::plan::Plan;
use edge::{Memory, MemoryOptions};
use serde_json::json;
use tests::{Http, Reply, Surface, TestApp, core_at};
use tokio::time::{Instant, sleep};

use super::{LOOK, TIMEOUT, await_hit};

/// A client of core that keeps answers.
fn keeping(app: &TestApp) -> (edge::Core, Memory) {
    let memory = Memory::new(MemoryOptions::default());
    let core = core_at(&format!("http://{}", app.grpc.address()));
    let core = core.edge().unwrap().with_memory(Some(memory.clone()));
    (core, memory)
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

async fn a_page_that_is_the_same_for_all_is_kept(app: Arc<TestApp>) {
    let (core, memory) = keeping(&app);
    let site = app.serve_site_with(core).await;
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({"max_capacity": 2})).await;
    let path = format!("/events/{}", event.slug);
    await_page(&site, "/events", |page| {
        page.html(200).contains(&event.slug)
    })
    .await;
    for path in ["/", "/events", &*path, "/guides", "/sitemap.xml"] {
        let first = site.page(path).send().await;
        let second = await_hit(&memory, async || site.page(path).send().await).await;
        assert_eq!(second.body, first.body, "{path}");
        for name in [
            "etag",
            "last-modified",
            "cache-control",
            "content-security-policy",
        ] {
            assert_eq!(second.header(name), first.header(name), "{path}");
        }
        // Whoever has a cookie may see something else.
        let own = site.page(path).header("cookie", "flash=registered");
        assert_eq!(own.send().await.status, 200);
    }
    let anyone = app.over(Surface::Http).anyone();
    let guest = json!({"slug": event.slug, "name": "Grace", "email": "grace@example.org"});
    anyone
        .ok::<muster_api::v1::bindings::RegisterAttendee>(guest)
        .await;
    let is_right = |page: &Reply| page.html(200).contains("One of 2 seats is free.");
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

async fn the_page_of_an_event_that_is_not_listed_is_not_kept(app: Arc<TestApp>) {
    let (core, memory) = keeping(&app);
    let site = app.serve_site_with(core).await;
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({"is_listed": false})).await;
    let path = format!("/events/{}", event.slug);
    for count in 1..=3 {
        assert_eq!(site.page(&path).send().await.status, 200);
        assert!(memory.counts().misses >= count);
    }
    let change = json!({"id": event.id, "title": "Another title"});
    owner
        .ok::<muster_api::v1::bindings::UpdateEvent>(change)
        .await;
    let page = site.page(&path).send().await;
    assert!(page.html(200).contains("Another title"));
}

async fn tools_that_read_the_catalogue_use_it(app: Arc<TestApp>) {
    let (core, memory) = keeping(&app);
    let account = app.account(Plan::Pro).await;
    let mcp = app.serve_mcp_with(core).await.with_key(&account.key);
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let read = async || {
        let arguments = json!({ "slug": event.slug });
        mcp.call("get_public_event", arguments).await
    };
    let start = Instant::now();
    let first = read().await.answer();
    while memory.counts().hits == 0 {
        assert_eq!(read().await.answer(), first);
        assert!(start.elapsed() < TIMEOUT);
    }
    // What changes through the same bridge is seen at once.
    let change = json!({"id": event.id, "title": "Another title"});
    mcp.call("update_event", change).await.answer();
    assert_eq!(read().await.answer()["title"], "Another title");
}

tests::on_both_engines!(
    a_page_that_is_the_same_for_all_is_kept,
    the_page_of_an_event_that_is_not_listed_is_not_kept,
    tools_that_read_the_catalogue_use_it,
);
