//! What cannot be shown: pages that help, and JSON for programs.

use http::Method;
use tests::{TestApp, core_at};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_browser_gets_a_page_and_a_program_gets_json() {
    let app = TestApp::on_sqlite().await;
    for path in [
        "/nothing",
        "/events/nothing",
        "/guides/nothing",
        "/registrations/x/y/z",
    ] {
        let page = app.site.page(path).header("x-request-id", "req-17");
        let page = page.send().await;
        let html = page.html(404);
        let id = "<p class=\"id\">Request ID: req-17</p>";
        let advice = "Check the address, or look for the event in the list.";
        for part in [
            "Page not found",
            id,
            advice,
            "href=\"/events\"",
            "Error 404",
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(html.contains("name=\"robots\" content=\"noindex\""));
        assert_eq!(page.header("cache-control"), Some("no-store"));
        assert!(page.header("vary").unwrap().contains("accept"));
        for accept in ["*/*", "application/json"] {
            let json = app.site.request(Method::GET, path);
            let json = json.header("accept", accept).send().await;
            assert_eq!(json.json()["error"]["code"], "NOT_FOUND", "{path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_method_that_a_page_does_not_take_is_refused() {
    let app = TestApp::on_sqlite().await;
    let reply = app.site.form("/events", &[]).send().await;
    let html = reply.html(405);
    assert!(
        html.contains("this path takes GET, HEAD, OPTIONS, not POST"),
        "{html}"
    );
    assert_eq!(reply.header("allow"), Some("GET, HEAD, OPTIONS"));
    let long = format!("/{}", "x".repeat(9_000));
    app.site.page(&long).send().await.html(414);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_core_is_away_pages_say_so_and_when_to_come_back() {
    let app = TestApp::on_sqlite().await;
    let nowhere = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = nowhere.local_addr().unwrap();
    drop(nowhere);
    let site = app.serve_site(&core_at(&format!("http://{address}"))).await;
    let token = "5vT0cXh2W9rJq4LmZ8yKbN3sEaPdGfUi";
    let private = format!("/registrations/{token}");
    for path in ["/", "/events?offset=20", "/guides", &*private] {
        let page = site.page(path).send().await;
        let html = page.html(503);
        let seconds: u32 = page.header("retry-after").unwrap().parse().unwrap();
        assert!(seconds >= 1);
        assert!(html.contains("Muster is not available"), "{html}");
        assert!(
            html.contains(&format!("class=\"button\" href=\"{path}\">Try again")),
            "{html}"
        );
        assert!(!html.contains("tcp connect"), "{html}");
    }
    // A form is not sent again by a link.
    let refused = site.form(&private, &[]).send().await;
    assert!(!refused.html(503).contains("Try again"));
    // What needs no core is there.
    assert_eq!(site.page("/robots.txt").send().await.status, 200);
    assert_eq!(site.page("/readyz").send().await.status, 503);
    assert_eq!(site.page("/healthz").send().await.status, 200);
}
