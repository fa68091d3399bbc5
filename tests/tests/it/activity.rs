//! What happened on an account, as its owner reads it.

use std::{sync::Arc, time::Duration};

use domain::{plan::Plan, registration::Status, scope::Scope};
use http::StatusCode;
use muster_api::{
    Reason,
    v1::bindings::{
        ApproveRegistrations, CancelEvent, CheckInByCode, ListActivity, ListMyEvents, PublishEvent,
        RegisterAttendee, UpdateEvent,
    },
};
use serde_json::{Value, json};
use tests::{Api, Client, Surface, TestApp};

/// The sentences, latest first.
async fn told(client: &Client, query: Value) -> Vec<String> {
    let page = client.ok::<ListActivity>(query).await;
    let items = page["items"].as_array().unwrap().iter();
    items
        .map(|item| item["text"].as_str().unwrap().to_owned())
        .collect()
}

fn later(api: &Api) {
    api.advance(Duration::from_secs(1));
}

async fn each_entry_is_a_sentence_and_data(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    later(&api);
    let event = owner.create(json!({"requires_approval": true})).await;
    later(&api);
    owner.ok::<PublishEvent>(json!({"id": event.id})).await;
    later(&api);
    let asked = json!({"slug": event.slug, "name": "Zoë <b>", "email": "zoe@example.org"});
    api.anyone().ok::<RegisterAttendee>(asked).await;
    let zoe = api.registrations(&event.id).await.remove(0);
    later(&api);
    let approve = json!({"id": event.id, "registration_ids": [zoe.id.to_string()]});
    owner.ok::<ApproveRegistrations>(approve).await;
    later(&api);
    owner
        .ok::<CheckInByCode>(json!({"code": zoe.check_in_code.as_str()}))
        .await;
    later(&api);
    let change = json!({"id": event.id, "description": "x".repeat(500), "max_capacity": 7});
    owner.ok::<UpdateEvent>(change).await;
    later(&api);
    let cancel = json!({"id": event.id, "reason": "=Rain, again"});
    owner.ok::<CancelEvent>(cancel).await;

    let about_event = [
        "The key \"laptop\" of Olga Owner cancelled \"Rust Meetup\". Reason: =Rain, again",
        "The key \"laptop\" of Olga Owner changed description and max capacity of \"Rust Meetup\"",
        "The key \"laptop\" of Olga Owner checked Zoë <b> in at \"Rust Meetup\"",
        "The key \"laptop\" of Olga Owner approved the registration of Zoë <b> for \"Rust Meetup\": Confirmed",
        "Zoë <b> registered for \"Rust Meetup\": Pending",
        "The key \"laptop\" of Olga Owner published \"Rust Meetup\"",
        "The key \"laptop\" of Olga Owner created \"Rust Meetup\"",
    ];
    assert_eq!(
        told(&owner, json!({"event_id": event.id})).await,
        about_event
    );
    let all = told(&owner, json!({})).await;
    assert_eq!(all[..7], about_event);
    assert!(
        all.contains(&"The operator created the key \"laptop\"".to_owned()),
        "{all:?}"
    );

    let page = owner.ok::<ListActivity>(json!({"limit": 3})).await;
    let [cancelled, changed, checked_in] = [0, 1, 2].map(|index| page["items"][index].clone());
    assert_eq!(cancelled["at"], "2027-01-15T12:00:07Z");
    assert_eq!(cancelled["action"], "event.cancel");
    assert_eq!(
        (&cancelled["actor"], &cancelled["actor_name"]),
        (&json!("key"), &json!("laptop"))
    );
    assert_eq!(cancelled["event_id"], event.id);
    assert_eq!(cancelled["registration_id"], Value::Null);
    assert_eq!(cancelled["reason"], "=Rain, again");
    let expected = json!([
        {"field": "description", "before": "Two talks and an open table.", "after": "x".repeat(200)},
        {"field": "max_capacity", "before": "100", "after": "7"},
    ]);
    assert_eq!(changed["changes"], expected);
    assert_eq!(checked_in["registration_id"], zoe.id.to_string());
}

async fn entries_are_filtered_and_paged(api: Api) {
    let owner = api.owner(Plan::Premium).await;
    for number in 0..9 {
        later(&api);
        let title = if number % 3 == 0 { "Größe" } else { "Small" };
        owner
            .create(json!({"title": format!("{title} {number}")}))
            .await;
    }
    let query = json!({"q": "groSSe", "limit": 2});
    let mut asked = query.clone();
    let mut found = Vec::new();
    loop {
        let page = owner.ok::<ListActivity>(asked.clone()).await;
        let items = page["items"].as_array().unwrap().clone();
        assert!(items.len() <= 2);
        found.extend(
            items
                .iter()
                .map(|item| item["text"].as_str().unwrap().to_owned()),
        );
        if page["next_cursor"].is_null() {
            break;
        }
        asked["cursor"] = page["next_cursor"].clone();
    }
    let expected = [6, 3, 0]
        .map(|number| format!("The key \"laptop\" of Olga Owner created \"Größe {number}\""));
    assert_eq!(found, expected);
    let period = json!({"from": "2027-01-15T12:00:02Z", "to": "2027-01-15T12:00:04Z"});
    let expected =
        [2, 1].map(|number| format!("The key \"laptop\" of Olga Owner created \"Small {number}\""));
    assert_eq!(told(&owner, period).await, expected);
    assert_eq!(told(&owner, json!({"to": "2027-01-14"})).await, [""; 0]);
    for (query, blamed) in [
        (json!({"limit": 0}), "limit"),
        (json!({"limit": 201}), "limit"),
        (json!({"from": "yesterday"}), "from"),
        (json!({"cursor": "x"}), "cursor"),
    ] {
        owner.refused::<ListActivity>(query).await.blames(&[blamed]);
    }
}

async fn nobody_reads_the_activity_of_others(api: Api) {
    let (ada, bob) = (
        api.owner(Plan::Premium).await,
        api.owner(Plan::Premium).await,
    );
    let event = ada.publish_new(json!({})).await;
    let before = told(&bob, json!({})).await;
    assert!(
        !before.iter().any(|text| text.contains("Rust Meetup")),
        "{before:?}"
    );
    for id in [
        &*event.id,
        "no-uuid",
        "0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3d",
    ] {
        let refusal = bob.refused::<ListActivity>(json!({"event_id": id})).await;
        assert_eq!(refusal.reason, Reason::NotFound, "{id}");
    }
    let cursor = ada.ok::<ListActivity>(json!({"limit": 1})).await["next_cursor"].clone();
    assert!(cursor.is_string());
    let foreign = bob.refused::<ListActivity>(json!({"cursor": cursor})).await;
    foreign.blames(&["cursor"]);
    let elsewhere = ada.refused::<ListMyEvents>(json!({"cursor": cursor})).await;
    elsewhere.blames(&["cursor"]);
}

async fn on_plans_without_registrations_nobody_is_named(api: Api) {
    let owner = api.owner(Plan::Free).await;
    let event = owner.publish_new(json!({})).await;
    api.register(&event.id, &[Status::Confirmed]).await;
    later(&api);
    let asked = json!({"slug": event.slug, "name": "Grace", "email": "grace@example.org"});
    api.anyone().ok::<RegisterAttendee>(asked).await;
    let texts = told(&owner, json!({})).await;
    assert_eq!(
        texts[0],
        "An attendee registered for \"Rust Meetup\": Confirmed"
    );
    assert_eq!(told(&owner, json!({"q": "grace"})).await, [""; 0]);
}

/// The lines of the table without their quotes.
async fn table(app: &TestApp, key: &str, query: &str) -> Vec<Vec<String>> {
    let path = format!("/me/activity.csv{query}");
    let answer = app.http.get(&path).bearer(key).send().await;
    assert_eq!(answer.status, StatusCode::OK);
    let body = answer.body.strip_prefix("\u{feff}".as_bytes()).unwrap();
    let mut lines = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(body);
    let cells = |line: csv::StringRecord| line.iter().map(str::to_owned).collect();
    lines.records().map(|line| cells(line.unwrap())).collect()
}

async fn a_table_has_every_entry_that_the_filters_leave(app: Arc<TestApp>) {
    let account = app.account(Plan::Premium).await;
    let api = app.over(Surface::Http);
    let owner = api.as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    app.register(&event.id, &[Status::Pending; 200]).await;
    for half in app.registrations(&event.id).await.chunks(100) {
        later(&api);
        let ids: Vec<String> = half.iter().map(|one| one.id.to_string()).collect();
        let asked = json!({"id": event.id, "registration_ids": ids});
        owner.ok::<ApproveRegistrations>(asked).await;
    }
    // More than a piece of the file, and more than a page of the list.
    for number in 0..400 {
        later(&api);
        let title = format!("Title {number}");
        let changed = json!({"id": event.id, "title": title});
        owner.ok::<UpdateEvent>(changed).await;
    }
    later(&api);
    let reason = "=Rain; +1";
    owner
        .ok::<CancelEvent>(json!({"id": event.id, "reason": reason}))
        .await;

    later(&api);
    let lines = table(&app, &account.key, "").await;
    let columns = [
        "at",
        "actor",
        "actor_name",
        "action",
        "text",
        "event_id",
        "registration_id",
        "changes",
        "reason",
    ];
    assert_eq!(lines[0], columns);
    let mut listed = Vec::new();
    let mut query = json!({"limit": 200});
    loop {
        let page = owner.ok::<ListActivity>(query.clone()).await;
        listed.extend(page["items"].as_array().unwrap().clone());
        if page["next_cursor"].is_null() {
            break;
        }
        query["cursor"] = page["next_cursor"].clone();
    }
    assert!(listed.len() > 600, "{}", listed.len());
    assert_eq!(lines.len(), listed.len() + 1);
    for (line, item) in lines[1..].iter().zip(&listed) {
        let text = |field: &str| item[field].as_str().unwrap_or_default();
        for (cell, field) in line.iter().zip(columns).take(7) {
            assert_eq!(cell.replace("'+1", "+1"), text(field), "{field}");
        }
    }
    // The file has its own download.
    assert_eq!(lines[1][3], "account.export_activity");
    assert_eq!(lines[2][8], "'=Rain; '+1");
    assert_eq!(lines[3][7], "title: Title 398 -> Title 399");

    let found = table(&app, &account.key, "?q=never&from=2027-01-15").await;
    assert_eq!(found, lines[..1]);
    let found = table(
        &app,
        &account.key,
        &format!("?event_id={}&q=approved", event.id),
    )
    .await;
    assert_eq!(found.len(), 201);
}

async fn a_table_is_for_the_account_alone(app: Arc<TestApp>) {
    let (ada, bob) = (app.account(Plan::Free).await, app.account(Plan::Free).await);
    let api = app.over(Surface::Http);
    let event = api.as_owner(&ada).publish_new(json!({})).await;
    let asked = json!({"slug": event.slug, "name": "Grace", "email": "grace@example.org"});
    api.anyone().ok::<RegisterAttendee>(asked).await;
    let lines = table(&app, &ada.key, "").await;
    assert!(!format!("{lines:?}").contains("Grace"));
    let lines = table(&app, &bob.key, "").await;
    assert!(!format!("{lines:?}").contains("Rust Meetup"));
    let ask = async |query: &str, key: Option<&str>| {
        let request = app.http.get(&format!("/me/activity.csv{query}"));
        let request = match key {
            Some(key) => request.bearer(key),
            None => request,
        };
        request.send().await.refusal().reason
    };
    let foreign = format!("?event_id={}", event.id);
    assert_eq!(ask(&foreign, Some(&bob.key)).await, Reason::NotFound);
    assert_eq!(
        ask("?from=soon", Some(&bob.key)).await,
        Reason::InvalidRequest
    );
    assert_eq!(ask("", None).await, Reason::Unauthorized);
    let door = app.key_for(&ada, &[Scope::RegistrationsCheckIn]).await;
    assert_eq!(ask("", Some(&door)).await, Reason::InsufficientScope);
}

mod tables {
    use super::{a_table_has_every_entry_that_the_filters_leave, a_table_is_for_the_account_alone};

    tests::on_both_engines!(
        a_table_has_every_entry_that_the_filters_leave,
        a_table_is_for_the_account_alone,
    );
}

tests::on_every_surface!(
    each_entry_is_a_sentence_and_data,
    entries_are_filtered_and_paged,
    nobody_reads_the_activity_of_others,
    on_plans_without_registrations_nobody_is_named,
);
