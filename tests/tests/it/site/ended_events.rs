//! Pages of events that are over, and of those without an end that go on.

use std::{sync::Arc, time::Duration};

use muster_api::v1::bindings::{AddRegistration, CheckIn};
use serde_json::json;
use tests::{Browser, TestApp};

use super::{
    own_registrations::{id, list, organizer, path},
    private::links,
};

/// In a while, for an hour.
fn evening() -> serde_json::Value {
    json!({
        "start_date": "2027-01-15T14:00", "end_date": "2027-01-15T15:00",
        "timezone": "Europe/Berlin", "max_capacity": 1,
    })
}

async fn an_event_that_is_over_offers_nothing_that_would_be_refused(app: Arc<TestApp>) {
    let (browser, owner, event) = organizer(&app, evening(), &[]).await;
    for (name, email) in [("Ada", "ada@example.org"), ("Bo", "bo@example.org")] {
        let guest = json!({"id": event.id, "name": name, "email": email});
        owner.ok::<AddRegistration>(guest).await;
    }
    let all = list(&owner, &event).await;
    let registrations = path(&event, "/registrations");
    let (ada, bo) = (id(&all[0]), id(&all[1]));
    app.fail_mails_of(ada).await;
    let pages = [
        registrations.clone(),
        format!("{registrations}/{ada}"),
        format!("{registrations}/{bo}"),
        path(&event, "/check-in?q=nobody"),
    ];
    let offered = [
        "/registrations/new",
        "/registrations/import",
        "/registrations/decline",
        "value=\"promote\"",
        "value=\"send_again\"",
        "value=\"cancel\"",
        "Give a spot",
        "Add and check in",
        "Check the address below",
        "name=\"email\"",
    ];
    let mut before = String::new();
    for page in &pages {
        before.push_str(browser.page(page).await.html(200));
    }
    for one in offered {
        assert!(before.contains(one), "{one} is offered before: {before}");
    }
    app.advance(Duration::from_hours(3));
    for page in &pages {
        let shown = browser.page(page).await;
        let html = shown.html(200);
        for one in offered {
            assert!(!html.contains(one), "{one} on {page}: {html}");
        }
    }
    let door = browser.page(&pages[3]).await;
    assert!(!door.html(200).contains("Only organizers"), "{door:?}");
    // What can still be corrected is offered.
    let one = browser.page(&pages[1]).await;
    assert!(one.html(200).contains("name=\"name\""));
    let declining = format!("/registrations/decline?registration_ids={bo}");
    for address in [
        "/cancel",
        "/registrations/new",
        "/registrations/import",
        &declining,
    ] {
        let gone = browser.page(&path(&event, address)).await;
        assert_eq!(gone.status, 303, "{address}");
        let page = browser.follow(&gone).await;
        assert!(page.html(200).contains("This event is over"), "{address}");
    }
}

async fn without_a_check_in_at_the_event_everyone_with_a_spot_is_thanked(app: Arc<TestApp>) {
    let (_, owner, event) = organizer(&app, evening(), &[]).await;
    let event_of_two = json!({"max_capacity": 2});
    let (_, other_owner, other) =
        organizer(&app, merged(evening(), &event_of_two), &["Cleo", "Dora"]).await;
    let guest = json!({"id": event.id, "name": "Eve", "email": "eve@example.org"});
    owner.ok::<AddRegistration>(guest).await;
    app.drain_jobs().await;
    let cleo = list(&other_owner, &other).await;
    let arrived = json!({"id": other.id, "registration_id": cleo[0]["id"]});
    other_owner.ok::<CheckIn>(arrived).await;
    app.advance(Duration::from_hours(3));
    for (address, words) in [
        ("eve@example.org", "Thanks for coming!"),
        ("cleo@example.org", "Thanks for coming!"),
        ("dora@example.org", "Thank you for your interest."),
    ] {
        let link = links(&app, address).await.pop().unwrap();
        let page = Browser::new(&app).page(&link).await;
        assert!(page.html(200).contains(words), "{address}: {words}");
    }
}

fn merged(mut one: serde_json::Value, other: &serde_json::Value) -> serde_json::Value {
    let fields = one.as_object_mut().unwrap();
    fields.extend(other.as_object().unwrap().clone());
    one
}

async fn an_event_without_an_end_is_upcoming_while_it_goes_on(app: Arc<TestApp>) {
    let open =
        json!({"title": "Open End", "start_date": "2027-01-15T14:00", "timezone": "Europe/Berlin"});
    let (browser, _, _) = organizer(&app, open, &[]).await;
    let lists = async |expected: [bool; 2]| {
        for (page, is_there) in ["/dashboard", "/dashboard?status=past"]
            .iter()
            .zip(expected)
        {
            let shown = browser.page(page).await;
            let html = shown.html(200);
            assert_eq!(html.contains("Open End"), is_there, "{page}: {html}");
            assert_eq!(html.contains(">1 event<"), is_there, "{page}: {html}");
        }
    };
    lists([true, false]).await;
    app.advance(Duration::from_hours(2));
    lists([true, false]).await;
    app.advance(Duration::from_hours(12));
    lists([false, true]).await;
}

tests::on_both_engines!(
    an_event_that_is_over_offers_nothing_that_would_be_refused,
    without_a_check_in_at_the_event_everyone_with_a_spot_is_thanked,
    an_event_without_an_end_is_upcoming_while_it_goes_on,
);
