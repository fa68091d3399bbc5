//! Query parameters: strict, never clamped, named when they are wrong.

use std::sync::Arc;

use domain::plan::Plan;
use serde_json::json;
use tests::{Refusal, Surface, TestApp};

async fn refused(app: &TestApp, key: &str, path: &str) -> Refusal {
    let request = app.http.get(path).bearer(key);
    request.send().await.refusal()
}

/// Every list, with a limit that it takes.
async fn lists(app: &Arc<TestApp>) -> (String, [(String, u16); 3]) {
    let account = app.account(Plan::Premium).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.create(json!({})).await;
    let paths = [
        ("/events".to_owned(), 100),
        ("/me/events".to_owned(), 100),
        (format!("/me/events/{}/registrations", event.id), 200),
    ];
    (account.key, paths)
}

async fn a_limit_is_a_number_within_its_limits(app: Arc<TestApp>) {
    let (key, lists) = lists(&app).await;
    for (path, most) in lists {
        for limit in ["1", "001", &most.to_string(), "%31"] {
            let request = app.http.get(&format!("{path}?limit={limit}")).bearer(&key);
            request.send().await.ok();
        }
        for limit in [
            "0",
            "-1",
            "-0",
            &(most + 1).to_string(),
            "2147483647",
            "2147483648",
            "-2147483649",
            "99999999999999999999",
            "",
            "ten",
            "1.0",
            "1e1",
            "0x10",
            "+5",
            "%2B5",
            "%205",
            "5%20",
            "5%00",
            "%D9%A5",
            "null",
            "[5]",
            "5,6",
        ] {
            let refusal = refused(&app, &key, &format!("{path}?limit={limit}")).await;
            refusal.blames(&["limit"]);
        }
    }
}

async fn an_offset_is_a_number_from_0(app: Arc<TestApp>) {
    for offset in ["0", "2147483647"] {
        let request = app.http.get(&format!("/events?offset={offset}"));
        assert_eq!(request.send().await.ok()["offset"].to_string(), offset);
    }
    for offset in ["-1", "2147483648", "", "x", "1.5"] {
        let refusal = refused(&app, "", &format!("/events?offset={offset}")).await;
        refusal.blames(&["offset"]);
    }
}

async fn a_parameter_is_given_once(app: Arc<TestApp>) {
    let (key, _) = lists(&app).await;
    for (path, blamed) in [
        ("/events?limit=5&limit=5", "limit"),
        ("/events?offset=1&limit=5&offset=2", "offset"),
        ("/me/events?status=all&status=past", "status"),
    ] {
        refused(&app, &key, path).await.blames(&[blamed]);
    }
}

async fn other_parameters_are_refused_by_name(app: Arc<TestApp>) {
    let (key, lists) = lists(&app).await;
    for (path, _) in &lists {
        for name in ["page", "Limit", "limit%20", "api_key", "id"] {
            let refusal = refused(&app, &key, &format!("{path}?{name}=1")).await;
            refusal.blames(&[&name.replace("%20", " ")]);
            assert!(refusal.message.contains("limit"), "{refusal:?}");
        }
    }
    // The contract gives this list no offset, and these reads no parameter at all.
    let detail = lists[2].0.replace("/registrations", "");
    for (path, blamed) in [
        ("/me/events?offset=0", "offset"),
        (&format!("{detail}?fields=title"), "fields"),
        ("/use-cases?limit=1", "limit"),
        ("/guides?q=", "q"),
        ("/events?query=rust", "query"),
        ("/me?expand", "expand"),
    ] {
        refused(&app, &key, path).await.blames(&[blamed]);
    }
}

async fn everything_wrong_with_a_query_is_said_at_once(app: Arc<TestApp>) {
    let refusal = refused(&app, "", "/events?limit=x&page=2&offset=-").await;
    refusal.blames(&["limit", "page", "offset"]);
}

async fn escapes_have_to_be_right(app: Arc<TestApp>) {
    let (key, _) = lists(&app).await;
    for (path, blamed) in [
        ("/me/events?status=%", "status"),
        ("/me/events?status=%f", "status"),
        ("/me/events?status=%zz", "status"),
        ("/me/events?status=%ff", "status"),
        ("/me/events?status=%ed%a0%80", "status"),
        ("/events/%zz", "slug"),
        ("/me/events/%ff", "id"),
    ] {
        refused(&app, &key, path).await.blames(&[blamed]);
    }
    let escaped = app.http.get("/me/events?st%61tus=p%61st").bearer(&key);
    escaped.send().await.ok();
    let empty = app.http.get("/me/events?").bearer(&key);
    empty.send().await.ok();
}

tests::on_both_engines!(
    a_limit_is_a_number_within_its_limits,
    an_offset_is_a_number_from_0,
    a_parameter_is_given_once,
    other_parameters_are_refused_by_name,
    everything_wrong_with_a_query_is_said_at_once,
    escapes_have_to_be_right,
);
