//! When the public can register: not before it opens, not after it closes, and not while the organizer has closed it.

use std::{sync::Arc, time::Duration};

use domain::{clock::Clock, instant::Instant, plan::Plan, registration::Status};
use muster_api::{
    Reason,
    v1::bindings::{
        AddRegistration, CancelRegistration, CloneEvent, CreateEvent, GetEvent, ListRegistrations,
        PublishEvent, RegisterAttendee, UpdateEvent,
    },
};
use serde_json::{Value, json};
use tests::{Api, Client, Created, Refusal, Surface, TestApp, new_event};

fn person(event: &Created, name: &str) -> Value {
    json!({"slug": event.slug, "name": name, "email": format!("{name}@example.org")})
}

fn added(event: &Created, name: &str) -> Value {
    json!({"id": event.id, "name": name, "email": format!("{name}@example.org")})
}

/// A moment, as events in UTC have it.
fn after(app: &TestApp, hours: i64) -> String {
    app.clock.now().plus_seconds(hours * 3_600).to_string()
}

async fn registers(client: &Client, event: &Created, name: &str) {
    client.ok::<RegisterAttendee>(person(event, name)).await;
}

async fn is_refused(client: &Client, event: &Created, name: &str) -> Refusal {
    client
        .refused::<RegisterAttendee>(person(event, name))
        .await
}

/// Checks a refusal and its cause. The text of a tool is the cause alone.
#[track_caller]
fn is_because(refusal: &Refusal, reason: Reason, (field, value): (&str, &str)) {
    assert_eq!(refusal.reason, reason, "{refusal:?}");
    if let [cause] = &*refusal.details {
        assert_eq!(cause.field, field);
        assert_eq!(cause.message, format!("is {value}"));
    } else {
        assert_eq!(refusal.message, format!("{field} is {value}"));
    }
    if value != "false" {
        assert!(refusal.message.contains(value), "{refusal:?}");
    }
}

async fn people_register_between_the_two_times_and_organizers_add_them_always(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let anyone = api.anyone();
    let (opens, closes) = (after(&api, 1), after(&api, 3));
    let event = owner
        .publish_new(json!({
            "start_date": after(&api, 5), "registration_opens": opens, "registration_closes": closes,
        }))
        .await;
    let early = is_refused(&anyone, &event, "ada").await;
    let cause = ("registration_opens", &*opens);
    is_because(&early, Reason::RegistrationNotOpen, cause);
    owner.ok::<AddRegistration>(added(&event, "eve")).await;
    let shown = anyone.ok::<GetEvent>(json!({"slug": event.slug})).await;
    assert_eq!(shown["registration_opens"], opens);
    assert_eq!(shown["registration_closes"], closes);
    assert_eq!(shown["is_registration_open"], true);
    assert_eq!(owner.detail(&event).await["is_registration_ahead"], true);

    api.advance(Duration::from_hours(1));
    registers(&anyone, &event, "ada").await;

    api.advance(Duration::from_hours(2));
    let late = is_refused(&anyone, &event, "cleo").await;
    let cause = ("registration_closes", &*closes);
    is_because(&late, Reason::RegistrationClosed, cause);
    let again = is_refused(&anyone, &event, "ada").await;
    assert_eq!(again.reason, late.reason, "nobody learns who is registered");
    owner.ok::<AddRegistration>(added(&event, "dan")).await;
    assert_eq!(owner.detail(&event).await["is_registration_closed"], true);
}

async fn an_organizer_closes_registration_by_hand_and_opens_it_again(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let anyone = api.anyone();
    let event = owner.publish_new(json!({})).await;
    let by_hand = |is_open: Value| json!({"id": event.id, "is_registration_open": is_open});
    let closed = owner.ok::<UpdateEvent>(by_hand(json!(false))).await;
    assert_eq!(closed["is_registration_open"], false);
    assert_eq!(closed["version"], 2);
    let refusal = is_refused(&anyone, &event, "ada").await;
    let cause = ("is_registration_open", "false");
    is_because(&refusal, Reason::RegistrationClosed, cause);
    owner.ok::<AddRegistration>(added(&event, "eve")).await;
    owner.ok::<UpdateEvent>(by_hand(json!(true))).await;
    registers(&anyone, &event, "ada").await;
}

async fn without_times_people_register_until_the_event_starts(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let anyone = api.anyone();
    let start = after(&api, 1);
    let times = json!({"start_date": start, "end_date": after(&api, 3)});
    let event = owner.publish_new(times).await;
    registers(&anyone, &event, "ada").await;
    api.advance(Duration::from_hours(1));
    let refusal = is_refused(&anyone, &event, "bob").await;
    let cause = ("registration_closes", &*start);
    is_because(&refusal, Reason::RegistrationClosed, cause);
    assert_eq!(owner.detail(&event).await["is_registration_closed"], true);
    owner.ok::<AddRegistration>(added(&event, "bob")).await;
    let closes = json!({"id": event.id, "registration_closes": after(&api, 1)});
    owner.ok::<UpdateEvent>(closes).await;
    registers(&anyone, &event, "cleo").await;
    api.advance(Duration::from_hours(2));
    let refusal = is_refused(&anyone, &event, "dan").await;
    assert_eq!(refusal.reason, Reason::EventEnded);
}

async fn nobody_joins_a_waitlist_that_is_closed_and_it_still_moves_on(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let anyone = api.anyone();
    let event = owner
        .publish_new(json!({"start_date": after(&api, 5), "max_capacity": 1}))
        .await;
    for name in ["ada", "bob", "cleo"] {
        registers(&anyone, &event, name).await;
    }
    let closes = json!({"id": event.id, "registration_closes": after(&api, 1)});
    owner.ok::<UpdateEvent>(closes).await;
    api.advance(Duration::from_hours(1));
    let refusal = is_refused(&anyone, &event, "dan").await;
    assert_eq!(refusal.reason, Reason::RegistrationClosed);
    let listed = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    let first = &listed["items"][0]["id"];
    let cancel = json!({"id": event.id, "registration_id": first});
    owner.ok::<CancelRegistration>(cancel).await;
    let more = json!({"id": event.id, "max_capacity": 2});
    owner.ok::<UpdateEvent>(more).await;
    let people = api.registrations(&event.id).await;
    let statuses: Vec<Status> = people.iter().map(|one| one.status).collect();
    let expected = [Status::Cancelled, Status::Confirmed, Status::Confirmed];
    assert_eq!(statuses, expected);
}

async fn times_out_of_order_are_refused(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let refused = async |fields: Value| owner.refused::<CreateEvent>(new_event(fields)).await;
    let reversed = json!({
        "start_date": after(&api, 5), "registration_opens": after(&api, 3), "registration_closes": after(&api, 3),
    });
    refused(reversed).await.blames(&["registration_closes"]);
    let late = json!({
        "start_date": after(&api, 5), "end_date": after(&api, 6),
        "registration_opens": after(&api, 6), "registration_closes": after(&api, 7),
    });
    let both = ["registration_opens", "registration_closes"];
    refused(late).await.blames(&both);
    let never_open = json!({
        "start_date": after(&api, 5), "end_date": after(&api, 7), "registration_opens": after(&api, 6),
    });
    refused(never_open).await.blames(&["registration_opens"]);
    let unreadable = json!({"registration_opens": "2027-04-01", "registration_closes": "soon"});
    refused(unreadable).await.blames(&both);
}

async fn an_event_does_not_move_before_the_end_of_its_registration(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let closes = after(&api, 48);
    let event = owner
        .publish_new(json!({
            "start_date": after(&api, 50), "end_date": after(&api, 52), "registration_closes": closes,
        }))
        .await;
    let moved = |start, end| json!({"id": event.id, "start_date": after(&api, start), "end_date": after(&api, end)});
    let later = owner.ok::<UpdateEvent>(moved(100, 102)).await;
    assert_eq!(later["registration_closes"], closes, "it stays");
    let refusal = owner.refused::<UpdateEvent>(moved(40, 42)).await;
    refusal.blames(&["registration_closes"]);
    let message = &refusal.details[0].message;
    assert!(
        message.contains(&after(&api, 42)) && message.ends_with("or null"),
        "{message}"
    );
    let mut with_it = moved(40, 42);
    with_it["registration_closes"] = json!(after(&api, 30));
    let earlier = owner.ok::<UpdateEvent>(with_it).await;
    assert_eq!(earlier["registration_closes"], after(&api, 30));
}

async fn times_are_wall_time_in_the_zone_of_the_event(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = owner
        .create(json!({
            "start_date": "2027-05-01T18:00", "timezone": "Europe/Berlin",
            "registration_opens": "2027-03-01T09:00", "registration_closes": "2027-04-30T12:00:00Z",
        }))
        .await;
    let detail = owner.detail(&event).await;
    // Before and after the clocks are put forward.
    assert_eq!(detail["registration_opens"], "2027-03-01T09:00:00+01:00");
    assert_eq!(detail["registration_closes"], "2027-04-30T14:00:00+02:00");
    let zone = json!({"id": event.id, "timezone": "America/New_York"});
    let moved = owner.ok::<UpdateEvent>(zone).await;
    assert_eq!(moved["registration_opens"], "2027-03-01T09:00:00-05:00");
    assert_eq!(moved["registration_closes"], "2027-04-30T14:00:00-04:00");
    let skipped = json!({"id": event.id, "registration_opens": "2027-03-14T02:30"});
    let refusal = owner.refused::<UpdateEvent>(skipped).await;
    refusal.blames(&["registration_opens"]);
}

async fn a_copy_is_open_and_has_only_the_times_that_are_ahead(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let (opens, closes) = (after(&api, 1), after(&api, 3));
    let event = owner
        .create(json!({
            "start_date": after(&api, 5), "registration_opens": opens, "registration_closes": closes,
            "is_registration_open": false,
        }))
        .await;
    let copied = async || {
        let copy = owner.ok::<CloneEvent>(json!({"id": event.id})).await;
        Created {
            id: copy["id"].as_str().unwrap().to_owned(),
            slug: copy["slug"].as_str().unwrap().to_owned(),
        }
    };
    let detail = owner.detail(&copied().await).await;
    assert_eq!(detail["registration_opens"], opens);
    assert_eq!(detail["registration_closes"], closes);
    assert_eq!(detail["is_registration_open"], true);
    api.advance(Duration::from_hours(4));
    let copy = copied().await;
    let detail = owner.detail(&copy).await;
    assert_eq!(detail["registration_opens"], Value::Null);
    assert_eq!(detail["registration_closes"], Value::Null);
    owner.ok::<PublishEvent>(json!({"id": copy.id})).await;
    registers(&api.anyone(), &copy, "ada").await;
}

async fn a_list_is_brought_in_while_registration_is_closed(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner
        .publish_new(json!({"is_registration_open": false}))
        .await;
    let path = format!("/api/v1/me/events/{}/registrations/import", event.id);
    let request = app.http.request(http::Method::POST, &path);
    let request = request
        .bearer(&account.key)
        .header("content-type", "text/csv");
    let reply = request
        .body("name,email\nAda,ada@example.org\n")
        .send()
        .await;
    assert_eq!(reply.json()["added"], 1, "{reply:?}");
}

async fn newer_clocks_leave_the_wall_time_of_registration(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner
        .publish_new(json!({
            "start_date": "2027-05-01T18:00", "timezone": "Europe/Berlin",
            "registration_opens": "2027-04-01T09:00", "registration_closes": "2027-04-30T20:00",
        }))
        .await;
    let before = owner.detail(&event).await;
    let hour_off = "events SET registration_opens_at = registration_opens_at + 3600000000, zone_release = '2020a'";
    app.update(hour_off, &event.id).await;
    assert_ne!(
        owner.detail(&event).await["registration_opens"],
        before["registration_opens"]
    );
    app.maintain().await;
    app.drain_jobs().await;
    let followed = owner.detail(&event).await;
    for field in ["registration_opens", "registration_closes", "start_date"] {
        assert_eq!(followed[field], before[field]);
    }
    assert_eq!(followed["version"], 2);
    assert!(app.notices().is_empty(), "the event is at the same moment");
}

async fn registration_that_was_open_until_the_end_is_so_after_the_upgrade(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    // Migrations go by the clock of the database.
    let now = Clock::system().now().micros() / 1_000_000 * 1_000_000;
    let at = |hours: i64| Instant::from_micros(now).plus_seconds(hours * 3_600);
    let stored = |name: &str, hours: i64| {
        let (micros, text) = (at(hours).micros(), at(hours).to_string());
        let local = text.trim_end_matches('Z');
        format!("{name}_at = {micros}, {name}_local = '{local}'")
    };
    let none = "end_at = NULL, end_local = NULL".to_owned();
    for (start, end, opens, expected) in [
        (-1, Some(2), None, Some(2)),
        (-1, None, None, Some(2)),
        (-4, None, None, None),
        (-4, Some(-1), None, None),
        (1, Some(2), None, None),
        (1, Some(4), Some(2), Some(4)),
        (1, None, Some(1), Some(4)),
    ] {
        let event = owner.publish_new(json!({})).await;
        let end = end.map_or_else(|| none.clone(), |end| stored("end", end));
        let opens = opens.map(|opens| format!(", {}", stored("registration_opens", opens)));
        let times = format!(
            "{}, {end}{}",
            stored("start", start),
            opens.unwrap_or_default()
        );
        let change = format!("events SET timezone = 'UTC', {times}");
        app.update(&change, &event.id).await;
        app.migrate_again(92).await;
        let found = owner.detail(&event).await["registration_closes"].clone();
        let expected = expected.map(|hours| json!(at(hours).to_string()));
        assert_eq!(found, expected.unwrap_or_default(), "{times}");
    }
}

mod by_database {
    use super::{
        a_list_is_brought_in_while_registration_is_closed,
        newer_clocks_leave_the_wall_time_of_registration,
        registration_that_was_open_until_the_end_is_so_after_the_upgrade,
    };

    tests::on_both_engines!(
        a_list_is_brought_in_while_registration_is_closed,
        newer_clocks_leave_the_wall_time_of_registration,
        registration_that_was_open_until_the_end_is_so_after_the_upgrade,
    );
}

tests::on_every_surface!(
    people_register_between_the_two_times_and_organizers_add_them_always,
    an_organizer_closes_registration_by_hand_and_opens_it_again,
    without_times_people_register_until_the_event_starts,
    nobody_joins_a_waitlist_that_is_closed_and_it_still_moves_on,
    times_out_of_order_are_refused,
    an_event_does_not_move_before_the_end_of_its_registration,
    times_are_wall_time_in_the_zone_of_the_event,
    a_copy_is_open_and_has_only_the_times_that_are_ahead,
);
