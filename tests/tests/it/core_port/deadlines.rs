//! `grpc-timeout`: a call that is not done by then is given up, and nothing of it stays.
//!
//! The calls are made as gRPC-web, since tonic's client would give up by itself instead of hearing core out.

use std::sync::Arc;

use domain::plan::Plan;
use muster_api::v1::{ListMyEventsRequest, MyEventList};
use prost::Message as _;
use tests::{Account, TestApp};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

use super::{event, hold, web};

const CREATE: &str = "/muster.v1.EventService/CreateEvent";

async fn create_within(app: &TestApp, account: &Account, deadline: &str) -> Status {
    let call = web::call(app, CREATE, &event())
        .bearer(&account.key)
        .header("grpc-timeout", deadline);
    web::read(&call.send().await).1
}

async fn events_of(app: &TestApp, account: &Account) -> i32 {
    let request = ListMyEventsRequest {
        status: Some("all".to_owned()),
        ..ListMyEventsRequest::default()
    };
    let call = web::call(app, "/muster.v1.EventService/ListMyEvents", &request);
    let (messages, status) = web::read(&call.bearer(&account.key).send().await);
    assert_eq!(status.code(), Code::Ok, "{status:?}");
    MyEventList::decode(&*messages[0]).unwrap().count
}

async fn a_call_past_its_deadline_leaves_nothing_behind(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    // Left alone, a call would hear after five seconds that the database is busy.
    let held = hold(&app, &account).await;
    for deadline in ["0S", "1n", "1u", "1m", "150m", "150m", "150m"] {
        let status = create_within(&app, &account, deadline).await;
        assert_eq!(
            status.code(),
            Code::DeadlineExceeded,
            "{deadline}: {status:?}"
        );
        let details = status.get_error_details();
        assert_eq!(details.error_info().unwrap().reason, "UNAVAILABLE");
    }
    held.commit().await.unwrap();

    // The next one waits for whatever of the others might still be under way.
    let status = create_within(&app, &account, "20S").await;
    assert_eq!(status.code(), Code::Ok, "{status:?}");
    assert_eq!(events_of(&app, &account).await, 1);
}

async fn a_deadline_that_cannot_be_read_is_none(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    for deadline in ["soon", "", "m", "5", "-1S", "999999999S", "1.5S"] {
        let status = create_within(&app, &account, deadline).await;
        assert_eq!(status.code(), Code::Ok, "{deadline}: {status:?}");
    }
}

tests::on_both_engines!(
    a_call_past_its_deadline_leaves_nothing_behind,
    a_deadline_that_cannot_be_read_is_none,
);
