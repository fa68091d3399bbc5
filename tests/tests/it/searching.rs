//! Searching the catalogue: by words, by city, by start.

mod refusals;
mod starts;
mod words;

use std::time::Duration;

use domain::plan::Plan;
use muster_api::v1::bindings::{
    CancelEvent, ListEvents, PublishEvent, RegisterAttendee, UnpublishEvent, UpdateEvent,
};
use serde_json::{Value, json};
use tests::{Api, Created};

/// The slugs of what a search finds. It must say that it found all of it.
async fn found(api: &Api, query: Value) -> Vec<String> {
    let list = api.anyone().ok::<ListEvents>(query.clone()).await;
    let items = list["items"].as_array().unwrap();
    assert_eq!(list["count"], items.len(), "{query}");
    assert_eq!(list["count_is_exact"], true, "{query}");
    assert_eq!(list["next_offset"], Value::Null, "{query}");
    let slugs = items.iter().map(|item| item["slug"].as_str().unwrap());
    slugs.map(str::to_owned).collect()
}

async fn finds(api: &Api, query: Value, event: &Created) -> bool {
    let found = found(api, query).await;
    assert!(found.is_empty() || found == [event.slug.as_str()]);
    !found.is_empty()
}

async fn all_filters_must_match(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let mut slugs = Vec::new();
    for (title, city, start) in [
        ("Rust", "São Paulo", "2027-05-01T18:00:00Z"),
        ("Rust", "Paulo", "2027-05-02T18:00:00Z"),
        ("Go", "São Paulo", "2027-05-03T18:00:00Z"),
        ("Rust", "São Paulo", "2027-05-04T18:00:00Z"),
    ] {
        let fields = json!({"title": format!("{title} night"), "city": city, "start_date": start});
        slugs.push(owner.publish_new(fields).await.slug);
    }
    for (query, expected) in [
        (json!({"q": "rust"}), vec![0, 1, 3]),
        (json!({"city": "sao paulo"}), vec![0, 2, 3]),
        (json!({"city": "SÃO-PAULO"}), vec![0, 2, 3]),
        (json!({"city": "paulo"}), vec![1]),
        (json!({"city": "são"}), vec![]),
        (json!({"q": "paulo"}), vec![0, 1, 2, 3]),
        (json!({"q": "rust", "city": "são paulo"}), vec![0, 3]),
        (
            json!({"from": "2027-05-02", "to": "2027-05-03"}),
            vec![1, 2],
        ),
        (json!({"q": "rust", "from": "2027-05-02"}), vec![1, 3]),
        (
            json!({"q": "night", "city": "são paulo", "from": "2027-05-02", "to": "2027-05-03T18:00:01Z"}),
            vec![2],
        ),
        // Forms send what was left empty.
        (
            json!({"q": "", "city": " ", "from": "", "to": ""}),
            vec![0, 1, 2, 3],
        ),
    ] {
        let expected: Vec<String> = expected
            .into_iter()
            .map(|index: usize| slugs[index].clone())
            .collect();
        assert_eq!(found(&api, query.clone()).await, expected, "{query}");
    }
}

async fn only_what_is_in_the_catalogue_is_found_and_always_as_it_is_now(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let event = owner
        .create(json!({"title": "Zebra", "start_date": "2027-01-20T12:00:00Z", "end_date": "2027-01-21T12:00:00Z"}))
        .await;
    let by_word = || json!({"q": "zebra"});
    assert!(!finds(&api, by_word(), &event).await, "a draft");
    owner.ok::<PublishEvent>(json!({"id": event.id})).await;
    assert!(finds(&api, by_word(), &event).await);
    owner
        .ok::<RegisterAttendee>(
            json!({"slug": event.slug, "name": "Okapi", "email": "okapi@example.org"}),
        )
        .await;
    assert!(finds(&api, by_word(), &event).await);
    assert!(
        !finds(&api, json!({"q": "okapi"}), &event).await,
        "a name of a registrant"
    );

    let change = json!({"id": event.id, "title": "Giraffe", "city": "Bern", "start_date": "2027-01-20T13:00:00Z"});
    owner.ok::<UpdateEvent>(change).await;
    assert!(!finds(&api, by_word(), &event).await, "the title of before");
    assert!(
        !finds(&api, json!({"to": "2027-01-20T12:30:00Z"}), &event).await,
        "the start of before"
    );
    for query in [
        json!({"q": "giraffe"}),
        json!({"city": "bern"}),
        json!({"from": "2027-01-20T12:30:00Z"}),
    ] {
        assert!(finds(&api, query, &event).await);
    }
    let by_all = || json!({"q": "giraffe", "city": "bern", "from": "2027-01-20"});
    owner
        .ok::<UpdateEvent>(json!({"id": event.id, "is_listed": false}))
        .await;
    assert!(!finds(&api, by_all(), &event).await, "unlisted");
    owner
        .ok::<UpdateEvent>(json!({"id": event.id, "is_listed": true}))
        .await;
    owner.ok::<UnpublishEvent>(json!({"id": event.id})).await;
    assert!(!finds(&api, by_all(), &event).await, "unpublished");
    owner.ok::<PublishEvent>(json!({"id": event.id})).await;
    assert!(finds(&api, by_all(), &event).await);

    api.advance(Duration::from_hours(6 * 24));
    for _ in 0..2 {
        assert!(!finds(&api, by_all(), &event).await, "ended");
        assert!(
            !finds(&api, json!({"from": "2027-01-20"}), &event).await,
            "ended"
        );
        api.maintain().await;
    }
    let later = json!({"id": event.id, "start_date": "2027-02-20T12:00:00Z", "end_date": "2027-02-20T13:00:00Z"});
    owner.ok::<UpdateEvent>(later).await;
    assert!(finds(&api, by_all(), &event).await);
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    assert!(!finds(&api, by_all(), &event).await, "cancelled");
}

async fn pages_lead_through_what_matches(api: Api) {
    let owner = api.owner(Plan::Business).await;
    for day in 10..17 {
        let start = format!("2027-02-{day}T12:00:00Z");
        let title = if day % 2 == 0 { "Even day" } else { "Odd day" };
        owner
            .publish_new(json!({"title": title, "start_date": start, "city": "Bern"}))
            .await;
    }
    for (filter, count) in [
        (json!({"q": "odd"}), 3),
        (json!({"city": "bern"}), 7),
        (json!({"from": "2027-02-12"}), 5),
    ] {
        let mut offset = json!(0);
        let mut starts = Vec::new();
        while !offset.is_null() {
            let mut query = filter.clone();
            query["limit"] = json!(2);
            query["offset"] = offset;
            let list = api.anyone().ok::<ListEvents>(query).await;
            assert_eq!(list["count"], count);
            let items = list["items"].as_array().unwrap().iter();
            starts.extend(items.map(|item| item["start_date"].to_string()));
            offset = list["next_offset"].clone();
        }
        assert_eq!(starts.len(), count);
        assert!(starts.is_sorted());
        let mut beyond = filter.clone();
        beyond["offset"] = json!(i32::MAX);
        let list = api.anyone().ok::<ListEvents>(beyond).await;
        assert_eq!(list["count"], count);
        assert_eq!(list["items"], json!([]));
    }
}

tests::on_every_surface!(
    all_filters_must_match,
    only_what_is_in_the_catalogue_is_found_and_always_as_it_is_now,
    pages_lead_through_what_matches,
);
