//! Lists that are refused, as a whole or in part.

use std::{sync::Arc, time::Duration};

use domain::plan::Plan;
use muster_api::{Reason, v1::bindings::CancelEvent};
use serde_json::json;
use tests::TestApp;

use super::{Organizer, counts, list_of, outcomes};

/// As the API says.
const MAX_LINES: usize = 10_000;

async fn a_new_account_brings_in_few_people_whom_it_mails(app: Arc<TestApp>) {
    let account = app.signed_up(Plan::Pro).await;
    let organizer = Organizer::with(&app, account, json!({})).await;
    let looked_at = organizer.import("?dry_run=true", list_of(21)).await.ok();
    assert_eq!(counts(&looked_at), [21, 0, 0, 0]);
    let why = looked_at["refused_because"].as_str().unwrap();
    for part in [
        "may mail 20 people a day",
        "20 are left",
        "this needs 21",
        "the operator trusts the account",
    ] {
        assert!(why.contains(part), "{part} in {why}");
    }
    let refusal = organizer.import("", list_of(21)).await.refusal();
    assert_eq!(refusal.reason, Reason::RateLimited, "{refusal:?}");
    assert_eq!(refusal.details[0].field, "new_account_mails");
    assert!(organizer.people().await.is_empty());
    let answer = organizer.import("", list_of(20)).await.ok();
    assert_eq!(counts(&answer), [20, 0, 0, 0]);
    // Those who are there need no mail.
    let answer = organizer.import("", list_of(20)).await.ok();
    assert_eq!(counts(&answer), [0, 0, 20, 0]);
    let late = organizer.import("", list_of(21)).await.refusal();
    assert_eq!(late.reason, Reason::RateLimited);
    let quiet = organizer.import("?notify=false", list_of(21)).await.ok();
    assert_eq!(counts(&quiet), [1, 0, 20, 0]);
}

async fn the_daily_mails_of_the_plan_hold_for_the_whole_list(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let organizer = Organizer::with(&app, account, json!({"max_capacity": 1})).await;
    let refusal = organizer.import("", list_of(501)).await.refusal();
    assert_eq!(refusal.reason, Reason::RateLimited, "{refusal:?}");
    assert!(organizer.people().await.is_empty());
    let answer = organizer.import("", list_of(500)).await.ok();
    assert_eq!(counts(&answer), [1, 499, 0, 0]);
}

async fn one_mailbox_is_not_filled_by_a_list_and_refused_mails_are_not_sent(app: Arc<TestApp>) {
    let organizer = Organizer::new(&app, json!({})).await;
    // Tags do not make another mailbox, which gets ten such mails within the hour.
    let tagged = (0..12).map(|tag| format!("Ada {tag},ada+{tag}@example.org\n"));
    let list = format!("Name,Email\n{}", tagged.collect::<String>());
    let answer = organizer.import("?dry_run=true", &list).await.ok();
    assert_eq!(counts(&answer), [10, 0, 0, 2]);
    let answer = organizer.import("", &list).await.ok();
    assert_eq!(counts(&answer), [10, 0, 0, 2]);
    assert!(
        outcomes(&answer)[10].2.contains("no more emails"),
        "{answer}"
    );
    app.drain_jobs().await;
    assert_eq!(app.mails().len(), 10);
    app.advance(Duration::from_hours(1));
    let answer = organizer.import("", &list).await.ok();
    assert_eq!(counts(&answer), [2, 0, 10, 0]);

    let bob = "Name,Email\nBob,bob@example.org\n";
    organizer.import("", bob).await.ok();
    app.drain_jobs().await;
    let mail = app
        .mails()
        .into_iter()
        .find(|mail| mail.to == "bob@example.org");
    let text = mail.unwrap().text;
    let link = text
        .split_whitespace()
        .find(|word| word.ends_with("/no-mail"));
    let path = link.unwrap().split_once("/registrations/").unwrap().1;
    let refuse = app.site.form(&format!("/registrations/{path}"), &[]);
    assert_eq!(refuse.send().await.status, 303);
    let other = organizer
        .owner
        .publish_new(json!({"title": "Another evening"}))
        .await;
    let other = Organizer {
        event: other,
        app: Arc::clone(&app),
        account: organizer.account.clone(),
        owner: organizer.owner.clone(),
    };
    let mails = app.mails().len();
    assert_eq!(counts(&other.import("", bob).await.ok()), [1, 0, 0, 0]);
    app.drain_jobs().await;
    assert_eq!(app.mails().len(), mails);
}

async fn what_is_no_list_or_not_for_this_event_is_refused(app: Arc<TestApp>) {
    let organizer = Organizer::new(&app, json!({})).await;
    for (list, words) in [
        (
            &b"PK\x03\x04\x14\0\0\0\x08\0"[..],
            "UTF-8, UTF-16 or Windows-1252",
        ),
        (b"Name,Telephone\nAda,1\n", "a column with email addresses"),
        (b"Email\nada@example.org\n", "a column with names"),
        (b"Name,Email\n", "a line for each person"),
        (b"\n", "the names of the columns"),
        (list_of(MAX_LINES + 1).as_bytes(), "at most 10000 lines"),
    ] {
        let refusal = organizer.import("", list).await.refusal();
        refusal.blames(&["file"]);
        assert!(
            refusal.message.contains(words) || refusal.details[0].message.contains(words),
            "{refusal:?}"
        );
    }
    organizer.import("", b"").await.refusal().blames(&["file"]);
    let large = "x".repeat((1 << 20) + 1);
    let large = organizer.import("", large).await;
    assert_eq!(large.refusal().reason, Reason::PayloadTooLarge);
    let kind = organizer.request("", list_of(1));
    let kind = kind
        .without("content-type")
        .header("content-type", "application/json");
    assert_eq!(kind.send().await.status, 415);
    organizer
        .import("?dry_run=maybe", list_of(1))
        .await
        .refusal()
        .blames(&["dry_run"]);
    let stranger = app.account(Plan::Pro).await;
    let request = organizer.request("", list_of(1));
    let foreign = request.without("authorization").bearer(&stranger.key);
    assert_eq!(foreign.send().await.refusal().reason, Reason::NotFound);
    let draft = organizer.owner.create(json!({})).await;
    let draft = Organizer {
        event: draft,
        app: Arc::clone(&app),
        account: organizer.account.clone(),
        owner: organizer.owner.clone(),
    };
    let refusal = draft.import("?dry_run=true", list_of(1)).await.refusal();
    assert_eq!(refusal.reason, Reason::EventNotPublished);
    let cancel = json!({"id": organizer.event.id});
    organizer.owner.ok::<CancelEvent>(cancel).await;
    let refusal = organizer.import("", list_of(1)).await.refusal();
    assert_eq!(refusal.reason, Reason::EventCancelled);
    assert!(organizer.people().await.is_empty());
}

tests::on_both_engines!(
    a_new_account_brings_in_few_people_whom_it_mails,
    the_daily_mails_of_the_plan_hold_for_the_whole_list,
    one_mailbox_is_not_filled_by_a_list_and_refused_mails_are_not_sent,
    what_is_no_list_or_not_for_this_event_is_refused,
);
