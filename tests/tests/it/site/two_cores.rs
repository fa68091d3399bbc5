//! A site in front of two cores, each of which remembers sessions for a moment. The clock stands still, so that moment does not end.

use std::sync::Arc;

use core_service::service::Policy;
use domain::plan::Plan;
use muster_api::v1::bindings::ListMyEvents;
use serde_json::json;
use tests::{Account, Browser, Surface, TestApp};

const SESSION: &str = "__Host-muster";

/// How many events an account has.
async fn events_of(app: &Arc<TestApp>, account: &Account) -> i64 {
    let owner = app.over(Surface::Http).as_owner(account);
    let list = owner.ok::<ListMyEvents>(json!({})).await;
    list["count"].as_i64().unwrap()
}

/// Creates an event by the form.
async fn create(browser: &Browser) -> tests::Reply {
    let event = [
        ("title", "Rust Night"),
        ("description", "Two talks."),
        ("location", "c-base"),
        ("start_date", "2030-05-14T19:00"),
        ("timezone", "Europe/Berlin"),
    ];
    browser.send("/dashboard/events/new", &event).await
}

/// The path of the only invitation that waits for whoever is signed in.
async fn invitation(browser: &Browser) -> String {
    let page = browser.page("/dashboard").await;
    let (_, rest) = page.html(200).split_once("href=\"/invitations/").unwrap();
    format!("/invitations/{}", rest.split('"').next().unwrap())
}

async fn what_is_created_belongs_to_the_account_that_was_chosen_last(app: Arc<TestApp>) {
    let (mine, shared) = (app.account(Plan::Pro).await, app.account(Plan::Pro).await);
    let owner = Browser::signed_in(&app, &shared.email).await;
    let invited = [("email", &*mine.email), ("role", "organizer")];
    owner.send("/dashboard/members", &invited).await;
    let here = Browser::signed_in(&app, &mine.email).await;
    let other_site = app.serve_another_core(Policy::default()).await;
    let there = here.at(&other_site);
    let invitation = invitation(&here).await;
    let (mine_id, shared_id) = (mine.id.to_string(), shared.id.to_string());
    let leave = ("/dashboard/account/leave", ("account_id", &*shared_id));
    let steps = [
        (&*invitation, ("action", "accept"), &shared),
        ("/dashboard/switch", ("account_id", &*mine_id), &mine),
        ("/dashboard/switch", ("account_id", &*shared_id), &shared),
        (leave.0, leave.1, &mine),
    ];
    for (path, field, expected) in steps {
        for core in [&here, &there] {
            core.page("/dashboard").await.html(200);
        }
        let old = Browser::new(&app).at(&other_site);
        old.set_cookie(SESSION, &here.cookie(SESSION).unwrap());
        assert_eq!(here.send(path, &[field]).await.status, 303, "{path}");
        let before = (events_of(&app, &mine).await, events_of(&app, &shared).await);
        // Whoever still has the old token creates nothing, and gets no new one for it.
        create(&old).await.html(401);
        old.send("/dashboard/switch", &[("account_id", &mine_id)])
            .await
            .html(401);
        let now = (events_of(&app, &mine).await, events_of(&app, &shared).await);
        assert_eq!(now, before, "{path}");

        let before = events_of(&app, expected).await;
        assert_eq!(create(&there).await.status, 303, "{path}");
        assert_eq!(events_of(&app, expected).await, before + 1, "{path}");
    }
}

async fn the_token_before_a_step_up_changes_nothing_on_any_core(app: Arc<TestApp>) {
    let account = app.account(Plan::Pro).await;
    let here = Browser::signed_in(&app, &account.email).await;
    let other_site = app.serve_another_core(Policy::default()).await;
    let there = here.at(&other_site);
    let old = Browser::new(&app).at(&other_site);
    old.set_cookie(SESSION, &here.cookie(SESSION).unwrap());
    old.page("/dashboard").await.html(200);
    here.prove(&account.email).await;
    create(&old).await.html(401);
    old.send("/sign-in/again", &[("action", "send")])
        .await
        .html(401);
    assert_eq!(events_of(&app, &account).await, 0);
    assert_eq!(create(&there).await.status, 303);
    old.set_cookie(SESSION, &here.cookie(SESSION).unwrap());
    here.send("/sign-out", &[]).await;
    create(&old).await.html(401);
    assert_eq!(events_of(&app, &account).await, 1);
}

tests::on_both_engines!(
    what_is_created_belongs_to_the_account_that_was_chosen_last,
    the_token_before_a_step_up_changes_nothing_on_any_core,
);
