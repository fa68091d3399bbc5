//! Covers, and the lists of static pages.

use std::{collections::HashSet, sync::Arc, time::Duration};

use covers::stock::{Provider, Stock, StockSettings};
use domain::plan::Plan;
use http::{Method, StatusCode};
use muster_api::{
    Reason,
    v1::{
        GetCoverRequest,
        bindings::{
            CancelEvent, GetEvent, GetMyEvent, ListGuides, ListUseCases, UnpublishEvent,
            UpdateEvent,
        },
    },
};
use serde_json::{Value, json};
use test_photos::{Reply, Server, answers, assert_is_cover, jpeg};
use tests::{Api, Client, Created, Surface, TestApp};

/// What is at the event's `image_url`.
async fn cover(app: &TestApp, owner: &Client, event: &Created) -> tests::Reply {
    let detail = owner.detail(event).await;
    let url = detail["image_url"].as_str().unwrap();
    let path = url.strip_prefix(TestApp::PUBLIC_URL).unwrap();
    app.http.request(Method::GET, path).send().await
}

/// Width and height as a PNG's header has them.
fn dimensions(png: &[u8]) -> (u32, u32) {
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

async fn a_cover_is_a_picture_that_may_be_kept(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner
        .publish_new(json!({"image_query": "crab <on> a \"keyboard\" & 蟹"}))
        .await;
    let first = cover(&app, &owner, &event).await;
    assert_eq!(first.status, StatusCode::OK);
    assert_eq!(first.header("content-type"), Some("image/png"));
    let caching = "public, max-age=60";
    assert_eq!(first.header("cache-control"), Some(caching));
    assert_eq!(dimensions(&first.body), (1200, 630));

    let again = cover(&app, &owner, &event).await;
    assert_eq!(again.body, first.body);
    let tag = first.header("etag").unwrap();
    let path = format!("/events/{}/cover", event.slug);
    let known = app
        .http
        .get(&path)
        .header("if-none-match", tag)
        .send()
        .await;
    assert_eq!(known.status, StatusCode::NOT_MODIFIED);
    assert!(known.body.is_empty());

    let request = GetCoverRequest {
        slug: event.slug,
        text: None,
    };
    let stream = app.grpc.catalogue().get_cover(request).await.unwrap();
    let mut stream = stream.into_inner();
    let mut bytes = Vec::new();
    while let Some(piece) = stream.message().await.unwrap() {
        assert_eq!(piece.content_type, "image/png");
        bytes.extend_from_slice(&piece.data);
    }
    assert_eq!(bytes, first.body);
}

async fn every_published_event_has_a_cover(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Business).await;
    let ask = async |slug: &str| app.http.get(&format!("/events/{slug}/cover")).send().await;
    let draft = owner.create(json!({"image_query": "crab"})).await;
    for slug in [&draft.slug, "no-such-event", "%00", "..%2fme"] {
        assert_eq!(ask(slug).await.refusal().reason, Reason::NotFound, "{slug}");
    }
    let event = owner.publish_new(json!({"image_query": "crab"})).await;
    assert_eq!(ask(&event.slug).await.status, StatusCode::OK);
    owner
        .ok::<UpdateEvent>(json!({"id": event.id, "image_query": null}))
        .await;
    // Without words of the owner it is drawn from the title, for previews; clients are not pointed to it.
    let drawn = ask(&event.slug).await;
    assert_eq!(drawn.header("content-type"), Some("image/png"));
    let plain = owner.publish_new(json!({})).await;
    let shown = app
        .http
        .get(&format!("/events/{}", plain.slug))
        .send()
        .await;
    assert_eq!(shown.json()["image_url"], Value::Null);
}

async fn words_choose_a_picture_and_the_owner_one_of_three(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Business).await;
    let chosen = json!({"image_query": "beach at sunset", "image_variant": 2});
    let event = owner.publish_new(chosen).await;
    let shown = owner.ok::<GetMyEvent>(json!({"id": event.id})).await;
    assert_eq!(shown["image_query"], "beach at sunset");
    assert_eq!(shown["image_variant"], 2);
    let path = format!("/events/{}/cover", event.slug);
    let mut pictures = vec![app.http.get(&path).send().await.body];
    for change in [
        json!({"id": event.id, "image_variant": 1}),
        json!({"id": event.id, "image_variant": 3}),
        json!({"id": event.id, "image_query": "chess"}),
        json!({"id": event.id, "image_query": null}),
    ] {
        owner.ok::<UpdateEvent>(change).await;
        pictures.push(app.http.get(&path).send().await.body);
    }
    pictures.sort();
    pictures.dedup();
    assert_eq!(pictures.len(), 5);

    let small = app.http.get(&format!("{path}?text=false")).send().await;
    assert_eq!(dimensions(&small.body), (600, 315));
    let refused = json!({"id": event.id, "image_variant": 4});
    let refused = owner.refused::<UpdateEvent>(refused).await;
    assert_eq!(refused.reason, Reason::InvalidRequest);
}

async fn a_cover_stays_for_pages_that_open_by_their_link(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Business).await;
    let event = owner.publish_new(json!({"image_query": "crab"})).await;
    let id = json!({"id": event.id});
    owner
        .ok::<UpdateEvent>(json!({"id": event.id, "is_listed": false}))
        .await;
    assert_eq!(cover(&app, &owner, &event).await.status, StatusCode::OK);
    owner.ok::<CancelEvent>(id).await;
    assert_eq!(cover(&app, &owner, &event).await.status, StatusCode::OK);
    app.advance(Duration::from_hours(24 * 365));
    assert_eq!(cover(&app, &owner, &event).await.status, StatusCode::OK);

    let other = owner
        .publish_new(json!({"image_query": "crab", "start_date": "2029-01-01T12:00:00Z"}))
        .await;
    owner.ok::<UnpublishEvent>(json!({"id": other.id})).await;
    let hidden = cover(&app, &owner, &other).await;
    assert_eq!(hidden.refusal().reason, Reason::NotFound);
}

async fn a_photograph_is_served_and_credited_in_the_drawings_place(app: Arc<TestApp>) {
    let provider = Server::start().await;
    let photos = answers::pexels(&[answers::pexels_photo(&provider)]);
    provider.on("/v1/search", Reply::json(&photos));
    provider.on("/photos/", Reply::picture(jpeg(1200, 630)));
    let stock = Stock::new(StockSettings {
        provider: Provider::Pexels,
        key: Some("k3y-of-the-operator".into()),
        url: Some(provider.url()),
    });
    let app = app.start_another_with_photographs(stock.unwrap()).await;
    let account = app.account(Plan::Free).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({"image_query": "crab"})).await;
    let drawn = cover(&app, &owner, &event).await;
    assert_eq!(drawn.header("content-type"), Some("image/png"));

    assert_eq!(app.core.runner().drain().await.unwrap(), 1);

    let served = cover(&app, &owner, &event).await;
    assert_eq!(served.header("content-type"), Some("image/jpeg"));
    assert_is_cover(&served.body);
    let tag = served.header("etag").unwrap();
    assert_ne!(Some(tag), drawn.header("etag"));
    let path = format!("/events/{}/cover", event.slug);
    let known = app.http.get(&path).header("if-none-match", tag);
    assert_eq!(known.send().await.status, StatusCode::NOT_MODIFIED);
    for surface in [Surface::Http, Surface::Grpc] {
        let anyone: Client = Api::anyone(&app.over(surface));
        let event = anyone.ok::<GetEvent>(json!({"slug": event.slug})).await;
        assert_eq!(
            event["image_credit"],
            "Photo by Lukas Rodriguez (https://www.pexels.com/@lukas-rodriguez-1845331), Pexels \
             (https://www.pexels.com/photo/trees-during-day-3573351/), Pexels License (https://www.pexels.com/license/), cropped"
        );
    }
}

async fn use_cases_and_guides_are_lists_of_links(app: Arc<TestApp>) {
    for surface in [Surface::Http, Surface::Grpc] {
        let anyone: Client = Api::anyone(&app.over(surface));
        let use_cases = anyone.ok::<ListUseCases>(json!({})).await;
        let guides = anyone.ok::<ListGuides>(json!({})).await;
        for (pages, folder) in [(use_cases, "use-cases"), (guides, "guides")] {
            let pages = pages.as_array().unwrap();
            let slugs: HashSet<&str> = pages
                .iter()
                .map(|page| page["slug"].as_str().unwrap())
                .collect();
            assert!(!pages.is_empty());
            assert_eq!(slugs.len(), pages.len());
            for page in pages {
                let slug = page["slug"].as_str().unwrap();
                assert_eq!(
                    page["url"],
                    format!("{}/{folder}/{slug}", TestApp::PUBLIC_URL)
                );
            }
        }
    }
}

tests::on_both_engines!(
    a_cover_is_a_picture_that_may_be_kept,
    every_published_event_has_a_cover,
    words_choose_a_picture_and_the_owner_one_of_three,
    a_cover_stays_for_pages_that_open_by_their_link,
    a_photograph_is_served_and_credited_in_the_drawings_place,
    use_cases_and_guides_are_lists_of_links,
);
