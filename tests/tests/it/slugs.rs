//! Slugs: from the title, in ASCII, unique, for good.

use domain::plan::Plan;
use muster_api::v1::bindings::{CloneEvent, GetEvent};
use serde_json::json;
use tests::Api;

async fn a_slug_is_the_title_spelled_in_ascii(api: Api) {
    let owner = api.owner(Plan::Business).await;
    for (title, slug) in [
        ("Rust Meetup Zürich 2027", "rust-meetup-zurich-2027"),
        ("  Anna's & Bob's  Wedding!! ", "annas-bobs-wedding"),
        ("Кино под открытым небом", "kino-pod-otkrytym-nebom"),
        ("مهرجان", "mhrjn"),
        ("\u{200e}\u{200f}\u{200b}", "event"),
        ("../../etc/passwd", "etc-passwd"),
        ("ÆØÅ ß", "aeoa-ss"),
    ] {
        let event = owner.publish_new(json!({ "title": title })).await;
        assert_eq!(event.slug, slug);
        let public = api.anyone().ok::<GetEvent>(json!({ "slug": slug })).await;
        assert_eq!(public["title"], title);
    }
}

async fn a_taken_slug_gets_an_ending(api: Api) {
    let (ada, bob) = (api.owner(Plan::Free).await, api.owner(Plan::Free).await);
    let first = ada.publish_new(json!({"title": "Rust Meetup"})).await;
    let second = bob.publish_new(json!({"title": "Rust meetup!"})).await;
    let third = ada.publish_new(json!({"title": "RUST   MEETUP"})).await;
    assert_eq!(first.slug, "rust-meetup");
    for other in [&second, &third] {
        let (plain, ending) = other.slug.rsplit_once('-').unwrap();
        assert_eq!(plain, "rust-meetup");
        assert!(
            ending.len() == 8 && ending.bytes().all(|byte| byte.is_ascii_alphanumeric()),
            "{ending}"
        );
    }
    assert_ne!(second.slug, third.slug);
    let public = api
        .anyone()
        .ok::<GetEvent>(json!({"slug": second.slug}))
        .await;
    assert_eq!(public["title"], "Rust meetup!");
}

/// Nobody guesses the link of an event that is not listed.
async fn an_event_that_is_not_listed_has_an_ending_that_nobody_guesses(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let event = owner
        .publish_new(json!({"title": "Secret dinner", "is_listed": false}))
        .await;
    let copy = owner.ok::<CloneEvent>(json!({"id": event.id})).await;
    let copied = copy["slug"].as_str().unwrap();
    assert_ne!(copied, event.slug);
    for slug in [&*event.slug, copied] {
        let ending = slug.strip_prefix("secret-dinner-").unwrap();
        let is_random = ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
        assert!(ending.len() >= 8 && is_random, "{slug}");
    }
}

async fn a_slug_has_at_most_80_characters(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let titles = [
        "x".repeat(80),
        "x".repeat(81),
        "word ".repeat(40),
        "漢".repeat(200),
        "щ".repeat(200),
    ];
    for title in titles.iter().chain(&titles) {
        let event = owner.publish_new(json!({ "title": title })).await;
        assert!(event.slug.len() <= 80, "{}", event.slug);
        assert!(
            !event.slug.ends_with('-') && !event.slug.contains("--"),
            "{}",
            event.slug
        );
        api.anyone()
            .ok::<GetEvent>(json!({"slug": event.slug}))
            .await;
    }
}

async fn a_cancelled_events_slug_is_not_given_away(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let first = owner.publish_new(json!({})).await;
    owner
        .ok::<muster_api::v1::bindings::CancelEvent>(json!({"id": first.id}))
        .await;
    assert_ne!(owner.publish_new(json!({})).await.slug, first.slug);
}

tests::on_every_surface!(
    a_slug_is_the_title_spelled_in_ascii,
    a_taken_slug_gets_an_ending,
    an_event_that_is_not_listed_has_an_ending_that_nobody_guesses,
    a_slug_has_at_most_80_characters,
    a_cancelled_events_slug_is_not_given_away,
);
