//! What the pages show of messages that were posted: pings, deliveries, replays, and signatures by a new secret.

use std::sync::Arc;

use domain::plan::Plan;
use serde_json::json;
use tests::{Receiver, TestApp};

use super::{link_below, made, owner, posted, value_of};

async fn a_ping_says_what_the_receiver_answered(app: Arc<TestApp>) {
    let (_, browser, _) = owner(&app, Plan::Pro).await;
    let receiver = Receiver::start().await;
    let (page, _) = made(&browser, &receiver.url()).await;
    let pinged = browser.send(&page, &[("action", "ping")]).await;
    let html = pinged.html(200);
    let said = "The ping arrived: the receiver answered 200";
    assert!(html.contains(said), "{html}");
    assert_eq!(receiver.taken()[0].kind(), "webhook.ping");
    receiver.answer_next((404, Vec::new(), String::new()));
    let pinged = browser.send(&page, &[("action", "ping")]).await;
    let html = pinged.html(200);
    let said = "The ping failed: the receiver answered 404";
    assert!(html.contains(said), "{html}");
}

async fn deliveries_are_followed_and_sent_again(app: Arc<TestApp>) {
    let (_, browser, client) = owner(&app, Plan::Pro).await;
    let receiver = Receiver::start().await;
    let (page, _) = made(&browser, &receiver.url()).await;
    receiver.answer_next((500, Vec::new(), String::new()));
    client.create(json!({})).await;
    let first = posted(&app, &receiver).await;
    let list = browser.page(&format!("{page}?status=waiting")).await;
    let html = list.html(200);
    assert!(
        html.contains("event.created") && html.contains("answered 500"),
        "{html}"
    );
    let failed = browser.page(&format!("{page}?status=failed")).await;
    assert!(failed.html(200).contains("No deliveries in this state."));

    let delivery = link_below(html, &format!("{page}/deliveries"));
    let shown = browser.page(&delivery).await;
    let html = shown.html(200);
    for shown in [
        "The receiver answered 500",
        "&#34;type&#34;: &#34;event.created&#34;",
        "Next attempt",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
    assert!(!html.contains("Send it again"), "it waits: {html}");
    assert!(html.contains(">Send it now</button>"), "{html}");
    // A webhook that is paused sends nothing.
    browser.send(&page, &[("action", "pause")]).await;
    let paused = browser.page(&delivery).await;
    let html = paused.html(200);
    assert!(
        !html.contains("Send it") && html.contains("Once the webhook is active"),
        "{html}"
    );
    browser.send(&page, &[("action", "enable")]).await;
    browser.page(&page).await;
    receiver.answer_next((500, Vec::new(), String::new()));
    assert_eq!(posted(&app, &receiver).await.len(), 1);

    assert!(posted(&app, &receiver).await.is_empty());
    let hurried = browser.send(&delivery, &[]).await;
    assert_eq!(hurried.status, 303, "{hurried:?}");
    assert_eq!(posted(&app, &receiver).await.len(), 1);
    let again = browser.page(&delivery).await;
    assert!(again.html(200).contains("Send it again"));
    let replayed = browser.send(&delivery, &[]).await;
    let html = browser.follow(&replayed).await;
    let html = html.html(200);
    assert!(html.contains("The message is sent again."), "{html}");
    let again = posted(&app, &receiver).await;
    assert_eq!(again.len(), 1);
    assert_eq!(again[0].id(), first[0].id());
}

async fn what_failed_is_replayed_since_a_time_of_utc(app: Arc<TestApp>) {
    let (_, browser, _) = owner(&app, Plan::Pro).await;
    let receiver = Receiver::start().await;
    let (page, _) = made(&browser, &receiver.url()).await;
    for form in [
        [("action", "replay_day"), ("", "")],
        [("action", "replay"), ("failed_since", "2027-01-01T08:00")],
    ] {
        let replayed = browser.send(&page, &form).await;
        assert_eq!(replayed.status, 303, "{form:?}: {replayed:?}");
        let html = browser.follow(&replayed).await;
        assert!(html.html(200).contains("Nothing failed in that time."));
    }
    let empty = [
        ("action", "replay"),
        ("failed_since", "2027-01-02T08:00"),
        ("failed_until", "2027-01-01T08:00"),
    ];
    let refused = browser.send(&page, &empty).await;
    let html = refused.html(400);
    assert!(html.contains("id=\"failed_until-wrong\""), "{html}");
    let missing = browser.send(&page, &[("action", "replay")]).await;
    let html = missing.html(400);
    assert!(html.contains("id=\"failed_since-wrong\""), "{html}");
}

async fn a_new_secret_is_shown_once_and_signs_beside_the_old_one(app: Arc<TestApp>) {
    let (_, browser, client) = owner(&app, Plan::Pro).await;
    let receiver = Receiver::start().await;
    let (page, old) = made(&browser, &receiver.url()).await;
    let rotated = browser.send(&page, &[("action", "rotate")]).await;
    let html = rotated.html(200);
    let new = value_of(html, "secret");
    assert!(new != old && html.contains("signed with the old one, too"));
    client.create(json!({})).await;
    let got = posted(&app, &receiver).await;
    assert!(got[0].is_signed_with(&old) && got[0].is_signed_with(&new));
    let again = browser.send(&page, &[("action", "rotate")]).await;
    let html = again.html(409);
    assert!(html.contains("The former secret still signs"), "{html}");
}

tests::on_both_engines!(
    a_ping_says_what_the_receiver_answered,
    deliveries_are_followed_and_sent_again,
    what_failed_is_replayed_since_a_time_of_utc,
    a_new_secret_is_shown_once_and_signs_beside_the_old_one,
);
