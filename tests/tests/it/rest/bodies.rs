//! Bodies that are no JSON, or JSON that no client of good will sends.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::Reason;
use serde_json::json;
use tests::{Refusal, TestApp, new_event};

/// Tries a body on each operation that takes one, which must refuse it; answers what cancelling says.
async fn refused(app: &Arc<TestApp>, body: &[u8]) -> Refusal {
    let account = app.account(Plan::Business).await;
    let owner = app.over(tests::Surface::Http).as_owner(&account);
    let event = owner.create(json!({})).await;
    let before = owner.detail(&event).await;
    let requests = [
        app.http.post("/events"),
        app.http.patch(&format!("/me/events/{}", event.id)),
        app.http.post(&format!("/me/events/{}/cancel", event.id)),
    ];
    let mut refusals = Vec::new();
    for request in requests {
        let request = request.bearer(&account.key).json_bytes(body.to_vec());
        refusals.push(request.send().await.refusal());
    }
    assert!(
        refusals
            .iter()
            .all(|refusal| refusal.reason == Reason::InvalidRequest)
    );
    assert_eq!(owner.detail(&event).await, before);
    let list = app.http.get("/me/events").bearer(&account.key).send().await;
    assert_eq!(list.ok()["count"], 1);
    refusals.pop().unwrap()
}

async fn what_is_no_json_object_is_refused(app: Arc<TestApp>) {
    for body in [
        "{",
        "}",
        "{{}",
        "{}}",
        "{} {}",
        "{},",
        "{,}",
        "nul",
        "null",
        "true",
        "5",
        "-",
        "NaN",
        "\"text\"",
        "[]",
        "[{}]",
        "{'reason': 1}",
        "{reason: 1}",
        "{\"reason\"}",
        "{\"reason\":}",
        "{\"reason\":\"x\",}",
        "{\"reason\":\"x\" \"y\"}",
        "{\"reason\":\"\\x\"}",
        "{\"reason\":\"\\u12\"}",
        "{\"reason\":\"line\nbreak\"}",
        "{\"reason\":01}",
        "{\"reason\":+1}",
        "{\"reason\":1.}",
        "{\"reason\":undefined}",
        "{\"reason\":/* why */1}",
        "reason=x",
        "<reason/>",
        "---\nreason: x",
        "\u{feff}{}",
        "\0",
        "{\"\0\":1}",
        " ",
    ] {
        let refusal = refused(&app, body.as_bytes()).await;
        assert_eq!(refusal.reason, Reason::InvalidRequest, "{body:?}");
        assert_eq!(refusal.details.len(), 1, "{body:?}: {refusal:?}");
        assert!(refusal.message.starts_with(&refusal.details[0].field));
    }
}

async fn a_body_that_ends_anywhere_too_early_is_refused(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let whole = new_event(json!({
        "title": "Größe \u{1f389}", "max_capacity": 80, "is_public": true, "city": null,
        "custom_fields": [{"label": "Size", "field_type": "select", "options": ["S", "M"]}],
    }));
    let whole = whole.to_string().into_bytes();
    let send = async |body: &[u8]| {
        let request = app.http.post("/events").bearer(&account.key);
        request.json_bytes(body.to_vec()).send().await
    };
    for end in 0..whole.len() {
        let refusal = send(&whole[..end]).await.refusal();
        assert_eq!(refusal.reason, Reason::InvalidRequest, "cut at {end}");
    }
    send(&whole).await.ok();
}

async fn deep_nesting_is_refused_without_harm(app: Arc<TestApp>) {
    const DEPTH: usize = 100_000;
    let arrays = "[".repeat(DEPTH);
    let objects = "{\"a\":".repeat(DEPTH);
    let closed = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    for body in [
        arrays.clone(),
        objects,
        format!("{{\"reason\":{arrays}"),
        format!("{{\"reason\":{closed}}}"),
        format!("{{\"unknown\":{closed}}}"),
    ] {
        let refusal = refused(&app, body.as_bytes()).await;
        assert_eq!(refusal.reason, Reason::InvalidRequest);
    }
    let nested = format!("{{\"custom_fields\":[{{\"options\":{closed}}}]}}");
    let account = app.account(Plan::Free).await;
    let request = app.http.post("/events").bearer(&account.key);
    let refusal = request.json_bytes(nested).send().await.refusal();
    assert_eq!(refusal.reason, Reason::InvalidRequest);
    assert!(
        refusal.fields()[0].starts_with("custom_fields[0].options"),
        "{refusal:?}"
    );
}

async fn what_is_not_utf_8_is_refused(app: Arc<TestApp>) {
    for body in [
        b"\xff".as_slice(),
        b"\xff\xfe{\0}\0",
        b"{\"reason\":\"\xff\"}",
        b"{\"reason\":\"\xc3\"}",
        // Overlong, a surrogate, and beyond the last character.
        b"{\"reason\":\"\xc0\x80\"}",
        b"{\"reason\":\"\xed\xa0\x80\"}",
        b"{\"reason\":\"\xf4\x90\x80\x80\"}",
        b"{\"rea\xffson\":\"x\"}",
        // Halves of characters as escapes.
        br#"{"reason":"\ud83c"}"#,
        br#"{"reason":"\udf89"}"#,
        br#"{"reason":"\ud83c\u0041"}"#,
    ] {
        let refusal = refused(&app, body).await;
        assert_eq!(
            refusal.reason,
            Reason::InvalidRequest,
            "{}",
            body.escape_ascii()
        );
        assert_eq!(refusal.details.len(), 1, "{}", body.escape_ascii());
    }
}

async fn escapes_mean_what_json_says(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let send = async |title: &str| {
        let body = new_event(json!({"title": "TITLE"})).to_string();
        let request = app.http.post("/events").bearer(&account.key);
        request
            .json_bytes(body.replace("TITLE", title))
            .send()
            .await
    };
    let created = send(r"Gr\u00f6\u00DFe \ud83c\udf89 \/ \u005c").await.ok();
    let path = format!("/me/events/{}", created["id"].as_str().unwrap());
    let detail = app.http.get(&path).bearer(&account.key).send().await;
    assert_eq!(detail.ok()["title"], "Größe \u{1f389} / \\");
    for control in [
        r"abc\u0000def",
        r"abc\u001bdef",
        r"abc\ndef",
        r"abc\u0085def",
    ] {
        send(control).await.refusal().blames(&["title"]);
    }
}

async fn a_field_that_is_given_twice_is_refused(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let send = async |body: &str| {
        let request = app.http.post("/events").bearer(&account.key);
        request.json_bytes(body.to_owned()).send().await.refusal()
    };
    let refusal = send(r#"{"title":"Rust Meetup","title":"Rust Meetup"}"#).await;
    assert_eq!(refusal.details[0].field, "title");
    let refusal = send(r#"{"custom_fields":[{"label":"x","label":"y"}]}"#).await;
    assert_eq!(refusal.details[0].field, "custom_fields[0].label");
}

tests::on_both_engines!(
    what_is_no_json_object_is_refused,
    a_body_that_ends_anywhere_too_early_is_refused,
    deep_nesting_is_refused_without_harm,
    what_is_not_utf_8_is_refused,
    escapes_mean_what_json_says,
    a_field_that_is_given_twice_is_refused,
);
