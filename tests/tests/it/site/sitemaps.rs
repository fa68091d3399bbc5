//! Sitemaps.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use domain::plan::Plan;
use muster_api::v1::{
    ListSitemapEventsRequest, ListSitemapsRequest,
    bindings::{CancelEvent, UnpublishEvent, UpdateEvent},
    catalogue_service_client::CatalogueServiceClient,
};
use serde_json::json;
use tests::{Reply, Surface, TestApp};
use tonic::Code;
use uuid::Uuid;

/// The most events of a sitemap, and of a page of it.
const OF_A_SITEMAP: usize = 50_000;
const OF_A_PAGE: usize = 10_000;

async fn file(app: &TestApp, path: &str) -> Reply {
    let reply = app.site.page(path).send().await;
    assert_eq!(reply.status, 200, "{path}: {reply:?}");
    let media_type = reply.header("content-type");
    assert_eq!(media_type, Some("application/xml; charset=utf-8"), "{path}");
    reply
}

/// The addresses in a file, each with its last change if it has one.
fn entries(reply: &Reply) -> Vec<(&str, Option<&str>)> {
    let text = std::str::from_utf8(&reply.body).unwrap();
    let locations = text.split("<loc>").skip(1).map(|entry| {
        let (address, rest) = entry.split_once("</loc>").unwrap();
        let changed = rest.strip_prefix("<lastmod>");
        (address, changed.map(|rest| rest.split('<').next().unwrap()))
    });
    locations.collect()
}

/// The addresses in a file below the site's own.
fn paths(reply: &Reply) -> Vec<&str> {
    let entries = entries(reply).into_iter();
    entries
        .map(|(address, _)| address.strip_prefix(TestApp::PUBLIC_URL).unwrap())
        .collect()
}

async fn the_pages_of_the_site_are_listed_without_any_event(app: Arc<TestApp>) {
    let index = file(&app, "/sitemap.xml").await;
    assert_eq!(paths(&index), ["/sitemaps/0.xml"]);
    let own = file(&app, "/sitemaps/0.xml").await;
    let own = paths(&own);
    for path in [
        "/",
        "/events",
        "/use-cases",
        "/guides",
        "/guides/publish-your-first-event",
    ] {
        assert!(own.contains(&path), "{path}: {own:?}");
    }
    let articles = |shelf: &str| own.iter().filter(|path| path.starts_with(shelf)).count();
    assert!(
        articles("/use-cases/") >= 6 && articles("/guides/") >= 8,
        "{own:?}"
    );
    for path in own {
        let page = app.site.page(path).send().await;
        page.html(200);
    }
    for none in [
        "1.xml",
        "01.xml",
        "-1.xml",
        "x.xml",
        "0",
        "40001.xml",
        "99999999999.xml",
        "%ff",
    ] {
        let refused = app.site.page(&format!("/sitemaps/{none}")).send().await;
        assert_eq!(refused.status, 404, "{none}");
    }
    let robots = app.site.page("/robots.txt").send().await;
    let robots = std::str::from_utf8(&robots.body).unwrap();
    let line = "Sitemap: https://muster.example/sitemap.xml";
    assert!(robots.lines().any(|one| one == line), "{robots}");
}

async fn public_events_are_listed_with_their_last_change(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Business).await;
    let late = owner
        .publish_new(json!({"start_date": "2027-09-01T18:00:00Z"}))
        .await;
    app.advance(Duration::from_secs(1));
    let early = owner
        .publish_new(json!({"start_date": "2027-05-01T18:00:00Z"}))
        .await;
    app.advance(Duration::from_secs(1));
    let soon = owner
        .publish_new(json!({"start_date": "2027-01-15T13:00:00Z"}))
        .await;
    owner.create(json!({})).await;
    owner.publish_new(json!({"is_listed": false})).await;
    let cancelled = owner.publish_new(json!({})).await;
    owner.ok::<CancelEvent>(json!({"id": cancelled.id})).await;

    app.advance(Duration::from_mins(5));
    owner
        .ok::<UpdateEvent>(json!({"id": late.id, "title": "Another title"}))
        .await;
    let url = |slug: &str| format!("{}/events/{slug}", TestApp::PUBLIC_URL);
    let (first, second, third) = (url(&late.slug), url(&early.slug), url(&soon.slug));
    let changed = "2027-01-15T12:05:02Z";
    let sitemap = file(&app, "/sitemaps/1.xml").await;
    // By creation, whatever their start.
    let expected = [
        (&*first, Some(changed)),
        (&*second, Some("2027-01-15T12:00:01Z")),
        (&*third, Some("2027-01-15T12:00:02Z")),
    ];
    assert_eq!(entries(&sitemap), expected);
    let index = file(&app, "/sitemap.xml").await;
    let expected = [
        ("https://muster.example/sitemaps/0.xml", None),
        ("https://muster.example/sitemaps/1.xml", Some(changed)),
    ];
    assert_eq!(entries(&index), expected);
    let tag = index.header("etag").unwrap();
    let again = app.site.page("/sitemap.xml").header("if-none-match", tag);
    assert_eq!(again.send().await.status, 304);

    app.advance(Duration::from_hours(1));
    for _ in 0..2 {
        let sitemap = file(&app, "/sitemaps/1.xml").await;
        assert_eq!(entries(&sitemap).len(), 2, "one has ended");
        app.maintain().await;
    }
    let head = app
        .site
        .request(http::Method::HEAD, "/sitemaps/1.xml")
        .send()
        .await;
    assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
}

async fn a_large_catalogue_is_divided_into_files(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Business).await;
    let first = owner.publish_new(json!({})).await;
    app.copy_event(&first.id, OF_A_SITEMAP - 1).await;
    let index = file(&app, "/sitemap.xml").await;
    assert_eq!(paths(&index), ["/sitemaps/0.xml", "/sitemaps/1.xml"]);
    app.advance(Duration::from_secs(1));
    let last = owner.publish_new(json!({})).await;
    let index = file(&app, "/sitemap.xml").await;
    let expected = ["/sitemaps/0.xml", "/sitemaps/1.xml", "/sitemaps/2.xml"];
    assert_eq!(paths(&index), expected);

    let full = file(&app, "/sitemaps/1.xml").await;
    assert!(full.body.len() < 50 << 20, "{}", full.body.len());
    let full = paths(&full);
    assert_eq!(full.len(), OF_A_SITEMAP);
    assert_eq!(full.iter().collect::<BTreeSet<_>>().len(), OF_A_SITEMAP);
    assert!(full.contains(&&*format!("/events/{}", first.slug)));
    let rest = file(&app, "/sitemaps/2.xml").await;
    assert_eq!(paths(&rest), [format!("/events/{}", last.slug)]);
    let beyond = app.site.page("/sitemaps/3.xml").send().await;
    assert_eq!(beyond.status, 404);
}

async fn nothing_is_missed_while_events_come_and_go(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Business).await;
    let first = owner.publish_new(json!({})).await;
    app.copy_event(&first.id, OF_A_PAGE + 1).await;
    let service = || CatalogueServiceClient::new(app.grpc.channel());
    let page = async |cursor: Option<String>| {
        let number = Some(1);
        let request = ListSitemapEventsRequest { number, cursor };
        let page = service().list_sitemap_events(request).await;
        page.map(tonic::Response::into_inner)
    };
    let one = page(None).await.unwrap();
    assert_eq!(one.items.len(), OF_A_PAGE);
    // One that was listed goes, and another one comes.
    assert_eq!(one.items[3].slug, "copy-4");
    let gone = Uuid::from_u128(4).to_string();
    owner.ok::<UnpublishEvent>(json!({ "id": gone })).await;
    let new = owner.publish_new(json!({})).await;
    let two = page(one.next_cursor).await.unwrap();
    assert_eq!(two.next_cursor, None);
    let listed: Vec<_> = one
        .items
        .iter()
        .chain(&two.items)
        .map(|one| &*one.slug)
        .collect();
    assert_eq!(listed.iter().collect::<BTreeSet<_>>().len(), OF_A_PAGE + 3);
    assert_eq!(listed.len(), OF_A_PAGE + 3);
    assert!(listed.contains(&&*first.slug) && listed.contains(&&*new.slug));

    let list = service()
        .list_sitemaps(ListSitemapsRequest {})
        .await
        .unwrap();
    let list = list.into_inner().items;
    assert_eq!((list[0].number, list[0].events), (1, 10_002));
    for cursor in ["", "x", "10000", "0.a", "50000.a", "-1.a", "1."] {
        let refused = page(Some(cursor.to_owned())).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{cursor}");
        assert!(refused.message().contains("cursor"), "{refused:?}");
    }
}

tests::on_both_engines!(
    the_pages_of_the_site_are_listed_without_any_event,
    public_events_are_listed_with_their_last_change,
    a_large_catalogue_is_divided_into_files,
    nothing_is_missed_while_events_come_and_go,
);
