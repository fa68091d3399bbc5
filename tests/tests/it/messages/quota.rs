//! Messages within the mails of a day, and of new accounts.

use std::{sync::Arc, time::Duration};

use domain::{email::Email, plan::Plan};
use muster_api::{
    Reason,
    v1::bindings::{AddRegistration, CreateMessage, PreviewMessage, UpdateMessage},
};
use serde_json::json;
use tests::{Surface, TestApp};

use super::{GRACE, guests, now, pass, reached, sent_to, to};

const DAY: Duration = Duration::from_hours(24);

/// Uses up the mails of a day of an account with the plan of 10,000, but for so many.
async fn leave(app: &TestApp, account: &tests::Account, left: i32) {
    let mut tx = app.store.begin().await.unwrap();
    let count = domain::mail::quota::MailCount {
        mails: 10_000 - left,
        ..domain::mail::quota::MailCount::of_day(app.clock.now())
    };
    tx.set_mail_count(account.id, count).await.unwrap();
    tx.commit().await.unwrap();
}

async fn beyond_the_mails_of_a_day_now_is_refused_and_later_waits(app: Arc<TestApp>) {
    let api = app.over(Surface::Http);
    let account = app.account(Plan::Premium).await;
    let owner = api.as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    guests(&app, &event, 3).await;
    leave(&app, &account, 2).await;
    let refusal = owner.refused::<CreateMessage>(to(&event, json!({}))).await;
    assert_eq!(refusal.reason, Reason::RateLimited);
    let preview = owner.ok::<PreviewMessage>(to(&event, json!({}))).await;
    assert_eq!(
        (&preview["mails_left_today"], &preview["fits_today"]),
        (&json!(2), &json!(false))
    );

    let later = json!({"send_at": "2027-01-15T18:00:00Z"});
    let message = sent_to(&owner, &event, later).await;
    pass(&app, Duration::from_hours(6)).await;
    assert_eq!(reached(&app), Vec::<String>::new());
    let waiting = now(&owner, &event, &message).await;
    assert_eq!(waiting["state"], "scheduled");
    assert_eq!(waiting["is_delayed"], true);
    assert_eq!(waiting["send_at"], "2027-01-16T00:00:00Z");
    let notices = app.notices();
    let notice = notices
        .iter()
        .find(|mail| mail.subject.contains("waits until tomorrow"));
    assert_eq!(
        notice.map(|mail| &*mail.to),
        Some(&*account.email),
        "{notices:?}"
    );

    pass(&app, Duration::from_hours(6)).await;
    assert_eq!(reached(&app).len(), 3);
    let sent = now(&owner, &event, &message).await;
    assert_eq!(
        (&sent["state"], &sent["is_delayed"]),
        (&json!("sent"), &json!(false))
    );
}

async fn one_that_waits_for_the_next_day_is_corrected(app: Arc<TestApp>) {
    let api = app.over(Surface::Http);
    let account = app.account(Plan::Premium).await;
    let owner = api.as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    guests(&app, &event, 3).await;
    let message = sent_to(&owner, &event, json!({})).await;
    leave(&app, &account, 2).await;
    pass(&app, GRACE).await;
    let waiting = now(&owner, &event, &message).await;
    assert_eq!(waiting["is_delayed"], true);
    let mut change = super::which(&event, &message);
    change["text"] = json!("In the first yard.");
    let changed = owner.ok::<UpdateMessage>(change.clone()).await;
    assert_eq!(changed["is_delayed"], true);
    assert_eq!(changed["send_at"], waiting["send_at"]);
    // Sent at once it is one of this day again.
    change["send_at"] = serde_json::Value::Null;
    change["hours_before_start"] = json!(2);
    owner.ok::<UpdateMessage>(change.clone()).await;
    change["hours_before_start"] = serde_json::Value::Null;
    let refusal = owner.refused::<UpdateMessage>(change).await;
    assert_eq!(refusal.reason, Reason::RateLimited);
}

async fn what_is_withdrawn_is_given_back(app: Arc<TestApp>) {
    let api = app.over(Surface::Http);
    let account = app.account(Plan::Premium).await;
    let owner = api.as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    guests(&app, &event, 3).await;
    leave(&app, &account, 3).await;
    let message = sent_to(&owner, &event, json!({})).await;
    app.advance(GRACE);
    app.begin_messages().await;
    let again = to(&event, json!({}));
    let refusal = owner.refused::<CreateMessage>(again.clone()).await;
    assert_eq!(refusal.reason, Reason::RateLimited);
    let which = super::which(&event, &message);
    owner
        .ok::<muster_api::v1::bindings::CancelMessage>(which)
        .await;
    owner.ok::<CreateMessage>(again).await;
}

async fn a_new_account_writes_to_few_of_those_whom_it_added(app: Arc<TestApp>) {
    let api = app.over(Surface::Http);
    let account = app.signed_up(Plan::Pro).await;
    let owner = api.as_owner(&account);
    let event = owner.publish_new(json!({})).await;
    for index in 0..12 {
        let email = format!("added-{index:02}@example.org");
        let guest = json!({"id": event.id, "name": "Guest", "email": email});
        owner.ok::<AddRegistration>(guest).await;
    }
    guests(&app, &event, 2).await;
    let preview = owner.ok::<PreviewMessage>(to(&event, json!({}))).await;
    assert_eq!(preview["recipients"], 10, "{preview}");
    assert_eq!(
        preview["left_out"],
        json!([{"reason": "added", "count": 4}])
    );
    let summary = preview["left_out_summary"].as_str().unwrap();
    for words in [
        "4 people whom you added",
        "20 people have registered themselves",
        "the operator trusts the account",
    ] {
        assert!(summary.contains(words), "{summary}");
    }
    sent_to(&owner, &event, json!({})).await;
    pass(&app, GRACE).await;
    assert_eq!(reached(&app).len(), 10);
    app.advance(DAY);
    let preview = owner.ok::<PreviewMessage>(to(&event, json!({}))).await;
    assert_eq!(preview["recipients"], 14);
}

async fn a_mailbox_that_the_operator_blocks_gets_none(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    guests(&app, &event, 2).await;
    let blocked: Email = "guest-1@example.org".parse().unwrap();
    app.core.use_cases().mails.suppress(&blocked).await.unwrap();
    let preview = owner.ok::<PreviewMessage>(to(&event, json!({}))).await;
    assert_eq!(
        preview["left_out"],
        json!([{"reason": "refused", "count": 1}])
    );
    sent_to(&owner, &event, json!({})).await;
    pass(&app, GRACE).await;
    assert_eq!(reached(&app), ["guest-2@example.org"]);
}

tests::on_both_engines!(
    beyond_the_mails_of_a_day_now_is_refused_and_later_waits,
    one_that_waits_for_the_next_day_is_corrected,
    what_is_withdrawn_is_given_back,
    a_new_account_writes_to_few_of_those_whom_it_added,
    a_mailbox_that_the_operator_blocks_gets_none,
);
