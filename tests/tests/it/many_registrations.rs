//! Registrations that are read and declined by their ids, many at a time, as the site does.

use std::sync::Arc;

use domain::{
    plan::Plan,
    registration::{
        Registration,
        Status::{Cancelled, Confirmed, Pending, Waitlisted},
    },
};
use muster_api::{
    Reason,
    v1::{
        DeclineRegistrationsRequest, DeclinedRegistrations, GetRegistrationsRequest,
        RegistrationList, bindings::CancelEvent,
    },
};
use serde_json::json;
use tests::{Account, Client, Created, Refusal, Surface, TestApp};

const MISSING: &str = "0197a3c5-5d0f-7c3e-9d52-0f6d8a1b2c3d";

async fn organizer(app: &Arc<TestApp>, plan: Plan) -> (Account, Client, Created) {
    let account = app.account(plan).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({"max_capacity": 1})).await;
    (account, owner, event)
}

fn ids(people: &[Registration]) -> Vec<String> {
    people.iter().map(|one| one.id.to_string()).collect()
}

async fn read(
    app: &TestApp,
    account: &Account,
    event: &Created,
    registration_ids: Vec<String>,
) -> Result<RegistrationList, Refusal> {
    let request = GetRegistrationsRequest {
        id: event.id.clone(),
        registration_ids,
    };
    let answer = app
        .grpc
        .registrations(&account.key)
        .get_registrations(request)
        .await;
    answer
        .map(tonic::Response::into_inner)
        .map_err(|status| Refusal::from_grpc(&status))
}

async fn decline(
    app: &TestApp,
    account: &Account,
    event: &Created,
    registration_ids: Vec<String>,
) -> Result<DeclinedRegistrations, Refusal> {
    let request = DeclineRegistrationsRequest {
        id: event.id.clone(),
        registration_ids,
        reason: Some("This evening is for members.".to_owned()),
    };
    let mut client = app.grpc.registrations(&account.key);
    let answer = client.decline_registrations(request).await;
    answer
        .map(tonic::Response::into_inner)
        .map_err(|status| Refusal::from_grpc(&status))
}

async fn those_that_are_not_there_are_left_out(app: Arc<TestApp>) {
    let (account, owner, event) = organizer(&app, Plan::Premium).await;
    let other = owner.publish_new(json!({})).await;
    let mine = ids(&app
        .register(&event.id, &[Pending, Confirmed, Cancelled])
        .await);
    let foreign = ids(&app.register(&other.id, &[Pending]).await);
    let named = [
        &mine[2],
        &foreign[0],
        MISSING,
        "no-uuid",
        &mine[0],
        &mine[2],
    ];
    let named = named.iter().map(ToString::to_string).collect();
    let found = read(&app, &account, &event, named).await.unwrap();
    let shown: Vec<_> = found.items.iter().map(|one| &*one.id).collect();
    assert_eq!(shown, [&*mine[0], &*mine[2]]);
    assert_eq!((found.count, found.next_cursor), (2, None));
    let no_ids = vec!["no-uuid".to_owned()];
    let none = read(&app, &account, &event, no_ids).await.unwrap();
    assert_eq!(none.items, []);
    let (eve, _, own) = organizer(&app, Plan::Premium).await;
    let none = read(&app, &eve, &own, mine.clone()).await.unwrap();
    assert_eq!(none.items, []);
    let refused = read(&app, &eve, &event, mine).await.unwrap_err();
    assert_eq!(refused.reason, Reason::NotFound);
}

async fn many_are_declined_at_once_but_those_with_a_seat(app: Arc<TestApp>) {
    let (account, owner, event) = organizer(&app, Plan::Premium).await;
    let people = app
        .register(
            &event.id,
            &[Pending, Confirmed, Waitlisted, Cancelled, Waitlisted],
        )
        .await;
    let named = ids(&people)[..4].iter().rev().cloned().collect();
    let answer = decline(&app, &account, &event, named).await.unwrap();
    let told: Vec<_> = answer
        .items
        .iter()
        .map(|one| (&*one.id, &*one.status))
        .collect();
    let ids = ids(&people);
    let statuses = ["Cancelled", "Confirmed", "Cancelled", "Cancelled"];
    let expected: Vec<_> = ids.iter().map(|id| &**id).zip(statuses).collect();
    assert_eq!(told, expected);
    let after = app.registrations(&event.id).await;
    let after: Vec<_> = after.iter().map(|one| one.status).collect();
    assert_eq!(
        after,
        [Cancelled, Confirmed, Cancelled, Cancelled, Waitlisted]
    );
    let detail = owner.detail(&event).await;
    assert_eq!(detail["registrations_active"], 2);
    for (id, actions) in ids.iter().zip([&["registration.decline"][..], &[]]) {
        let log = app.audit(id).await;
        let log: Vec<_> = log.iter().map(|row| &*row.action).collect();
        assert_eq!(log, actions);
    }
    app.drain_jobs().await;
    let mut mails = app.mails();
    mails.sort_by(|one, other| one.to.cmp(&other.to));
    let mailed: Vec<_> = mails.iter().map(|mail| &*mail.to).collect();
    assert_eq!(mailed, ["guest-1@example.org", "guest-3@example.org"]);
    let has_reason = |text: &str| text.contains("This evening is for members.");
    assert!(mails.iter().all(|mail| has_reason(&mail.text)), "{mails:?}");
}

async fn none_is_declined_if_one_is_not_there_or_the_event_is_cancelled(app: Arc<TestApp>) {
    let (account, owner, event) = organizer(&app, Plan::Premium).await;
    let mine = ids(&app.register(&event.id, &[Pending]).await);
    for missing in [MISSING, "no-uuid"] {
        let named = vec![mine[0].clone(), missing.to_owned()];
        let refused = decline(&app, &account, &event, named).await.unwrap_err();
        assert_eq!(refused.reason, Reason::NotFound, "{missing}");
    }
    for count in [0, 201] {
        let named = vec![MISSING.to_owned(); count];
        let refused = decline(&app, &account, &event, named.clone()).await;
        refused.unwrap_err().blames(&["registration_ids"]);
        let refused = read(&app, &account, &event, named).await.unwrap_err();
        refused.blames(&["registration_ids"]);
    }
    owner.ok::<CancelEvent>(json!({"id": event.id})).await;
    let refused = decline(&app, &account, &event, mine).await.unwrap_err();
    assert_eq!(refused.reason, Reason::EventCancelled);
    assert_eq!(app.registrations(&event.id).await[0].status, Pending);
}

async fn a_plan_without_the_list_reads_and_declines_nobody(app: Arc<TestApp>) {
    let (account, _, event) = organizer(&app, Plan::Free).await;
    let people = ids(&app.register(&event.id, &[Pending]).await);
    let read = read(&app, &account, &event, people.clone()).await;
    assert_eq!(read.unwrap_err().reason, Reason::PlanRequired);
    let declined = decline(&app, &account, &event, people).await;
    assert_eq!(declined.unwrap_err().reason, Reason::PlanRequired);
    assert_eq!(app.registrations(&event.id).await[0].status, Pending);
}

tests::on_both_engines!(
    those_that_are_not_there_are_left_out,
    many_are_declined_at_once_but_those_with_a_seat,
    none_is_declined_if_one_is_not_there_or_the_event_is_cancelled,
    a_plan_without_the_list_reads_and_declines_nobody,
);
