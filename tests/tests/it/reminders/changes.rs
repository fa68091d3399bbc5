//! Whom reminders reach, and what changes of an event do to them.

use std::sync::Arc;

use muster_api::v1::bindings::{CancelEvent, PublishEvent, UnpublishEvent};
use serde_json::json;
use tests::TestApp;

use super::Scene;

async fn people_with_a_spot_get_it_once_with_their_ticket(app: Arc<TestApp>) {
    let one_spot = json!({"max_capacity": 1});
    let scene = Scene::set(app, one_spot, &["ada", "waiting"]).await;
    let left = scene.daily_mails_left().await;
    scene.pass_until("2027-01-19T17:59:59Z");
    assert_eq!(scene.reminded().await, [""; 0]);
    scene.pass_until("2027-01-19T18:00:00Z");
    let mails = scene.reminders().await;
    let [mail] = &mails[..] else {
        panic!("one person has a spot: {mails:?}");
    };
    assert_eq!(mail.to, "ada@example.org");
    assert_eq!(mail.subject, "Reminder: Rust Meetup");
    for part in [
        "Hello ada,",
        "Wednesday, 20 January 2027, 18:00 (UTC)",
        "c-base",
        "https://muster.example/check-in/",
        "Can't come? Free your spot:\nhttps://muster.example/registrations/",
        "No reminders for this event",
    ] {
        assert!(mail.text.contains(part), "{part}: {}", mail.text);
    }
    assert!(mail.html.contains("<img src=\"cid:"), "{}", mail.html);
    assert_eq!(mail.calendar, None, "their calendar has it already");
    let said = "A reminder was due for one person, 24 hours before \"Rust Meetup\"";
    let activity = scene.activity().await;
    assert!(
        activity.iter().any(|sentence| sentence == said),
        "{activity:?}"
    );
    assert_eq!(
        scene.daily_mails_left().await,
        left,
        "it is outside the quota"
    );
    scene.pass_until("2027-01-20T17:00:00Z");
    assert_eq!(scene.reminded().await, ["ada"]);
}

async fn two_reminders_are_two_mails(app: Arc<TestApp>) {
    let scene = Scene::set(app, json!({"reminders": [48, 2]}), &["ada"]).await;
    let expected = ["2027-01-18T18:00:00Z", "2027-01-20T16:00:00Z"];
    assert_eq!(scene.waiting().await, expected);
    scene.pass_until("2027-01-18T18:00:00Z");
    assert_eq!(scene.reminded().await, ["ada"]);
    scene.pass_until("2027-01-20T16:00:00Z");
    let mails = scene.reminders().await;
    assert_eq!(mails.len(), 2);
    assert_ne!(mails[0].id, mails[1].id);
    assert_eq!(scene.waiting().await, [""; 0]);
}

async fn someone_who_registered_less_than_two_hours_before_is_not_reminded(app: Arc<TestApp>) {
    let scene = Scene::set(app, json!({}), &[]).await;
    scene.pass_until("2027-01-19T16:00:00Z");
    scene.register("ada").await;
    scene.pass_until("2027-01-19T16:00:01Z");
    scene.register("bob").await;
    scene.pass_until("2027-01-19T18:00:00Z");
    assert_eq!(scene.reminded().await, ["ada"]);
}

async fn an_event_that_moves_takes_its_reminder_along(app: Arc<TestApp>) {
    let scene = Scene::set(app, json!({}), &["ada"]).await;
    assert_eq!(scene.waiting().await, ["2027-01-19T18:00:00Z"]);
    scene
        .change(json!({"start_date": "2027-01-25T18:00:00Z"}))
        .await;
    assert_eq!(scene.waiting().await, ["2027-01-24T18:00:00Z"]);
    scene.pass_until("2027-01-19T18:00:00Z");
    assert_eq!(scene.reminded().await, [""; 0]);
    // Other changes do not touch it.
    scene
        .change(json!({"title": "Rust Night", "location": "Hall"}))
        .await;
    scene.pass_until("2027-01-24T18:00:00Z");
    assert_eq!(scene.reminded().await, ["ada"]);
    // Moved again, it has another one.
    scene
        .change(json!({"start_date": "2027-01-27T18:00:00Z"}))
        .await;
    scene.pass_until("2027-01-26T18:00:00Z");
    assert_eq!(scene.reminded().await, ["ada", "ada"]);
}

async fn an_event_that_moves_across_its_reminder_has_none(app: Arc<TestApp>) {
    let scene = Scene::set(app, json!({"reminders": [24, 2]}), &["ada"]).await;
    scene.pass_until("2027-01-19T12:00:00Z");
    // A day before that is past already.
    scene
        .change(json!({"start_date": "2027-01-20T09:00:00Z"}))
        .await;
    assert_eq!(scene.waiting().await, ["2027-01-20T07:00:00Z"]);
    scene.pass_until("2027-01-20T06:59:59Z");
    assert_eq!(scene.reminded().await, [""; 0]);
    let detail = scene.owner.detail(&scene.event).await;
    assert_eq!(detail["reminders_missed"], json!([]));
    scene.pass_until("2027-01-20T07:00:00Z");
    assert_eq!(scene.reminded().await, ["ada"]);
}

async fn across_a_change_of_clocks_it_is_so_many_hours_before_the_local_start(app: Arc<TestApp>) {
    let in_berlin = json!({"start_date": "2027-03-27T20:00", "timezone": "Europe/Berlin"});
    let scene = Scene::set(app, in_berlin, &["ada"]).await;
    assert_eq!(scene.waiting().await, ["2027-03-26T19:00:00Z"]);
    // In the night before, clocks are put forward.
    scene
        .change(json!({"start_date": "2027-03-28T20:00"}))
        .await;
    assert_eq!(scene.waiting().await, ["2027-03-27T18:00:00Z"]);
    scene.pass_until("2027-03-27T18:00:00Z");
    let mails = scene.reminders().await;
    let expected = "Sunday, 28 March 2027, 20:00 (Berlin time)";
    assert!(mails[0].text.contains(expected), "{mails:?}");
}

async fn a_late_runner_keeps_a_reminder_that_a_change_does_not_move(app: Arc<TestApp>) {
    let scene = Scene::set(app, json!({}), &["ada"]).await;
    scene.pass_until("2027-01-19T20:00:00Z");
    scene.change(json!({"reminders": [24, 1]})).await;
    assert_eq!(scene.reminded().await, ["ada"]);
}

async fn a_draft_has_none_until_it_is_published(app: Arc<TestApp>) {
    let scene = Scene::set(app, json!({}), &["ada"]).await;
    let id = json!({"id": scene.event.id});
    scene.owner.ok::<UnpublishEvent>(id.clone()).await;
    assert_eq!(scene.waiting().await, [""; 0]);
    scene.change(json!({"reminders": [48]})).await;
    assert_eq!(scene.waiting().await, [""; 0]);
    scene.owner.ok::<PublishEvent>(id).await;
    assert_eq!(scene.waiting().await, ["2027-01-18T18:00:00Z"]);
}

async fn a_cancelled_event_has_none(app: Arc<TestApp>) {
    let scene = Scene::set(app, json!({}), &["ada"]).await;
    let id = json!({"id": scene.event.id});
    scene.owner.ok::<CancelEvent>(id).await;
    assert_eq!(scene.waiting().await, [""; 0]);
    scene.pass_until("2027-01-19T18:00:00Z");
    assert_eq!(scene.reminded().await, [""; 0]);
}

async fn what_is_taken_down_has_none_and_gets_them_back(app: Arc<TestApp>) {
    let scene = Scene::set(app, json!({}), &["ada"]).await;
    let unlisted = json!({"is_listed": false, "reminders": [48]});
    let other = Scene::set(Arc::clone(&scene.app), unlisted, &["bob"]).await;
    let suspensions = &scene.app.core.use_cases().suspensions;
    let (slug, day) = (&scene.event.slug, "2027-01-19T18:00:00Z");
    let both = ["2027-01-18T18:00:00Z", day];
    assert_eq!(scene.waiting().await, both);
    suspensions.hide(slug, true, None).await.unwrap();
    assert_eq!(scene.waiting().await, [both[0]]);
    suspensions.hide(slug, false, None).await.unwrap();
    assert_eq!(scene.waiting().await, both);
    suspensions.suspend(other.account.id, None).await.unwrap();
    assert_eq!(scene.waiting().await, [day]);
    suspensions.resume(other.account.id).await.unwrap();
    assert_eq!(scene.waiting().await, both);
    suspensions.suspend(scene.account.id, None).await.unwrap();
    scene.pass_until(day);
    assert_eq!(scene.reminded().await, ["bob"]);
    // Its time has passed.
    suspensions.resume(scene.account.id).await.unwrap();
    assert_eq!(scene.reminded().await, ["bob"]);
}

tests::on_both_engines!(
    people_with_a_spot_get_it_once_with_their_ticket,
    two_reminders_are_two_mails,
    someone_who_registered_less_than_two_hours_before_is_not_reminded,
    an_event_that_moves_takes_its_reminder_along,
    an_event_that_moves_across_its_reminder_has_none,
    across_a_change_of_clocks_it_is_so_many_hours_before_the_local_start,
    a_late_runner_keeps_a_reminder_that_a_change_does_not_move,
    a_draft_has_none_until_it_is_published,
    a_cancelled_event_has_none,
    what_is_taken_down_has_none_and_gets_them_back,
);
