//! The dashboard's pages of events: creating, changing by two people at once, publishing, cancelling.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{
    AddRegistration, GetMyEvent, ListMyEvents, RegisterAttendee, UpdateEvent,
};
use serde_json::{Value, json};
use tests::{Browser, Client, Created, Surface, TestApp};

use super::{
    attributes,
    typed::{fields, with},
};

/// An owner with a browser, and a published event.
async fn organizer(app: &Arc<TestApp>, plan: Plan) -> (Browser, Client, Created) {
    let account = app.account(plan).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner
        .publish_new(json!({"title": "Rust Night", "city": "Berlin"}))
        .await;
    (Browser::signed_in(app, &account.email).await, owner, event)
}

async fn read(owner: &Client, event: &Created) -> Value {
    owner.ok::<GetMyEvent>(json!({"id": event.id})).await
}

fn path(event: &Created, page: &str) -> String {
    format!("/dashboard/events/{}{page}", event.id)
}

async fn a_form_that_is_sent_unchanged_changes_nothing(app: Arc<TestApp>) {
    let (browser, owner, event) = organizer(&app, Plan::Pro).await;
    let questions = json!([
        {"label": "Diet & \"drinks\"", "field_type": "text", "required": true},
        {"label": "Size", "field_type": "select", "options": ["S", "M <wide>"]},
    ]);
    let change = json!({"id": event.id, "custom_fields": questions, "description": "a\n\n<b>"});
    owner.ok::<UpdateEvent>(change).await;
    let before = read(&owner, &event).await;
    let page = browser.page(&path(&event, "/edit")).await;
    let fields = fields(page.html(200));
    let saved = browser
        .send(&path(&event, "/edit"), &with(&fields, &[]))
        .await;
    assert_eq!(
        saved.header("location"),
        Some(&*path(&event, "")),
        "{saved:?}"
    );
    assert_eq!(read(&owner, &event).await, before);
}

async fn questions_are_added_and_moved_and_nothing_typed_is_lost(app: Arc<TestApp>) {
    let (browser, owner, _event) = organizer(&app, Plan::Pro).await;
    let typed = [
        ("title", "R"),
        ("description", "Two talks."),
        ("location", "c-base"),
        ("start_date", "2030-05-14T19:00"),
        ("timezone", "Europe/Berlin"),
        ("custom_fields[0].label", "Diet"),
        ("custom_fields[0].field_type", "text"),
        ("custom_fields[1].label", "Size"),
        ("custom_fields[1].field_type", "select"),
        ("custom_fields[1].options", "S\r\nM"),
        ("custom_fields[1].required", "true"),
    ];
    let pressed = |button| [&typed[..], &[button]].concat();
    let new = "/dashboard/events/new";
    let page = browser.send(new, &pressed(("add", "question"))).await;
    let html = page.html(200);
    assert!(html.contains("name=\"custom_fields[2].label\""), "{html}");
    assert!(
        html.contains("name=\"title\" type=\"text\" value=\"R\""),
        "{html}"
    );
    let page = browser.send(new, &pressed(("up", "1"))).await;
    let html = page.html(200);
    assert!(
        html.contains("name=\"custom_fields[0].label\" type=\"text\" value=\"Size\""),
        "{html}"
    );

    let refused = browser.send(new, &pressed(("action", "draft"))).await;
    let html = refused.html(400);
    assert!(
        html.contains("id=\"title-wrong\">Use 3 to 200 characters."),
        "{html}"
    );
    assert!(attributes(html, "href").contains(&"#title"));
    let mut good = typed.to_vec();
    good[0] = ("title", "Rust Evening");
    good.push(("key", "the-same-form"));
    for _twice in 0..2 {
        let created = browser.send(new, &good).await;
        let page = browser.follow(&created).await;
        assert!(page.html(200).contains("This is a draft"));
    }
    let list = owner.ok::<ListMyEvents>(json!({})).await;
    assert_eq!(list["count"], 2, "sending twice makes one event: {list}");
    let draft = list["items"].as_array().unwrap().iter();
    let draft = draft
        .clone()
        .find(|one| one["title"] == "Rust Evening")
        .unwrap();
    let draft = owner.ok::<GetMyEvent>(json!({"id": draft["id"]})).await;
    assert_eq!(draft["custom_fields"][1]["options"], json!(["S", "M"]));
    assert_eq!(draft["custom_fields"][1]["required"], true);
}

async fn of_two_people_who_edit_at_once_the_second_is_told(app: Arc<TestApp>) {
    let (browser, owner, event) = organizer(&app, Plan::Pro).await;
    let edit = path(&event, "/edit");
    let page = browser.page(&edit).await;
    let opened = fields(page.html(200));
    let theirs = json!({"id": event.id, "title": "Theirs", "max_capacity": 40});
    owner.ok::<UpdateEvent>(theirs).await;
    let mine = with(&opened, &[("title", "Mine"), ("city", "Potsdam")]);
    let conflict = browser.send(&edit, &mine).await;
    let html = conflict.html(409);
    assert!(html.contains("Someone else changed this event"), "{html}");
    assert!(html.contains("has changed this to: Theirs"), "{html}");
    assert!(
        html.contains("value=\"Mine\"") && html.contains("value=\"40\""),
        "{html}"
    );
    assert_eq!(read(&owner, &event).await["title"], "Theirs");
    let again = fields(html);
    let saved = browser.send(&edit, &with(&again, &[])).await;
    assert_eq!(saved.status, 303, "{saved:?}");
    let now = read(&owner, &event).await;
    assert_eq!(
        (&now["title"], &now["max_capacity"]),
        (&json!("Mine"), &json!(40))
    );
    assert_eq!(now["city"], "Potsdam");
}

async fn who_is_mailed_is_shown_before_time_or_place_change(app: Arc<TestApp>) {
    let (browser, owner, event) = organizer(&app, Plan::Pro).await;
    let guest = json!({"slug": event.slug, "name": "Grace", "email": "grace@example.org"});
    app.over(Surface::Http)
        .anyone()
        .ok::<RegisterAttendee>(guest)
        .await;
    app.drain_jobs().await;
    let edit = path(&event, "/edit");
    let opened = fields(browser.page(&edit).await.html(200));
    let moved = with(&opened, &[("location", "The other room")]);
    let review = browser.send(&edit, &moved).await;
    let html = review.html(200);
    assert!(html.contains("Save and email 1 person?"), "{html}");
    assert!(html.contains("The other room"), "{html}");
    assert_ne!(read(&owner, &event).await["location"], "The other room");
    let back = [&moved[..], &[("action", "back")]].concat();
    let html = browser.send(&edit, &back).await;
    assert!(html.html(200).contains("value=\"The other room\""));
    let confirmed = [&moved[..], &[("confirmed", "true")]].concat();
    let saved = browser.send(&edit, &confirmed).await;
    assert!(
        browser
            .follow(&saved)
            .await
            .html(200)
            .contains("emails go out")
    );
    assert_eq!(read(&owner, &event).await["location"], "The other room");
}

async fn cancelling_shows_the_reason_and_who_is_mailed_first(app: Arc<TestApp>) {
    let (browser, owner, event) = organizer(&app, Plan::Free).await;
    let guest = json!({"slug": event.slug, "name": "Grace", "email": "grace@example.org"});
    app.over(Surface::Http)
        .anyone()
        .ok::<RegisterAttendee>(guest)
        .await;
    let cancel = path(&event, "/cancel");
    assert!(browser.page(&cancel).await.html(200).contains("1 person"));
    let reason = ("reason", "The venue is <flooded>.");
    let review = browser.send(&cancel, &[reason]).await;
    let html = review.html(200);
    assert!(html.contains("The venue is &#60;flooded&#62;."), "{html}");
    assert_eq!(read(&owner, &event).await["is_cancelled"], false);
    let done = browser.send(&cancel, &[reason, ("action", "cancel")]).await;
    let page = browser.follow(&done).await;
    assert!(page.html(200).contains("This event is cancelled."));
    app.drain_jobs().await;
    let mails = app.mails();
    let told = mails
        .iter()
        .find(|mail| mail.to == "grace@example.org" && mail.text.contains("<flooded>"));
    assert!(told.is_some(), "{mails:?}");
    for gone in ["/cancel", "/edit"] {
        assert_eq!(
            browser.page(&path(&event, gone)).await.status,
            303,
            "{gone}"
        );
    }
    let too_long = "x".repeat(501);
    let (browser, _owner, event) = organizer(&app, Plan::Free).await;
    let refused = browser
        .send(&path(&event, "/cancel"), &[("reason", &too_long)])
        .await;
    assert!(refused.html(400).contains("id=\"reason-wrong\""));
}

async fn cancelling_an_event_without_guests_promises_no_emails(app: Arc<TestApp>) {
    let (browser, _owner, event) = organizer(&app, Plan::Free).await;
    browser.page("/dashboard").await;
    let done = browser
        .send(&path(&event, "/cancel"), &[("action", "cancel")])
        .await;
    let page = browser.follow(&done).await;
    let html = page.html(200);
    assert!(html.contains("Nobody was registered"), "{html}");
    assert!(!html.contains("gets an email"), "{html}");
}

async fn a_new_owner_reads_who_is_not_told_of_a_cancellation(app: Arc<TestApp>) {
    let account = app.signed_up(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({"title": "Rust Night"})).await;
    for number in 0..20 {
        let email = format!("guest{number}@example.org");
        let guest = json!({"id": event.id, "name": "Guest", "email": email});
        owner.ok::<AddRegistration>(guest).await;
    }
    let browser = Browser::signed_in(&app, &account.email).await;
    // Whatever needs more says what is left, and what lifts the limit.
    let guest = [("name", "Late"), ("email", "late@example.org")];
    let added = path(&event, "/registrations/new");
    let member = [("role", "door"), ("email", "late@example.org")];
    for (page, fields) in [(&*added, guest), ("/dashboard/members", member)] {
        let refused = browser.send(page, &fields).await;
        let html = refused.html(429);
        for words in [
            "A new account can email only a few people",
            "0 are left today, and this needs 1.",
            "20 people have registered themselves",
            "the operator trusts the account",
            "late@example.org",
        ] {
            assert!(html.contains(words), "{page} {words}: {html}");
        }
    }
    let cancel = path(&event, "/cancel");
    let untold = "20 people whom you added get no email";
    assert!(browser.page(&cancel).await.html(200).contains(untold));
    let review = browser.send(&cancel, &[("reason", "Rain")]).await;
    assert!(review.html(200).contains(untold));
    assert!(!review.html(200).contains("Nobody is registered"));
    browser.send(&cancel, &[("action", "cancel")]).await;
    let page = browser.page(&path(&event, "")).await;
    let html = page.html(200);
    assert!(
        html.contains("Some people whom you added get no email"),
        "{html}"
    );
}

async fn the_form_asks_for_a_code_where_a_contact_is_no_members(app: Arc<TestApp>) {
    let (browser, owner, event) = organizer(&app, Plan::Pro).await;
    let edit = path(&event, "/edit");
    let before = fields(browser.page(&edit).await.html(200));
    let contact = ("contact_email", "hello@rust.berlin");
    let saved = browser.send(&edit, &with(&before, &[contact])).await;
    let asks = path(&event, "/contact");
    assert_eq!(saved.header("location"), Some(&*asks), "{saved:?}");
    assert_eq!(read(&owner, &event).await["contact_email"], contact.1);
    let said = "do not name it";
    assert!(browser.page(&asks).await.html(200).contains(said));
    let unproven = browser.page(&edit).await;
    assert!(unproven.html(200).contains("Show that it is yours"));

    browser.send(&asks, &[("action", "send")]).await;
    let wrong = browser.send(&asks, &[("code", "00000000")]).await;
    assert!(wrong.html(400).contains("That code doesn’t match."));
    let code = app.newest_code(contact.1).await;
    let done = browser.send(&asks, &[("code", &code)]).await;
    assert_eq!(
        done.header("location"),
        Some(&*path(&event, "")),
        "{done:?}"
    );
    let page = browser.page(&path(&event, "")).await;
    assert!(
        page.html(200)
            .contains("Emails to your guests name the address now")
    );
    let proven = browser.page(&edit).await;
    assert!(!proven.html(200).contains("Show that it is yours"));
}

async fn drafts_are_copied_published_taken_back_and_deleted(app: Arc<TestApp>) {
    let (browser, owner, event) = organizer(&app, Plan::Pro).await;
    let clone = path(&event, "/clone");
    let key = [("key", "one-copy"), ("start_date", "2030-06-14T19:00")];
    let detailed = json!({
        "id": event.id, "start_date": "2030-05-14T19:00", "end_date": "2030-05-14T22:30",
        "timezone": "Asia/Tokyo",
        "custom_fields": [{"label": "Size", "field_type": "select", "options": ["S", "M"]}],
    });
    let original = owner.ok::<UpdateEvent>(detailed).await;
    let first = browser.send(&clone, &key).await;
    let second = browser.send(&clone, &key).await;
    assert_eq!(first.header("location"), second.header("location"));
    let copy = first
        .header("location")
        .unwrap()
        .strip_suffix("/edit")
        .unwrap()
        .to_owned();
    assert!(
        browser
            .page(&copy)
            .await
            .html(200)
            .contains("This is a draft")
    );
    let id = copy.rsplit('/').next().unwrap();
    let cloned = owner.ok::<GetMyEvent>(json!({"id": id})).await;
    for kept in ["title", "timezone", "custom_fields"] {
        assert_eq!(cloned[kept], original[kept], "{kept}");
    }
    let form = browser.page(&format!("{copy}/edit")).await;
    let times = fields(form.html(200));
    for (name, value) in [
        ("start_date", "2030-06-14T19:00"),
        ("end_date", "2030-06-14T22:30"),
        ("custom_fields[0].options", "S\nM"),
    ] {
        let kept = times
            .iter()
            .any(|field| *field == (name.to_owned(), value.to_owned()));
        assert!(kept, "{name}: {times:?}");
    }
    let publish = browser.page(&format!("{copy}/publish")).await;
    assert!(publish.html(200).contains("No emails will be sent."));
    let published = browser.send(&format!("{copy}/publish"), &[]).await;
    assert!(
        browser
            .follow(&published)
            .await
            .html(200)
            .contains("Your event is published.")
    );
    browser.send(&format!("{copy}/unpublish"), &[]).await;
    browser.page(&format!("{copy}/delete")).await.html(200);
    let deleted = browser.send(&format!("{copy}/delete"), &[]).await;
    assert_eq!(deleted.header("location"), Some("/dashboard"));
    browser.page(&copy).await.html(404);
    assert_eq!(owner.ok::<ListMyEvents>(json!({})).await["count"], 1);
    let kept = browser.send(&path(&event, "/delete"), &[]).await;
    assert!(kept.html(409).contains("This is not possible now"));
}

async fn a_cover_is_chosen_of_three_and_removed_by_the_form(app: Arc<TestApp>) {
    let (browser, owner, event) = organizer(&app, Plan::Pro).await;
    let edit = path(&event, "/edit");
    let opened = fields(browser.page(&edit).await.html(200));
    let asked = [("image_query", "beach at sunset"), ("action", "pictures")];
    let shown = browser.send(&edit, &with(&opened, &asked)).await;
    let shown = shown.html(200);
    let covers: Vec<&str> = attributes(shown, "src")
        .into_iter()
        .filter(|src| src.starts_with("/dashboard/cover?"))
        .collect();
    assert_eq!(covers.len(), 3, "{shown}");
    let mut pictures = Vec::new();
    for cover in covers {
        assert!(cover.contains("image_query=beach+at+sunset"), "{cover}");
        let picture = browser.page(&cover.replace("&#38;", "&")).await;
        assert_eq!(picture.header("content-type"), Some("image/png"));
        pictures.push(picture.body);
    }
    assert!(pictures[0] != pictures[1] && pictures[1] != pictures[2]);
    assert_eq!(read(&owner, &event).await["image_query"], Value::Null);

    let shown = fields(shown);
    let chosen = with(&shown, &[("image_variant", "3")]);
    assert_eq!(browser.send(&edit, &chosen).await.status, 303);
    let saved = read(&owner, &event).await;
    assert_eq!(saved["image_query"], "beach at sunset");
    assert_eq!(saved["image_variant"], 3);
    let public = format!("src=\"/api/v1/events/{}/cover\"", event.slug);
    for (change, cover) in [
        ("/unpublish", "src=\"/dashboard/cover?title="),
        ("/publish", &public),
    ] {
        let changed = browser.send(&path(&event, change), &[]).await;
        assert_eq!(changed.status, 303);
        let overview = browser.page(&path(&event, "")).await;
        assert!(overview.html(200).contains(cover), "{change}");
    }

    let opened = fields(browser.page(&edit).await.html(200));
    let removed = with(&opened, &[("image_query", "")]);
    assert_eq!(browser.send(&edit, &removed).await.status, 303);
    assert!(read(&owner, &event).await["image_url"].is_null());
}

async fn covers_are_shown_before_an_event_is_made(app: Arc<TestApp>) {
    let (browser, owner, _event) = organizer(&app, Plan::Pro).await;
    let new = "/dashboard/events/new";
    let opened = browser.page(new).await;
    let opened = opened.html(200);
    assert!(!opened.contains("Choose a cover") && opened.contains("Show pictures"));
    let typed = [
        ("title", "Chess & Tea"),
        ("image_query", "chess"),
        ("action", "pictures"),
    ];
    let shown = browser.send(new, &with(&fields(opened), &typed)).await;
    let shown = shown.html(200);
    assert!(shown.contains("Choose a cover"), "{shown}");
    assert!(shown.contains("title=Chess+%26+Tea"), "{shown}");
    assert_eq!(owner.ok::<ListMyEvents>(json!({})).await["count"], 1);
}

async fn the_owner_is_told_that_an_event_was_taken_down(app: Arc<TestApp>) {
    let (browser, _owner, event) = organizer(&app, Plan::Pro).await;
    let suspensions = &app.core.use_cases().suspensions;
    suspensions.hide(&event.slug, true, None).await.unwrap();
    let page = browser.page(&path(&event, "")).await;
    let html = page.html(200);
    assert!(html.contains("has taken this event down"), "{html}");
    assert!(html.contains("Taken down</span>"), "{html}");
}

async fn events_of_other_accounts_are_not_there(app: Arc<TestApp>) {
    let (_browser, owner, event) = organizer(&app, Plan::Pro).await;
    let (stranger, _, _) = organizer(&app, Plan::Pro).await;
    let before = read(&owner, &event).await;
    for page in [
        "",
        "/edit",
        "/clone",
        "/publish",
        "/unpublish",
        "/cancel",
        "/delete",
        "/registrations",
        "/check-in",
        "/registrations/new",
        "/registrations/import",
    ] {
        stranger.page(&path(&event, page)).await.html(404);
        if !page.is_empty() {
            stranger
                .send(
                    &path(&event, page),
                    &[
                        ("action", "cancel"),
                        ("registration_ids", &event.id),
                        ("registration_id", &event.id),
                    ],
                )
                .await
                .html(404);
        }
    }
    assert_eq!(read(&owner, &event).await, before);
}

async fn the_form_leads_to_the_own_cover_and_keeps_the_drawing_that_it_replaces(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let browser = Browser::signed_in(&app, &account.email).await;
    let drawing = json!({"image_query": "crab", "image_variant": 2});
    let event = owner.create(drawing).await;
    let cover = path(&event, "/cover");
    let opened = browser.page(&path(&event, "/edit")).await;
    let html = opened.html(200);
    assert!(
        html.contains(&cover) && html.contains("Choose a cover"),
        "{html}"
    );
    let put = format!("/api/v1/me/events/{}/cover", event.id);
    let put = app
        .http
        .request(http::Method::PUT, &put)
        .bearer(&account.key);
    let put = put.header("content-type", "image/jpeg");
    put.body(test_photos::jpeg(1200, 630)).send().await.ok();
    let opened = browser.page(&path(&event, "/edit")).await;
    let html = opened.html(200);
    assert!(
        html.contains(&cover) && !html.contains("Choose a cover"),
        "{html}"
    );
    let form = fields(html);
    let typed = with(&form, &[("title", "Another title")]);
    browser.send(&path(&event, "/edit"), &typed).await;
    let shown = read(&owner, &event).await;
    assert_eq!(
        (
            &shown["title"],
            &shown["image_query"],
            &shown["image_variant"]
        ),
        (&json!("Another title"), &json!("crab"), &json!(2))
    );
}

tests::on_both_engines!(
    the_form_leads_to_the_own_cover_and_keeps_the_drawing_that_it_replaces,
    a_form_that_is_sent_unchanged_changes_nothing,
    questions_are_added_and_moved_and_nothing_typed_is_lost,
    of_two_people_who_edit_at_once_the_second_is_told,
    who_is_mailed_is_shown_before_time_or_place_change,
    cancelling_shows_the_reason_and_who_is_mailed_first,
    cancelling_an_event_without_guests_promises_no_emails,
    a_new_owner_reads_who_is_not_told_of_a_cancellation,
    the_form_asks_for_a_code_where_a_contact_is_no_members,
    drafts_are_copied_published_taken_back_and_deleted,
    a_cover_is_chosen_of_three_and_removed_by_the_form,
    covers_are_shown_before_an_event_is_made,
    the_owner_is_told_that_an_event_was_taken_down,
    events_of_other_accounts_are_not_there,
);
