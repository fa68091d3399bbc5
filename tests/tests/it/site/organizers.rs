//! The public pages of organizers, and what their members set there.

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use http::StatusCode;
use muster_api::v1::bindings::{
    CancelEvent, GetAccount, GetEvent, GetOrganizer, ListActivity, ListEvents,
};
use serde_json::{Value, json};
use tests::{Account, Browser, Client, Reply, Surface, TestApp};

use super::members::account;
use crate::exporting::unpacked;

const HANDLE: &str = "rust-berlin";
const YEAR: Duration = Duration::from_hours(365 * 24);

/// Sends the form about an account with these fields.
pub(crate) async fn change(browser: &Browser, account: &Account, fields: &[(&str, &str)]) -> Reply {
    let id = account.id.to_string();
    let fixed = [
        ("account_id", &*id),
        ("action", "account"),
        ("account_name", "Rust Berlin"),
    ];
    let fields: Vec<_> = fixed.into_iter().chain(fields.iter().copied()).collect();
    browser.send("/dashboard/account", &fields).await
}

async fn take(browser: &Browser, account: &Account, handle: &str) {
    let saved = change(browser, account, &[("handle", handle)]).await;
    assert_eq!(saved.status, 303, "{handle}: {saved:?}");
}

/// An account with a page.
async fn organizer(app: &Arc<TestApp>) -> (Account, Browser, Client) {
    let (account, browser) = account(app).await;
    take(&browser, &account, HANDLE).await;
    let client = app.over(Surface::Http).as_owner(&account);
    (account, browser, client)
}

async fn page(app: &TestApp, path: &str) -> String {
    let reply = app.site.page(path).send().await;
    assert_eq!(reply.status, 200, "{path}: {reply:?}");
    String::from_utf8_lossy(&reply.body).into_owned()
}

fn titles(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().unwrap();
    items
        .iter()
        .map(|event| event["title"].as_str().unwrap())
        .collect()
}

/// The titles of the list for these parameters, which all surfaces answer alike.
async fn listed(app: &Arc<TestApp>, asked: &Value) -> Vec<String> {
    let mut answers = Vec::new();
    for surface in [Surface::Http, Surface::Grpc, Surface::Mcp] {
        let caller = app.over(surface).owner(Plan::Free).await;
        answers.push(caller.ok::<ListEvents>(asked.clone()).await);
    }
    assert!(
        answers
            .iter()
            .all(|one| one["items"] == answers[0]["items"])
    );
    let found = titles(&answers[0]).into_iter().map(str::to_owned).collect();
    assert_eq!(answers[0]["count"], json!(titles(&answers[0]).len()));
    found
}

/// What was published in the order of starts: two that are over soon, and two to come.
async fn publish_all(client: &Client) {
    for (title, start) in [
        ("First <past>", "2027-01-16T18:00:00Z"),
        ("Second past", "2027-01-17T18:00:00Z"),
        ("Next", "2027-05-01T18:00:00Z"),
        ("Later in Berlin", "2027-06-01T18:00:00Z"),
    ] {
        let fields = json!({"title": title, "start_date": start, "city": "Berlin"});
        client.publish_new(fields).await;
    }
    client.create(json!({"title": "A draft"})).await;
    let unlisted = json!({"title": "Unlisted", "is_listed": false});
    client.publish_new(unlisted).await;
    for start in ["2027-01-16T10:00:00Z", "2027-05-02T10:00:00Z"] {
        let fields = json!({"title": "Cancelled", "start_date": start});
        let event = client.publish_new(fields).await;
        client.ok::<CancelEvent>(json!({ "id": event.id })).await;
    }
}

async fn an_organizer_has_a_page_with_upcoming_and_past_events(app: Arc<TestApp>) {
    let (account, browser, client) = organizer(&app).await;
    let about = "We **meet** monthly.\n\n<script>alert(1)</script>";
    let fields = [("about", about), ("website", "https://rust.berlin")];
    assert_eq!(change(&browser, &account, &fields).await.status, 303);
    let other = app.over(Surface::Http).owner(Plan::Pro).await;
    other.publish_new(json!({"title": "Of others"})).await;
    publish_all(&client).await;
    app.advance(Duration::from_hours(96));
    for maintained in [false, true] {
        if maintained {
            app.maintain().await;
        }
        let upcoming = listed(&app, &json!({ "organizer": "Rust-Berlin" })).await;
        assert_eq!(upcoming, ["Next", "Later in Berlin"]);
        let past = listed(&app, &json!({"organizer": HANDLE, "past": true})).await;
        assert_eq!(past, ["Second past", "First <past>"]);
    }
    for (filter, expected) in [
        (json!({"q": "later", "city": "berlin"}), "Later in Berlin"),
        (json!({"from": "2027-05-15"}), "Later in Berlin"),
        (json!({"to": "2027-05-15"}), "Next"),
        (json!({"limit": 1, "offset": 1}), "Later in Berlin"),
    ] {
        let mut asked = filter;
        asked["organizer"] = json!(HANDLE);
        let list = client.ok::<ListEvents>(asked.clone()).await;
        assert_eq!(titles(&list), [expected], "{asked}");
    }
    let read = client.ok::<GetOrganizer>(json!({ "handle": HANDLE })).await;
    let expected = json!({
        "handle": HANDLE, "name": "Rust Berlin", "about": about.replace("\r\n", "\n"),
        "website": "https://rust.berlin/", "url": "https://muster.example/o/rust-berlin",
    });
    assert_eq!(read, expected);

    let html = page(&app, "/o/rust-berlin").await;
    for text in [
        "<h1 dir=\"auto\">Rust Berlin</h1>",
        "<strong>meet</strong>",
        "<a href=\"https://rust.berlin/\" rel=\"nofollow ugc noopener\"><bdi>rust.berlin</bdi></a>",
        "First &#60;past&#62;",
        "href=\"/o/rust-berlin.ics\"",
        "<link rel=\"canonical\" href=\"https://muster.example/o/rust-berlin\">",
    ] {
        assert!(html.contains(text), "{text}: {html}");
    }
    let place = |title: &str| html.find(&format!(">{title}</a>")).unwrap();
    assert!(place("Next") < place("Later in Berlin"));
    assert!(place("Later in Berlin") < place("Second past"));
    for text in [
        "A draft",
        "Unlisted",
        "Cancelled",
        "Of others",
        "<script>alert",
    ] {
        assert!(!html.contains(text), "{text}: {html}");
    }
    let all_past = page(&app, "/o/rust-berlin/past").await;
    assert!(all_past.contains("Second past") && !all_past.contains(">Next<"));
}

async fn the_events_of_an_organizer_are_files_and_a_page_for_frames(app: Arc<TestApp>) {
    let (_, _, client) = organizer(&app).await;
    // By the clock of the site, which no test moves.
    let ours = json!({"title": "Ours", "start_date": "2099-05-01T18:00:00Z"});
    let event = client.publish_new(ours).await;
    let other = app.over(Surface::Http).owner(Plan::Pro).await;
    other.publish_new(json!({"title": "Of others"})).await;
    for (path, mark) in [
        ("/o/rust-berlin", "<h1 dir=\"auto\">Rust Berlin</h1>"),
        ("/o/rust-berlin.ics", "X-WR-CALNAME:Events · Rust Berlin"),
        ("/o/rust-berlin.atom", "<title>Events · Rust Berlin</title>"),
        (
            "/o/rust-berlin/embed",
            "href=\"https://muster.example/o/rust-berlin\"",
        ),
    ] {
        let text = page(&app, path).await;
        assert!(text.contains(mark), "{path}: {text}");
        assert!(text.contains("Ours"), "{path}: {text}");
        assert!(!text.contains("Of others"), "{path}: {text}");
    }
    let framed = app.site.page("/o/rust-berlin/embed").send().await;
    let policy = framed.header("content-security-policy").unwrap();
    assert!(policy.contains("frame-ancestors *"), "{policy}");
    let register = format!("href=\"/events/{}/register\">Register<", event.slug);
    assert!(framed.html(200).contains(&register), "{framed:?}");
    let url = "/oembed?url=https%3A%2F%2Fmuster.example%2Fo%2Frust-berlin&maxwidth=300";
    let object: Value = serde_json::from_str(&page(&app, url).await).unwrap();
    assert_eq!(object["title"], "Rust Berlin");
    let line = object["html"].as_str().unwrap();
    assert!(line.contains("src=\"https://muster.example/o/rust-berlin/embed\""));
    assert!(line.contains("width=\"300\""), "{line}");

    let event_page = page(&app, &format!("/events/{}", event.slug)).await;
    let named = "<a href=\"https://muster.example/o/rust-berlin\">Rust Berlin</a>";
    assert!(event_page.contains(named), "{event_page}");
    let shown = client.ok::<GetEvent>(json!({ "slug": event.slug })).await;
    assert_eq!(shown["organizer_handle"], HANDLE);
    assert_eq!(
        shown["organizer_url"],
        "https://muster.example/o/rust-berlin"
    );
    let index = page(&app, "/sitemap.xml").await;
    assert!(index.contains("/sitemaps/organizers.xml"), "{index}");
    let sitemap = page(&app, "/sitemaps/organizers.xml").await;
    let locations: Vec<_> = sitemap.matches("<loc>").collect();
    assert_eq!(locations.len(), 1, "{sitemap}");
    assert!(sitemap.contains("<loc>https://muster.example/o/rust-berlin</loc>"));
}

async fn a_former_handle_leads_to_the_page_and_is_given_away_after_a_year(app: Arc<TestApp>) {
    let (ada, browser, client) = organizer(&app).await;
    client.publish_new(json!({})).await;
    take(&browser, &ada, "rustaceans").await;
    for (path, target) in [
        ("/o/rust-berlin", "/o/rustaceans"),
        ("/o/Rustaceans", "/o/rustaceans"),
        ("/o/rust-berlin.ics", "/o/rustaceans.ics"),
        ("/o/rust-berlin.atom", "/o/rustaceans.atom"),
        ("/o/rust-berlin/embed", "/o/rustaceans/embed"),
        ("/o/rust-berlin/past", "/o/rustaceans/past"),
    ] {
        let moved = app.site.page(path).send().await;
        assert_eq!(moved.status, StatusCode::PERMANENT_REDIRECT, "{path}");
        assert_eq!(moved.header("location"), Some(target), "{path}");
    }
    let read = client.ok::<GetOrganizer>(json!({ "handle": HANDLE })).await;
    assert_eq!(read["handle"], "rustaceans");
    let list = client
        .ok::<ListEvents>(json!({ "organizer": HANDLE }))
        .await;
    assert_eq!(list["count"], 1);

    let (bob, bobs) = account(&app).await;
    for handle in [HANDLE, "rustaceans"] {
        let refused = change(&bobs, &bob, &[("handle", handle)]).await;
        let html = refused.html(400);
        assert!(html.contains("This one is taken."), "{html}");
    }
    app.advance(Duration::from_hours(365 * 24 - 1));
    app.maintain().await;
    let bobs = Browser::signed_in(&app, &bob.email).await;
    change(&bobs, &bob, &[("handle", HANDLE)]).await.html(400);
    app.advance(Duration::from_hours(1));
    take(&bobs, &bob, HANDLE).await;
    assert!(
        page(&app, "/o/rust-berlin")
            .await
            .contains("/o/rust-berlin.ics")
    );
    change(&bobs, &bob, &[("handle", "rustaceans")])
        .await
        .html(400);
}

async fn a_handle_is_changed_three_times_a_year(app: Arc<TestApp>) {
    let (account, browser, client) = organizer(&app).await;
    for handle in ["rust-2", "rust-3", "", "rust-3"] {
        take(&browser, &account, handle).await;
    }
    take(&browser, &account, "rust-4").await;
    let refused = change(&browser, &account, &[("handle", "rust-5")]).await;
    let html = refused.html(400);
    assert!(html.contains("three times within a year"), "{html}");
    take(&browser, &account, HANDLE).await;
    let read = client.ok::<GetAccount>(json!({})).await;
    assert_eq!(read["handle"], HANDLE);
    let activity = client.ok::<ListActivity>(json!({})).await;
    let of_handle = |one: &&Value| one["action"] == "account.change_handle";
    let items = activity["items"].as_array().unwrap();
    assert_eq!(items.iter().filter(of_handle).count(), 7, "{activity}");
    app.advance(YEAR);
    let browser = Browser::signed_in(&app, &account.email).await;
    take(&browser, &account, "rust-5").await;
}

async fn what_no_page_can_have_is_refused_beside_its_field(app: Arc<TestApp>) {
    let (account, browser) = account(&app).await;
    let long = "a".repeat(41);
    let about = "a".repeat(2_001);
    for (field, value, words) in [
        ("handle", "ab", "Use 3 to 40 characters."),
        ("handle", &*long, "Use at most 40 characters."),
        ("handle", "Rust Berlin", "Use only the letters a to z"),
        ("handle", "events", "This one is reserved."),
        ("about", &*about, "Use at most 2000 characters."),
        ("website", "http://rust.berlin", "begins with https://"),
        (
            "website",
            "https://ada:secret@rust.berlin",
            "begins with https://",
        ),
    ] {
        let refused = change(&browser, &account, &[(field, value)]).await;
        let html = refused.html(400);
        assert!(html.contains(&format!("id=\"{field}-wrong\"")), "{html}");
        assert!(html.contains(words), "{words}: {html}");
        assert!(html.contains(value), "{value}");
    }
    let client = app.over(Surface::Http).as_owner(&account);
    let read = client.ok::<GetAccount>(json!({})).await;
    for field in ["handle", "about", "website", "organizer_url"] {
        assert_eq!(read[field], Value::Null, "{field}");
    }
    for asked in [
        json!({"past": true}),
        json!({"past": true, "organizer": HANDLE, "q": "rust"}),
    ] {
        let refusal = client.refused::<ListEvents>(asked).await;
        refusal.blames(&["past"]);
    }
    let none = client
        .ok::<ListEvents>(json!({ "organizer": "nobody" }))
        .await;
    assert_eq!(none["count"], 0);
}

/// The statuses of everything about an organizer.
async fn statuses(app: &TestApp) -> Vec<u16> {
    let mut statuses = Vec::new();
    for end in ["", "/past", "/embed", ".ics", ".atom"] {
        let reply = app.site.page(&format!("/o/rust-berlin{end}")).send().await;
        statuses.push(reply.status.as_u16());
    }
    let read = app.http.get("/organizers/rust-berlin").send().await;
    statuses.push(read.status.as_u16());
    statuses
}

async fn a_suspended_or_removed_account_has_no_page(app: Arc<TestApp>) {
    let (account, browser, client) = organizer(&app).await;
    let event = client.publish_new(json!({})).await;
    assert_eq!(statuses(&app).await, [200; 6]);
    let suspensions = &app.core.use_cases().suspensions;
    suspensions.suspend(account.id, None).await.unwrap();
    assert_eq!(statuses(&app).await, [404; 6]);
    let anyone = app.over(Surface::Http).anyone();
    for past in [false, true] {
        let asked = json!({"organizer": HANDLE, "past": past});
        assert_eq!(anyone.ok::<ListEvents>(asked).await["count"], 0);
    }
    assert!(!page(&app, "/sitemap.xml").await.contains("organizers"));
    suspensions.resume(account.id).await.unwrap();
    assert_eq!(statuses(&app).await, [200; 6]);

    suspensions.hide(&event.slug, true, None).await.unwrap();
    assert!(!page(&app, "/o/rust-berlin").await.contains("Rust Meetup"));
    suspensions.hide(&event.slug, false, None).await.unwrap();

    let archive = browser.page("/dashboard/account/export.zip").await;
    let exported: Value = serde_json::from_str(&unpacked(&archive.body)["account.json"]).unwrap();
    assert_eq!(exported["handle"], HANDLE);
    browser.prove(&account.email).await;
    let typed = [
        ("account_id", &*account.id.to_string()),
        ("name", "Rust Berlin"),
    ];
    let removed = browser.send("/dashboard/account/remove", &typed).await;
    assert_eq!(removed.status, 303, "{removed:?}");
    assert_eq!(statuses(&app).await, [404; 6]);
    app.maintain().await;
    let (bob, bobs) = super::members::account(&app).await;
    change(&bobs, &bob, &[("handle", HANDLE)]).await.html(400);
    app.advance(YEAR);
    let bobs = Browser::signed_in(&app, &bob.email).await;
    take(&bobs, &bob, HANDLE).await;
}

async fn two_accounts_that_want_one_handle_at_once_do_not_both_get_it(app: Arc<TestApp>) {
    let (ada, adas) = account(&app).await;
    let (bob, bobs) = account(&app).await;
    for handle in ["one-of-us", "other-one", "third-one"] {
        let fields = [("handle", handle)];
        let (one, other) =
            tokio::join!(change(&adas, &ada, &fields), change(&bobs, &bob, &fields),);
        let mut statuses = [one.status.as_u16(), other.status.as_u16()];
        statuses.sort_unstable();
        assert_eq!(statuses, [303, 400], "{handle}");
    }
}

tests::on_both_engines!(
    an_organizer_has_a_page_with_upcoming_and_past_events,
    the_events_of_an_organizer_are_files_and_a_page_for_frames,
    a_former_handle_leads_to_the_page_and_is_given_away_after_a_year,
    a_handle_is_changed_three_times_a_year,
    what_no_page_can_have_is_refused_beside_its_field,
    a_suspended_or_removed_account_has_no_page,
    two_accounts_that_want_one_handle_at_once_do_not_both_get_it,
);
