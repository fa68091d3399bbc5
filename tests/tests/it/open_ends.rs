//! Events without an end: the contract ends them when they start, the people there do not (rule 2 of docs/rules.md).

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use muster_api::{
    Reason,
    v1::bindings::{
        AddRegistration, CancelEvent, CheckIn, GetEvent, ListMyEvents, RegisterAttendee,
    },
};
use serde_json::{Value, json};
use tests::{Api, Client, Created, Surface, TestApp};

const HOUR: Duration = Duration::from_hours(1);

/// An hour after the test begins: 14:00 in Berlin.
const START: &str = "2027-01-15T14:00";

async fn begun(api: &Api, start: &str) -> (Client, Created) {
    let owner = api.owner(Plan::Pro).await;
    let closes = format!("{}T23:59", start.split('T').next().unwrap());
    let event = json!({
        "start_date": start, "timezone": "Europe/Berlin", "registration_closes": closes,
    });
    let event = owner.publish_new(event).await;
    api.advance(HOUR);
    (owner, event)
}

async fn add(owner: &Client, event: &Created, name: &str) -> Result<Value, tests::Refusal> {
    let email = format!("{name}@example.org");
    let guest = json!({"id": event.id, "name": name, "email": email});
    owner.call::<AddRegistration>(guest).await
}

async fn people_are_added_and_checked_in_until_the_day_is_over(api: Api) {
    let (owner, event) = begun(&api, START).await;
    let added = add(&owner, &event, "ada").await.unwrap();
    let who = json!({"id": event.id, "registration_id": added["id"]});
    assert_eq!(owner.ok::<CheckIn>(who).await["checked_in"], true);
    let guest = json!({"slug": event.slug, "name": "Bo", "email": "bo@example.org"});
    api.anyone().ok::<RegisterAttendee>(guest).await;
    // A minute before midnight in Berlin.
    api.advance(Duration::from_mins(10 * 60 - 1));
    assert!(add(&owner, &event, "cleo").await.is_ok());
    api.advance(Duration::from_mins(1));
    let refused = add(&owner, &event, "dora").await.unwrap_err();
    assert_eq!(refused.reason, Reason::EventEnded);
}

async fn an_event_late_in_the_evening_lasts_three_hours(api: Api) {
    let (owner, event) = begun(&api, "2027-01-15T23:30").await;
    // 02:29 in Berlin.
    api.advance(Duration::from_mins(12 * 60 + 29));
    assert!(add(&owner, &event, "ada").await.is_ok());
    api.advance(Duration::from_mins(1));
    assert!(add(&owner, &event, "bo").await.is_err());
}

async fn the_public_list_and_detail_end_with_the_start(api: Api) {
    let (owner, event) = begun(&api, START).await;
    let slug = json!({"slug": event.slug});
    let gone = api.anyone().refused::<GetEvent>(slug).await;
    assert_eq!(gone.reason, Reason::NotFound);
    let listed = async |status: &str| {
        let list = owner.ok::<ListMyEvents>(json!({"status": status})).await;
        list["count"].clone()
    };
    assert_eq!(
        (listed("active").await, listed("past").await),
        (json!(0), json!(1))
    );
}

async fn it_is_cancelled_with_mails_while_it_runs(api: Api) {
    let (owner, event) = begun(&api, START).await;
    add(&owner, &event, "ada").await.unwrap();
    let id = json!({"id": event.id});
    let cancelled = owner.ok::<CancelEvent>(id).await;
    assert_eq!(cancelled["registrants_notified"], 1);
}

async fn its_page_says_that_it_happens_now_and_its_entry_lasts_an_hour(app: Arc<TestApp>) {
    let (_, event) = begun(&app.over(Surface::Http), START).await;
    let path = format!("/events/{}", event.slug);
    let page = app.site.page(&path).send().await;
    assert!(page.html(200).contains("Happening now"), "{page:?}");
    assert!(page.html(200).contains("/register\""), "{page:?}");
    let file = app.site.page(&format!("{path}/event.ics")).send().await;
    let file = String::from_utf8(file.body.to_vec()).unwrap();
    assert!(
        file.contains("DTSTART;TZID=Europe/Berlin:20270115T140000"),
        "{file}"
    );
    assert!(
        file.contains("DTEND;TZID=Europe/Berlin:20270115T150000"),
        "{file}"
    );
    app.advance(Duration::from_hours(10));
    let page = app.site.page(&path).send().await;
    assert!(!page.html(200).contains("Happening now"), "{page:?}");
}

async fn an_end_at_the_start_is_none(api: Api) {
    let owner = api.owner(Plan::Pro).await;
    let event = json!({"start_date": "2027-01-15T13:00:00Z", "end_date": "2027-01-15T13:00:00Z"});
    let event = owner.publish_new(event).await;
    api.advance(HOUR * 2);
    assert!(add(&owner, &event, "ada").await.is_ok());
}

tests::on_every_surface!(
    people_are_added_and_checked_in_until_the_day_is_over,
    an_event_late_in_the_evening_lasts_three_hours,
    the_public_list_and_detail_end_with_the_start,
    it_is_cancelled_with_mails_while_it_runs,
    an_end_at_the_start_is_none,
);
tests::on_both_engines!(its_page_says_that_it_happens_now_and_its_entry_lasts_an_hour);
