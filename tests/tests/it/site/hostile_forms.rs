//! Forms as attackers and accidents send them: with ids of others, doubled and missing fields, times that no clock shows, names that
//! are code, and to events that someone else cancelled meanwhile.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{
    CancelEvent, GetMyEvent, ListMyEvents, ListRegistrations, RegisterAttendee,
};
use serde_json::{Value, json};
use tests::{Browser, Client, Created, Surface, TestApp};

use super::typed::{fields, with};

const EVENT: [(&str, &str); 5] = [
    ("title", "Rust Night"),
    ("description", "Two talks."),
    ("location", "c-base"),
    ("start_date", "2030-05-14T19:00"),
    ("timezone", "Europe/Berlin"),
];

const NEW: &str = "/dashboard/events/new";

/// An organizer who approves registrations, and one guest who waits.
async fn organizer(app: &Arc<TestApp>, guest: &str) -> (Browser, Client, Created, Value) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner
        .publish_new(json!({"requires_approval": true, "title": "Rust Night"}))
        .await;
    let asked = json!({"slug": event.slug, "name": guest, "email": "guest@example.org"});
    app.over(Surface::Http)
        .anyone()
        .ok::<RegisterAttendee>(asked)
        .await;
    let guest = registrations(&owner, &event).await.remove(0);
    let browser = Browser::signed_in(app, &account.email).await;
    (browser, owner, event, guest)
}

async fn registrations(owner: &Client, event: &Created) -> Vec<Value> {
    let list = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    list["items"].as_array().unwrap().clone()
}

/// The ids in a page, by the name of their field.
fn ids(html: &str, name: &str) -> Vec<String> {
    let beginning = format!("name=\"{name}\" value=\"");
    let after = html.split(&*beginning).skip(1);
    after
        .map(|rest| rest.split('"').next().unwrap().to_owned())
        .collect()
}

async fn ids_of_others_in_fields_change_nothing(app: Arc<TestApp>) {
    let (ada, ada_owner, ada_event, guest) = organizer(&app, "Grace").await;
    let (bob, _owner, bob_event, _guest) = organizer(&app, "Linus").await;
    let guest = guest["id"].as_str().unwrap();
    let path = |page: &str| format!("/dashboard/events/{}{page}", bob_event.id);
    for (page, form) in [
        (
            path("/registrations"),
            vec![("registration_ids", guest), ("action", "approve")],
        ),
        (
            path("/registrations"),
            vec![("page_ids", guest), ("action", "approve_page")],
        ),
        (
            path("/registrations/decline"),
            vec![("registration_ids", guest), ("reason", "no")],
        ),
        (path("/check-in"), vec![("registration_id", guest)]),
        (
            path(&format!("/registrations/{guest}")),
            vec![("action", "cancel")],
        ),
        (
            path(&format!("/registrations/{guest}")),
            vec![("name", "Mine")],
        ),
    ] {
        let reply = bob.send(&page, &form).await;
        assert!(reply.status.is_client_error(), "{page}: {reply:?}");
    }
    let now = registrations(&ada_owner, &ada_event).await.remove(0);
    assert_eq!(
        (&now["name"], &now["status"]),
        (&json!("Grace"), &json!("Pending"))
    );

    let key = [
        ("name", "laptop"),
        ("scopes", "account:read"),
        ("expires", ""),
    ];
    ada.send("/dashboard/keys/new", &key).await.html(200);
    let list = ada.page("/dashboard/keys").await;
    let key = list.html(200).split("/dashboard/keys/").find_map(|rest| {
        let id = rest.split('"').next()?;
        (id.len() == 36).then(|| id.to_owned())
    });
    let key = format!("/dashboard/keys/{}", key.unwrap());
    bob.page(&key).await.html(404);
    for action in ["revoke", "rotate"] {
        bob.send(&key, &[("action", action)]).await.html(404);
    }
    ada.page(&key).await.html(200);

    let sessions = ada.page("/dashboard/sessions").await;
    let session = ids(sessions.html(200), "id").remove(0);
    bob.send("/dashboard/sessions", &[("id", &session)]).await;
    ada.page("/dashboard").await.html(200);

    let invited = [("email", "grace@example.org"), ("role", "door")];
    ada.send("/dashboard/members", &invited).await;
    let members = ada.page("/dashboard/members").await;
    let html = members.html(200);
    let invitation = ids(html, "id").remove(0);
    bob.send("/dashboard/members/withdraw", &[("id", &invitation)])
        .await;
    let members = ada.page("/dashboard/members").await;
    assert_eq!(ids(members.html(200), "id"), [invitation]);
    let person = html.split("/dashboard/members/").find_map(|rest| {
        let id = rest.split('"').next()?;
        (id.len() == 36).then(|| id.to_owned())
    });
    let person = format!("/dashboard/members/{}", person.unwrap());
    bob.page(&person).await.html(404);
    for form in [("action", "remove"), ("role", "door")] {
        bob.send(&person, &[form]).await.html(404);
    }
    ada.page("/dashboard/members").await.html(200);
}

async fn doubled_missing_and_unknown_fields_do_no_harm(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let browser = Browser::signed_in(&app, &account.email).await;
    let nothing = browser.send(NEW, &[]).await;
    let html = nothing.html(400);
    for field in ["title", "description", "location", "start_date"] {
        assert!(
            html.contains(&format!("id=\"{field}-wrong\"")),
            "{field}: {html}"
        );
    }
    let odd = [
        &EVENT[..],
        &[
            ("title", "The second title"),
            ("id", "x"),
            ("is_cancelled", "true"),
            ("custom_fields[99].label", "x"),
            ("custom_fields[-1].label", "x"),
            ("custom_fields[0].nothing", "x"),
            ("", ""),
        ],
    ]
    .concat();
    let created = browser.send(NEW, &odd).await;
    assert_eq!(created.status, 303, "{created:?}");
    let list = owner.ok::<ListMyEvents>(json!({})).await;
    assert_eq!(
        (&list["count"], &list["items"][0]["title"]),
        (&json!(1), &json!("Rust Night"))
    );
    let id = list["items"][0]["id"].clone();
    let event = owner.ok::<GetMyEvent>(json!({"id": id})).await;
    assert_eq!(
        (&event["is_cancelled"], &event["custom_fields"]),
        (&json!(false), &json!([]))
    );

    let cookie = format!("__Host-muster={}", browser.cookie("__Host-muster").unwrap());
    let raw = |body: &'static [u8], media_type: &str| {
        let form = app.site.form(NEW, &[]).header("cookie", &cookie);
        let form = form
            .without("content-type")
            .header("content-type", media_type);
        form.body(body).send()
    };
    raw(b"{\"title\": \"x\"}", "application/json")
        .await
        .html(415);
    let garbage = b"title=%ff%fe&=&&&%=%&description=\xff&start_date=%00";
    raw(garbage, "application/x-www-form-urlencoded")
        .await
        .html(400);
    let many = "a=1&".repeat(20_000);
    let form = app.site.form(NEW, &[]).header("cookie", &cookie);
    let reply = form.body(many).send().await;
    assert!(reply.status.is_client_error(), "{reply:?}");
    assert_eq!(owner.ok::<ListMyEvents>(json!({})).await["count"], 1);
}

async fn a_time_that_no_clock_shows_is_told_beside_its_field(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let browser = Browser::signed_in(&app, &account.email).await;
    let skipped = "2027-03-28T02:30";
    let typed = with_pairs(&EVENT, &[("start_date", skipped)]);
    let refused = browser.send(NEW, &typed).await;
    let html = refused.html(400);
    assert!(html.contains("id=\"start_date-wrong\""), "{html}");
    assert!(html.contains(&format!("value=\"{skipped}\"")), "{html}");
    let kept = with_pairs(&EVENT, &[("start_date", "2027-03-28T03:00")]);
    let created = browser.send(NEW, &kept).await;
    let event = created.header("location").unwrap();
    let edit = format!("{}/edit", event.split('?').next().unwrap());
    let opened = fields(browser.page(&edit).await.html(200));
    for field in ["start_date", "end_date"] {
        let typed = with(&opened, &[(field, skipped), ("title", "Another title")]);
        let refused = browser.send(&edit, &typed).await;
        let html = refused.html(400);
        assert!(html.contains(&format!("id=\"{field}-wrong\"")), "{html}");
        assert!(html.contains(&format!("value=\"{skipped}\"")), "{html}");
        assert!(html.contains("value=\"Another title\""), "{html}");
    }
}

fn with_pairs<'f>(
    pairs: &[(&'f str, &'f str)],
    changed: &[(&'f str, &'f str)],
) -> Vec<(&'f str, &'f str)> {
    let is_kept = |name: &str| changed.iter().all(|(other, _)| *other != name);
    let kept = pairs.iter().filter(|(name, _)| is_kept(name));
    kept.chain(changed).copied().collect()
}

async fn an_event_that_someone_cancelled_meanwhile_is_not_changed(app: Arc<TestApp>) {
    let (browser, owner, event, _guest) = organizer(&app, "Grace").await;
    let path = format!("/dashboard/events/{}", event.id);
    let edit = format!("{path}/edit");
    let opened = fields(browser.page(&edit).await.html(200));
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    let before = owner.ok::<GetMyEvent>(json!({"id": event.id})).await;
    let sent = browser
        .send(&edit, &with(&opened, &[("title", "Mine")]))
        .await;
    let html = browser.follow(&sent).await;
    let html = html.html(200);
    assert!(html.contains("Your changes are not saved"), "{html}");
    assert!(html.contains("This event is cancelled."), "{html}");
    for (page, form) in [
        ("/publish", vec![]),
        ("/unpublish", vec![]),
        ("/cancel", vec![("action", "cancel")]),
        (
            "/registrations/new",
            vec![("name", "Ada"), ("email", "ada@example.org")],
        ),
    ] {
        let reply = browser.send(&format!("{path}{page}"), &form).await;
        assert!(!reply.status.is_server_error(), "{page}: {reply:?}");
    }
    let after = owner.ok::<GetMyEvent>(json!({"id": event.id})).await;
    assert_eq!(after, before);
}

async fn names_that_are_code_are_text_on_every_page(app: Arc<TestApp>) {
    const NAME: &str = "<script>alert(1)</script>\"><img src=x onerror=a> ${7*7} {{7*7}}";
    let (browser, owner, event, guest) = organizer(&app, NAME).await;
    let path = format!("/dashboard/events/{}", event.id);
    let opened = fields(browser.page(&format!("{path}/edit")).await.html(200));
    let named = with(
        &opened,
        &[
            ("title", NAME),
            ("city", NAME),
            ("custom_fields[0].label", NAME),
            ("custom_fields[0].field_type", "text"),
        ],
    );
    let saved = browser.send(&format!("{path}/edit"), &named).await;
    let saved = match saved.status.as_u16() {
        // The new place is told to the guest, who reads it as text, too.
        200 => {
            assert_harmless(&format!("{path}/edit"), saved.html(200));
            let confirmed = [&named[..], &[("confirmed", "true")]].concat();
            browser.send(&format!("{path}/edit"), &confirmed).await
        }
        _ => saved,
    };
    assert_eq!(saved.status, 303, "{saved:?}");
    let person = [("person_name", NAME), ("action", "person")];
    assert_eq!(
        browser.send("/dashboard/account", &person).await.status,
        303
    );
    let key = [("name", NAME), ("scopes", "account:read"), ("expires", "")];
    let shown = browser.send("/dashboard/keys/new", &key).await;
    assert_harmless("the new key", shown.html(200));
    let guest = guest["id"].as_str().unwrap();
    for page in [
        "/dashboard".to_owned(),
        "/dashboard/activity".to_owned(),
        "/dashboard/keys".to_owned(),
        "/dashboard/members".to_owned(),
        "/dashboard/account".to_owned(),
        path.clone(),
        format!("{path}/edit"),
        format!("{path}/cancel"),
        format!("{path}/registrations"),
        format!("{path}/registrations?q=%3Cscript%3E"),
        format!("{path}/registrations/{guest}"),
        format!("{path}/registrations/new"),
        format!("{path}/registrations/import"),
        format!("{path}/registrations/decline?registration_ids={guest}"),
        format!("{path}/check-in?q=alert&last={guest}"),
        format!("{path}/activity"),
    ] {
        assert_harmless(&page, browser.page(&page).await.html(200));
    }
    assert_eq!(
        owner.ok::<GetMyEvent>(json!({"id": event.id})).await["title"],
        NAME
    );
}

fn assert_harmless(page: &str, html: &str) {
    assert!(
        html.contains("&#60;script&#62;"),
        "it is not on {page}: {html}"
    );
    for code in ["<script>", "<img src=x", "\"><img", "=\"<"] {
        assert!(!html.contains(code), "{code} on {page}: {html}");
    }
}

tests::on_both_engines!(
    ids_of_others_in_fields_change_nothing,
    doubled_missing_and_unknown_fields_do_no_harm,
    a_time_that_no_clock_shows_is_told_beside_its_field,
    an_event_that_someone_cancelled_meanwhile_is_not_changed,
    names_that_are_code_are_text_on_every_page,
);
