//! What a new event may say, each limit on both sides.

use domain::plan::Plan;
use muster_api::v1::bindings::{CreateEvent, GetEvent};
use serde_json::{Value, json};
use tests::{Api, Client, TestApp, new_event};

/// Texts with their shortest and longest length in characters. An empty city or `image_query` is none.
const TEXTS: [(&str, usize, usize); 5] = [
    ("title", 3, 200),
    ("description", 1, 20_000),
    ("location", 1, 500),
    ("city", 0, 120),
    ("image_query", 0, 200),
];

/// Characters of one to four bytes: lengths are counted in characters.
const CHARACTERS: [&str; 4] = ["x", "ß", "漢", "\u{1f389}"];

/// Creates the event on an account of its own kind and answers its detail.
async fn detail_of(owner: &Client, fields: Value) -> Value {
    owner.detail(&owner.create(fields).await).await
}

async fn only_four_fields_are_required(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let refusal = owner.refused::<CreateEvent>(json!({})).await;
    refusal.blames(&["title", "description", "location", "start_date"]);
    assert!(
        refusal
            .details
            .iter()
            .all(|one| one.message == "is required")
    );

    let detail = detail_of(&owner, json!({})).await;
    assert_eq!(detail["max_capacity"], 100);
    assert_eq!(detail["is_published"], false);
    assert_eq!(detail["is_listed"], true);
    assert_eq!(detail["is_cancelled"], false);
    assert_eq!(detail["city"], Value::Null);
    assert_eq!(detail["image_url"], Value::Null);
    assert_eq!(detail["end_date"], detail["start_date"]);
    assert_eq!(detail["timezone"], "UTC");
    assert_eq!(detail["custom_fields"], json!([]));
}

async fn the_answer_leads_to_the_event(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let created = owner
        .ok::<CreateEvent>(new_event(json!({"is_public": true})))
        .await;
    let (id, slug) = (&created["id"], &created["slug"]);
    assert_eq!(slug, "rust-meetup");
    let base = TestApp::PUBLIC_URL;
    assert_eq!(created["event_url"], format!("{base}/events/rust-meetup"));
    let id = id.as_str().unwrap();
    assert_eq!(
        created["admin_url"],
        format!("{base}/dashboard/events/{id}")
    );
    let public = api.anyone().ok::<GetEvent>(json!({"slug": slug})).await;
    assert_eq!(public["url"], created["event_url"]);
}

async fn texts_may_be_as_long_as_their_limits(api: Api) {
    let owner = api.owner(Plan::Business).await;
    for (field, least, most) in TEXTS {
        for character in CHARACTERS {
            for length in [least.max(1), most] {
                let text = character.repeat(length);
                let detail = detail_of(&owner, json!({ field: text })).await;
                // The words for a cover are not answered; that there is one is.
                if field == "image_query" {
                    assert_ne!(detail["image_url"], Value::Null);
                } else {
                    assert_eq!(detail[field], text);
                }
            }
            let text = character.repeat(most + 1);
            let refusal = owner
                .refused::<CreateEvent>(new_event(json!({ field: text })))
                .await;
            refusal.blames(&[field]);
            assert!(refusal.message.contains(&most.to_string()), "{refusal:?}");
        }
    }
}

async fn texts_may_not_be_shorter_than_their_limits(api: Api) {
    let owner = api.owner(Plan::Business).await;
    for (field, texts) in [
        ("title", &["", "x", "xx", "漢字"][..]),
        ("description", &[""]),
        ("location", &[""]),
    ] {
        for text in texts {
            let refusal = owner
                .refused::<CreateEvent>(new_event(json!({ field: text })))
                .await;
            refusal.blames(&[field]);
        }
    }
    let detail = detail_of(&owner, json!({"city": "", "image_query": ""})).await;
    assert_eq!(detail["city"], Value::Null);
    assert_eq!(detail["image_url"], Value::Null);
}

async fn blank_texts_are_refused(api: Api) {
    let owner = api.owner(Plan::Free).await;
    for (field, ..) in TEXTS {
        for blank in ["   ", "\u{a0}\u{2003}\u{3000}"] {
            let refusal = owner
                .refused::<CreateEvent>(new_event(json!({ field: blank })))
                .await;
            refusal.blames(&[field]);
        }
    }
}

async fn control_characters_are_refused_and_line_breaks_kept_in_descriptions(api: Api) {
    let owner = api.owner(Plan::Free).await;
    for (field, ..) in TEXTS {
        for control in ["\u{0}", "\u{7}", "\u{1b}", "\u{7f}", "\u{85}", "\u{9b}"] {
            let text = format!("before{control}after");
            let refusal = owner
                .refused::<CreateEvent>(new_event(json!({ field: text })))
                .await;
            refusal.blames(&[field]);
            assert!(
                refusal.message.contains("control characters"),
                "{refusal:?}"
            );
        }
        if field != "description" {
            let refusal = owner
                .refused::<CreateEvent>(new_event(json!({ field: "one\ntwo" })))
                .await;
            refusal.blames(&[field]);
        }
    }
    let paragraphs = "one\r\n\r\ntwo\n\tthree";
    let detail = detail_of(&owner, json!({ "description": paragraphs })).await;
    assert_eq!(detail["description"], paragraphs);
}

async fn any_script_is_kept_as_it_was_written(api: Api) {
    let owner = api.owner(Plan::Business).await;
    for title in [
        "مهرجان الموسيقى",
        "\u{200f}שלום\u{200f} (C++)",
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} \u{1f3f3}\u{fe0f}\u{200d}\u{1f308}",
        "e\u{301}te\u{301} ≠ été",
        "<script>alert('x')</script>",
        "'; DROP TABLE events; --",
        "{title} %s $1 \\ \" /",
        "\u{10ffff}\u{fffd}\u{feff}",
    ] {
        let fields = json!({"title": title, "location": title, "city": title, "description": title, "is_public": true});
        let event = owner.create(fields).await;
        let detail = owner.detail(&event).await;
        let public = api
            .anyone()
            .ok::<GetEvent>(json!({"slug": event.slug}))
            .await;
        for field in ["title", "location", "city", "description"] {
            assert_eq!(detail[field], title);
            assert_eq!(public[field], title);
        }
    }
}

async fn capacity_is_1_to_10000(api: Api) {
    let owner = api.owner(Plan::Business).await;
    for capacity in [1, 2, 9_999, 10_000] {
        let event = owner.publish_new(json!({ "max_capacity": capacity })).await;
        assert_eq!(owner.detail(&event).await["max_capacity"], capacity);
        let public = api
            .anyone()
            .ok::<GetEvent>(json!({"slug": event.slug}))
            .await;
        assert_eq!(public["capacity"], capacity);
    }
    for capacity in [0, -1, 10_001, i32::MAX, i32::MIN] {
        let refusal = owner
            .refused::<CreateEvent>(new_event(json!({ "max_capacity": capacity })))
            .await;
        refusal.blames(&["max_capacity"]);
        assert!(refusal.message.contains("1 to 10000"), "{refusal:?}");
    }
}

async fn everything_wrong_is_said_at_once(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let wrong = new_event(json!({
        "title": "ab", "location": "", "max_capacity": 0, "city": "x".repeat(121),
        "custom_fields": [{"label": "", "field_type": "colour"}, {}],
    }));
    let refusal = owner.refused::<CreateEvent>(wrong).await;
    refusal.blames(&[
        "title",
        "location",
        "max_capacity",
        "city",
        "custom_fields[0].label",
        "custom_fields[0].field_type",
        "custom_fields[1].label",
        "custom_fields[1].field_type",
    ]);
}

tests::on_every_surface!(
    only_four_fields_are_required,
    the_answer_leads_to_the_event,
    texts_may_be_as_long_as_their_limits,
    texts_may_not_be_shorter_than_their_limits,
    blank_texts_are_refused,
    control_characters_are_refused_and_line_breaks_kept_in_descriptions,
    any_script_is_kept_as_it_was_written,
    capacity_is_1_to_10000,
    everything_wrong_is_said_at_once,
);
