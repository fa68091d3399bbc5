//! Searching the catalogue: by words, by city, by start.

use std::{sync::Arc, time::Duration};

use core_service::domain::plan::Plan;
use muster_api::v1::bindings::{
    CancelEvent, ListEvents, PublishEvent, RegisterAttendee, UnpublishEvent, UpdateEvent,
};
use serde_json::{Value, json};
use tests::{Api, Created, Surface, TestApp};

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

async fn words_are_looked_for_in_title_description_location_and_city(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let event = owner
        .publish_new(json!({
            "title": "Größtes Café-Treffen", "description": "Zwei Vorträge,\nein offener Tisch.",
            "location": "Straße 12", "city": "Łódź",
        }))
        .await;
    owner.publish_new(json!({"title": "Something else"})).await;
    for q in [
        "Größtes",
        "grosstes",
        "CAFE",
        "café",
        "treffen",
        "tref",
        "vortrage",
        "tisch zwei",
        "strasse",
        "12",
        "lodz",
        "LÓDŹ caf",
        "offener, tisch!",
        "\"zwei\" (tisch)",
    ] {
        assert!(finds(&api, json!({ "q": q }), &event).await, "{q}");
    }
    for q in ["treff caf", "reffen", "größtes else", "tische", "1 2 12 13"] {
        assert!(!finds(&api, json!({ "q": q }), &event).await, "{q}");
    }
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

async fn dates_count_in_the_events_own_zone(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let mut slugs = Vec::new();
    for (start, timezone) in [
        // At the same moment it is the second of May in the east.
        ("2027-05-02T00:30:00", "Pacific/Auckland"),
        ("2027-05-01T23:30:00", "Pacific/Auckland"),
        ("2027-05-01T00:00:00", "America/Los_Angeles"),
        ("2027-05-01T23:59:59", "America/Los_Angeles"),
        ("2027-05-02T00:00:00", "America/Los_Angeles"),
    ] {
        let fields = json!({"title": "Round the world", "start_date": start, "timezone": timezone});
        slugs.push(owner.publish_new(fields).await.slug);
    }
    for (query, expected) in [
        (
            json!({"from": "2027-05-01", "to": "2027-05-01"}),
            vec![1, 2, 3],
        ),
        (
            json!({"q": "world", "from": "2027-05-01", "to": "2027-05-01"}),
            vec![1, 2, 3],
        ),
        (json!({"from": "2027-05-02"}), vec![0, 4]),
        (json!({"to": "20270501"}), vec![1, 2, 3]),
        (json!({"from": "2027-05-01T12:30:00Z"}), vec![0, 3, 4]),
        // The start itself is in, the end is not.
        (
            json!({"from": "2027-05-01T00:00:00-07:00", "to": "2027-05-02T00:00:00-07:00"}),
            vec![0, 1, 2, 3],
        ),
        (json!({"to": "2027-05-01T11:30:00Z"}), vec![2]),
        (
            json!({"from": "2027-05-01T12:00:00+00:00", "to": "2027-05-01T12:00:00+00:00"}),
            vec![],
        ),
    ] {
        let mut expected: Vec<&String> = expected
            .into_iter()
            .map(|index: usize| &slugs[index])
            .collect();
        expected.sort();
        let found = found(&api, query.clone()).await;
        let mut sorted: Vec<&String> = found.iter().collect();
        sorted.sort();
        assert_eq!(sorted, expected, "{query}");
    }
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

async fn texts_of_every_script_are_searched(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let event = owner
        .publish_new(json!({
            "title": "東京都のRust勉強会 🎉 İSTANBUL", "description": "مُحَمَّد و أحمد\nงานวิ่งกรุงเทพ\n한국어 모임",
            "location": "Cafe\u{301} “NEAR OR NOT”", "city": "東京",
        }))
        .await;
    for q in [
        "東京",
        "京都",
        "都",
        "勉強",
        "rust 東京",
        "محمد",
        "احمد",
        "วิ่ง",
        "กรุงเทพ",
        "한국",
        "istanbul",
        "ıstanbul",
        "CAFÉ",
        "near or not",
        "\"NEAR\"",
        "NEAR(near, or)",
        "near*",
        "-near +or",
        "not:near",
        "{near} ^or",
        "'or'",
        "near & or | !not",
        "near:* <-> or",
        "near\\",
        "🎉 rust",
        "%near_",
        "near\n\u{0}or",
    ] {
        assert!(finds(&api, json!({ "q": q }), &event).await, "{q}");
    }
    for q in [
        "京東",
        "大阪",
        "หิว",
        "near and",
        "rust*ic",
        "AND",
        "nea OR near",
    ] {
        assert!(!finds(&api, json!({ "q": q }), &event).await, "{q}");
    }
    assert!(finds(&api, json!({"city": "東京"}), &event).await);
    assert!(!finds(&api, json!({"city": "東"}), &event).await);
}

async fn what_cannot_be_searched_is_refused_with_the_field(api: Api) {
    let anyone = api.anyone();
    let (long, many) = ("x".repeat(2_000), "w ".repeat(21));
    for (query, field, hint) in [
        (json!({"q": long}), "q", "200 characters"),
        (json!({"q": "ﷺ".repeat(201)}), "q", "200 characters"),
        (json!({"q": many}), "q", "at most 20 words"),
        (json!({"q": "… !? \" * - ()"}), "q", "a letter or a digit"),
        (json!({"q": "🎉\u{301}"}), "q", "a letter or a digit"),
        (json!({"city": "🌃"}), "city", "a letter or a digit"),
        (json!({"city": "x".repeat(121)}), "city", "120 characters"),
        (
            json!({"from": "tomorrow"}),
            "from",
            "for example 2027-05-01",
        ),
        (
            json!({"from": "2027-02-29"}),
            "from",
            "for example 2027-05-01",
        ),
        (
            json!({"to": "2027-05-01T18:00"}),
            "to",
            "must have an offset",
        ),
        (
            json!({"to": "2027-05-01T18:00:00 02:00"}),
            "to",
            "write + as %2B",
        ),
        (
            json!({"to": "2027-05-01T18:00:00+25:00"}),
            "to",
            "with an offset",
        ),
        (json!({"to": "2".repeat(65)}), "to", "64 characters"),
        (
            json!({"from": "2027-05-02", "to": "2027-05-01"}),
            "to",
            "must not be before from",
        ),
    ] {
        let refusal = anyone.refused::<ListEvents>(query.clone()).await;
        refusal.blames(&[field]);
        assert!(refusal.message.contains(hint), "{query}: {refusal:?}");
    }
    let all = json!({"q": "!", "city": "!", "from": "!", "to": "!"});
    let refusal = anyone.refused::<ListEvents>(all).await;
    refusal.blames(&["q", "city", "from", "to"]);
}

tests::on_every_surface!(
    words_are_looked_for_in_title_description_location_and_city,
    all_filters_must_match,
    only_what_is_in_the_catalogue_is_found_and_always_as_it_is_now,
    dates_count_in_the_events_own_zone,
    pages_lead_through_what_matches,
    texts_of_every_script_are_searched,
    what_cannot_be_searched_is_refused_with_the_field,
);

/// What only a URL can have.
mod in_a_url {
    use super::*;

    async fn parameters_are_given_once_and_known(app: Arc<TestApp>) {
        for (query, field) in [
            ("q=a&q=b", "q"),
            ("city=a&from=2027-05-01&city=b", "city"),
            ("Q=a", "Q"),
            ("query=a", "query"),
            ("q[]=a", "q[]"),
        ] {
            let answer = app.http.get(&format!("/events?{query}")).send().await;
            answer.refusal().blames(&[field]);
        }
        for query in ["q=%ff", "q=%zz", "q=100%"] {
            let answer = app.http.get(&format!("/events?{query}")).send().await;
            answer.refusal().blames(&["q"]);
        }
    }

    async fn a_plus_is_a_space_and_an_offset_needs_it_escaped(app: Arc<TestApp>) {
        let ok = app
            .http
            .get("/events?q=rust+meetup&from=2027-05-01T18:00:00%2B02:00");
        assert_eq!(ok.send().await.ok()["count"], 0);
        let unescaped = app.http.get("/events?from=2027-05-01T18:00:00+02:00");
        unescaped.send().await.refusal().blames(&["from"]);
    }

    async fn what_is_far_too_long_is_refused_everywhere(app: Arc<TestApp>) {
        let long = "x".repeat(10_000);
        let answer = app.http.get(&format!("/events?q={long}")).send().await;
        assert_eq!(answer.status, 414);
        for surface in [Surface::Grpc, Surface::Mcp] {
            let caller = app.over(surface).owner(Plan::Free).await;
            let refusal = caller.refused::<ListEvents>(json!({"q": long})).await;
            refusal.blames(&["q"]);
        }
    }

    tests::on_both_engines!(
        what_is_far_too_long_is_refused_everywhere,
        parameters_are_given_once_and_known,
        a_plus_is_a_space_and_an_offset_needs_it_escaped,
    );
}
