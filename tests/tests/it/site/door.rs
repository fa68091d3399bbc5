//! The door in the dashboard: guests are found by name or code, and each is checked in once.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{ListActivity, RegisterAttendee};
use serde_json::json;
use tests::{Browser, Client, Created, Surface, TestApp};

use super::{
    members::{account, member},
    own_registrations::{id, list, organizer, path},
};

async fn checked_in(owner: &Client, event: &Created) -> Vec<bool> {
    let list = list(owner, event).await;
    list.iter().map(|one| one["checked_in"] == true).collect()
}

/// What the activity says of check-ins.
async fn told(owner: &Client) -> usize {
    let query = json!({"q": "checked", "limit": 100});
    let list = owner.ok::<ListActivity>(query).await;
    list["items"].as_array().unwrap().len()
}

async fn code(app: &TestApp, event: &Created) -> String {
    let one = app.registrations(&event.id).await.remove(0);
    one.check_in_code.as_str().to_owned()
}

async fn enter_on_the_only_hit_checks_in_once(app: Arc<TestApp>) {
    let guests = ["Ada L", "Adam S", "Grace H"];
    let (browser, owner, event) = organizer(&app, json!({}), &guests).await;
    let door = path(&event, "/check-in");
    let several = browser.send(&door, &[("q", "ada")]).await;
    let page = browser.follow(&several).await;
    let html = page.html(200);
    assert!(
        html.contains("2 found") && html.contains("Adam S"),
        "{html}"
    );
    assert_eq!(checked_in(&owner, &event).await, [false, false, false]);

    let only = browser.send(&door, &[("q", "gra")]).await;
    let done = only.header("location").unwrap().to_owned();
    for _reload in 0..2 {
        let page = browser.page(&done).await;
        let html = page.html(200);
        assert!(
            html.contains("Grace H") && html.contains("is checked in"),
            "{html}"
        );
    }
    let two_letters = browser.send(&door, &[("q", "gr")]).await;
    let asked = format!("{door}?q=gr");
    assert_eq!(two_letters.header("location"), Some(&*asked));
    assert_eq!(checked_in(&owner, &event).await, [false, false, true]);
    let counted = browser.page(&door).await;
    let count = "<strong>1</strong> <span>checked in";
    assert!(counted.html(200).contains(count));

    let grace = list(&owner, &event).await.remove(2);
    let undo = [("registration_id", id(&grace)), ("action", "undo")];
    browser.send(&door, &undo).await;
    assert_eq!(checked_in(&owner, &event).await, [false, false, false]);
    let unknown = browser.send(&door, &[("q", "nobody")]).await;
    let page = browser.follow(&unknown).await;
    assert!(page.html(200).contains("Nobody matches"));
}

/// After a lost connection nobody knows whether the form was taken, so it is sent again.
async fn a_form_that_is_sent_again_checks_nobody_in_twice(app: Arc<TestApp>) {
    let guests = ["Ada L", "Grace H"];
    let (browser, owner, event) = organizer(&app, json!({}), &guests).await;
    let door = path(&event, "/check-in");
    let all = list(&owner, &event).await;
    for (form, again) in [
        (("registration_id", id(&all[0])), "is checked in"),
        (("q", "grace"), "was checked in before"),
    ] {
        for words in ["is checked in", again] {
            let done = browser.send(&door, &[form]).await;
            let page = browser.follow(&done).await;
            assert!(page.html(200).contains(words), "{words}: {page:?}");
        }
    }
    assert_eq!(checked_in(&owner, &event).await, [true, true]);
    assert_eq!(told(&owner).await, 2);
}

async fn a_scanned_code_checks_in_at_its_own_event_only(app: Arc<TestApp>) {
    let (browser, owner, event) = organizer(&app, json!({}), &["Ada L"]).await;
    let other = owner.publish_new(json!({})).await;
    let code = code(&app, &event).await;
    let wrong_door = path(&other, "/check-in");
    let wrong_door = browser.send(&wrong_door, &[("q", &code)]).await;
    assert!(wrong_door.html(404).contains("id=\"trouble\""));
    assert_eq!(checked_in(&owner, &event).await, [false]);
    let scanned = format!("https://muster.example/check-in/{code}");
    for words in [
        "is checked in",
        "was checked in before: <time datetime=\"2027-01-15",
    ] {
        let form = [("q", &*scanned)];
        let done = browser.send(&path(&event, "/check-in"), &form).await;
        let page = browser.follow(&done).await;
        assert!(page.html(200).contains(words), "{words}: {page:?}");
    }
    assert_eq!(checked_in(&owner, &event).await, [true]);
}

async fn a_ticket_shows_staff_the_name_and_one_button(app: Arc<TestApp>) {
    let (account, owner) = account(&app).await;
    let client = app.over(Surface::Http).as_owner(&account);
    let event = client.publish_new(json!({"title": "Rust Night"})).await;
    let guest = json!({"slug": event.slug, "name": "Ada <L>", "email": "ada@example.org"});
    let anyone = app.over(Surface::Http).anyone();
    anyone.ok::<RegisterAttendee>(guest).await;
    let ticket = format!("/check-in/{}", code(&app, &event).await);
    let button = format!("{ticket}/check-in");
    let door = member(&app, &owner, "dora@example.org", "door").await;
    let stranger = app.account(Plan::Pro).await;
    let stranger = Browser::signed_in(&app, &stranger.email).await;
    let nobody = Browser::new(&app);
    let ended = Browser::signed_in(&app, &account.email).await;
    let session = ended.cookie("__Host-muster").unwrap();
    ended.send("/sign-out", &[]).await;
    ended.set_cookie("__Host-muster", &session);
    for other in [&stranger, &nobody, &ended] {
        let page = other.page(&ticket).await;
        let html = page.html(200);
        assert!(html.contains("This ticket is valid"), "{html}");
        assert!(!html.contains("Ada"), "{html}");
        let refused = other.send(&button, &[]).await;
        assert!(refused.status.is_client_error(), "{refused:?}");
    }
    assert_eq!(checked_in(&client, &event).await, [false]);

    for staff in [&owner, &door] {
        let page = staff.page(&ticket).await;
        let html = page.html(200);
        assert!(html.contains("Ada &#60;L&#62;"), "{html}");
        assert!(html.contains(&format!("action=\"{button}\"")), "{html}");
    }
    for _twice in 0..2 {
        let done = door.send(&button, &[]).await;
        let page = door.follow(&done).await;
        assert!(page.html(200).contains("<strong>Checked in</strong>"));
    }
    assert_eq!(told(&client).await, 1);
    let second = owner.page(&ticket).await;
    let html = second.html(200);
    let before = "<strong>Checked in before</strong>: <time datetime=\"2027-01-15";
    assert!(html.contains(before), "{html}");
    assert!(!html.contains(&button), "{html}");
}

tests::on_both_engines!(
    enter_on_the_only_hit_checks_in_once,
    a_form_that_is_sent_again_checks_nobody_in_twice,
    a_scanned_code_checks_in_at_its_own_event_only,
    a_ticket_shows_staff_the_name_and_one_button,
);
