//! Which surface answers which path of the one port.

use clap::Parser;
use http_kit::Router;
use standalone::Config;
use website::Views;

use crate::core::{bytes, error, get, mcp, send, willing};

fn muster() -> Router {
    let config = Config::parse_from(["muster"]);
    standalone::router(&willing(), &config, Views::default()).unwrap()
}

#[tokio::test]
async fn each_surface_serves_its_own_paths() {
    let muster = muster();
    for path in [
        "/api/v1/events",
        "/api/v1/openapi.json",
        "/docs",
        "/docs/create-event",
        "/docs/errors.md",
        "/.well-known/api-catalog",
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/api/v1",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server",
        "/",
        "/events",
        "/robots.txt",
        "/healthz",
        "/readyz",
    ] {
        assert_eq!(send(&muster, get(path)).await.status(), 200, "{path}");
    }
    let listed = bytes(send(&muster, mcp("tools/list")).await).await;
    assert!(
        String::from_utf8(listed)
            .unwrap()
            .contains("list_public_events")
    );
}

#[tokio::test]
async fn what_is_not_there_is_answered_by_the_surface_that_it_would_belong_to() {
    const GATEWAY: &str = "nothing is at this path; see /docs";
    const BRIDGE: &str = "nothing is at this path; MCP is served at /mcp";
    const NONE: &str = "nothing is at this path; /docs shows the API, and agents connect to /mcp";
    let muster = muster();
    for (path, expected) in [
        ("/api", GATEWAY),
        ("/api/v1/nothing", GATEWAY),
        ("/docs/nothing/deeper", NONE),
        ("/.well-known/oauth-protected-resource/nothing", GATEWAY),
        ("/.well-known/oauth-protected-resource/api/v1/x", GATEWAY),
        ("/.well-known/oauth-protected-resource/mcp/x", BRIDGE),
        ("/.well-known/openid-configuration", NONE),
        ("/.well-known/oauth-authorization-server/mcp", NONE),
        ("/mcp/nothing", BRIDGE),
        ("/apis", NONE),
        ("/mcps", NONE),
        ("/events/a-slug/nothing", NONE),
        ("/.well-known/security.txt", NONE),
    ] {
        let (status, code, message) = error(send(&muster, get(path)).await).await;
        assert_eq!((status, code.as_str()), (404, "NOT_FOUND"), "{path}");
        assert_eq!(message, expected, "{path}");
    }
}
