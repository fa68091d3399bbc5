//! What an operator takes down is nowhere: not on any page or file that the site leads to, and in no answer of the API.

use std::{collections::BTreeMap, sync::Arc};

use domain::plan::Plan;
use muster_api::binding::Access;
use serde_json::{Value, json};
use tests::{Browser, Created, Surface, TestApp};

use crate::{
    every_rpc::{Fields, rpcs, tools},
    site::organizers::change,
};

/// Words that only the event's title has. They are searched by the first one.
const TITLE: &str = "Zebrafinken am Abend";

/// The handle of its organizer.
const HANDLE: &str = "vogelfreunde";

/// What leads to all public pages, and what nothing links to.
const SEEDS: [&str; 9] = [
    "/",
    "/events",
    "/events?q=zebrafinken",
    "/events?city=Berlin",
    "/robots.txt",
    "/llms.txt",
    "/sitemap.xml",
    "/events.atom",
    "/events.ics",
];

/// More public pages than a site with one event has.
const MAX_PAGES: usize = 300;

/// Where the event is, by path: the pages and files whose text has its title or its slug.
async fn places(app: &TestApp, event: &Created) -> BTreeMap<String, String> {
    let (mut waiting, mut seen, mut places) = (Vec::new(), Vec::new(), BTreeMap::new());
    waiting.extend(SEEDS.map(str::to_owned));
    // Other sites have the line that shows it; ours only shows that line as text.
    waiting.push(format!("/events/{}/embed", event.slug));
    waiting.push(format!("/o/{HANDLE}/embed"));
    while let Some(path) = waiting.pop() {
        if seen.contains(&path) {
            continue;
        }
        assert!(seen.len() < MAX_PAGES, "too many pages: {seen:?}");
        let text = read(app, &path).await;
        waiting.extend(paths(&text));
        seen.push(path.clone());
        if shows(&text, event) {
            places.insert(path, text);
        }
    }
    places
}

/// A page or file; the gateway has those of the API.
async fn read(app: &TestApp, path: &str) -> String {
    let surface = if path.starts_with("/api/") {
        &app.http
    } else {
        &app.site
    };
    let reply = surface.page(path).send().await;
    String::from_utf8_lossy(&reply.body).into_owned()
}

fn shows(text: &str, event: &Created) -> bool {
    text.contains(TITLE) || text.contains(&event.slug)
}

/// The paths of this site in a text of any kind, without those of files that never change.
fn paths(text: &str) -> Vec<String> {
    let quoted = [
        "href=\"", "src=\"", "url=\"", "<loc>", "url\":\"", "(", "\n",
    ];
    let mut found = Vec::new();
    for mark in quoted {
        for rest in text.split(mark).skip(1) {
            let end = rest.find(['"', '<', ')', ' ', '\n', '\r']);
            let link = rest[..end.unwrap_or(rest.len())]
                .replace("&#38;", "&")
                .replace("&amp;", "&");
            let path = link.strip_prefix(TestApp::PUBLIC_URL).unwrap_or(&link);
            let path = path.split('#').next().unwrap();
            let is_path = path.parse::<http::uri::PathAndQuery>().is_ok();
            let is_page = is_path && path.starts_with('/') && !path.starts_with("//");
            let is_other = [
                "/assets/",
                "/images/",
                "/dashboard",
                "/docs",
                "/mcp",
                "/guides/",
                "/use-cases/",
            ];
            if is_page && !is_other.iter().any(|other| path.starts_with(other)) {
                found.push(path.to_owned());
            }
        }
    }
    found
}

/// What the API says to everyone when asked for the event in any way, with a key of another account on tools.
async fn answers(app: &Arc<TestApp>, event: &Created) -> BTreeMap<String, String> {
    let other = app.account(Plan::Pro).await;
    let mut asked = Vec::new();
    for q in [
        json!({}),
        json!({"q": "zebrafinken"}),
        json!({"city": "Berlin"}),
        json!({ "organizer": HANDLE }),
    ] {
        let mut fields: Fields = q.as_object().unwrap().clone();
        fields.insert("slug".to_owned(), json!(event.slug));
        asked.push(fields);
    }
    let mut answers = BTreeMap::new();
    for (number, fields) in asked.iter().enumerate() {
        for rpc in rpcs() {
            if rpc.rule.access != Access::Public || !rpc.rule.read_only {
                continue;
            }
            let answer = rpc.call(app, None, fields).await;
            let text = match answer {
                Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                Err(status) => status.message().to_owned(),
            };
            answers.insert(format!("{number} {}", rpc.path), text);
        }
        let mcp = app.mcp.with_key(&other.key);
        for tool in tools() {
            let is_read = ["list_", "get_"]
                .iter()
                .any(|begin| tool.name.starts_with(begin));
            if is_read {
                let answer = tool.call(&mcp, fields).await;
                answers.insert(format!("{number} {}", tool.name), format!("{answer:?}"));
            }
        }
    }
    for path in [
        "/events",
        "/events?q=zebrafinken",
        &*format!("/events/{}", event.slug),
    ] {
        let reply = app.http.get(path).send().await;
        answers.insert(
            path.to_owned(),
            String::from_utf8_lossy(&reply.body).into_owned(),
        );
    }
    answers
}

async fn publish(app: &Arc<TestApp>) -> (domain::ids::AccountId, Created) {
    let account = app.account(Plan::Pro).await;
    let browser = Browser::signed_in(app, &account.email).await;
    let changed = change(&browser, &account, &[("handle", HANDLE)]).await;
    assert_eq!(changed.status, 303, "{changed:?}");
    let owner = app.over(Surface::Http).as_owner(&account);
    let event: Value = json!({"title": TITLE, "city": "Berlin", "image_query": "birds"});
    (account.id, owner.publish_new(event).await)
}

async fn cover(app: &TestApp, event: &Created) -> u16 {
    let path = format!("/events/{}/cover", event.slug);
    app.http.get(&path).send().await.status.as_u16()
}

#[track_caller]
fn assert_nowhere(shown: &BTreeMap<String, String>, event: &Created) {
    for (place, text) in shown {
        assert!(!shows(text, event), "{place}: {text}");
    }
}

async fn is_gone(app: &Arc<TestApp>, event: &Created, before: &BTreeMap<String, String>) {
    for path in before.keys() {
        let text = read(app, path).await;
        assert!(!shows(&text, event), "{path}: {text}");
        if path.contains(&event.slug) && !path.starts_with("/oembed") {
            let surface = if path.starts_with("/api/") {
                &app.http
            } else {
                &app.site
            };
            let reply = surface.page(path).send().await;
            assert_eq!(reply.status, 404, "{path}: {reply:?}");
        }
    }
    let oembed = format!(
        "/oembed?url=https%3A%2F%2Fmuster.example%2Fevents%2F{}",
        event.slug
    );
    assert_eq!(app.site.page(&oembed).send().await.status, 404);
    assert_eq!(cover(app, event).await, 404);
    assert_eq!(places(app, event).await.keys().collect::<Vec<_>>(), [""; 0]);
    assert_nowhere(&answers(app, event).await, event);
    let guest = [("name", "Ada"), ("email", "ada@example.org")];
    let form = app
        .site
        .form(&format!("/events/{}/register", event.slug), &guest);
    form.send().await.html(404);
}

/// Each kind of place where an event is, so that looking for it there can fail.
async fn found_everywhere(app: &Arc<TestApp>, event: &Created) -> BTreeMap<String, String> {
    let places = places(app, event).await;
    let slug = &event.slug;
    for kind in [
        "/",
        "/events",
        "/events?q=zebrafinken",
        "/events?city=Berlin",
        "/events.atom",
        "/events.ics",
        &format!("/o/{HANDLE}"),
        &format!("/o/{HANDLE}.ics"),
        &format!("/o/{HANDLE}.atom"),
        &format!("/o/{HANDLE}/embed"),
        &format!("/events/{slug}"),
        &format!("/events/{slug}/event.ics"),
        &format!("/events/{slug}/register"),
    ] {
        assert!(places.contains_key(kind), "{kind}: {:?}", places.keys());
    }
    for kind in ["/sitemaps/", "/oembed", "/embed"] {
        let some = places.keys().any(|path| path.contains(kind));
        assert!(some, "{kind}: {:?}", places.keys());
    }
    assert_eq!(cover(app, event).await, 200);
    let said = answers(app, event).await;
    let shown = said.values().filter(|text| shows(text, event)).count();
    assert!(shown >= 10, "{shown}: {:?}", said.keys());
    places
}

async fn a_hidden_event_is_nowhere(app: Arc<TestApp>) {
    let (_, event) = publish(&app).await;
    let before = found_everywhere(&app, &event).await;
    let suspensions = &app.core.use_cases().suspensions;
    suspensions
        .hide(&event.slug, true, Some("spam"))
        .await
        .unwrap();
    is_gone(&app, &event, &before).await;
    app.maintain().await;
    is_gone(&app, &event, &before).await;
    suspensions.hide(&event.slug, false, None).await.unwrap();
    found_everywhere(&app, &event).await;
}

async fn an_event_of_a_suspended_account_is_nowhere(app: Arc<TestApp>) {
    let (account, event) = publish(&app).await;
    let before = found_everywhere(&app, &event).await;
    let suspensions = &app.core.use_cases().suspensions;
    assert!(suspensions.suspend(account, Some("spam")).await.unwrap());
    is_gone(&app, &event, &before).await;
    app.maintain().await;
    is_gone(&app, &event, &before).await;
    assert!(suspensions.resume(account).await.unwrap());
    found_everywhere(&app, &event).await;
}

tests::on_both_engines!(
    a_hidden_event_is_nowhere,
    an_event_of_a_suspended_account_is_nowhere,
);
