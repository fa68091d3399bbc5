//! The dashboard's pages of registrations.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{AddRegistration, ListRegistrations, RegisterAttendee};
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
    let query = format!("?registration_ids={}", id(&all[1]));
    let asked = browser.page(&format!("{decline}{query}")).await;
    let name = all[1]["name"].as_str().unwrap();
    let heading = format!("Decline <bdi>{name}</bdi>?");
    assert!(asked.html(200).contains(&heading), "{heading}");
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
    assert!(kept.html(409).contains("We couldn’t decline them"));
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

async fn the_list_shows_answers_and_whom_to_decide_about_first(app: Arc<TestApp>) {
    let asks = json!({
        "requires_approval": true, "max_capacity": 1,
        "custom_fields": [{"label": "Diet", "field_type": "text"}],
    });
    let (browser, owner, event) = organizer(&app, asks, &[]).await;
    let (new, registrations) = (
        path(&event, "/registrations/new"),
        path(&event, "/registrations"),
    );
    browser.page(&registrations).await;
    for (name, words) in [
        ("Ada", "Done. They get an email."),
        ("Grace", "Waitlisted: all spots are taken"),
    ] {
        let email = format!("{name}@example.org");
        let guest = [
            ("name", name),
            ("email", &*email),
            ("answers[Diet]", "no <nuts>"),
        ];
        let added = browser.send(&new, &guest).await;
        let page = browser.follow(&added).await;
        assert!(page.html(200).contains(words), "{page:?}");
    }
    let form = browser.page(&new).await;
    assert!(
        form.html(200).contains("they&#39;ll be waitlisted")
            || form.html(200).contains("they'll be waitlisted")
    );
    let guest = json!({"slug": event.slug, "name": "Zoe", "email": "zoe@example.org"});
    app.over(Surface::Http)
        .anyone()
        .ok::<RegisterAttendee>(guest)
        .await;
    let zoe = list(&owner, &event).await.remove(2);
    let page = browser.page(&registrations).await;
    let html = page.html(200);
    assert!(html.contains("no &#60;nuts&#62;"), "{html}");
    assert!(html.contains("1<span class=\"hide\"> to approve"), "{html}");
    let at = |name: &str| html.find(&format!("<bdi>{name}</bdi>")).unwrap();
    assert!(at("Zoe") < at("Ada") && at("Ada") < at("Grace"), "{html}");
    // Only who needs it is approved; the waitlist is given spots.
    assert_eq!(html.matches("name=\"approve\"").count(), 1, "{html}");
    assert_eq!(html.matches("Give a spot").count(), 1, "{html}");
    let approved = browser.send(&registrations, &[("approve", id(&zoe))]).await;
    assert_eq!(approved.header("location"), Some(&*registrations));
    assert_eq!(
        statuses(&owner, &event).await,
        ["Confirmed", "Waitlisted", "Waitlisted"]
    );
    let page = browser.page(&registrations).await;
    assert!(!page.html(200).contains("value=\"approve\""), "{page:?}");

    let zoe = path(&event, &format!("/registrations/{}", id(&zoe)));
    let before = browser.page(&zoe).await;
    let said = "All spots are taken. Giving Zoe a spot raises the capacity from 1 to 2.";
    assert!(before.html(200).contains(said), "{before:?}");
    let promoted = browser.send(&zoe, &[("action", "promote")]).await;
    assert!(
        browser
            .follow(&promoted)
            .await
            .html(200)
            .contains("They have a spot now")
    );
    assert_eq!(
        statuses(&owner, &event).await,
        ["Confirmed", "Waitlisted", "Confirmed"]
    );
    assert_eq!(owner.detail(&event).await["max_capacity"], 2);
}

async fn a_wrong_address_is_seen_corrected_and_mailed_again(app: Arc<TestApp>) {
    let (browser, owner, event) = organizer(&app, json!({}), &[]).await;
    let guest = json!({"id": event.id, "name": "Ada L", "email": "ada@example.org"});
    let ada = owner.ok::<AddRegistration>(guest).await;
    app.fail_mails_of(id(&ada)).await;
    let listed = browser.page(&path(&event, "/registrations")).await;
    assert!(listed.html(200).contains("Email failed"), "{listed:?}");
    let page = path(&event, &format!("/registrations/{}", id(&ada)));
    let one = browser.page(&page).await;
    assert!(one.html(200).contains("id=\"mail-failed\""), "{one:?}");
    app.advance(std::time::Duration::from_mins(1));
    let again = browser.send(&page, &[("action", "send_again")]).await;
    let done = browser.follow(&again).await;
    let html = done.html(200);
    assert!(
        html.contains("on its way again") && !html.contains("mail-failed"),
        "{html}"
    );
    app.drain_jobs().await;
    app.advance(std::time::Duration::from_mins(1));
    let typed = [("name", "Ada L"), ("email", "ada.l@example.org")];
    let saved = browser.send(&page, &typed).await;
    let done = browser.follow(&saved).await;
    assert!(
        done.html(200).contains("the new address and the old one"),
        "{done:?}"
    );
    app.drain_jobs().await;
    let mails = app.mails().into_iter().map(|mail| mail.to);
    let mut told: Vec<_> = mails.filter(|to| to.starts_with("ada")).collect();
    told.sort();
    let twice = "ada@example.org";
    assert_eq!(told, ["ada.l@example.org", twice, twice]);
}

async fn a_list_is_printed_and_opens_in_spreadsheets_of_every_country(app: Arc<TestApp>) {
    let (browser, _, event) = organizer(&app, json!({}), &["Ada L"]).await;
    let list = path(&event, "/registrations");
    let page = browser.page(&format!("{list}?print=yes")).await;
    let html = page.html(200);
    assert!(
        html.contains("class=\"people print\"") && !html.contains("Decline"),
        "{html}"
    );
    let page = browser.page(&list).await;
    assert!(
        page.html(200)
            .contains("registrations.csv?separator=semicolon")
    );
    for (query, header) in [
        ("", "\"id\",\"name\""),
        ("?separator=semicolon", "\"id\";\"name\""),
    ] {
        let csv = browser.page(&format!("{list}.csv{query}")).await;
        let text = String::from_utf8_lossy(&csv.body).into_owned();
        assert!(text.starts_with(&format!("\u{feff}{header}")), "{text}");
    }
    let unknown = browser.page(&format!("{list}.csv?separator=tab")).await;
    assert_eq!(unknown.status, 400);
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
    the_list_shows_answers_and_whom_to_decide_about_first,
    a_wrong_address_is_seen_corrected_and_mailed_again,
    a_list_is_printed_and_opens_in_spreadsheets_of_every_country,
    a_plan_without_the_list_shows_numbers_and_what_a_plan_adds,
);
