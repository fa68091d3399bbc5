//! Covers that organizers send.

use std::sync::Arc;

use domain::plan::Plan;
use http::Method;
use muster_api::{
    Reason,
    v1::bindings::{CancelEvent, CloneEvent, GetMyEvent, ListActivity},
};
use serde_json::{Value, json};
use test_photos::{assert_is_cover, assert_is_turned_cover, jpeg, jpeg_bomb, png};
use tests::{Account, Browser, Created, Reply, Surface, TestApp};

fn path(event: &Created) -> String {
    format!("/api/v1/me/events/{}/cover", event.id)
}

async fn put(app: &TestApp, key: &str, event: &Created, (kind, file): (&str, Vec<u8>)) -> Reply {
    let request = app.http.request(Method::PUT, &path(event)).bearer(key);
    request.header("content-type", kind).body(file).send().await
}

async fn organizer(app: &Arc<TestApp>) -> (Account, String, Created) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let key = account.key.clone();
    (account, key, event)
}

/// A JPEG whose camera was held upright: the picture is to be turned by a quarter.
fn turned(file: &[u8]) -> Vec<u8> {
    // Exif with one entry: orientation (274), a SHORT, 6.
    let tiff = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    let length = u16::try_from(tiff.len() + 8).unwrap().to_be_bytes();
    let (start, rest) = file.split_at(2);
    [start, &[0xff, 0xe1], &length, b"Exif\0\0", tiff, rest].concat()
}

async fn a_picture_becomes_the_cover_and_is_removed_again(app: Arc<TestApp>) {
    let (account, key, event) = organizer(&app).await;
    let cover = format!("/api/v1/events/{}/cover", event.slug);
    let drawn = app.http.request(Method::GET, &cover).send().await;
    assert_eq!(drawn.header("content-type"), Some("image/png"));
    let sent = put(&app, &key, &event, ("image/jpeg", jpeg(2000, 1500)))
        .await
        .ok();
    assert_eq!(sent["has_own_cover"], true);
    assert!(
        sent["image_url"].as_str().unwrap().ends_with(&cover),
        "{sent}"
    );
    let shown = app.http.request(Method::GET, &cover).send().await;
    assert_eq!(shown.header("content-type"), Some("image/jpeg"));
    assert_is_cover(&shown.body);
    assert_eq!(shown.header("cache-control"), Some("public, max-age=60"));
    // Sent again, it replaces the first one. Its format is recognized by its bytes.
    let bytes = ("application/octet-stream", png(1300, 900));
    put(&app, &key, &event, bytes).await.ok();
    let second = app.http.request(Method::GET, &cover).send().await;
    assert_ne!(second.body, shown.body);
    assert_is_cover(&second.body);
    let removed = app.http.request(Method::DELETE, &path(&event)).bearer(&key);
    let removed = removed.send().await.ok();
    assert_eq!(removed["has_own_cover"], false);
    assert_eq!(removed["image_url"], Value::Null);
    assert_eq!(
        app.http.request(Method::GET, &cover).send().await.body,
        drawn.body
    );
    let owner = app.over(Surface::Http).as_owner(&account);
    let activity = owner.ok::<ListActivity>(json!({})).await.to_string();
    assert!(activity.contains("sent a picture for"), "{activity}");
    assert!(activity.contains("removed the picture of"), "{activity}");
}

async fn a_picture_is_turned_as_its_camera_says_and_keeps_no_metadata(app: Arc<TestApp>) {
    let (_, key, event) = organizer(&app).await;
    let cover = format!("/api/v1/events/{}/cover", event.slug);
    let upright = turned(&jpeg(1500, 2600));
    put(&app, &key, &event, ("image/jpeg", upright)).await.ok();
    let shown = app.http.request(Method::GET, &cover).send().await.body;
    assert_is_turned_cover(&shown);
    assert!(!shown.windows(4).any(|four| four == b"Exif"));
}

async fn what_is_no_picture_is_refused_by_name_and_changes_nothing(app: Arc<TestApp>) {
    let (_, key, event) = organizer(&app).await;
    for (file, words) in [
        (
            b"GIF89a....".to_vec(),
            "is a GIF file: send JPEG, PNG or WebP",
        ),
        (b"\0\0\0\x18ftypheic....".to_vec(), "is an HEIC file"),
        (b" <svg xmlns='x'/>".to_vec(), "is an SVG file"),
        (b"%PDF-1.7".to_vec(), "is a PDF file"),
        (jpeg(500, 200), "has 500 by 200 pixels"),
        (jpeg_bomb(), "is damaged"),
        (b"\xff\xd8\xff\xe0 broken".to_vec(), "is damaged"),
    ] {
        let refusal = put(&app, &key, &event, ("image/jpeg", file))
            .await
            .refusal();
        refusal.blames(&["file"]);
        assert!(refusal.message.contains(words), "{words}: {refusal:?}");
    }
    let text = put(&app, &key, &event, ("text/plain", jpeg(1200, 630))).await;
    assert_eq!(text.status, 415);
    assert!(
        text.refusal()
            .message
            .contains("one of image/jpeg, image/png, image/webp, application/octet-stream")
    );
    let empty = put(&app, &key, &event, ("image/jpeg", Vec::new())).await;
    empty.refusal().blames(&["file"]);
    let other = app.account(Plan::Free).await;
    let foreign = put(&app, &other.key, &event, ("image/jpeg", jpeg(1200, 630))).await;
    assert_eq!(foreign.refusal().reason, Reason::NotFound);
}

async fn a_copy_has_the_same_picture(app: Arc<TestApp>) {
    let (account, key, event) = organizer(&app).await;
    let sent = put(&app, &key, &event, ("image/jpeg", jpeg(1200, 630))).await;
    assert_eq!(sent.status, 200);
    let owner = app.over(Surface::Http).as_owner(&account);
    let copy = owner.ok::<CloneEvent>(json!({"id": event.id})).await;
    let id = copy["id"].as_str().unwrap();
    let shown = owner.ok::<GetMyEvent>(json!({"id": id})).await;
    assert_eq!(shown["has_own_cover"], true);
    let browser = Browser::signed_in(&app, &account.email).await;
    let picture = |id: &str| format!("/dashboard/events/{id}/cover.jpg");
    let original = browser.page(&picture(&event.id)).await.body;
    assert_eq!(browser.page(&picture(id)).await.body, original);
    assert_is_cover(&original);
}

async fn a_cancelled_event_keeps_its_cover(app: Arc<TestApp>) {
    let (account, key, event) = organizer(&app).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    let refused = put(&app, &key, &event, ("image/jpeg", jpeg(1200, 630))).await;
    assert_eq!(refused.refusal().reason, Reason::EventCancelled);
}

/// A form as browsers send it with a file.
async fn upload(browser: &Browser, path: &str, file: &[u8]) -> Reply {
    upload_as(browser, path, "image/jpeg", file).await
}

async fn upload_as(browser: &Browser, path: &str, kind: &str, file: &[u8]) -> Reply {
    let head = format!(
        "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.jpg\"\r\nContent-Type: {kind}\r\n\r\n"
    );
    let body = [head.as_bytes(), file, b"\r\n--x--\r\n"].concat();
    browser
        .upload(path, "multipart/form-data; boundary=x", body)
        .await
}

async fn the_dashboard_takes_a_picture_also_for_a_draft(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let draft = owner.create(json!({})).await;
    let browser = Browser::signed_in(&app, &account.email).await;
    let page = format!("/dashboard/events/{}/cover", draft.id);
    assert!(
        browser
            .page(&page)
            .await
            .html(200)
            .contains("type=\"file\"")
    );
    let none = upload(&browser, &page, b"").await;
    assert!(none.html(400).contains("Choose a picture first."));
    for (kind, file, said) in [
        (
            "image/gif",
            &b"GIF89a...."[..],
            "We don’t support GIF pictures.",
        ),
        (
            "image/heic",
            b"\0\0\0\x18ftypheic....",
            "We don’t support HEIC pictures and videos.",
        ),
    ] {
        let wrong = upload_as(&browser, &page, kind, file).await;
        assert!(wrong.html(400).contains(said), "{wrong:?}");
    }
    let sent = upload(&browser, &page, &jpeg(1600, 900)).await;
    let html = browser.follow(&sent).await.html(200).to_owned();
    let picture = format!("/dashboard/events/{}/cover.jpg", draft.id);
    assert!(
        html.contains("Your picture is the cover now.") && html.contains(&picture),
        "{html}"
    );
    assert_is_cover(&browser.page(&picture).await.body);
    let foreign = app.account(Plan::Free).await;
    let stranger = Browser::signed_in(&app, &foreign.email).await;
    assert_eq!(stranger.page(&picture).await.status, 404);
}

tests::on_both_engines!(
    a_picture_becomes_the_cover_and_is_removed_again,
    a_picture_is_turned_as_its_camera_says_and_keeps_no_metadata,
    what_is_no_picture_is_refused_by_name_and_changes_nothing,
    a_copy_has_the_same_picture,
    a_cancelled_event_keeps_its_cover,
    the_dashboard_takes_a_picture_also_for_a_draft,
);
