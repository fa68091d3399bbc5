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

async fn a_name_is_shown_and_a_press_checks_in_once(app: Arc<TestApp>) {
    let guests = ["Ada L", "Adam S", "Grace Hopper"];
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

    // Even if only one is called so: a name is heard wrong.
    let only = browser.send(&door, &[("q", "hopper grace")]).await;
    let page = browser.follow(&only).await;
    let html = page.html(200);
    assert!(
        html.contains("1 found") && html.contains("Grace Hopper"),
        "{html}"
    );
    assert_eq!(checked_in(&owner, &event).await, [false, false, false]);

    let grace = list(&owner, &event).await.remove(2);
    let press = [("registration_id", id(&grace)), ("action", "check_in")];
    let only = browser.send(&door, &press).await;
    let done = only.header("location").unwrap().to_owned();
    for _reload in 0..2 {
        let page = browser.page(&done).await;
        let html = page.html(200);
        assert!(
            html.contains("Grace Hopper") && html.contains("Checked in, "),
            "{html}"
        );
    }
    assert_eq!(checked_in(&owner, &event).await, [false, false, true]);
    let counted = browser.page(&door).await;
    let count = ">1 of 3</strong> here";
    assert!(counted.html(200).contains(count));

    let grace = list(&owner, &event).await.remove(2);
    let undo = [("registration_id", id(&grace)), ("action", "undo")];
    let undone = browser.send(&door, &undo).await;
    let page = browser.follow(&undone).await;
    assert!(page.html(200).contains("Check-in undone"));
    assert_eq!(checked_in(&owner, &event).await, [false, false, false]);
    let unknown = browser.send(&door, &[("q", "nobody")]).await;
    let page = browser.follow(&unknown).await;
    assert!(page.html(200).contains("No one found"));
}

/// Its own phone is green; the other says who was quicker.
async fn two_phones_check_nobody_in_twice(app: Arc<TestApp>) {
    let (account, owner) = account(&app).await;
    let client = app.over(Surface::Http).as_owner(&account);
    let event = client.publish_new(json!({})).await;
    app.register(&event.id, &[domain::registration::Status::Confirmed])
        .await;
    let kim = member(&app, &owner, "kim@example.org", "door").await;
    let guest = list(&client, &event).await.remove(0);
    let press = [("registration_id", id(&guest)), ("action", "check_in")];
    let door = path(&event, "/check-in");
    let green = kim.send(&door, &press).await;
    let page = kim.follow(&green).await;
    let html = page.html(200);
    assert!(html.contains("note good big"), "{html}");
    let late = owner.send(&door, &press).await;
    let page = owner.follow(&late).await;
    let html = page.html(200);
    assert!(html.contains("note warn big"), "{html}");
    let since = "Already checked in, <time datetime=\"2027-01-15T12:00:00Z\" data-clock>";
    assert!(
        html.contains(since) && html.contains(", by <bdi>"),
        "{html}"
    );
    assert!(html.contains("value=\"undo\""), "{html}");
}

async fn a_whole_address_checks_in_also_for_staff_who_see_none(app: Arc<TestApp>) {
    let (account, owner) = account(&app).await;
    let client = app.over(Surface::Http).as_owner(&account);
    let event = client.publish_new(json!({})).await;
    for email in ["ada@example.org", "nada@example.org"] {
        let guest = json!({"slug": event.slug, "name": "Ada", "email": email});
        let anyone = app.over(Surface::Http).anyone();
        anyone.ok::<RegisterAttendee>(guest).await;
    }
    let kim = member(&app, &owner, "kim@example.org", "door").await;
    let done = kim
        .send(&path(&event, "/check-in"), &[("q", "Ada@example.org")])
        .await;
    let page = kim.follow(&done).await;
    let html = page.html(200);
    assert!(html.contains("Checked in, "), "{html}");
    assert!(!html.contains("@example.org"), "{html}");
    assert_eq!(checked_in(&client, &event).await, [true, false]);
}

async fn whoever_is_not_found_is_added_and_checked_in(app: Arc<TestApp>) {
    let one_spot = json!({"max_capacity": 1});
    let (browser, owner, event) = organizer(&app, one_spot, &[]).await;
    let door = path(&event, "/check-in");
    let found = browser.page(&format!("{door}?q=Ada+Lovelace")).await;
    let html = found.html(200);
    assert!(!html.contains("class=\"top\""), "{html}");
    let add = format!(
        "{}?name=Ada+Lovelace&#38;door=yes",
        path(&event, "/registrations/new")
    );
    assert!(html.contains(&add), "{html}");
    let form = browser.page(&add.replace("&#38;", "&")).await;
    let html = form.html(200);
    assert!(html.contains("value=\"Ada Lovelace\""), "{html}");
    assert!(html.contains("Add and check in"), "{html}");
    let add = path(&event, "/registrations/new");
    for (name, email, words) in [
        ("Ada Lovelace", "ada@example.org", "Checked in, "),
        (
            "Grace Hopper",
            "grace@example.org",
            "Not checked in: On the waitlist",
        ),
    ] {
        let fields = [("name", name), ("email", email), ("door", "yes")];
        let done = browser.send(&add, &fields).await;
        let page = browser.follow(&done).await;
        let html = page.html(200);
        assert!(html.contains(words), "{html}");
    }
    assert_eq!(checked_in(&owner, &event).await, [true, false]);
}

/// After a lost connection nobody knows whether the form was taken, so it is sent again.
async fn a_form_that_is_sent_again_checks_nobody_in_twice(app: Arc<TestApp>) {
    let guests = ["Ada L", "Grace H"];
    let (browser, owner, event) = organizer(&app, json!({}), &guests).await;
    let door = path(&event, "/check-in");
    let all = list(&owner, &event).await;
    for form in [("registration_id", id(&all[0])), ("q", "grace@example.org")] {
        for words in ["Checked in, ", "Already checked in, "] {
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
    let elsewhere = format!("https://other.example/check-in/{code}");
    let elsewhere = browser
        .send(&path(&event, "/check-in"), &[("q", &*elsewhere)])
        .await;
    assert!(elsewhere.html(400).contains("other.example"));
    let row = app.registrations(&event.id).await.remove(0);
    let scanned = app.core.use_cases().links.check_in(&row.check_in_code);
    for words in [
        "Checked in, ",
        "Already checked in, <time datetime=\"2027-01-15",
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
    for words in ["Checked in", "Already checked in"] {
        let done = door.send(&button, &[]).await;
        let page = door.follow(&done).await;
        assert!(
            page.html(200)
                .contains(&format!("<strong>{words}</strong>"))
        );
    }
    assert_eq!(told(&client).await, 1);
    let second = owner.page(&ticket).await;
    let html = second.html(200);
    let before = "<strong>Already checked in</strong>, <time datetime=\"2027-01-15";
    assert!(html.contains(before), "{html}");
    assert!(!html.contains(&button), "{html}");
}

tests::on_both_engines!(
    a_name_is_shown_and_a_press_checks_in_once,
    two_phones_check_nobody_in_twice,
    a_whole_address_checks_in_also_for_staff_who_see_none,
    whoever_is_not_found_is_added_and_checked_in,
    a_form_that_is_sent_again_checks_nobody_in_twice,
    a_scanned_code_checks_in_at_its_own_event_only,
    a_ticket_shows_staff_the_name_and_one_button,
);
