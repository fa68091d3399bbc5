//! Who may decide where messages go, and who sees what they say.

use std::{sync::Arc, time::Duration};

use domain::{plan::Plan, scope::Scope};
use muster_api::{
    Reason,
    v1::bindings::{AddRegistration, CreateWebhook, GetWebhookDelivery, UpdateWebhook},
};
use serde_json::{Value, json};
use tests::{Client, Receiver, TestApp};

use super::{deliveries, now, posted, subscribed};

/// Adds a guest with an address to a new event.
async fn guest(owner: &Client) {
    let event = owner.publish_new(json!({})).await;
    let guest = json!({"id": event.id, "name": "Ada", "email": "ada@example.org"});
    owner.ok::<AddRegistration>(guest).await;
}

async fn who_cannot_read_registrations_neither_redirects_nor_reads_full_messages(
    app: Arc<TestApp>,
) {
    let full = json!({"content": "full", "types": ["registration.created"]});
    let (account, owner, receiver, webhook) = subscribed(&app, Plan::Pro, full).await;
    let scopes = [Scope::WebhooksRead, Scope::WebhooksWrite];
    let key = app.key_for(&account, &scopes).await;
    let program = app.over(tests::Surface::Http).with_key(&key);
    let elsewhere = Receiver::start().await;
    let id = &webhook["id"];
    for change in [
        json!({"webhook_id": id, "url": elsewhere.url()}),
        json!({"webhook_id": id, "url": elsewhere.url(), "content": "full"}),
    ] {
        let refusal = program.refused::<UpdateWebhook>(change).await;
        assert_eq!(refusal.reason, Reason::InsufficientScope);
    }
    let refusal = program.refused::<CreateWebhook>(json!({"content": "full"}));
    assert_eq!(refusal.await.reason, Reason::InsufficientScope);
    // It may still stop it.
    let pause = json!({"webhook_id": id, "is_paused": true});
    program.ok::<UpdateWebhook>(pause).await;
    let resume = json!({"webhook_id": id, "is_paused": false});
    program.ok::<UpdateWebhook>(resume).await;

    guest(&owner).await;
    assert_eq!(posted(&app, &receiver).await.len(), 1);
    let delivery = &deliveries(&owner, &webhook).await[0];
    let which = json!({"webhook_id": id, "message_id": delivery["message_id"]});
    let seen = owner.ok::<GetWebhookDelivery>(which.clone()).await;
    assert_eq!(seen["body"]["data"]["registration"]["name"], "Ada");
    let seen = program.ok::<GetWebhookDelivery>(which.clone()).await;
    assert_eq!(seen["body"]["data"]["registration"], Value::Null);
    assert_eq!(seen["body"]["type"], "registration.created");
    assert!(!seen.to_string().contains("Ada"), "{seen}");

    // Receivers may repeat what they got. This one is in a private network, whose answers are not stored.
    app.update_all("webhook_attempts SET answer = 'Welcome, Ada!'")
        .await;
    let seen = owner.ok::<GetWebhookDelivery>(which.clone()).await;
    assert_eq!(seen["attempts"][0]["answer"], "Welcome, Ada!");
    let seen = program.ok::<GetWebhookDelivery>(which.clone()).await;
    assert_eq!(seen["attempts"][0]["status"], 200);
    assert!(!seen.to_string().contains("Ada"), "{seen}");
    // That goes for answers to earlier messages, too.
    let thin = json!({"webhook_id": id, "content": "thin"});
    owner.ok::<UpdateWebhook>(thin).await;
    let seen = program.ok::<GetWebhookDelivery>(which).await;
    assert!(!seen.to_string().contains("Ada"), "{seen}");
}

async fn a_mail_names_the_server_that_a_program_chose_even_if_it_is_another_by_then(
    app: Arc<TestApp>,
) {
    let (account, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    app.drain_jobs().await;
    let before = app.notices().len();
    for url in [
        receiver.url().replace("127.0.0.1", "127.0.0.9"),
        receiver.url(),
    ] {
        let change = json!({"webhook_id": webhook["id"], "url": url});
        owner.ok::<UpdateWebhook>(change).await;
        app.advance(Duration::from_secs(1));
    }
    app.drain_jobs().await;
    let mails = app.notices();
    assert_eq!(mails.len(), before + 2);
    let names = |host: &str| {
        let of = mails.iter().filter(|mail| mail.to == account.email);
        of.filter(|mail| mail.text.contains(host)).count()
    };
    assert_eq!(names("to 127[.]0[.]0[.]9 now"), 1);
    assert_eq!(names("to 127[.]0[.]0[.]1 now"), 2);
}

async fn what_a_key_that_was_revoked_made_belongs_to_whoever_enables_it(app: Arc<TestApp>) {
    let (account, _, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    let keys = &app.core.use_cases().keys;
    keys.revoke(account.key_id).await.unwrap();
    app.advance(Duration::from_secs(10));
    let all = [
        Scope::WebhooksRead,
        Scope::WebhooksWrite,
        Scope::EventsWrite,
    ];
    let key = app.key_for(&account, &all).await;
    let program = app.over(tests::Surface::Http).with_key(&key);
    assert_eq!(now(&program, &webhook).await["disabled_reason"], "revoked");
    app.drain_jobs().await;
    let before = app.notices().len();
    let enable = json!({"webhook_id": webhook["id"], "is_paused": false});
    program.ok::<UpdateWebhook>(enable).await;
    app.drain_jobs().await;
    // The owners get a mail: a program decided where messages go.
    assert_eq!(app.notices().len(), before + 1);
    program.create(json!({})).await;
    assert_eq!(posted(&app, &receiver).await.len(), 1);
}

async fn a_url_is_one_line_and_is_stored_in_its_usual_form(app: Arc<TestApp>) {
    let (_, owner, receiver, webhook) = subscribed(&app, Plan::Pro, json!({})).await;
    let url = receiver.url();
    for wrong in ["\0", "\r\nX: y", "\u{202e}"] {
        let url = format!("{url}{wrong}");
        let refusal = owner.refused::<CreateWebhook>(json!({ "url": url }));
        refusal.await.blames(&["url"]);
    }
    let change = json!({"webhook_id": webhook["id"], "url": url.replace("http://", "HTTP://")});
    let changed = owner.ok::<UpdateWebhook>(change).await;
    assert_eq!(changed["url"], url);
    let refusal = owner.refused::<CreateWebhook>(json!({"types": ["webhook.ping"]}));
    refusal.await.blames(&["types[0]"]);
}

tests::on_both_engines!(
    who_cannot_read_registrations_neither_redirects_nor_reads_full_messages,
    a_mail_names_the_server_that_a_program_chose_even_if_it_is_another_by_then,
    what_a_key_that_was_revoked_made_belongs_to_whoever_enables_it,
    a_url_is_one_line_and_is_stored_in_its_usual_form,
);
