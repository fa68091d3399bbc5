//! The public list and detail: what is in them, in which order, and page by page.

use std::time::Duration;

use domain::plan::Plan;
use muster_api::{
    Reason,
    v1::bindings::{CancelEvent, GetEvent, ListEvents, PublishEvent, UnpublishEvent, UpdateEvent},
};
use serde_json::{Value, json};
use tests::{Api, Created};

/// The slugs of a page.
async fn page(api: &Api, query: Value) -> Vec<String> {
    let list = api.anyone().ok::<ListEvents>(query).await;
    let items = list["items"].as_array().unwrap().iter();
    items
        .map(|item| item["slug"].as_str().unwrap().to_owned())
        .collect()
}

/// Whether the public sees the event, in which list and detail must agree.
async fn is_public(api: &Api, event: &Created) -> bool {
    let detail = api
        .anyone()
        .call::<GetEvent>(json!({"slug": event.slug}))
        .await;
    let listed = page(api, json!({"limit": 100})).await.contains(&event.slug);
    match detail {
        Ok(detail) => assert!(listed, "{detail} is not listed"),
        Err(refusal) => {
            assert_eq!(refusal.reason, Reason::NotFound);
            assert!(!listed, "{event:?} is listed but not found");
        }
    }
    listed
}

async fn an_empty_catalogue_is_a_page_like_any_other(api: Api) {
    let list = api.anyone().ok::<ListEvents>(json!({})).await;
    let empty = json!({"items": [], "count": 0, "limit": 50, "offset": 0, "next_offset": null, "count_is_exact": true});
    assert_eq!(list, empty);
}

async fn the_public_sees_what_is_published_listed_not_cancelled_and_not_over(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let event = owner.create(json!({})).await;
    assert!(!is_public(&api, &event).await);

    owner.ok::<PublishEvent>(json!({"id": event.id})).await;
    assert!(is_public(&api, &event).await);
    owner
        .ok::<UpdateEvent>(json!({"id": event.id, "is_listed": false}))
        .await;
    assert!(!is_public(&api, &event).await);
    owner
        .ok::<UpdateEvent>(json!({"id": event.id, "is_listed": true}))
        .await;
    assert!(is_public(&api, &event).await);
    owner.ok::<UnpublishEvent>(json!({"id": event.id})).await;
    assert!(!is_public(&api, &event).await);
    owner.ok::<PublishEvent>(json!({"id": event.id})).await;
    assert!(is_public(&api, &event).await);
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    assert!(!is_public(&api, &event).await);
}

async fn an_event_leaves_the_catalogue_at_its_effective_end(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let open = owner
        .publish_new(json!({"start_date": "2027-01-15T13:00:00Z"}))
        .await;
    let long = owner
        .publish_new(
            json!({"start_date": "2027-01-15T12:30:00Z", "end_date": "2027-01-15T14:00:00Z"}),
        )
        .await;
    for (seconds, open_is_public, long_is_public) in [
        (0, true, true),
        (3_599, true, true),
        (1, false, true),
        (3_599, false, true),
        (1, false, false),
    ] {
        api.advance(Duration::from_secs(seconds));
        assert_eq!(is_public(&api, &open).await, open_is_public);
        assert_eq!(is_public(&api, &long).await, long_is_public);
        // Sweeping changes nothing that anyone sees.
        api.maintain().await;
        assert_eq!(is_public(&api, &open).await, open_is_public);
        assert_eq!(is_public(&api, &long).await, long_is_public);
    }
    let list = api.anyone().ok::<ListEvents>(json!({})).await;
    assert_eq!(list["count"], 0);
}

async fn an_ended_event_that_is_put_off_comes_back(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let event = owner
        .publish_new(json!({"start_date": "2027-01-15T13:00:00Z"}))
        .await;
    api.advance(Duration::from_hours(2));
    api.maintain().await;
    assert!(!is_public(&api, &event).await);
    let later = json!({"id": event.id, "start_date": "2027-01-15T15:00:00Z"});
    owner.ok::<UpdateEvent>(later).await;
    assert!(is_public(&api, &event).await);
}

async fn events_are_listed_by_start_then_by_age(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let mut expected = Vec::new();
    for (start, place) in [
        ("2027-03-01T12:00:00Z", 3),
        ("2027-02-01T12:00:00Z", 1),
        // The same moment, elsewhere.
        ("2027-03-01T14:00:00+02:00", 4),
        ("2027-02-01T12:00:00.000001Z", 2),
        ("2027-01-17T00:00:00+14:00", 0),
    ] {
        // Ids made in one microsecond have no order.
        api.advance(Duration::from_secs(1));
        let event = owner.publish_new(json!({ "start_date": start })).await;
        expected.push((place, event.slug));
    }
    expected.sort();
    let expected: Vec<String> = expected.into_iter().map(|(_, slug)| slug).collect();
    assert_eq!(page(&api, json!({})).await, expected);
}

async fn pages_lead_through_the_whole_catalogue(api: Api) {
    let owner = api.owner(Plan::Business).await;
    for day in 10..17 {
        let start = format!("2027-02-{day}T12:00:00Z");
        owner.publish_new(json!({ "start_date": start })).await;
    }
    owner.create(json!({})).await;
    let all = page(&api, json!({})).await;
    assert_eq!(all.len(), 7);

    let mut seen = Vec::new();
    let mut offset = json!(0);
    while !offset.is_null() {
        let query = json!({"limit": 3, "offset": offset});
        let list = api.anyone().ok::<ListEvents>(query.clone()).await;
        assert_eq!(list["count"], 7);
        assert_eq!(list["limit"], 3);
        assert_eq!(list["offset"], offset);
        seen.extend(page(&api, query).await);
        offset = list["next_offset"].clone();
    }
    assert_eq!(seen, all);

    for (query, items, next) in [
        (json!({"limit": 7}), 7, Value::Null),
        (json!({"limit": 6}), 6, json!(6)),
        (json!({"offset": 6}), 1, Value::Null),
        (json!({"offset": 7}), 0, Value::Null),
        (json!({"offset": i32::MAX}), 0, Value::Null),
    ] {
        let list = api.anyone().ok::<ListEvents>(query.clone()).await;
        assert_eq!(list["items"].as_array().unwrap().len(), items, "{query}");
        assert_eq!(list["next_offset"], next, "{query}");
        assert_eq!(list["count"], 7, "{query}");
    }
}

async fn a_page_has_1_to_100_events_and_begins_at_0_or_later(api: Api) {
    let anyone = api.anyone();
    for (query, field, value) in [
        (json!({"limit": 1}), "limit", 1),
        (json!({"limit": 100}), "limit", 100),
        (json!({"offset": 0}), "offset", 0),
    ] {
        assert_eq!(anyone.ok::<ListEvents>(query).await[field], value);
    }
    for (query, field) in [
        (json!({"limit": 0}), "limit"),
        (json!({"limit": -1}), "limit"),
        (json!({"limit": 101}), "limit"),
        (json!({"limit": i32::MAX}), "limit"),
        (json!({"offset": -1}), "offset"),
        (json!({"offset": i32::MIN}), "offset"),
    ] {
        anyone.refused::<ListEvents>(query).await.blames(&[field]);
    }
    let both = anyone
        .refused::<ListEvents>(json!({"limit": 0, "offset": -1}))
        .await;
    both.blames(&["limit", "offset"]);
}

async fn what_is_no_slug_is_not_found(api: Api) {
    for slug in [
        "no-such-event",
        "x",
        " ",
        "../me",
        "a/b",
        "%00",
        "\u{0}",
        "É",
        "'; --",
        &"x".repeat(3_000),
    ] {
        let refusal = api
            .anyone()
            .refused::<GetEvent>(json!({ "slug": slug }))
            .await;
        assert_eq!(refusal.reason, Reason::NotFound, "{slug:?}");
        assert_eq!(refusal.message, "there is no such event");
    }
}

tests::on_every_surface!(
    an_empty_catalogue_is_a_page_like_any_other,
    the_public_sees_what_is_published_listed_not_cancelled_and_not_over,
    an_event_leaves_the_catalogue_at_its_effective_end,
    an_ended_event_that_is_put_off_comes_back,
    events_are_listed_by_start_then_by_age,
    pages_lead_through_the_whole_catalogue,
    a_page_has_1_to_100_events_and_begins_at_0_or_later,
    what_is_no_slug_is_not_found,
);
