//! The dashboard's pages of registrations.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{ListRegistrations, RegisterAttendee};
use serde_json::{Value, json};
use tests::{Browser, Client, Created, Surface, TestApp};

/// An organizer with an event that asks a question, and guests who are registered for it.
pub(super) async fn organizer(
    app: &Arc<TestApp>,
    event: Value,
    guests: &[&str],
) -> (Browser, Client, Created) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(event).await;
    for name in guests {
        let email = format!(
            "{}@example.org",
            name.split(' ').next().unwrap().to_lowercase()
        );
        let guest = json!({"slug": event.slug, "name": name, "email": email});
        app.over(Surface::Http)
            .anyone()
            .ok::<RegisterAttendee>(guest)
            .await;
    }
    (Browser::signed_in(app, &account.email).await, owner, event)
}

pub(super) async fn list(owner: &Client, event: &Created) -> Vec<Value> {
    let list = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    list["items"].as_array().unwrap().clone()
}

async fn statuses(owner: &Client, event: &Created) -> Vec<String> {
    let list = list(owner, event).await;
    list.iter()
        .map(|one| one["status"].as_str().unwrap().to_owned())
        .collect()
}

pub(super) fn path(event: &Created, page: &str) -> String {
    format!("/dashboard/events/{}{page}", event.id)
}

pub(super) fn id(registration: &Value) -> &str {
    registration["id"].as_str().unwrap()
}

async fn registrations_are_found_approved_and_declined_with_a_reason(app: Arc<TestApp>) {
    let guests = ["Ada L", "Grace H", "Alan <T>"];
    let asks = json!({"requires_approval": true});
    let (browser, owner, event) = organizer(&app, asks, &guests).await;
    let registrations = path(&event, "/registrations");
    let page = browser.page(&registrations).await;
    let html = page.html(200);
    for shown in [
        "Ada L",
        "Alan &#60;T&#62;",
        "3 registrations",
        "Needs approval",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    let overview = browser.page(&path(&event, "")).await;
    let html = overview.html(200);
    for count in [
        "<strong>0 of 100</strong> <span>spots taken",
        "<strong>3</strong> <span>waiting for your approval",
    ] {
        assert!(html.contains(count), "{count}: {html}");
    }
    let found = browser
        .page(&format!("{registrations}?q=grace&status=Pending"))
        .await;
    assert!(found.html(200).contains("Grace H") && !found.html(200).contains("Ada L"));

    let all = list(&owner, &event).await;
    let nobody = browser.send(&registrations, &[("action", "approve")]).await;
    assert!(
        browser
            .follow(&nobody)
            .await
            .html(200)
            .contains("Select at least one person")
    );
    let chosen = [
        ("registration_ids", id(&all[0])),
        ("action", "approve"),
        ("back", "status=Pending&q=x"),
    ];
    let approved = browser.send(&registrations, &chosen).await;
    let back = format!("{registrations}?status=Pending&q=x");
    assert_eq!(approved.header("location"), Some(&*back));
    assert_eq!(
        statuses(&owner, &event).await,
        ["Confirmed", "Pending", "Pending"]
    );

    let ids = [
        ("registration_ids", id(&all[1])),
        ("registration_ids", id(&all[2])),
    ];
    let query = format!(
        "?registration_ids={}&registration_ids={}",
        id(&all[1]),
        id(&all[2])
    );
    let decline = path(&event, "/registrations/decline");
    let asked = browser.page(&format!("{decline}{query}")).await;
    assert!(asked.html(200).contains("Decline 2 people?"));
    assert_eq!(statuses(&owner, &event).await[1], "Pending");
    let reason = [&ids[..], &[("reason", "This evening is for members.")]].concat();
    let declined = browser.send(&decline, &reason).await;
    assert_eq!(
        declined.header("location"),
        Some(&*registrations),
        "{declined:?}"
    );
    assert_eq!(
        statuses(&owner, &event).await,
        ["Confirmed", "Cancelled", "Cancelled"]
    );
    app.drain_jobs().await;
    let mails = app.mails();
    let told = mails
        .iter()
        .filter(|mail| mail.text.contains("This evening is for members."));
    assert_eq!(told.count(), 2);
    // Who has a seat by now cannot be declined, and the page says so.
    let seated = [("registration_ids", id(&all[0]))];
    let kept = browser.send(&decline, &seated).await;
    assert!(kept.html(409).contains("These are not declined"));
}

async fn an_organizer_corrects_and_adds_registrations(app: Arc<TestApp>) {
    let questions = json!({"custom_fields": [{"label": "Diet", "field_type": "text"}]});
    let (browser, owner, event) = organizer(&app, questions, &["Ada L"]).await;
    let one = list(&owner, &event).await.remove(0);
    let page = path(&event, &format!("/registrations/{}", id(&one)));
    let html = browser.page(&page).await;
    assert!(html.html(200).contains("value=\"Ada L\""));
    let typed = [("name", "Ada Lovelace"), ("answers[Diet]", "no nuts")];
    let saved = browser.send(&page, &typed).await;
    assert!(
        browser
            .follow(&saved)
            .await
            .html(200)
            .contains("The registration is saved.")
    );
    let one = list(&owner, &event).await.remove(0);
    assert_eq!(one["name"], "Ada Lovelace");
    assert_eq!(one["answers"][0]["values"], json!(["no nuts"]));
    let long = "x".repeat(2_001);
    let refused = browser
        .send(&page, &[("name", ""), ("answers[Diet]", &long)])
        .await;
    let html = refused.html(400);
    assert!(
        html.contains("id=\"name-wrong\"") || html.contains("id=\"q1-wrong\""),
        "{html}"
    );
    assert!(html.contains(&long), "nothing typed is lost");

    let new = path(&event, "/registrations/new");
    let typed = [
        ("name", "Grace"),
        ("email", "grace@example.org"),
        ("key", "one-guest"),
    ];
    for _twice in 0..2 {
        let added = browser.send(&new, &typed).await;
        assert_eq!(added.status, 303, "{added:?}");
    }
    assert_eq!(list(&owner, &event).await.len(), 2);
    let again = [
        ("name", "Grace"),
        ("email", "grace@example.org"),
        ("key", "another-form"),
    ];
    let again = browser.send(&new, &again).await;
    assert!(
        again.html(409).contains("registered for the event already"),
        "{again:?}"
    );
    let csv = browser.page(&path(&event, "/registrations.csv")).await;
    assert_eq!(csv.status, 200);
    assert!(
        csv.header("content-disposition")
            .unwrap()
            .starts_with("attachment")
    );
    assert!(String::from_utf8_lossy(&csv.body).contains("Ada Lovelace"));
}

async fn a_plan_without_the_list_shows_numbers_and_what_a_plan_adds(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let browser = Browser::signed_in(&app, &account.email).await;
    let page = browser.page(&path(&event, "/registrations")).await;
    let html = page.html(403);
    assert!(html.contains("What a paid plan adds"), "{html}");
    assert!(html.contains("spots taken"), "{html}");
    for door in ["/check-in", "/check-in?q=ada"] {
        let door = browser.page(&path(&event, door)).await;
        assert!(door.html(403).contains("What a paid plan adds"));
    }
    let form = browser.page("/dashboard/events/new").await;
    let html = form.html(200);
    assert!(html.contains("Needs a paid plan: without one"), "{html}");
}

tests::on_both_engines!(
    registrations_are_found_approved_and_declined_with_a_reason,
    an_organizer_corrects_and_adds_registrations,
    a_plan_without_the_list_shows_numbers_and_what_a_plan_adds,
);
