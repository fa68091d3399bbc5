//! What the camera at the door asks: each code is green, yellow or red, and phones have hashes of the codes for when the network is away.

use std::{collections::BTreeSet, fmt::Write as _, sync::Arc};

use domain::{
    ids::EventId,
    registration::Status::{Cancelled, Confirmed, Waitlisted},
};
use muster_api::v1::bindings::AddRegistration;
use serde_json::{Value, json};
use tests::{Browser, Created, Surface, TestApp};

use super::{
    members::{account, member},
    own_registrations::path,
};

/// What the door says of a scanned code.
async fn scanned(browser: &Browser, event: &Created, code: &str, key: &str) -> Value {
    let form = [("code", code), ("key", key)];
    let scans = path(event, "/check-in/scans");
    browser.send(&scans, &form).await.ok()
}

async fn a_scan_is_green_once_then_yellow_and_red_for_who_may_not_come(app: Arc<TestApp>) {
    let (account, owner) = account(&app).await;
    let client = app.over(Surface::Http).as_owner(&account);
    let (event, other) = (
        client.publish_new(json!({})).await,
        client
            .publish_new(json!({"title": "The other evening"}))
            .await,
    );
    let statuses = [Confirmed, Cancelled, Waitlisted, Confirmed];
    let people = app.register(&event.id, &statuses).await;
    let elsewhere = app.register(&other.id, &[Confirmed]).await.remove(0);
    let kim = member(&app, &owner, "kim@example.org", "door").await;
    let codes: Vec<_> = people
        .iter()
        .map(|one| one.check_in_code.as_str())
        .collect();

    // Sent again after a lost answer, it is the same scan.
    for _sent in 0..2 {
        let green = scanned(&kim, &event, codes[0], "the-first-scan").await;
        assert_eq!(
            (&green["tone"], &green["word"], &green["name"]),
            (&json!("good"), &json!("Checked in"), &json!("Guest 1"))
        );
        assert_eq!((&green["here"], &green["guests"]), (&json!(1), &json!(2)));
    }
    let yellow = scanned(&owner, &event, codes[0], "of-another-phone").await;
    assert_eq!(yellow["tone"], "warn");
    let since = yellow["detail"].as_str().unwrap();
    assert!(
        since.contains("2027, ") && since.contains(", by kim"),
        "{since}"
    );
    for (code, word, detail) in [
        (codes[1], "Cancelled", Value::Null),
        (codes[2], "On the waitlist", Value::Null),
        (
            elsewhere.check_in_code.as_str(),
            "For another event",
            json!("The other evening"),
        ),
        ("7KQ2-M9XD-04TB", "Unknown code", Value::Null),
    ] {
        let red = scanned(&kim, &event, code, code).await;
        assert_eq!(
            (&red["tone"], &red["word"], &red["detail"]),
            (&json!("bad"), &json!(word), &detail),
            "{red}"
        );
        assert_eq!(red["here"], 1, "{red}");
    }
    let url = format!("https://elsewhere.example/check-in/{}", codes[3]);
    let red = scanned(&kim, &event, &url, "of-another-site").await;
    let why = red["detail"].as_str().unwrap();
    assert!(why.contains("from another site"), "{red}");
    let count = kim.page(&path(&event, "/check-in/count")).await.ok();
    assert_eq!(count, json!({"here": 1, "guests": 2}));
}

async fn a_scan_of_a_party_says_how_many_are_here_and_lets_the_door_correct_it(app: Arc<TestApp>) {
    let (account, owner) = account(&app).await;
    let client = app.over(Surface::Http).as_owner(&account);
    let event = client.publish_new(json!({"max_party": 3})).await;
    let party = json!({
        "id": event.id, "name": "Ada", "email": "ada@example.org", "party_size": 3, "companions": ["Bo", "Cy"],
    });
    client.ok::<AddRegistration>(party).await;
    let page = format!("/events/{}", event.slug);
    let page = app.site.page(&page).send().await;
    assert!(
        page.html(200)
            .contains("one registration is for up to 3 people")
    );
    let list = owner.page(&path(&event, "/check-in/codes")).await.ok();
    assert_eq!(list["items"][0]["party_size"], 3);
    let ada = app.registrations(&event.id).await.remove(0);
    let code = ada.check_in_code.as_str();
    for (key, tone) in [("first", "good"), ("again", "warn")] {
        let scan = scanned(&owner, &event, code, key).await;
        assert_eq!(scan["tone"], tone);
        assert_eq!(
            (&scan["people"], &scan["party_size"]),
            (&json!(3), &json!(3))
        );
        let detail = scan["detail"].as_str().unwrap();
        assert!(detail.ends_with("All 3 are here, with Bo, Cy"), "{detail}");
    }
    let id = ada.id.to_string();
    let form = [
        ("registration_id", &*id),
        ("people", "2"),
        ("action", "check_in"),
    ];
    let corrected = owner.send(&path(&event, "/check-in"), &form).await;
    let page = owner.follow(&corrected).await;
    let html = page.html(200);
    assert!(
        html.contains("2 of 3 are here. Registered with Bo, Cy"),
        "{html}"
    );
    assert!(html.contains("Correct the number"), "{html}");
    app.drain_jobs().await;
    let mails = app.mails();
    let mail = mails.iter().find(|mail| mail.to == "ada@example.org");
    let mail = mail.expect("Ada has one");
    let (_, after) = mail
        .text
        .split_once("https://muster.example/registrations/")
        .unwrap();
    let own = format!(
        "/registrations/{}",
        after.split_whitespace().next().unwrap()
    );
    let page = app.site.page(&own).send().await;
    assert!(
        page.html(200).contains("2 of 3 are here. Enjoy the event."),
        "{page:?}"
    );
}

async fn a_phone_gets_hashes_and_no_codes_or_names(app: Arc<TestApp>) {
    let (account, owner) = account(&app).await;
    let client = app.over(Surface::Http).as_owner(&account);
    let event = client.publish_new(json!({})).await;
    let people = app.register(&event.id, &[Confirmed, Cancelled]).await;
    let kim = member(&app, &owner, "kim@example.org", "door").await;
    let reply = kim.page(&path(&event, "/check-in/codes")).await;
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let list = reply.ok();
    let id = EventId::new(event.id.parse().unwrap());
    let expected = people.iter().map(|one| {
        let bytes = one.check_in_code.hashed(id);
        bytes.iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").unwrap();
            text
        })
    });
    let expected: BTreeSet<String> = expected.collect();
    let items = list["items"].as_array().unwrap();
    let hashes = items.iter().map(|one| one["hash"].as_str().unwrap().into());
    assert_eq!(hashes.collect::<BTreeSet<String>>(), expected);
    let text = list.to_string();
    assert!(!text.contains("Guest") && !text.contains('@'), "{text}");
    for one in &people {
        assert!(!text.contains(one.check_in_code.as_str()), "{text}");
    }
}

async fn only_who_may_check_in_at_an_event_may_scan_there(app: Arc<TestApp>) {
    let (account, owner) = account(&app).await;
    let client = app.over(Surface::Http).as_owner(&account);
    let event = client.publish_new(json!({})).await;
    let guest = app.register(&event.id, &[Confirmed]).await.remove(0);
    let code = guest.check_in_code.as_str();
    let stranger = app.account(domain::plan::Plan::Pro).await;
    let stranger = Browser::signed_in(&app, &stranger.email).await;
    let nobody = Browser::new(&app);
    let scans = path(&event, "/check-in/scans");
    for (browser, read, written) in [(&stranger, 404, 404), (&nobody, 303, 401)] {
        for file in ["/check-in/codes", "/check-in/count"] {
            let refused = browser.page(&path(&event, file)).await;
            assert_eq!(refused.status, read, "{refused:?}");
        }
        let refused = browser.send(&scans, &[("code", code)]).await;
        assert_eq!(refused.status, written, "{refused:?}");
    }
    let cookie = owner.cookie("__Host-muster").unwrap();
    let foreign = app.site.form(&scans, &[("code", code)]);
    let foreign = foreign
        .header("cookie", format!("__Host-muster={cookie}"))
        .without("sec-fetch-site")
        .header("sec-fetch-site", "cross-site");
    assert_eq!(foreign.send().await.status, 403);
    let row = app.registrations(&event.id).await.remove(0);
    assert_eq!(row.checked_in_at, None);
}

async fn only_the_door_has_the_camera_and_its_scripts(app: Arc<TestApp>) {
    let (account, owner) = account(&app).await;
    let client = app.over(Surface::Http).as_owner(&account);
    let event = client.publish_new(json!({})).await;
    let door = owner.page(&path(&event, "/check-in")).await;
    let html = door.html(200);
    let scripts = ["/assets/door.", "/assets/qr-scanner."];
    assert!(scripts.iter().all(|name| html.contains(name)), "{html}");
    let permissions = door.header("permissions-policy").unwrap();
    assert!(permissions.contains("camera=(self)"), "{permissions}");
    let policy = door.header("content-security-policy").unwrap().to_owned();
    for of in ["", "/registrations", "/check-in/count"] {
        let other = owner.page(&path(&event, of)).await;
        let permissions = other.header("permissions-policy").unwrap();
        assert!(permissions.contains("camera=()"), "{of}: {permissions}");
        let text = String::from_utf8_lossy(&other.body);
        assert!(!scripts.iter().any(|name| text.contains(name)), "{text}");
        assert_eq!(other.header("content-security-policy"), Some(&*policy));
    }
    // The library leads to its worker, which is a file as well.
    let mut file = html.split('"').find(|part| part.starts_with(scripts[1]));
    for name in [
        "/assets/qr-scanner-worker-module.",
        "/assets/qr-scanner-worker.",
    ] {
        let script = owner.page(file.unwrap()).await;
        assert_eq!(script.status, 200);
        assert!(
            script
                .header("content-type")
                .unwrap()
                .starts_with("text/javascript")
        );
        let text = String::from_utf8_lossy(&script.body).into_owned();
        let next = text.split('"').find(|part| part.starts_with(name));
        let next = next.unwrap().to_owned();
        assert_eq!(owner.page(&next).await.status, 200, "{next}");
        file = Some(next.leak());
    }
    // The service worker is for pages below another folder than its own.
    let keeper = html
        .split('"')
        .find(|part| part.starts_with("/assets/door-worker."));
    let keeper = owner.page(keeper.unwrap()).await;
    let allowed = keeper.header("service-worker-allowed");
    assert_eq!(allowed, Some("/dashboard/events/"));
    let script = html
        .split('"')
        .find(|part| part.starts_with("/assets/door."))
        .unwrap();
    let script = owner.page(script).await;
    assert_eq!(script.header("service-worker-allowed"), None);
    let out = owner.send("/sign-out", &[]).await;
    assert_eq!(out.header("clear-site-data"), Some("\"storage\""));
}

tests::on_both_engines!(
    a_scan_is_green_once_then_yellow_and_red_for_who_may_not_come,
    a_scan_of_a_party_says_how_many_are_here_and_lets_the_door_correct_it,
    a_phone_gets_hashes_and_no_codes_or_names,
    only_who_may_check_in_at_an_event_may_scan_there,
    only_the_door_has_the_camera_and_its_scripts,
);
