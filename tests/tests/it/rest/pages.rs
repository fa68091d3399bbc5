//! Pages of other origins that register people, where the operator lets them.

use std::sync::Arc;

use domain::plan::Plan;
use http::Method;
use serde_json::json;
use tests::{Surface, TestApp};

const PAGE: &str = "https://club.example";

async fn pages_of_named_origins_may_register_people(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let path = format!("/api/v1/events/{}/registrations", event.slug);
    let open = app.serve_gateway_for_pages_of(PAGE).await;
    for (gateway, origin, allowed) in [
        (&open, PAGE, Some(PAGE)),
        (&open, "https://elsewhere.example", None),
        (&app.http, PAGE, None),
    ] {
        let preflight = gateway.request(Method::OPTIONS, &path);
        let preflight = preflight.header("origin", origin);
        let preflight = preflight.header("access-control-request-method", "POST");
        let preflight = preflight.send().await;
        assert_eq!(preflight.header("access-control-allow-origin"), allowed);
        let methods = preflight.header("access-control-allow-methods");
        assert_eq!(methods, allowed.map(|_| "POST"));
        // Caches must not give one page what another may read.
        let varies = std::ptr::eq(gateway, &raw const open).then_some("origin");
        assert_eq!(preflight.header("vary"), varies);

        let body = json!({"name": "Ada", "email": "ada@example.org"});
        let sent = gateway.request(Method::POST, &path).json(&body);
        let answer = sent.header("origin", origin).send().await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("access-control-allow-origin"), allowed);
    }
}

tests::on_both_engines!(pages_of_named_origins_may_register_people);
