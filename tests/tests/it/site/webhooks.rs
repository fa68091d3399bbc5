//! The dashboard's pages of webhooks: they are created, paused, changed and deleted without a program.

mod rights;
mod sending;

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::bindings::{CreateWebhook, UpdateEvent};
use serde_json::json;
use tests::{Account, Browser, Client, Received, Receiver, Surface, TestApp};

const LIST: &str = "/dashboard/webhooks";
const NEW: &str = "/dashboard/webhooks/new";

/// An account with its owner in a browser and over HTTP.
async fn owner(app: &Arc<TestApp>, plan: Plan) -> (Account, Browser, Client) {
    let account = app.account(plan).await;
    let browser = Browser::signed_in(app, &account.email).await;
    let client = app.over(Surface::Http).as_owner(&account);
    (account, browser, client)
}

/// The value of the field with this id.
fn value_of(html: &str, id: &str) -> String {
    let (_, rest) = html.split_once(&format!("id=\"{id}\" value=\"")).unwrap();
    rest.split('"').next().unwrap().to_owned()
}

/// The first link on a page to something below a path.
fn link_below(html: &str, path: &str) -> String {
    let links = html.split("href=\"").skip(1);
    let mut links = links.map(|rest| rest.split('"').next().unwrap());
    let below = links.find(|link| {
        link.strip_prefix(path)
            .is_some_and(|rest| rest.starts_with('/') && rest != "/new" && !rest.ends_with("/edit"))
    });
    below.unwrap().to_owned()
}

/// Makes a webhook by the form; returns its path and its secret.
async fn made(browser: &Browser, url: &str) -> (String, String) {
    let form = [("url", url), ("content", "thin"), ("signature", "v1")];
    let made = browser.send(NEW, &form).await;
    let html = made.html(200);
    (link_below(html, LIST), value_of(html, "secret"))
}

async fn posted(app: &TestApp, receiver: &Receiver) -> Vec<Received> {
    app.drain_jobs().await;
    receiver.taken()
}

async fn a_webhook_without_a_url_shows_nothing_about_posting(app: Arc<TestApp>) {
    let (_, browser, client) = owner(&app, Plan::Pro).await;
    let webhook = client.ok::<CreateWebhook>(json!({})).await;
    let page = format!("{LIST}/{}", webhook["id"].as_str().unwrap());
    for (path, shown) in [
        (LIST, "your program pulls the messages"),
        (&*page, "None: your program pulls the messages"),
    ] {
        let reply = browser.page(path).await;
        let html = reply.html(200);
        assert!(html.contains(shown), "{html}");
        for hidden in ["Nothing got through yet", "Last success", "value=\"ping\""] {
            assert!(!html.contains(hidden), "{path}: {hidden}");
        }
    }
}

async fn a_webhook_is_made_by_the_form_and_its_secret_is_shown_once(app: Arc<TestApp>) {
    let (_, browser, client) = owner(&app, Plan::Pro).await;
    let receiver = Receiver::start().await;
    let home = browser.page("/dashboard").await;
    assert!(home.html(200).contains("href=\"/dashboard/webhooks\""));
    let list = browser.page(LIST).await;
    assert!(list.html(200).contains("No webhooks yet"));
    let form = browser.page(NEW).await;
    let html = form.html(200);
    for shown in [
        "value=\"registration.checked_in\"",
        "<legend id=\"types-events\"",
        "What a message looks like",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    assert!(!html.contains("webhook.ping"), "{html}");

    let url = receiver.url();
    let key = value_of(&html.replace("name=\"key\"", "id=\"key\""), "key");
    let typed = [
        ("url", &*url),
        ("description", "Our CRM <1>"),
        ("types", "event.created"),
        ("types", "event.deleted"),
        ("content", "thin"),
        ("signature", "v1"),
        ("key", &*key),
    ];
    let shown = browser.send(NEW, &typed).await;
    let html = shown.html(200);
    assert!(
        html.contains("It is shown only this once") && html.contains("Our CRM &#60;1&#62;"),
        "{html}"
    );
    let secret = value_of(html, "secret");
    let page = link_below(html, LIST);
    // Sent twice, it is one webhook.
    browser.send(NEW, &typed).await;
    let list = browser.page(LIST).await;
    let html = list.html(200);
    assert!(
        html.contains("1 of 10") && html.contains("Active"),
        "{html}"
    );
    let detail = browser.page(&page).await;
    let detail = detail.html(200);
    assert!(detail.contains("<code>event.deleted</code>"), "{detail}");
    assert!(!html.contains(&secret) && !detail.contains(&secret));

    client.create(json!({})).await;
    let got = posted(&app, &receiver).await;
    assert_eq!(got.len(), 1);
    assert!(got[0].is_signed_with(&secret));
}

async fn a_webhook_may_be_for_one_event(app: Arc<TestApp>) {
    let (_, browser, client) = owner(&app, Plan::Pro).await;
    let receiver = Receiver::start().await;
    let [one, other] = [
        client.create(json!({})).await,
        client.create(json!({})).await,
    ];
    let form = browser.page(NEW).await;
    let html = form.html(200);
    assert!(
        html.contains(&format!("<option value=\"{}\"", one.id)),
        "{html}"
    );
    let typed = [("url", &*receiver.url()), ("event_id", &*other.id)];
    let made = browser.send(NEW, &typed).await;
    let page = link_below(made.html(200), LIST);
    let shown = browser.page(&page).await;
    let link = format!("/dashboard/events/{}", other.id);
    assert!(shown.html(200).contains(&link), "{shown:?}");
    for event in [&one, &other] {
        let update = json!({"id": event.id, "title": "Another title"});
        client.ok::<UpdateEvent>(update).await;
    }
    let got = posted(&app, &receiver).await;
    assert_eq!(got.len(), 1);
    assert_eq!(got[0].json()["data"]["event_id"], other.id);
}

async fn what_is_refused_is_said_beside_its_field(app: Arc<TestApp>) {
    let (_, browser, _) = owner(&app, Plan::Free).await;
    let wrong = [
        ("url", "http://10.0.0.1/hook"),
        ("description", "Our CRM"),
        ("types", "event.created"),
    ];
    let refused = browser.send(NEW, &wrong).await;
    let html = refused.html(400);
    for shown in [
        "id=\"url-wrong\"",
        "value=\"http://10.0.0.1/hook\"",
        "value=\"Our CRM\"",
        "value=\"event.created\" checked",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    let full = [("content", "full"), ("description", "Our CRM")];
    let refused = browser.send(NEW, &full).await;
    let html = refused.html(400);
    assert!(
        html.contains("This needs a paid plan.") && html.contains("value=\"Our CRM\""),
        "{html}"
    );
    for _ in 0..2 {
        browser.send(NEW, &[("content", "thin")]).await.html(200);
    }
    let refused = browser.send(NEW, &[("content", "thin")]).await;
    let html = refused.html(409);
    assert!(html.contains("The free plan has 2 webhooks"), "{html}");
}

async fn a_public_key_is_shown_where_the_receiver_holds_no_secret(app: Arc<TestApp>) {
    let (_, browser, _) = owner(&app, Plan::Pro).await;
    let made = browser.send(NEW, &[("signature", "v1a")]).await;
    let html = made.html(200);
    let key = value_of(html, "public-key");
    assert!(
        key.starts_with("whpk_") && !html.contains("whsec_"),
        "{html}"
    );
    let detail = browser.page(&link_below(html, LIST)).await;
    assert!(detail.html(200).contains(&key));
}

async fn a_webhook_is_paused_and_goes_on(app: Arc<TestApp>) {
    let (_, browser, client) = owner(&app, Plan::Pro).await;
    let receiver = Receiver::start().await;
    let (page, _) = made(&browser, &receiver.url()).await;
    let paused = browser.send(&page, &[("action", "pause")]).await;
    let html = browser.follow(&paused).await;
    let html = html.html(200);
    assert!(
        html.contains("The webhook is paused.") && html.contains(">Resume</button>"),
        "{html}"
    );
    client.create(json!({})).await;
    assert!(posted(&app, &receiver).await.is_empty());
    let active = browser.send(&page, &[("action", "enable")]).await;
    let html = browser.follow(&active).await;
    assert!(html.html(200).contains(">Pause</button>"));
    assert_eq!(posted(&app, &receiver).await.len(), 1);
}

async fn a_webhook_is_changed_and_deleted(app: Arc<TestApp>) {
    let (_, browser, client) = owner(&app, Plan::Pro).await;
    let receiver = Receiver::start().await;
    let (page, _) = made(&browser, "http://127.0.0.1:9/hook").await;
    let url = receiver.url();
    let change = [
        ("url", &*url),
        ("description", "Our CRM"),
        ("types", "event.created"),
        ("content", "full"),
    ];
    let edit = format!("{page}/edit");
    let saved = browser.send(&edit, &change).await;
    assert_eq!(saved.header("location"), Some(&*page), "{saved:?}");
    let form = browser.page(&edit).await;
    let html = form.html(200);
    for shown in [
        &*format!("value=\"{url}\""),
        "value=\"event.created\" checked",
        "value=\"full\" checked",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    client.create(json!({})).await;
    assert_eq!(posted(&app, &receiver).await.len(), 1);
    // What is emptied is no more; no type is all types.
    let saved = browser.send(&edit, &[("url", &*url)]).await;
    assert_eq!(saved.status, 303, "{saved:?}");
    let detail = browser.page(&page).await;
    let html = detail.html(200);
    assert!(
        html.contains("<dd>All</dd>") && !html.contains("Our CRM"),
        "{html}"
    );

    let delete = format!("{page}/delete");
    let asked = browser.page(&delete).await;
    assert!(asked.html(200).contains("Delete this webhook?"));
    let deleted = browser.send(&delete, &[]).await;
    assert_eq!(deleted.header("location"), Some(LIST), "{deleted:?}");
    browser.page(&page).await.html(404);
}

tests::on_both_engines!(
    a_webhook_without_a_url_shows_nothing_about_posting,
    a_webhook_is_made_by_the_form_and_its_secret_is_shown_once,
    a_webhook_may_be_for_one_event,
    what_is_refused_is_said_beside_its_field,
    a_public_key_is_shown_where_the_receiver_holds_no_secret,
    a_webhook_is_paused_and_goes_on,
    a_webhook_is_changed_and_deleted,
);
