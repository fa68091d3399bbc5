//! Every path of the OpenAPI document with every method, and paths beside them.

use std::{collections::BTreeSet, sync::Arc};

use domain::{plan::Plan, registration::Status};
use http::{Method, StatusCode};
use muster_api::{
    Reason,
    v1::bindings::{CreateMessage, CreateWebhook, ListWebhookDeliveries},
};
use serde_json::{Value, json};
use tests::{Browser, Surface, TestApp};

use crate::site::organizers::change;

const HANDLE: &str = "crab-friends";

const METHODS: [Method; 5] = [
    Method::GET,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
];

/// A key of an account with two of everything that can be listed, and each path with what stands behind it being the key's own, the methods that it takes and whether reading it is
/// public.
pub(super) async fn paths(app: &Arc<TestApp>) -> (String, Vec<(String, BTreeSet<String>, bool)>) {
    let account = app.account(Plan::Premium).await;
    let browser = Browser::signed_in(app, &account.email).await;
    let changed = change(&browser, &account, &[("handle", HANDLE)]).await;
    assert_eq!(changed.status, StatusCode::SEE_OTHER, "{changed:?}");
    let owner = app.over(Surface::Http).as_owner(&account);
    // Nothing listens on this port, and nothing is posted before jobs are done.
    let url = json!({"url": "http://127.0.0.1:9/hook"});
    owner.ok::<CreateWebhook>(url.clone()).await;
    let webhook = owner.ok::<CreateWebhook>(url).await["id"].take();
    let event = owner.publish_new(json!({"image_query": "crab"})).await;
    owner.publish_new(json!({})).await;
    let two = [Status::Confirmed, Status::Confirmed];
    let guests = app.register(&event.id, &two).await;
    let mut message = Value::Null;
    for _ in 0..2 {
        let later =
            json!({"id": event.id, "subject": "Thank you", "text": "all", "hours_after_end": 1});
        message = owner.ok::<CreateMessage>(later).await["id"].take();
    }
    let deliveries = json!({"webhook_id": webhook});
    let deliveries = owner.ok::<ListWebhookDeliveries>(deliveries).await;
    let delivery = deliveries["items"][0]["message_id"].as_str().unwrap();
    let document: Value = serde_json::from_str(muster_api::OPENAPI).unwrap();
    let one = |(path, operations): (&String, &Value)| {
        let path = path
            .replace("deliveries/{message_id}", &format!("deliveries/{delivery}"))
            .replace("{webhook_id}", webhook.as_str().unwrap())
            .replace("{handle}", HANDLE)
            .replace("{slug}", &event.slug)
            .replace("{id}", &event.id)
            .replace("{registration_id}", &guests[0].id.to_string())
            .replace("{message_id}", message.as_str().unwrap());
        let methods = operations
            .as_object()
            .unwrap()
            .keys()
            .map(|name| name.to_uppercase());
        let security = operations["get"]["security"].as_array();
        (path, methods.collect(), security.is_some_and(Vec::is_empty))
    };
    let paths = document["paths"].as_object().unwrap();
    (account.key, paths.iter().map(one).collect())
}

async fn a_path_takes_its_methods_and_names_them(app: Arc<TestApp>) {
    let (key, paths) = paths(&app).await;
    for (path, mut methods, _) in paths {
        let path = format!("/api/v1{path}");
        methods.insert("OPTIONS".into());
        if methods.contains("GET") {
            methods.insert("HEAD".into());
        }
        for method in METHODS {
            if methods.contains(method.as_str()) {
                continue;
            }
            let answer = app.http.request(method, &path).bearer(&key).send().await;
            assert_eq!(
                answer.refusal().reason,
                Reason::MethodNotAllowed,
                "{answer:?}"
            );
            let allowed = answer.header("allow").unwrap().split(", ");
            assert_eq!(allowed.map(str::to_owned).collect::<BTreeSet<_>>(), methods);
        }
        let options = app.http.request(Method::OPTIONS, &path).send().await;
        assert_eq!(options.status, StatusCode::NO_CONTENT);
        assert_eq!(
            options.header("allow").unwrap().split(", ").count(),
            methods.len()
        );
    }
}

async fn head_answers_as_get_without_the_body(app: Arc<TestApp>) {
    let (key, paths) = paths(&app).await;
    for (path, methods, _) in paths {
        if !methods.contains("GET") {
            continue;
        }
        let ask = |method| {
            app.http
                .request(method, &format!("/api/v1{path}"))
                .bearer(&key)
        };
        let get = ask(Method::GET).send().await;
        let head = ask(Method::HEAD).send().await;
        assert_eq!(head.status, StatusCode::OK, "{path}");
        assert!(head.body.is_empty(), "{path}");
        for header in [
            "content-type",
            "cache-control",
            "etag",
            "access-control-allow-origin",
        ] {
            assert_eq!(head.header(header), get.header(header), "{path} {header}");
        }
    }
}

async fn a_page_may_always_send_its_credential_along(app: Arc<TestApp>) {
    let preflight = app.http.request(Method::OPTIONS, "/api/v1/events");
    let preflight = preflight.header("origin", "https://elsewhere.example");
    let preflight = preflight.header("access-control-request-method", "GET");
    let answer = preflight.send().await;
    // To browsers the star is every header but this one.
    let headers = answer.header("access-control-allow-headers");
    assert_eq!(headers, Some("*, Authorization"));
}

/// No browser sends a bearer token unasked, and none sends cookies to what answers with a star.
async fn pages_of_other_origins_may_call_all_but_what_acts_for_a_visitor(app: Arc<TestApp>) {
    let (key, paths) = paths(&app).await;
    for (path, methods, _) in paths {
        let from_page = |method| {
            let request = app.http.request(method, &format!("/api/v1{path}"));
            request.header("origin", "https://elsewhere.example")
        };
        if methods.contains("GET") {
            let answer = from_page(Method::GET).bearer(&key).send().await;
            let allowed = answer.header("access-control-allow-origin");
            assert_eq!(allowed, Some("*"), "{path}");
            let credentials = answer.header("access-control-allow-credentials");
            assert_eq!(credentials, None, "{path}");
        }
        for method in METHODS {
            let preflight =
                from_page(Method::OPTIONS).header("access-control-request-method", method.as_str());
            let answer = preflight.send().await;
            let registers = path.starts_with("/events/") && path.ends_with("/registrations");
            let takes = methods.contains(method.as_str());
            let expected = Some("*").filter(|_| takes && !registers);
            let allowed = answer.header("access-control-allow-origin");
            assert_eq!(allowed, expected, "{method} {path}");
        }
    }
}

async fn there_is_nothing_beside_the_paths(app: Arc<TestApp>) {
    let account = app.account(Plan::Premium).await;
    for path in [
        "/",
        "/api",
        "/api/v2/events",
        "/API/V1/EVENTS",
        "/api/v1//events",
        "/events",
        "/api/v1/events/a/b/c",
        "/api/v1/events/a/../b/c",
        "/api/v1/users",
        "/.env",
        "/%",
        "/%ff",
    ] {
        for request in [
            app.http.request(Method::GET, path),
            app.http.request(Method::POST, path).json(&json!({})),
        ] {
            let refusal = request.bearer(&account.key).send().await.refusal();
            assert_eq!(refusal.reason, Reason::NotFound, "{path}");
        }
    }
}

tests::on_both_engines!(
    a_path_takes_its_methods_and_names_them,
    head_answers_as_get_without_the_body,
    a_page_may_always_send_its_credential_along,
    pages_of_other_origins_may_call_all_but_what_acts_for_a_visitor,
    there_is_nothing_beside_the_paths,
);
