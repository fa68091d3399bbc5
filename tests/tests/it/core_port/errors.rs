//! Failures in gRPC's own words: the canonical code, `ErrorInfo` with reason and domain, `BadRequest` with every violation.

use std::sync::Arc;

use domain::{plan::Plan, registration::Status as Registered};
use muster_api::v1::{
    CancelRequest, CreateEventRequest, GetEventRequest, GetMyEventRequest,
    ListRegistrationsRequest, PublishEventRequest, UpdateEventRequest,
};
use tests::TestApp;
use tonic::{Code, Response, Status};
use tonic_types::StatusExt as _;

use super::event;

#[track_caller]
fn assert_refused<T: std::fmt::Debug>(
    answer: Result<Response<T>, Status>,
    code: Code,
    reason: &str,
) -> Status {
    let status = answer.unwrap_err();
    assert_eq!(status.code(), code, "{status:?}");
    let details = status.get_error_details();
    let info = details.error_info().unwrap();
    assert_eq!((&*info.reason, &*info.domain), (reason, "muster"));
    assert!(!status.message().is_empty());
    status
}

async fn every_violation_is_told_at_once(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let request = CreateEventRequest {
        title: Some("ab".to_owned()),
        description: None,
        start_date: Some("2027-02-30T18:00:00Z".to_owned()),
        max_capacity: Some(10_001),
        city: Some("x".repeat(121)),
        ..event()
    };
    let answer = app.grpc.events(&account.key).create_event(request).await;
    let status = assert_refused(answer, Code::InvalidArgument, "INVALID_REQUEST");
    let details = status.get_error_details();
    let violations = &details.bad_request().unwrap().field_violations;
    let mut fields: Vec<&str> = violations.iter().map(|one| &*one.field).collect();
    fields.sort_unstable();
    // Also what the calendar says.
    let all = ["city", "description", "max_capacity", "start_date", "title"];
    assert_eq!(fields, all);
    assert!(
        violations
            .iter()
            .all(|one| one.description.starts_with("must ") || one.description.starts_with("is "))
    );

    let request = CreateEventRequest {
        start_date: Some("2027-02-30T18:00:00Z".to_owned()),
        ..event()
    };
    let answer = app.grpc.events(&account.key).create_event(request).await;
    let status = assert_refused(answer, Code::InvalidArgument, "INVALID_REQUEST");
    let details = status.get_error_details();
    assert_eq!(
        details.bad_request().unwrap().field_violations[0].field,
        "start_date"
    );
}

async fn every_refusal_has_its_code_and_reason(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let mut events = app.grpc.events(&account.key);
    let id = events.create_event(event()).await.unwrap().into_inner().id;

    let slug = "no-such-event".to_owned();
    let answer = app
        .grpc
        .catalogue()
        .get_event(GetEventRequest { slug })
        .await;
    assert_refused(answer, Code::NotFound, "NOT_FOUND");
    for id in ["7", "00000000-0000-7000-8000-000000000000"] {
        let id = id.to_owned();
        let answer = events.get_my_event(GetMyEventRequest { id }).await;
        assert_refused(answer, Code::NotFound, "NOT_FOUND");
    }
    let answer = app.grpc.events("nobody's").create_event(event()).await;
    assert_refused(answer, Code::Unauthenticated, "UNAUTHORIZED");

    let request = ListRegistrationsRequest {
        id: id.clone(),
        ..ListRegistrationsRequest::default()
    };
    let answer = app
        .grpc
        .registrations(&account.key)
        .list_registrations(request)
        .await;
    assert_refused(answer, Code::PermissionDenied, "PLAN_REQUIRED");

    app.register(&id, &[Registered::Confirmed; 3]).await;
    let request = UpdateEventRequest {
        id: id.clone(),
        max_capacity: Some(2),
        ..Default::default()
    };
    let answer = events.update_event(request).await;
    assert_refused(answer, Code::FailedPrecondition, "CAPACITY_TOO_LOW");

    for _ in 1..3 {
        events.create_event(event()).await.unwrap();
    }
    let answer = events.create_event(event()).await;
    assert_refused(answer, Code::PermissionDenied, "QUOTA_EXCEEDED");

    events
        .cancel_event(CancelRequest {
            id: id.clone(),
            scope: None,
            reason: None,
        })
        .await
        .unwrap();
    let answer = events.publish_event(PublishEventRequest { id }).await;
    assert_refused(answer, Code::FailedPrecondition, "EVENT_CANCELLED");

    let past = CreateEventRequest {
        start_date: Some("2020-01-01T00:00:00Z".to_owned()),
        is_public: None,
        ..event()
    };
    let id = events.create_event(past).await.unwrap().into_inner().id;
    let answer = events.publish_event(PublishEventRequest { id }).await;
    assert_refused(answer, Code::FailedPrecondition, "EVENT_ENDED");
}

tests::on_both_engines!(
    every_violation_is_told_at_once,
    every_refusal_has_its_code_and_reason,
);
