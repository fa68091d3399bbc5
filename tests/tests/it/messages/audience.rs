//! Who gets a message, decided when it begins.

use std::{sync::Arc, time::Duration};

use domain::{plan::Plan, registration::Status};
use muster_api::v1::bindings::{CheckIn, GetMyEvent, RegisterAttendee};
use serde_json::{Value, json};
use tests::{Surface, TestApp};

use super::{GRACE, pass, reached, sent_to};

async fn each_filter_of_an_audience_counts(app: Arc<TestApp>) {
    let api = app.over(Surface::Http);
    let owner = api.owner(Plan::Pro).await;
    let fields = json!([
        {"label": "Size", "field_type": "select", "options": ["S", "M"]},
        {"label": "Food", "field_type": "multi_select", "options": ["Soup", "Cake"]},
        {"label": "Newsletter", "field_type": "checkbox"},
    ]);
    let event = owner.publish_new(json!({"custom_fields": fields})).await;
    let detail = owner.ok::<GetMyEvent>(json!({"id": event.id})).await;
    let id = |index: usize| detail["custom_fields"][index]["id"].clone();
    for (name, answers) in [
        (
            "ada",
            json!([{"label": "Size", "values": ["S"]}, {"label": "Newsletter", "values": ["true"]}]),
        ),
        (
            "bob",
            json!([{"label": "Size", "values": ["M"]}, {"label": "Food", "values": ["Soup", "Cake"]}]),
        ),
        ("cy", json!([])),
    ] {
        let email = format!("{name}@example.org");
        let guest = json!({"slug": event.slug, "name": name, "email": email, "answers": answers});
        api.anyone().ok::<RegisterAttendee>(guest).await;
        app.advance(Duration::from_hours(24));
    }
    app.drain_jobs().await;
    let all = app.registrations(&event.id).await;
    let ada = json!({"id": event.id, "registration_id": all[0].id.to_string()});
    owner.ok::<CheckIn>(ada).await;
    app.register(&event.id, &[Status::Waitlisted, Status::Pending])
        .await;
    let answers = |index: usize, options: Value| json!({"answers": [{"field_id": id(index), "options": options}]});
    let mut so_far = 0;
    for (audience, expected) in [
        (json!({}), vec!["ada", "bob", "cy"]),
        (json!({"checked_in": true}), vec!["ada"]),
        (json!({"checked_in": false}), vec!["bob", "cy"]),
        (answers(0, json!(["S"])), vec!["ada"]),
        (answers(0, json!(["S", "M"])), vec!["ada", "bob"]),
        (answers(1, json!(["Cake"])), vec!["bob"]),
        (answers(2, json!(["true"])), vec!["ada"]),
        // An unchecked box is no answer.
        (answers(2, json!(["false"])), vec!["bob", "cy"]),
        (
            json!({"answers": [{"field_id": id(0), "options": ["M"]}, {"field_id": id(1), "options": ["Soup"]}]}),
            vec!["bob"],
        ),
        (json!({"registered_after": "2027-01-16"}), vec!["bob", "cy"]),
        (
            json!({"registered_after": "2027-01-16", "registered_before": "2027-01-17T00:00:00Z"}),
            vec!["bob"],
        ),
        (
            json!({"statuses": ["Waitlisted", "Pending"]}),
            vec!["guest-4", "guest-5"],
        ),
    ] {
        // A mailbox gets so many mails an hour.
        app.advance(Duration::from_hours(2));
        let text = audience.to_string();
        sent_to(&owner, &event, json!({"audience": audience})).await;
        pass(&app, GRACE).await;
        let mut mails = app.mails_by_time();
        mails.retain(|mail| mail.id.starts_with("message_mail."));
        let mut new: Vec<_> = mails[so_far..].iter().map(|mail| mail.to.clone()).collect();
        so_far = mails.len();
        new.sort();
        let expected: Vec<_> = expected
            .iter()
            .map(|name| format!("{name}@example.org"))
            .collect();
        assert_eq!(new, expected, "{text}");
    }
}

async fn who_registers_before_it_begins_gets_it_and_who_cancels_does_not(app: Arc<TestApp>) {
    let owner = app.over(Surface::Http).owner(Plan::Pro).await;
    let event = owner.publish_new(json!({})).await;
    sent_to(&owner, &event, json!({"hours_before_start": 24})).await;
    let people = app
        .register(
            &event.id,
            &[Status::Confirmed, Status::Confirmed, Status::Cancelled],
        )
        .await;
    // The day before.
    app.advance(Duration::from_hours(24 * 105 + 6));
    pass(&app, Duration::ZERO).await;
    assert_eq!(people.len(), 3);
    assert_eq!(
        reached(&app),
        ["guest-1@example.org", "guest-2@example.org"]
    );
}

tests::on_both_engines!(
    each_filter_of_an_audience_counts,
    who_registers_before_it_begins_gets_it_and_who_cancels_does_not,
);
