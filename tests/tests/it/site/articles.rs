//! Use cases and guides.

use std::sync::Arc;

use tests::TestApp;

use super::own_paths;

async fn every_article_of_the_api_has_a_page_and_no_other_has(app: Arc<TestApp>) {
    for kind in ["use-cases", "guides"] {
        let listed = app.http.get(&format!("/{kind}")).send().await.ok();
        let shelf = app.site.page(&format!("/{kind}")).send().await;
        let shelf = shelf.html(200).to_owned();
        let listed = listed.as_array().unwrap();
        assert!(!listed.is_empty());
        for item in listed {
            let url = item["url"].as_str().unwrap();
            let path = url.strip_prefix(TestApp::PUBLIC_URL).unwrap();
            assert!(own_paths(&shelf).contains(&path), "{path}: {shelf}");
            let page = app.site.page(path).send().await;
            let html = page.html(200);
            let title = item["title"].as_str().unwrap();
            let heading = format!("<h1 dir=\"auto\">{title}</h1>");
            assert!(html.contains(&heading), "{path}: {html}");
            assert!(html.contains(&format!("rel=\"canonical\" href=\"{url}\"")));
            assert!(html.contains("aria-current=\"page\""), "{path}");
        }
        for unknown in ["nothing", "%ff", "..%2Fguides"] {
            let path = format!("/{kind}/{unknown}");
            app.site.page(&path).send().await.html(404);
        }
    }
}

async fn every_link_within_an_article_leads_to_a_page(app: Arc<TestApp>) {
    let mut found = 0;
    for shelf in ["/use-cases", "/guides"] {
        let shelf = app.site.page(shelf).send().await;
        for article in own_paths(shelf.html(200)) {
            if !article.starts_with("/guides/") && !article.starts_with("/use-cases/") {
                continue;
            }
            let page = app.site.page(article).send().await;
            for link in own_paths(page.html(200)) {
                // Of the gateway, and for people who are signed in.
                if link == "/docs" || link == "/dashboard" {
                    continue;
                }
                let target = app.site.page(link).send().await;
                assert_eq!(target.status, 200, "{link} in {article}");
                found += 1;
            }
        }
    }
    assert!(found > 0);
}

async fn what_a_model_should_read_is_listed_in_llms_txt(app: Arc<TestApp>) {
    let reply = app.site.page("/llms.txt").send().await;
    assert_eq!(
        reply.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    let text = std::str::from_utf8(&reply.body).unwrap();
    let targets = text.split("](").skip(1);
    let targets = targets.map(|rest| rest.split(')').next().unwrap());
    let mut pages = 0;
    for url in targets {
        let path = url.strip_prefix(TestApp::PUBLIC_URL).unwrap();
        if path.starts_with("/api") || path == "/mcp" {
            continue;
        }
        assert_eq!(app.site.page(path).send().await.status, 200, "{path}");
        pages += 1;
    }
    assert!(pages >= 6, "{text}");
}

tests::on_both_engines!(
    every_article_of_the_api_has_a_page_and_no_other_has,
    every_link_within_an_article_leads_to_a_page,
    what_a_model_should_read_is_listed_in_llms_txt,
);
