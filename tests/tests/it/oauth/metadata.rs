//! What apps read before anything else.

use std::sync::Arc;

use http::Method;
use muster_api::Scope;
use serde_json::{Value, json};
use tests::{Http, TestApp};

fn names() -> Vec<&'static str> {
    Scope::ALL.iter().map(|scope| scope.name()).collect()
}

async fn read(port: &Http, path: &str) -> Value {
    let reply = port.request(Method::GET, path).send().await;
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    assert_eq!(reply.header("set-cookie"), None, "{reply:?}");
    reply.ok()
}

async fn each_resource_says_where_its_tokens_are_from(app: Arc<TestApp>) {
    let base = TestApp::PUBLIC_URL;
    for (port, path) in [
        (&app.http, ""),
        (&app.http, "/api/v1"),
        (&app.mcp.http, "/mcp"),
    ] {
        let well_known = format!("/.well-known/oauth-protected-resource{path}");
        let metadata = read(port, &well_known).await;
        assert_eq!(metadata["resource"], format!("{base}{path}"));
        assert_eq!(metadata["authorization_servers"], json!([base]));
        assert_eq!(metadata["scopes_supported"], json!(names()));
        assert_eq!(metadata["bearer_methods_supported"], json!(["header"]));
    }
}

async fn the_server_says_what_it_can(app: Arc<TestApp>) {
    let base = TestApp::PUBLIC_URL;
    let metadata = read(&app.site, "/.well-known/oauth-authorization-server").await;
    assert_eq!(metadata["issuer"], base);
    for (name, path) in [
        ("authorization_endpoint", "/oauth/authorize"),
        ("token_endpoint", "/oauth/token"),
        ("registration_endpoint", "/oauth/register"),
        ("revocation_endpoint", "/oauth/revoke"),
    ] {
        assert_eq!(metadata[name], format!("{base}{path}"));
    }
    assert_eq!(
        metadata["code_challenge_methods_supported"],
        json!(["S256"])
    );
    let methods = &metadata["token_endpoint_auth_methods_supported"];
    assert_eq!(methods, &json!(["none"]));
    assert_eq!(
        metadata["authorization_response_iss_parameter_supported"],
        true
    );
    let mut scopes = names();
    scopes.push("offline_access");
    assert_eq!(metadata["scopes_supported"], json!(scopes));
    // Clients refuse what is null.
    let values = metadata.as_object().unwrap().values();
    assert!(
        values.into_iter().all(|value| !value.is_null()),
        "{metadata}"
    );
}

async fn what_there_is_not_is_not_found(app: Arc<TestApp>) {
    for (port, path) in [
        (&app.site, "/.well-known/openid-configuration"),
        (&app.site, "/.well-known/oauth-authorization-server/mcp"),
        (&app.site, "/.well-known/openid-configuration/mcp"),
        (&app.http, "/.well-known/oauth-protected-resource/mcp"),
        (&app.http, "/.well-known/openid-configuration"),
        (&app.mcp.http, "/.well-known/oauth-protected-resource"),
        (&app.mcp.http, "/mcp/.well-known/openid-configuration"),
    ] {
        let reply = port.request(Method::GET, path).send().await;
        assert_eq!(reply.status, 404, "{path}: {reply:?}");
    }
}

async fn pages_of_other_origins_may_ask_before_they_read(app: Arc<TestApp>) {
    for (port, path, method) in [
        (&app.http, "/.well-known/oauth-protected-resource", "GET"),
        (
            &app.mcp.http,
            "/.well-known/oauth-protected-resource/mcp",
            "GET",
        ),
        (&app.site, "/.well-known/oauth-authorization-server", "GET"),
        (&app.site, "/oauth/token", "POST"),
        (&app.site, "/oauth/register", "POST"),
        (&app.site, "/oauth/revoke", "POST"),
    ] {
        let asked = port
            .request(Method::OPTIONS, path)
            .header("origin", "https://inspector.example")
            .header("access-control-request-method", method)
            .header("access-control-request-headers", "mcp-protocol-version");
        let reply = asked.send().await;
        assert_eq!(reply.status, 204, "{path}: {reply:?}");
        assert_eq!(
            reply.header("access-control-allow-origin"),
            Some("*"),
            "{path}"
        );
        assert_eq!(
            reply.header("access-control-allow-headers"),
            Some("*, Authorization"),
            "{path}"
        );
        assert_eq!(
            reply.header("access-control-allow-credentials"),
            None,
            "{path}"
        );
        let methods = reply.header("access-control-allow-methods").unwrap();
        assert!(
            methods.split(", ").any(|one| one == method),
            "{path}: {methods}"
        );
    }
    let page = app.site.request(Method::OPTIONS, "/oauth/authorize");
    let page = page
        .header("origin", "https://evil.example")
        .header("access-control-request-method", "GET");
    let reply = page.send().await;
    assert_eq!(reply.header("access-control-allow-origin"), None);
}

tests::on_both_engines!(
    each_resource_says_where_its_tokens_are_from,
    the_server_says_what_it_can,
    what_there_is_not_is_not_found,
    pages_of_other_origins_may_ask_before_they_read,
);
