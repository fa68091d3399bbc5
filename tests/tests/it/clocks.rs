//! A newer time zone database moves clocks: the local time of events stays, since that is what people were told (rule 1 of docs/rules.md).

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use muster_api::v1::bindings::{GetEvent, RegisterAttendee};
use serde_json::json;
use tests::{Account, Client, Created, Mail, Surface, TestApp};

/// An event in Berlin with a guest, whose mails are sent.
async fn with_guest(app: &Arc<TestApp>) -> (Account, Client, Created) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = json!({
        "title": "Rust Night", "start_date": "2027-05-01T18:00", "end_date": "2027-05-01T20:00", "timezone": "Europe/Berlin",
    });
    let event = owner.publish_new(event).await;
    let guest = json!({"slug": event.slug, "name": "Ada", "email": "ada@example.org"});
    let anyone = app.over(Surface::Http).anyone();
    anyone.ok::<RegisterAttendee>(guest).await;
    app.drain_jobs().await;
    (account, owner, event)
}

/// The mails that maintenance brings about.
async fn maintained(app: &TestApp) -> Vec<Mail> {
    let all = || [app.mails(), app.notices()].concat();
    let before: Vec<String> = all().into_iter().map(|mail| mail.id).collect();
    app.maintain().await;
    app.drain_jobs().await;
    let mut mails = all();
    mails.retain(|mail| !before.contains(&mail.id));
    mails
}

/// The same wall time an hour earlier, as an old release without this change of clocks has it.
const EARLIER: &str = "events SET start_at = start_at - 3600000000, end_at = end_at - 3600000000, \
    effective_end = effective_end - 3600000000, published_start = published_start - 3600000000, zone_release = '2020a'";

async fn an_event_keeps_its_local_time_and_its_organizers_are_told(app: Arc<TestApp>) {
    let (account, owner, event) = with_guest(&app).await;
    app.update(EARLIER, &event.id).await;
    app.advance(Duration::from_secs(1));
    let mails = maintained(&app).await;
    let to: Vec<_> = mails.iter().map(|mail| &*mail.to).collect();
    assert_eq!(to, [&*account.email]);
    let text = &mails[0].text;
    assert!(
        mails[0].subject.contains("New rules for the clocks"),
        "{mails:?}"
    );
    assert!(
        text.contains("Saturday, 1 May 2027, 18:00 (Europe/Berlin)"),
        "{text}"
    );
    assert!(text.contains("16:00 UTC"), "{text}");

    let detail = owner.detail(&event).await;
    assert_eq!(detail["start_date"], "2027-05-01T18:00:00+02:00");
    assert_eq!(detail["end_date"], "2027-05-01T20:00:00+02:00");
    let listed = app.over(Surface::Http).anyone();
    let listed = listed.ok::<GetEvent>(json!({"slug": event.slug})).await;
    assert_eq!(listed["start_date"], "2027-05-01T18:00:00+02:00");
    let path = format!("/events/{}", event.slug);
    let page = app.site.page(&path).send().await;
    assert!(
        !page.html(200).contains("17:00"),
        "it was not moved for its guests"
    );
    let file = app.site.page(&format!("{path}/event.ics")).send().await;
    let file = String::from_utf8(file.body.to_vec()).unwrap();
    assert!(file.contains("SEQUENCE:1\r\n"), "{file}");
    assert!(
        file.contains("DTSTART;TZID=Europe/Berlin:20270501T180000"),
        "{file}"
    );
    let trail = app.audit(&event.id).await;
    let last = trail.last().unwrap();
    assert_eq!(
        (&*last.action, &*last.actor),
        ("event.move_clocks", "system")
    );
    assert_eq!(maintained(&app).await, []);
}

async fn a_time_that_clocks_skip_stays_and_its_organizers_are_told_once(app: Arc<TestApp>) {
    let (account, owner, event) = with_guest(&app).await;
    // 01:30 UTC, at which a release without this change of clocks has 02:30.
    let skipped = "events SET start_local = '2027-03-28T02:30:00', start_at = 1806197400000000, effective_end = 1806197400000000, \
        published_start = 1806197400000000, end_at = NULL, end_local = NULL, zone_release = '2020a'";
    app.update(skipped, &event.id).await;
    let before = owner.detail(&event).await;
    let mails = maintained(&app).await;
    let to: Vec<_> = mails.iter().map(|mail| &*mail.to).collect();
    assert_eq!(to, [&*account.email]);
    assert!(mails[0].subject.contains("needs another time"), "{mails:?}");
    assert_eq!(owner.detail(&event).await, before);
    assert_eq!(maintained(&app).await, []);
}

async fn events_whose_clocks_are_right_stay_as_they_are(app: Arc<TestApp>) {
    let (_, owner, event) = with_guest(&app).await;
    // As every event that was stored before releases were.
    app.update("events SET zone_release = ''", &event.id).await;
    let before = owner.detail(&event).await;
    assert_eq!(maintained(&app).await, []);
    assert_eq!(owner.detail(&event).await, before);
}

async fn an_event_that_cannot_be_read_does_not_keep_the_others(app: Arc<TestApp>) {
    let (_, _, broken) = with_guest(&app).await;
    let (_, _, timeless) = with_guest(&app).await;
    let (_, owner, event) = with_guest(&app).await;
    for id in [&broken.id, &timeless.id, &event.id] {
        app.update(EARLIER, id).await;
    }
    app.update("events SET custom_fields = 'no JSON'", &broken.id)
        .await;
    app.update("events SET start_local = 'never'", &timeless.id)
        .await;
    app.maintain().await;
    let detail = owner.detail(&event).await;
    assert_eq!(detail["start_date"], "2027-05-01T18:00:00+02:00");
}

tests::on_both_engines!(
    an_event_keeps_its_local_time_and_its_organizers_are_told,
    a_time_that_clocks_skip_stays_and_its_organizers_are_told_once,
    events_whose_clocks_are_right_stay_as_they_are,
    an_event_that_cannot_be_read_does_not_keep_the_others,
);
