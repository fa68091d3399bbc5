//! Who sees the pages of webhooks, and whose webhooks end.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{CreateWebhook, GetWebhook, UpdateWebhook};
use serde_json::json;
use tests::{OAuthApp, Receiver, Surface, TestApp};

use super::{LIST, NEW, made, owner, posted};
use crate::site::members::{joined, member};

async fn revoking_a_key_ends_its_webhooks_unless_they_are_to_stay(app: Arc<TestApp>) {
    for (is_kept, state) in [(true, "Active"), (false, "Disabled")] {
        let (account, browser, client) = owner(&app, Plan::Pro).await;
        let key = format!("/dashboard/keys/{}", account.key_id);
        // Who has none is not asked.
        let page = browser.page(&key).await;
        assert!(!page.html(200).contains("keeps_webhooks"), "{page:?}");
        made(&browser, "http://127.0.0.1:9/of-someone").await;
        let request = json!({"url": "http://127.0.0.2:9/hook?token=1", "description": "Our CRM"});
        let webhook = client.ok::<CreateWebhook>(request).await;
        let page = browser.page(&key).await;
        let html = page.html(200);
        assert!(html.contains("Keep the webhooks that it made"), "{html}");
        assert!(
            html.contains("<bdi>Our CRM</bdi> (<bdi>127.0.0.2</bdi>)"),
            "{html}"
        );
        assert!(
            !html.contains("127.0.0.1:9") && !html.contains("token"),
            "{html}"
        );
        let keeps = if is_kept { "true" } else { "" };
        let form = [("keeps_webhooks", keeps), ("action", "revoke")];
        let revoked = browser.send(&key, &form).await;
        assert_eq!(revoked.status, 303, "{revoked:?}");
        let list = browser.page(LIST).await;
        let html = list.html(200);
        assert!(html.contains(&format!(">{state}</span>")), "{html}");
        assert_eq!(html.contains("was revoked"), !is_kept, "{html}");
        let id = webhook["id"].as_str().unwrap();
        let detail = browser.page(&format!("{LIST}/{id}")).await;
        assert_eq!(detail.html(200).contains(">Enable</button>"), !is_kept);
    }
}

async fn disconnecting_an_app_ends_its_webhooks_unless_they_are_to_stay(app: Arc<TestApp>) {
    const APPS: &str = "/dashboard/apps";
    for (is_kept, state) in [(true, "active"), (false, "disabled")] {
        let (_, browser, client) = owner(&app, Plan::Pro).await;
        let connected = OAuthApp::registered(&app, "CRM").await;
        let tokens = connected.connected(&browser, &[]).await;
        let page = browser.page(APPS).await;
        assert!(!page.html(200).contains("keeps_webhooks"), "{page:?}");
        let program = app.over(Surface::Http).with_key(&tokens.access);
        let request = json!({"url": "http://127.0.0.2:9/hook?token=1"});
        let webhook = program.ok::<CreateWebhook>(request).await;
        let page = browser.page(APPS).await;
        let html = page.html(200);
        assert!(
            html.contains("<bdi>127.0.0.2</bdi>") && !html.contains("token=1"),
            "{html}"
        );
        assert!(html.contains("Keep its webhooks"), "{html}");
        let (_, rest) = html.split_once("name=\"id\" value=\"").unwrap();
        let grant = rest.split('"').next().unwrap();
        let keeps = if is_kept { "true" } else { "" };
        let form = [("keeps_webhooks", keeps), ("id", grant)];
        let ended = browser.send(APPS, &form).await;
        assert_eq!(ended.status, 303, "{ended:?}");
        let request = json!({"webhook_id": webhook["id"]});
        let shown = client.ok::<GetWebhook>(request).await;
        assert_eq!(shown["state"], state);
    }
}

async fn the_webhooks_of_a_member_end_with_their_membership_or_their_role(app: Arc<TestApp>) {
    let (account, owner, client) = owner(&app, Plan::Pro).await;
    for (name, change) in [
        ("otto", &[("action", "remove")][..]),
        (
            "oda",
            &[("action", "role"), ("role", "door"), ("events", "all")][..],
        ),
    ] {
        let email = format!("{name}@example.org");
        let organizer = member(&app, &owner, &email, "organizer").await;
        let receiver = Receiver::start().await;
        made(&organizer, &receiver.url()).await;
        app.drain_jobs().await;
        let is_about_it = |mail: &tests::Mail| {
            mail.to == account.email && mail.subject.starts_with("A webhook sends")
        };
        assert!(app.notices().iter().any(is_about_it), "{name}");
        client.create(json!({})).await;
        assert_eq!(posted(&app, &receiver).await.len(), 1);

        let members = owner.page("/dashboard/members").await;
        let rows = members.html(200).split("href=\"/dashboard/members/");
        let row = { rows }
            .find(|row| row.contains(&format!(">{name}<")))
            .unwrap();
        let page = format!("/dashboard/members/{}", row.split('"').next().unwrap());
        let changed = owner.send(&page, change).await;
        assert_eq!(changed.status, 303, "{changed:?}");
        client.create(json!({})).await;
        assert!(posted(&app, &receiver).await.is_empty(), "{name}");
        let list = owner.page(LIST).await;
        assert!(list.html(200).contains("Disabled"), "{list:?}");
    }
}

async fn door_staff_see_no_webhooks_and_neither_do_strangers(app: Arc<TestApp>) {
    let (_, browser, client) = owner(&app, Plan::Pro).await;
    let (page, _) = made(&browser, "http://127.0.0.1:9/hook").await;
    let door = member(&app, &browser, "door@example.org", "door").await;
    let home = door.page("/dashboard").await;
    assert!(!home.html(200).contains(LIST));
    for path in [LIST, NEW, &page] {
        let html = door.page(path).await;
        let html = html.html(403);
        assert!(html.contains("Your role does not include this"), "{html}");
    }
    let (_, stranger, _) = owner(&app, Plan::Pro).await;
    stranger.page(&page).await.html(404);
    for action in ["pause", "ping", "rotate", "replay_day"] {
        let sent = stranger.send(&page, &[("action", action)]).await;
        sent.html(404);
    }
    stranger
        .send(&format!("{page}/delete"), &[])
        .await
        .html(404);
    let id = page.rsplit('/').next().unwrap();
    let webhook = client.ok::<GetWebhook>(json!({"webhook_id": id})).await;
    assert_eq!(webhook["state"], "active");
}

async fn what_a_member_for_one_event_does_is_posted_and_they_see_no_webhook(app: Arc<TestApp>) {
    let (_, owner, client) = owner(&app, Plan::Pro).await;
    let event = client.publish_new(json!({})).await;
    let receiver = Receiver::start().await;
    let webhook = json!({"url": receiver.url(), "event_id": event.id});
    client.ok::<CreateWebhook>(webhook).await;
    let fields = [
        ("email", "kim@example.org"),
        ("role", "organizer"),
        ("events", "some"),
        ("events.ids", &*event.id),
    ];
    let kim = joined(&app, &owner, &fields).await;
    assert_ne!(kim.page(LIST).await.status, 200);
    let guest = [("name", "Ada"), ("email", "ada@example.org")];
    let added = format!("/dashboard/events/{}/registrations/new", event.id);
    assert_eq!(kim.send(&added, &guest).await.status, 303);
    let got = posted(&app, &receiver).await;
    let data = &got[0].json()["data"];
    assert_eq!(
        (&data["event_id"], &data["actor"]),
        (&json!(event.id), &json!("person"))
    );
}

async fn where_changes_go_is_decided_after_a_step_up_and_told_to_all_owners(app: Arc<TestApp>) {
    let (account, browser, client) = owner(&app, Plan::Pro).await;
    let second = member(&app, &browser, "second@example.org", "owner").await;
    let told = || {
        let mails = app.notices();
        let is_about_it = |mail: &&tests::Mail| mail.subject.starts_with("A webhook sends");
        let mut told: Vec<String> = mails
            .iter()
            .filter(is_about_it)
            .map(|mail| mail.to.clone())
            .collect();
        told.sort();
        told
    };
    // How many times each owner was told.
    let each = |times| {
        let mut all = [&*account.email, "second@example.org"].repeat(times);
        all.sort_unstable();
        all
    };
    let url = "https://hooks.example/1";
    let webhook = client.ok::<CreateWebhook>(json!({"url": url})).await;
    app.drain_jobs().await;
    assert_eq!(told(), each(1), "also about a key's");
    let (page, _) = made(&browser, "http://127.0.0.1:9/hook").await;
    app.drain_jobs().await;
    assert_eq!(told(), each(2));

    app.advance(std::time::Duration::from_mins(16));
    let edit = format!("{page}/edit");
    let form = |url, content| [("url", url), ("content", content), ("signature", "v1")];
    for (path, form) in [
        (NEW, form("http://127.0.0.1:9/other", "thin")),
        (&*edit, form("http://127.0.0.1:9/other", "thin")),
        (&*edit, form("http://127.0.0.1:9/hook", "full")),
    ] {
        let refused = browser.send(path, &form).await;
        let html = refused.html(403);
        assert!(html.contains("confirm that it is you"), "{path}: {html}");
    }
    // What sends nothing elsewhere needs none, and a key has had its step-up.
    let paused = browser.send(&page, &[("action", "pause")]).await;
    assert_eq!(paused.status, 303, "{paused:?}");
    let change = json!({"webhook_id": webhook["id"], "url": "https://hooks.example/2"});
    client.ok::<UpdateWebhook>(change).await;
    app.drain_jobs().await;
    assert_eq!(told(), each(3));
    drop(second);
}

tests::on_both_engines!(
    what_a_member_for_one_event_does_is_posted_and_they_see_no_webhook,
    where_changes_go_is_decided_after_a_step_up_and_told_to_all_owners,
    revoking_a_key_ends_its_webhooks_unless_they_are_to_stay,
    disconnecting_an_app_ends_its_webhooks_unless_they_are_to_stay,
    the_webhooks_of_a_member_end_with_their_membership_or_their_role,
    door_staff_see_no_webhooks_and_neither_do_strangers,
);
