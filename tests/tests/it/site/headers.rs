//! What holds for every page: what it may load, and its files.

use http::Method;
use tests::TestApp;

use super::{attributes, own_paths};

const PAGES: [&str; 5] = ["/", "/events", "/use-cases", "/guides", "/nothing"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_answer_tells_browsers_what_they_may_do() {
    let app = TestApp::on_sqlite().await;
    let others = [
        "/robots.txt",
        "/llms.txt",
        "/healthz",
        "/favicon.ico",
        "/assets/nothing",
    ];
    for path in PAGES.into_iter().chain(others) {
        let reply = app.site.page(path).send().await;
        let policy = reply.header("content-security-policy").unwrap();
        assert!(
            policy.starts_with("default-src 'none'; "),
            "{path}: {policy}"
        );
        assert!(
            policy.contains("frame-ancestors 'none'"),
            "{path}: {policy}"
        );
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            assert_eq!(reply.header(name), Some(value), "{path}");
        }
        let permissions = reply.header("permissions-policy").unwrap();
        assert!(permissions.contains("camera=()"), "{path}");
    }
}

/// Also of what is cached, refused or redirected.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_answer_tells_browsers_to_use_https_alone() {
    let app = TestApp::on_sqlite().await;
    let mut replies = Vec::new();
    for path in [
        "/",
        "/events",
        "/events",
        "/dashboard",
        "/nothing",
        "/guides/",
    ] {
        replies.push(app.site.page(path).send().await);
    }
    for path in ["/events", "/events", "/me", "/nothing"] {
        replies.push(app.http.get(path).send().await);
    }
    let anyone = app.mcp.request("tools/list", serde_json::json!({}));
    replies.push(anyone.send().await);
    for reply in replies {
        let strict = reply.header("strict-transport-security");
        assert_eq!(strict, Some("max-age=31536000"), "{reply:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_hold_nothing_inline_and_load_from_their_own_origin_only() {
    let app = TestApp::on_sqlite().await;
    for path in PAGES {
        let reply = app.site.page(path).send().await;
        let html = std::str::from_utf8(&reply.body).unwrap();
        assert!(html.starts_with("<!doctype html>"), "{path}");
        for inline in ["<style", " style=", "javascript:", " onclick="] {
            assert!(!html.contains(inline), "{inline} in {path}");
        }
        let scripts = html.matches("<script").count();
        assert_eq!(
            scripts,
            html.matches("<script type=\"module\" src=\"/assets/")
                .count()
        );
        for loaded in attributes(html, "src") {
            assert!(
                loaded.starts_with('/') && !loaded.starts_with("//"),
                "{loaded}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_compressed_and_kept_for_a_year() {
    let app = TestApp::on_sqlite().await;
    let home = app.site.page("/").send().await;
    let files = own_paths(home.html(200));
    let files: Vec<_> = files
        .into_iter()
        .filter(|path| path.starts_with("/assets/"))
        .collect();
    assert_eq!(files.len(), 5, "{files:?}");
    for path in files {
        let plain = app.site.page(path).send().await;
        assert_eq!(plain.status, 200, "{path}");
        let caching = plain.header("cache-control").unwrap();
        assert_eq!(caching, "public, max-age=31536000, immutable");
        // A small one fits into one packet anyway.
        let codings: &[&str] = if plain.body.len() < 1_024 || path.contains(".png") {
            &[]
        } else {
            &["br", "gzip"]
        };
        for &coding in codings {
            let packed = app.site.page(path).header("accept-encoding", coding);
            let packed = packed.send().await;
            assert_eq!(packed.header("content-encoding"), Some(coding), "{path}");
            assert_eq!(packed.header("vary"), Some("accept-encoding"), "{path}");
            assert!(packed.body.len() < plain.body.len(), "{path}, {coding}");
        }
        let old = path.replace('.', ".0");
        assert_eq!(app.site.page(&old).send().await.status, 404, "{old}");
    }
    for (path, media_type, beginning) in [
        ("/favicon.ico", "image/x-icon", &b"\0\0\x01\0"[..]),
        ("/apple-touch-icon.png", "image/png", b"\x89PNG"),
    ] {
        let icon = app.site.page(path).send().await;
        assert_eq!(icon.status, 200, "{path}");
        assert_eq!(icon.header("content-type"), Some(media_type));
        assert!(icon.body.starts_with(beginning), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn asking_for_the_head_of_a_page_gets_its_headers_alone() {
    let app = TestApp::on_sqlite().await;
    for path in ["/", "/guides"] {
        let page = app.site.page(path).send().await;
        let head = app.site.request(Method::HEAD, path).send().await;
        assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
        assert_eq!(head.header("etag"), page.header("etag"));
    }
}
