//! What every path that is read says about its answers: which version it is, and where the next page is.

use std::{collections::BTreeSet, sync::Arc};

use http::Method;
use serde_json::Value;
use tests::{Reply, TestApp};

use super::methods::paths;

/// The headers of the answer to `GET` that the document names, for each path in its order.
fn promised() -> Vec<BTreeSet<String>> {
    let document: Value = serde_json::from_str(muster_api::OPENAPI).unwrap();
    let paths = document["paths"].as_object().unwrap().values();
    let headers = paths.map(|operations| {
        let headers = operations["get"]["responses"]["200"]["headers"].as_object();
        headers
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .collect()
    });
    headers.collect()
}

async fn get(app: &TestApp, key: &str, path: &str) -> Reply {
    app.http.request(Method::GET, path).bearer(key).send().await
}

async fn what_the_client_has_is_not_sent_again(app: Arc<TestApp>) {
    let (key, paths) = paths(&app).await;
    let mut tagged = 0;
    for ((path, methods, _), promised) in paths.into_iter().zip(promised()) {
        if !methods.contains("GET") {
            continue;
        }
        let path = format!("/api/v1{path}");
        let first = get(&app, &key, &path).await;
        assert_eq!(first.status, 200, "{path}");
        let Some(tag) = first.header("etag").map(str::to_owned) else {
            // Files that are made while they are sent.
            assert!(!promised.contains("ETag"), "{path}");
            let disposition = first.header("content-disposition").unwrap();
            assert!(disposition.starts_with("attachment"), "{path}");
            continue;
        };
        assert!(promised.contains("ETag"), "{path}");
        let again = app.http.request(Method::GET, &path).bearer(&key);
        let again = again.header("if-none-match", &tag).send().await;
        assert_eq!(
            (again.status.as_u16(), again.body.len()),
            (304, 0),
            "{path}"
        );
        assert_eq!(again.header("etag"), Some(&*tag), "{path}");
        tagged += 1;
    }
    assert!(tagged >= 9, "{tagged}");
    let without_key = app.http.request(Method::GET, "/api/v1/me");
    let stolen = without_key.header("if-none-match", "*").send().await;
    assert_eq!(stolen.status, 401, "a tag opens nothing");
}

/// The path of the page that `Link` with `rel="next"` leads to, below the public URL.
fn next(reply: &Reply) -> Option<String> {
    let link = reply.header("link")?.strip_prefix('<').unwrap();
    let target = link.strip_suffix(">; rel=\"next\"").unwrap();
    let path = target.strip_prefix(TestApp::PUBLIC_URL).unwrap();
    Some(path.to_owned())
}

async fn every_list_links_to_its_next_page(app: Arc<TestApp>) {
    let (key, paths) = paths(&app).await;
    let mut lists = 0;
    for ((path, _, _), promised) in paths.into_iter().zip(promised()) {
        // `event_mails` reads that of mails that were refused: there are none here.
        if !promised.contains("Link") || path.ends_with("/mails") {
            continue;
        }
        lists += 1;
        let whole = get(&app, &key, &format!("/api/v1{path}?limit=100")).await;
        assert_eq!(next(&whole), None, "{path}");
        let items = whole.json()["items"].as_array().unwrap().clone();
        assert!(items.len() >= 2, "{path}");
        let (mut found, mut target) = (Vec::new(), Some(format!("/api/v1{path}?limit=1")));
        while let Some(path) = target {
            let page = get(&app, &key, &path).await;
            found.extend(page.json()["items"].as_array().unwrap().clone());
            target = next(&page);
            assert!(found.len() <= items.len(), "{path}");
        }
        assert_eq!(found, items, "{path}");
    }
    // Events by offset; own events, registrations, messages, deliveries and activity by cursor.
    assert_eq!(lists, 6);
}

async fn the_base_of_the_api_is_an_index_of_its_paths(app: Arc<TestApp>) {
    let index = app.http.request(Method::GET, "/api/v1").send().await;
    assert_eq!(index.status, 200);
    let document: Value = serde_json::from_str(muster_api::OPENAPI).unwrap();
    let index = index.json();
    for (path, operations) in document["paths"].as_object().unwrap() {
        let listed = index["paths"][format!("/api/v1{path}")].as_array();
        let listed: BTreeSet<_> = listed.unwrap().iter().filter_map(Value::as_str).collect();
        let operations = operations.as_object().unwrap().keys();
        let described: Vec<_> = operations.map(|name| name.to_uppercase()).collect();
        let described = described.iter().map(String::as_str).collect();
        assert_eq!(listed, described, "{path}");
    }
}

tests::on_both_engines!(
    what_the_client_has_is_not_sent_again,
    every_list_links_to_its_next_page,
    the_base_of_the_api_is_an_index_of_its_paths,
);
