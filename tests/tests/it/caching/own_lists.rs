//! Lists of an account's events are never old.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use domain::plan::Plan;
use muster_api::v1::bindings::ListMyEvents;
use serde_json::{Value, json};
use server::CancellationToken;
use tests::{Account, Client, Http, Surface, TestApp};
use tokio::task::JoinSet;

use super::two_edges;

/// Changes of the title, and readers who look for them.
const CHANGES: u32 = 60;
const READERS: usize = 6;

async fn titles(owner: &Client, status: &str) -> Vec<String> {
    let list = owner.ok::<ListMyEvents>(json!({ "status": status })).await;
    let items = list["items"].as_array().unwrap();
    let title = |item: &Value| item["title"].as_str().unwrap().to_owned();
    items.iter().map(title).collect()
}

async fn a_list_is_its_accounts_alone(app: Arc<TestApp>) {
    let one = app.account(Plan::Business).await;
    let other = app.account(Plan::Business).await;
    for surface in [Surface::Grpc, Surface::Http, Surface::Mcp] {
        let one = app.over(surface).as_owner(&one);
        let other = app.over(surface).as_owner(&other);
        one.publish_new(json!({"title": "Of one"})).await;
        for _ in 0..2 {
            assert!(!titles(&one, "all").await.is_empty());
            assert!(titles(&other, "all").await.is_empty());
        }
    }
}

async fn an_event_leaves_a_list_when_it_ends(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let now = app.clock.now();
    for (title, seconds) in [("First", 3_600), ("Second", 7_200), ("Third", 10_800)] {
        let start = now.plus_seconds(seconds).to_utc().to_string() + "Z";
        owner
            .create(json!({"title": title, "start_date": start}))
            .await;
    }
    let lists = async || {
        let active = titles(&owner, "active").await;
        assert_eq!(titles(&owner, "active").await, active);
        let past = titles(&owner, "past").await;
        assert_eq!(titles(&owner, "past").await, past);
        (active, past)
    };
    let all = ["First", "Second", "Third"];
    assert_eq!(lists().await, (all.map(str::to_owned).to_vec(), Vec::new()));
    for over in 1..=3 {
        app.advance(Duration::from_secs(3_599));
        let (active, past) = lists().await;
        assert_eq!(active, all[over - 1..], "a second before");
        assert_eq!(past.len(), over - 1);
        app.advance(Duration::from_secs(1));
        let (active, past) = lists().await;
        assert_eq!(active, all[over..]);
        assert_eq!(past.len(), over);
    }
}

/// Anyone who asks after a change was answered sees it, or a later one, whichever core it came through and whichever is asked.
async fn no_reader_sees_what_was_before_a_change_that_is_answered(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    let cores = two_edges(&app).await.map(|edge| edge.http);
    let title = |number: u32| format!("Title {number:04}");
    let answered = Arc::new(AtomicU32::new(0));
    let stop = CancellationToken::new();
    let mut readers = JoinSet::new();
    for reader in 0..READERS {
        let (core, account) = (cores[reader % 2].clone(), account.clone());
        let (answered, stop) = (answered.clone(), stop.clone());
        readers.spawn(async move {
            let mut late = Vec::new();
            while !stop.is_cancelled() {
                let least = title(answered.load(Ordering::SeqCst));
                let seen = title_at(&core, &account).await;
                if seen.starts_with("Title") && seen < least {
                    late.push((seen, least));
                }
            }
            late
        });
    }
    for number in 1..=CHANGES {
        let path = format!("/me/events/{}", event.id);
        let core = &cores[usize::try_from(number).unwrap() % 2];
        let change = core.patch(&path).bearer(&account.key);
        change
            .json(&json!({"title": title(number)}))
            .send()
            .await
            .ok();
        answered.store(number, Ordering::SeqCst);
    }
    stop.cancel();
    let late = readers.join_all().await.concat();
    assert_eq!(late, Vec::new());
}

async fn title_at(core: &Http, account: &Account) -> String {
    let list = core
        .get("/me/events")
        .bearer(&account.key)
        .send()
        .await
        .ok();
    list["items"][0]["title"].as_str().unwrap().to_owned()
}

tests::on_both_engines!(
    a_list_is_its_accounts_alone,
    an_event_leaves_a_list_when_it_ends,
    no_reader_sees_what_was_before_a_change_that_is_answered,
);
