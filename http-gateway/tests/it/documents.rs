use crate::client::{Gateway, OPENAPI, PUBLIC_URL};

#[tokio::test]
async fn the_openapi_document_is_served_to_everyone_in_each_form_with_the_public_url() {
    let gateway = Gateway::start().await;
    for (path, text, media_type) in [
        ("/api/v1/openapi.json", OPENAPI.json, "application/json"),
        ("/api/v1/openapi.yaml", OPENAPI.yaml, "application/yaml"),
        (
            "/api/v1/openapi-3.0.json",
            OPENAPI.older,
            "application/json",
        ),
    ] {
        let reply = gateway.get(path).await;
        let expected = text.replace("https://muster.example", PUBLIC_URL);
        assert_eq!(
            (reply.status, reply.body.as_slice()),
            (200, expected.as_bytes())
        );
        assert_eq!(reply.header("content-type"), Some(media_type));
        assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
        let known = format!("If-None-Match: {}", reply.header("etag").unwrap());
        let again = gateway.send("GET", path, &[&known], b"").await;
        assert_eq!(again.status, 304);
    }
}

#[tokio::test]
async fn the_catalogue_links_to_what_there_is() {
    let gateway = Gateway::start().await;
    let path = "/.well-known/api-catalog";
    let reply = gateway.get(path).await;
    let media_type = reply.header("content-type").unwrap();
    assert!(
        media_type.starts_with("application/linkset+json;"),
        "{media_type}"
    );
    assert!(media_type.contains("https://www.rfc-editor.org/info/rfc9727"));
    let links = &reply.json()["linkset"][0];
    for (relation, index, target, media_type) in [
        (
            "service-desc",
            0,
            "/api/v1/openapi.json",
            "application/json",
        ),
        (
            "service-desc",
            1,
            "/api/v1/openapi.yaml",
            "application/yaml",
        ),
        (
            "service-desc",
            2,
            "/api/v1/openapi-3.0.json",
            "application/json",
        ),
        ("service-doc", 0, "/docs", "text/html"),
    ] {
        let link = &links[relation][index];
        assert_eq!(
            (link["href"].as_str(), link["type"].as_str()),
            (Some(target), Some(media_type))
        );
        // The site has what people read.
        if relation == "service-doc" {
            continue;
        }
        let found = gateway.get(target).await;
        assert!(
            found
                .header("content-type")
                .unwrap()
                .starts_with(media_type)
        );
    }
    let head = gateway.send("HEAD", path, &[], b"").await;
    let link = Some("</.well-known/api-catalog>; rel=\"api-catalog\"");
    assert_eq!((head.status, head.header("link")), (200, link));
}

#[tokio::test]
async fn the_base_of_the_api_lists_its_paths_and_where_they_are_described() {
    let gateway = Gateway::start().await;
    let reply = gateway.get("/api/v1").await;
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    let index = reply.json();
    let methods = serde_json::json!(["GET", "POST"]);
    assert_eq!(index["paths"]["/api/v1/things"], methods);
    let described = ["description", "reference"].map(|name| index[name].as_str().unwrap());
    let link = reply.header("link").unwrap();
    for target in described {
        assert!(link.contains(&format!("<{target}>")), "{link}");
    }
    let document = index["description"].as_str().unwrap();
    assert_eq!(gateway.get(document).await.status, 200);
}

#[tokio::test]
async fn without_a_core_that_says_so_nobody_knows_where_tokens_are_from() {
    // The toy's core issues none.
    let gateway = Gateway::start().await;
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/api/v1",
    ] {
        gateway.get(path).await.error(503, "UNAVAILABLE");
    }
    let of_the_site = "/.well-known/oauth-authorization-server";
    gateway.get(of_the_site).await.error(404, "NOT_FOUND");
}

#[tokio::test]
async fn health_is_json() {
    let gateway = Gateway::start().await;
    assert_eq!(gateway.get("/healthz").await.json()["status"], "ok");
    let ready = gateway.get("/readyz").await;
    assert_eq!(
        (
            ready.json()["status"].as_str(),
            ready.header("cache-control")
        ),
        (Some("ready"), Some("no-store"))
    );
    let version = gateway.get("/version").await.json();
    assert_eq!(version["name"], "muster");
    assert_eq!(version["version"], env!("CARGO_PKG_VERSION"));
}
