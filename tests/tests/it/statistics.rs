//! Numbers about an event: views of its page by day and host, registrations, and who came.

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use http::Method;
use http_kit::{CacheOptions, ResponseCache};
use muster_api::{
    Reason,
    v1::bindings::{CheckIn, GetEventStatistics, ListRegistrations, RegisterAttendee},
};
use serde_json::{Value, json};
use tests::{Browser, Created, Http, Surface, TestApp, core_at};

const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

const DAY: Duration = Duration::from_hours(24);

/// Someone looks at the page of an event, whom a page elsewhere led there.
async fn view(app: &TestApp, event: &Created, referer: Option<&str>) {
    view_at(&app.site, event, referer).await;
}

async fn view_at(site: &Http, event: &Created, referer: Option<&str>) {
    let path = format!("/events/{}", event.slug);
    let mut request = site.request(Method::GET, &path);
    request = request.header("user-agent", FIREFOX);
    if let Some(referer) = referer {
        request = request.header("referer", referer);
    }
    assert_eq!(request.send().await.status, 200);
}

fn last(statistics: &Value, number: &str) -> Vec<i64> {
    let days = statistics["days"].as_array().unwrap();
    days.iter()
        .map(|day| day[number].as_i64().unwrap())
        .collect()
}

async fn views_and_registrations_are_counted_by_day(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let ask = json!({"id": event.id, "days": 3});
    view(&app, &event, Some("https://www.news.example/story?id=1")).await;
    view(&app, &event, Some("https://news.example/")).await;
    view(&app, &event, None).await;
    // Programs, and people who are signed in, do not count.
    let path = format!("/events/{}", event.slug);
    app.site.request(Method::GET, &path).send().await;
    let browser = Browser::signed_in(&app, &account.email).await;
    browser.page(&path).await.html(200);
    app.views.record().await;
    let guest = json!({"slug": event.slug, "name": "Ada L", "email": "ada@example.org"});
    let anyone = app.over(Surface::Http).anyone();
    anyone.ok::<RegisterAttendee>(guest).await;

    let today = owner.ok::<GetEventStatistics>(ask.clone()).await;
    assert_eq!(last(&today, "views"), [0, 0, 3]);
    assert_eq!(last(&today, "registrations"), [0, 0, 1]);
    assert_eq!(today["days"][2]["day"], "2027-01-15");
    assert_eq!(
        today["hosts"],
        json!([{"host": "news.example", "views": 2}, {"host": null, "views": 1}])
    );
    assert_eq!(today["came_percent"], Value::Null);

    app.advance(DAY);
    view(&app, &event, None).await;
    view(&app, &event, None).await;
    app.views.record().await;
    view(&app, &event, None).await;
    app.views.record().await;
    let tomorrow = owner.ok::<GetEventStatistics>(ask).await;
    assert_eq!(last(&tomorrow, "views"), [0, 3, 3]);
    assert_eq!(
        (&tomorrow["views"], &tomorrow["registrations"]),
        (&json!(6), &json!(1))
    );

    let list = owner.ok::<ListRegistrations>(json!({"id": event.id})).await;
    let ada = json!({"id": event.id, "registration_id": list["items"][0]["id"]});
    owner.ok::<CheckIn>(ada).await;
    let html = browser
        .page(&format!("/dashboard/events/{}", event.id))
        .await;
    let html = html.html(200);
    for shown in [
        "6 views",
        "1 registration<",
        "news.example",
        "100% of the guests with a spot",
    ] {
        assert!(html.contains(shown), "{shown}: {html}");
    }
}

async fn what_the_cache_answers_counts_as_well(app: Arc<TestApp>) {
    let core = core_at(&format!("http://{}", app.grpc.address()));
    let core = core.edge().unwrap();
    let cache = ResponseCache::new(CacheOptions::default(), core.changes().clone());
    let site = app.serve_site_with(core, Some(cache)).await;
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    for _ in 0..20 {
        view_at(&site, &event, None).await;
    }
    app.views.record().await;
    let ask = json!({"id": event.id});
    let statistics = owner.ok::<GetEventStatistics>(ask).await;
    assert_eq!(statistics["views"], 20);
}

async fn numbers_are_for_the_events_own_account(app: Arc<TestApp>) {
    let owner = app.account(Plan::Pro).await;
    let event = app
        .over(Surface::Http)
        .as_owner(&owner)
        .publish_new(json!({}))
        .await;
    let other = app.account(Plan::Pro).await;
    for surface in [Surface::Http, Surface::Grpc, Surface::Mcp] {
        let stranger = app.over(surface).as_owner(&other);
        let refused = stranger
            .refused::<GetEventStatistics>(json!({"id": event.id}))
            .await;
        assert_eq!(refused.reason, Reason::NotFound);
    }
}

async fn a_day_counts_a_bounded_number_of_hosts_one_by_one(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    for number in 0..110 {
        view(
            &app,
            &event,
            Some(&format!("https://host-{number}.example/")),
        )
        .await;
        app.views.record().await;
    }
    let at_once = owner.publish_new(json!({})).await;
    for number in 0..110 {
        let referer = format!("https://host-{number}.example/");
        view(&app, &at_once, Some(&referer)).await;
    }
    app.views.record().await;
    for event in [event, at_once] {
        // A host that is counted goes on to be.
        view(&app, &event, Some("https://host-0.example/")).await;
        app.views.record().await;
        let statistics = owner
            .ok::<GetEventStatistics>(json!({"id": event.id}))
            .await;
        assert_eq!(statistics["views"], 111);
        let hosts = statistics["hosts"].as_array().unwrap();
        assert_eq!(hosts.len(), 20);
        assert_eq!(hosts[0], json!({"host": null, "views": 10}));
        assert_eq!(hosts[1], json!({"host": "host-0.example", "views": 2}));
    }
}

tests::on_both_engines!(
    views_and_registrations_are_counted_by_day,
    what_the_cache_answers_counts_as_well,
    numbers_are_for_the_events_own_account,
    a_day_counts_a_bounded_number_of_hosts_one_by_one,
);
