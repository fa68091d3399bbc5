//! Reminders whose time has come: between scheduling and sending, and when nobody was able to send them.

use std::sync::Arc;

use muster_api::v1::bindings::{
    CancelEvent, CancelRegistration, ListEventMails, ListRegistrations, UnpublishEvent,
};
use serde_json::{Value, json};
use tests::{Browser, TestApp};

use super::Scene;

/// The moment at which the reminder of a day is due.
const DUE: &str = "2027-01-19T18:00:00Z";

/// A guest whose reminder is scheduled and not sent yet.
async fn scheduled(app: Arc<TestApp>) -> Scene {
    let scene = Scene::set(app, json!({}), &["ada"]).await;
    scene.hold_mails().await;
    scene.pass_until(DUE);
    assert_eq!(scene.scheduled().await, 1);
    scene
}

async fn what_is_scheduled_is_sent_if_nothing_happens(app: Arc<TestApp>) {
    let scene = scheduled(app).await;
    scene.release_mails().await;
    assert_eq!(scene.reminded().await, ["ada"]);
    assert_eq!(scene.scheduled().await, 0);
}

async fn an_event_cancelled_between_scheduling_and_sending_sends_none(app: Arc<TestApp>) {
    let scene = scheduled(app).await;
    let id = json!({"id": scene.event.id});
    scene.owner.ok::<CancelEvent>(id).await;
    scene.release_mails().await;
    assert_eq!(scene.reminded().await, [""; 0]);
    let mails = scene.app.mails();
    let is_told = mails
        .iter()
        .any(|mail| mail.subject.starts_with("Cancelled"));
    assert!(is_told, "{mails:?}");
}

async fn an_event_unpublished_or_moved_meanwhile_sends_none(app: Arc<TestApp>) {
    let scene = scheduled(Arc::clone(&app)).await;
    let id = json!({"id": scene.event.id});
    scene.owner.ok::<UnpublishEvent>(id).await;
    scene.release_mails().await;
    assert_eq!(scene.reminded().await, [""; 0]);

    let scene = Scene::set(app, json!({"start_date": "2027-01-21T18:00:00Z"}), &["bob"]).await;
    scene.hold_mails().await;
    scene.pass_until("2027-01-20T18:00:00Z");
    assert_eq!(scene.scheduled().await, 1);
    scene
        .change(json!({"start_date": "2027-01-21T19:00:00Z"}))
        .await;
    scene.release_mails().await;
    // It has a reminder of its own.
    assert_eq!(scene.reminded().await, [""; 0]);
    scene.pass_until("2027-01-20T19:00:00Z");
    assert_eq!(scene.reminded().await, ["bob"]);
}

async fn someone_who_cancelled_meanwhile_gets_none(app: Arc<TestApp>) {
    let scene = scheduled(app).await;
    let listed = json!({"id": scene.event.id});
    let listed = scene.owner.ok::<ListRegistrations>(listed).await;
    let own = json!({"id": scene.event.id, "registration_id": listed["items"][0]["id"]});
    scene.owner.ok::<CancelRegistration>(own).await;
    scene.release_mails().await;
    assert_eq!(scene.reminded().await, [""; 0]);
}

async fn a_hidden_event_sends_none_until_it_is_shown_again(app: Arc<TestApp>) {
    let scene = scheduled(app).await;
    let suspensions = &scene.app.core.use_cases().suspensions;
    let slug = &scene.event.slug;
    suspensions.hide(slug, true, None).await.unwrap();
    scene.release_mails().await;
    assert_eq!(scene.reminded().await, [""; 0]);
    suspensions.hide(slug, false, None).await.unwrap();
    assert_eq!(scene.reminded().await, ["ada"]);
}

async fn a_mail_that_waited_until_shortly_before_the_start_is_not_sent(app: Arc<TestApp>) {
    let scene = scheduled(app).await;
    scene.pass_until("2027-01-20T17:30:01Z");
    scene.release_mails().await;
    assert_eq!(scene.reminded().await, [""; 0]);
    // That is said, and that nobody got it.
    let mails = json!({"id": scene.event.id});
    let mails = scene.owner.ok::<ListEventMails>(mails).await;
    let of_reminder = mails["numbers"].as_array().unwrap().iter();
    let of_reminder = of_reminder.filter(|one| one["kind"] == "reminder");
    let states: Vec<_> = of_reminder
        .map(|one| (one["handed_over"].clone(), one["withheld"].clone()))
        .collect();
    assert_eq!(states, [(json!(0), json!(1))]);
    let page = overview(&scene).await;
    assert!(page.contains("Not sent"), "{page}");
    let activity = scene.activity().await;
    let said = "A reminder was due for one person, 24 hours before \"Rust Meetup\"";
    assert!(activity.iter().any(|one| one == said), "{activity:?}");
}

async fn a_late_runner_sends_up_to_an_hour_before_the_start(app: Arc<TestApp>) {
    let scene = Scene::set(app, json!({"reminders": [24, 1]}), &["ada"]).await;
    scene.pass_until("2027-01-20T17:00:00Z");
    // Both are due, and neither is too late.
    assert_eq!(scene.reminded().await, ["ada", "ada"]);
    let detail = scene.owner.detail(&scene.event).await;
    assert_eq!(detail["reminders_missed"], json!([]));
}

async fn what_is_missed_is_said_on_the_events_page_and_in_the_activity(app: Arc<TestApp>) {
    let scene = Scene::set(app, json!({"reminders": [24, 1]}), &["ada"]).await;
    scene.pass_until("2027-01-20T17:30:00Z");
    // That of an hour may be half an hour late.
    assert_eq!(scene.reminded().await, ["ada"]);
    let detail = scene.owner.detail(&scene.event).await;
    assert_eq!(detail["reminders_missed"], json!([24]));
    let said = "The reminder 24 hours before \"Rust Meetup\" was not sent: this server was not able to in time";
    let activity = scene.activity().await;
    assert!(
        activity.iter().any(|sentence| sentence == said),
        "{activity:?}"
    );

    let page = overview(&scene).await;
    assert!(
        page.contains("A reminder was not sent: 1 day before."),
        "{page}"
    );
    // What is missed of a start is not missed of another one.
    let moved = scene
        .change(json!({"start_date": "2027-01-25T18:00:00Z"}))
        .await;
    assert_eq!(moved["reminders_missed"], json!([]));
    let page = overview(&scene).await;
    assert!(!page.contains("was not sent"), "{page}");
}

async fn where_nobody_would_get_it_nothing_is_missed(app: Arc<TestApp>) {
    let scene = Scene::set(app, json!({}), &[]).await;
    scene.pass_until("2027-01-20T17:30:00Z");
    assert_eq!(scene.reminded().await, [""; 0]);
    let detail = scene.owner.detail(&scene.event).await;
    assert_eq!(detail["reminders_missed"], Value::from(Vec::<i32>::new()));
}

/// The event's page in the dashboard.
async fn overview(scene: &Scene) -> String {
    let browser = Browser::signed_in(&scene.app, &scene.account.email).await;
    let path = format!("/dashboard/events/{}", scene.event.id);
    browser.page(&path).await.html(200).to_owned()
}

tests::on_both_engines!(
    what_is_scheduled_is_sent_if_nothing_happens,
    an_event_cancelled_between_scheduling_and_sending_sends_none,
    an_event_unpublished_or_moved_meanwhile_sends_none,
    someone_who_cancelled_meanwhile_gets_none,
    a_hidden_event_sends_none_until_it_is_shown_again,
    a_mail_that_waited_until_shortly_before_the_start_is_not_sent,
    a_late_runner_sends_up_to_an_hour_before_the_start,
    what_is_missed_is_said_on_the_events_page_and_in_the_activity,
    where_nobody_would_get_it_nothing_is_missed,
);
