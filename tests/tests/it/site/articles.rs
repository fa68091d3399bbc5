//! Use cases and guides.

use std::{collections::BTreeSet, sync::Arc};

use domain::plan::Plan;
use serde_json::json;
use tests::{Surface, TestApp};

use super::{attributes, own_paths};

async fn every_article_of_the_api_has_a_page_and_no_other_has(app: Arc<TestApp>) {
    let docs = app.site.page("/docs").send().await;
    let docs = docs.html(200).to_owned();
    for kind in ["use-cases", "guides"] {
        let listed = app.http.get(&format!("/{kind}")).send().await.ok();
        let shelf = app.site.page(&format!("/{kind}")).send().await;
        let shelf = shelf.html(200).to_owned();
        let listed = listed.as_array().unwrap();
        assert!(!listed.is_empty());
        for item in listed {
            let url = item["url"].as_str().unwrap();
            let path = url.strip_prefix(TestApp::PUBLIC_URL).unwrap();
            let shelf = match item["audience"].as_str().unwrap() {
                "organizers" => &shelf,
                _ => &docs,
            };
            assert!(own_paths(shelf).contains(&path), "{path}: {shelf}");
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
    let (mut found, mut tried) = (0, BTreeSet::new());
    for shelf in ["/use-cases", "/guides", "/docs"] {
        let shelf = app.site.page(shelf).send().await;
        for article in own_paths(shelf.html(200)) {
            let kinds = ["/guides/", "/use-cases/", "/docs/"];
            if !kinds.iter().any(|kind| article.starts_with(kind)) {
                continue;
            }
            let page = app.site.page(article).send().await;
            for link in own_paths(page.html(200)) {
                // Of the gateway, and for people who are signed in.
                if link.starts_with("/api/")
                    || link.starts_with("/dashboard")
                    || !tried.insert(link.to_owned())
                {
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

/// Nothing moves on a page when its pictures have come, and those who do not see them read what they show.
async fn guides_for_organizers_have_pictures_with_words(app: Arc<TestApp>) {
    let shelf = app.site.page("/guides").send().await;
    let guides = own_paths(shelf.html(200));
    let guides = guides.iter().filter(|path| path.starts_with("/guides/"));
    let mut shown = BTreeSet::new();
    for guide in guides {
        let page = app.site.page(guide).send().await;
        let mut images = page.html(200).split("<img ").skip(1).peekable();
        assert!(images.peek().is_some(), "{guide}");
        for image in images {
            let (tag, _) = image.split_once('>').unwrap();
            let tag = format!(" {tag}");
            let [path] = attributes(&tag, "src")[..] else {
                panic!("{tag}");
            };
            assert!(tag.contains(" width=\"") && tag.contains(" height=\""));
            let words = attributes(&tag, "alt");
            assert!(words.iter().any(|words| words.len() > 20), "{tag}");
            let picture = app.site.page(path).send().await;
            assert_eq!(picture.header("content-type"), Some("image/webp"));
            let caching = picture.header("cache-control");
            assert_eq!(caching, Some("public, max-age=86400"));
            let tag = picture.header("etag").unwrap();
            let again = app.site.page(path).header("if-none-match", tag);
            assert_eq!(again.send().await.status, 304, "{path}");
            shown.insert(path.to_owned());
        }
        assert!(!page.html(200).contains("<pre"), "{guide} has commands");
    }
    assert!(shown.len() >= 10, "{shown:?}");
    let unknown = app.site.page("/images/nothing.webp").send().await;
    assert_eq!(unknown.status, 404);
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
        if path.starts_with("/api") || path.starts_with("/.well-known") || path == "/mcp" {
            continue;
        }
        assert_eq!(app.site.page(path).send().await.status, 200, "{path}");
        pages += 1;
    }
    assert!(pages >= 60, "{text}");
    for interface in [
        "/api/v1/openapi.json",
        "/mcp",
        "/guides/call-it-over-grpc.md",
        "/docs/webhook-messages.md",
        "/.well-known/oauth-authorization-server",
        "/docs",
        "/events.atom",
        "/events.ics",
    ] {
        let linked = format!("]({}{interface})", TestApp::PUBLIC_URL);
        assert!(text.contains(&linked), "{interface}");
    }
    let full = app.site.page("/llms-full.txt").send().await;
    let full = std::str::from_utf8(&full.body).unwrap();
    assert!(full.contains("grpcurl "));
    assert!(!full.contains("-plaintext -plaintext"));
    for text in [
        "muster.v1.EventService/CreateEvent",
        "IDEMPOTENCY_KEY_REUSED",
        "# Cancel an event without losing face",
    ] {
        assert!(full.contains(text), "{text}");
    }
}

/// Every operation of the document has a page with its address, in the words of the instance.
async fn every_operation_has_a_page_with_lines_to_copy(app: Arc<TestApp>) {
    let document = app.http.get("/openapi.json").send().await.ok();
    let mut pages = 0;
    for (path, operations) in document["paths"].as_object().unwrap() {
        for operation in operations.as_object().unwrap().values() {
            let id = operation["operationId"].as_str().unwrap();
            let slug = id.chars().fold(String::new(), |slug, character| {
                if character.is_ascii_uppercase() {
                    format!("{slug}-{}", character.to_ascii_lowercase())
                } else {
                    format!("{slug}{character}")
                }
            });
            let page = app.site.page(&format!("/docs/{slug}")).send().await;
            let title = operation["summary"].as_str().unwrap();
            let html = page.html(200);
            assert!(
                html.contains(&format!("<h1 dir=\"auto\">{title}</h1>")),
                "{slug}"
            );
            let text = app.site.page(&format!("/docs/{slug}.md")).send().await;
            let media_type = text.header("content-type");
            assert_eq!(media_type, Some("text/markdown; charset=utf-8"));
            let text = std::str::from_utf8(&text.body).unwrap();
            let address = format!("{}/api/v1{path}", TestApp::PUBLIC_URL);
            assert!(text.contains(&address), "{slug}: {text}");
            for language in [
                "```sh\ncurl",
                "```python\n",
                "```js\n",
                "grpcurl ",
                "| 500 | `INTERNAL` |",
            ] {
                assert!(text.contains(language), "{slug}: {language}");
            }
            pages += 1;
        }
    }
    assert!(pages > 25);
}

/// A person finds an operation by any of its names, without a script.
async fn the_reference_is_searched_by_name(app: Arc<TestApp>) {
    for query in [
        "createEvent",
        "create_event",
        "custom_fields",
        "POST%20/api/v1/events",
    ] {
        let page = app.site.page(&format!("/docs?q={query}")).send().await;
        let html = page.html(200);
        let results = html.split("class=\"docs-lists\"").next().unwrap();
        assert!(
            results.contains("href=\"/docs/create-event\""),
            "{query}: {results}"
        );
    }
    let page = app.site.page("/docs?q=%3Cscript%3E").send().await;
    assert!(!page.html(200).contains("<script>"));
}

async fn every_article_is_markdown_behind_its_path(app: Arc<TestApp>) {
    for path in [
        "/docs.md",
        "/guides.md",
        "/use-cases.md",
        "/guides/cancel-an-event.md",
        "/use-cases/conferences.md",
    ] {
        let reply = app.site.page(path).send().await;
        let media_type = reply.header("content-type");
        assert_eq!(
            (reply.status.as_u16(), media_type),
            (200, Some("text/markdown; charset=utf-8")),
            "{path}"
        );
        let text = std::str::from_utf8(&reply.body).unwrap();
        assert!(
            text.starts_with("# ") && !text.contains("](/"),
            "{path}: {text}"
        );
    }
}

async fn the_address_of_an_event_is_found_in_any_case(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    let shouted = event.slug.to_uppercase();
    let page = app.site.page(&format!("/events/{shouted}")).send().await;
    let location = page.header("location");
    let expected = format!("/events/{}", event.slug);
    assert_eq!((page.status.as_u16(), location), (308, Some(&*expected)));
    let read = app
        .http
        .get(&format!("/events/{shouted}"))
        .send()
        .await
        .ok();
    assert_eq!(read["slug"], *event.slug);
}

tests::on_both_engines!(
    every_article_of_the_api_has_a_page_and_no_other_has,
    every_link_within_an_article_leads_to_a_page,
    guides_for_organizers_have_pictures_with_words,
    what_a_model_should_read_is_listed_in_llms_txt,
    every_operation_has_a_page_with_lines_to_copy,
    the_reference_is_searched_by_name,
    every_article_is_markdown_behind_its_path,
    the_address_of_an_event_is_found_in_any_case,
);
