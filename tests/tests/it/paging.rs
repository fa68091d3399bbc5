//! Searching the organizer's lists, and paging through them by cursor.

use std::time::Duration;

use domain::{plan::Plan, registration::Status};
use muster_api::{
    Reason,
    binding::Binding,
    v1::bindings::{
        AddRegistration, CancelRegistration, ListMyEvents, ListRegistrations, UpdateEvent,
    },
};
use serde_json::{Value, json};
use tests::{Api, Client, Created};

/// A field of all items, page by page, and the count that every page says.
async fn all_pages<B: Binding>(
    client: &Client,
    query: &Value,
    field: &str,
) -> (Vec<String>, Value) {
    let mut found = Vec::new();
    let mut asked = query.clone();
    loop {
        let mut page = client.ok::<B>(asked.clone()).await;
        let items = page["items"].as_array().unwrap().iter();
        found.extend(items.map(|item| item[field].as_str().unwrap().to_owned()));
        let count = page["count"].take();
        match page["next_cursor"].take() {
            Value::Null => return (found, count),
            cursor => asked["cursor"] = cursor,
        }
        assert!(found.len() < 1_000, "the pages never end");
    }
}

async fn names<B: Binding>(client: &Client, query: Value, field: &str) -> Vec<String> {
    all_pages::<B>(client, &query, field).await.0
}

async fn every_event_is_on_one_page(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let mut expected = Vec::new();
    for number in 0..7 {
        // Several begin at the same time.
        let start = format!("2027-03-{:02}T12:00:00Z", 20 - number / 3);
        let title = format!("Event {number}");
        expected.push(
            owner
                .create(json!({"title": title, "start_date": start}))
                .await
                .id,
        );
    }
    expected.sort();
    for (status, limit) in ["active", "all"]
        .into_iter()
        .flat_map(|status| [1, 2, 3, 7].map(|limit| (status, limit)))
    {
        let query = json!({"limit": limit, "status": status});
        let (mut found, count) = all_pages::<ListMyEvents>(&owner, &query, "id").await;
        assert_eq!((found.len(), count), (7, json!(7)), "{status} {limit}");
        found.sort();
        assert_eq!(found, expected, "{status} {limit}");
    }
    // What comes first meanwhile moves no later page.
    for (status, earlier) in [
        ("active", "2027-02-01T12:00:00Z"),
        ("all", "2027-04-01T12:00:00Z"),
    ] {
        let first = json!({"limit": 3, "status": status});
        let first = owner.ok::<ListMyEvents>(first).await;
        let count = first["count"].as_u64().unwrap();
        owner.create(json!({ "start_date": earlier })).await;
        let rest = json!({"limit": 100, "status": status, "cursor": first["next_cursor"]});
        let rest = owner.ok::<ListMyEvents>(rest).await;
        let left = rest["items"].as_array().unwrap().len();
        assert_eq!(left + 3, usize::try_from(count).unwrap(), "{status}");
        assert_eq!(rest["next_cursor"], Value::Null);
    }
}

async fn events_are_found_by_words_and_start(api: Api) {
    let owner = api.owner(Plan::Business).await;
    for (title, city, start) in [
        ("Rüstung & Größe", "Köln", "2027-03-01T00:30"),
        ("Rust night", "Berlin", "2027-03-02T23:30"),
        ("100% Tea_time", "berlin-mitte", "2027-03-03T12:00"),
    ] {
        let event =
            json!({"title": title, "city": city, "start_date": start, "timezone": "Asia/Tokyo"});
        owner.create(event).await;
    }
    let found = async |query: Value| names::<ListMyEvents>(&owner, query, "title").await;
    for (q, expected) in [
        ("rus", &["Rüstung & Größe", "Rust night"][..]),
        ("GROSSE", &["Rüstung & Größe"]),
        ("koln", &["Rüstung & Größe"]),
        ("Berlin", &["Rust night", "100% Tea_time"]),
        (
            "c-base",
            &["Rüstung & Größe", "Rust night", "100% Tea_time"],
        ),
        ("0%", &["100% Tea_time"]),
        ("a_t", &["100% Tea_time"]),
        ("' OR 1=1 --", &[]),
    ] {
        assert_eq!(found(json!({ "q": q })).await, expected, "{q}");
    }
    // Dates count where the event is: in UTC the first began the day before.
    let days = json!({"from": "2027-03-01", "to": "2027-03-02"});
    assert_eq!(found(days).await, ["Rüstung & Größe", "Rust night"]);
    let moments = json!({"from": "2027-02-28T16:00:00Z", "to": "2027-03-03T03:00:00Z"});
    assert_eq!(found(moments).await, ["Rust night"]);
    assert_eq!(
        found(json!({"q": "rus", "from": "2027-03-02"})).await,
        ["Rust night"]
    );
    for (query, blamed) in [
        (json!({"from": "soon"}), "from"),
        (json!({"to": "2027-03-01T12:00:00"}), "to"),
        (json!({"from": "2027-03-02", "to": "2027-03-01"}), "to"),
        (json!({"q": "\u{301}"}), "q"),
    ] {
        owner.refused::<ListMyEvents>(query).await.blames(&[blamed]);
    }
}

/// People with these names register, a minute apart.
async fn guests(api: &Api, owner: &Client, event: &Created, names: &[&str]) {
    for (number, name) in names.iter().enumerate() {
        let new =
            json!({"id": event.id, "name": name, "email": format!("mail{number}@example.org")});
        owner.ok::<AddRegistration>(new).await;
        api.advance(Duration::from_mins(1));
    }
}

async fn every_registration_is_on_one_page_and_offsets_go_on_working(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.publish_new(json!({})).await;
    api.register(&event.id, &[Status::Confirmed; 25]).await;
    let expected: Vec<String> = (1..=25).map(|number| format!("Guest {number}")).collect();
    for limit in [1, 7, 25, 200] {
        let query = json!({"id": event.id, "limit": limit});
        let pages = all_pages::<ListRegistrations>(&owner, &query, "name").await;
        assert_eq!(pages, (expected.clone(), json!(25)), "{limit}");
    }
    let page = json!({"id": event.id, "limit": 10, "offset": 10});
    let page = owner.ok::<ListRegistrations>(page).await;
    assert_eq!(page["items"][0]["name"], "Guest 11");
    // From there on by cursor. Whoever leaves does not move those who come after.
    let gone = json!({"id": event.id, "registration_id": page["items"][0]["id"]});
    owner.ok::<CancelRegistration>(gone).await;
    let rest = json!({"id": event.id, "cursor": page["next_cursor"]});
    assert_eq!(
        names::<ListRegistrations>(&owner, rest, "name").await,
        expected[20..]
    );
    let both = json!({"id": event.id, "offset": 1, "cursor": page["next_cursor"]});
    owner
        .refused::<ListRegistrations>(both)
        .await
        .blames(&["offset"]);
}

async fn people_are_found_by_three_letters(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.publish_new(json!({})).await;
    let people = [
        "Zoë Ångström",
        "Łukasz Żak",
        "ПЁТР",
        "O'Hara 100%",
        "<b>Ada</b>",
    ];
    guests(&api, &owner, &event, &people).await;
    let found = async |mut query: Value| {
        query["id"] = json!(event.id);
        names::<ListRegistrations>(&owner, query, "name").await
    };
    for (q, expected) in [
        ("zoe", &["Zoë Ångström"][..]),
        ("ANG", &["Zoë Ångström"]),
        ("luk", &["Łukasz Żak"]),
        ("петр", &["ПЁТР"]),
        ("il2@", &["ПЁТР"]),
        ("'Ha", &["O'Hara 100%"]),
        ("00%", &["O'Hara 100%"]),
        ("<b>", &["<b>Ada</b>"]),
        ("example.org", &people),
        ("a%b", &[]),
        ("___", &[]),
    ] {
        assert_eq!(found(json!({ "q": q })).await, expected, "{q}");
    }
    let limited = json!({"q": "example", "limit": 2});
    assert_eq!(found(limited).await, people);
    let between = json!({"from": "2027-01-15T12:01:00Z", "to": "2027-01-15T12:03:00Z"});
    assert_eq!(found(between).await, people[1..3]);
    assert_eq!(
        found(json!({"from": "2027-01-15", "to": "2027-01-15"})).await,
        people
    );
    assert_eq!(found(json!({"to": "2027-01-14"})).await, [""; 0]);
    let wrong = json!({"id": event.id, "from": "today"});
    owner
        .refused::<ListRegistrations>(wrong)
        .await
        .blames(&["from"]);
}

async fn a_cursor_is_for_its_own_list(api: Api) {
    let owner = api.owner(Plan::Business).await;
    let stranger = api.owner(Plan::Business).await;
    let event = owner.publish_new(json!({})).await;
    let other = owner.publish_new(json!({})).await;
    for event in [&event, &other] {
        api.register(&event.id, &[Status::Confirmed; 3]).await;
    }
    for _ in 0..2 {
        stranger.create(json!({})).await;
    }
    let events = owner.ok::<ListMyEvents>(json!({"limit": 1})).await["next_cursor"].clone();
    let people = json!({"id": event.id, "limit": 1});
    let people = owner.ok::<ListRegistrations>(people).await["next_cursor"].clone();
    let forged = events.as_str().unwrap().replace(['1', '2'], "3");
    for cursor in [&people, &json!(forged), &json!("x"), &json!("0".repeat(64))] {
        let refusal = owner
            .refused::<ListMyEvents>(json!({ "cursor": cursor }))
            .await;
        assert_eq!(refusal.reason, Reason::InvalidRequest);
        refusal.blames(&["cursor"]);
    }
    let filtered = json!({"cursor": events, "status": "all"});
    owner
        .refused::<ListMyEvents>(filtered)
        .await
        .blames(&["cursor"]);
    let foreign = stranger
        .refused::<ListMyEvents>(json!({"cursor": events}))
        .await;
    foreign.blames(&["cursor"]);
    for (event, cursor) in [(&event, &events), (&other, &people)] {
        let query = json!({"id": event.id, "cursor": cursor});
        owner
            .refused::<ListRegistrations>(query)
            .await
            .blames(&["cursor"]);
    }
    // Another page size is the same list.
    let rest = json!({"id": event.id, "cursor": people, "limit": 2});
    assert_eq!(
        names::<ListRegistrations>(&owner, rest, "name").await.len(),
        2
    );
}

async fn what_is_edited_is_found_as_it_is_now(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    let event = owner.create(json!({"title": "Before"})).await;
    owner
        .ok::<UpdateEvent>(json!({"id": event.id, "title": "Afterwards"}))
        .await;
    let found = async |q: &str| names::<ListMyEvents>(&owner, json!({ "q": q }), "id").await;
    assert_eq!(found("before").await, [""; 0]);
    assert_eq!(found("after").await, std::slice::from_ref(&event.id));
}

tests::on_every_surface!(
    every_event_is_on_one_page,
    events_are_found_by_words_and_start,
    every_registration_is_on_one_page_and_offsets_go_on_working,
    people_are_found_by_three_letters,
    a_cursor_is_for_its_own_list,
    what_is_edited_is_found_as_it_is_now,
);
