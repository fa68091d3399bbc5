//! What edges alone ask of core.

use std::sync::Arc;

use domain::{plan::Plan, scope::Scope as Grant};
use muster_api::{
    Scope,
    internal::v1::{
        CheckCredentialRequest, CheckCredentialResponse, CredentialKind,
        edge_service_client::EdgeServiceClient,
    },
    metadata::EDGE_TOKEN,
};
use tests::TestApp;
use tonic::{Code, Request, Status};

async fn check(app: &TestApp, authorization: &str) -> Result<CheckCredentialResponse, Status> {
    check_as(app, authorization, TestApp::EDGE_TOKEN).await
}

async fn check_as(
    app: &TestApp,
    authorization: &str,
    edge_token: &str,
) -> Result<CheckCredentialResponse, Status> {
    let mut request = Request::new(CheckCredentialRequest::default());
    let metadata = request.metadata_mut();
    metadata.insert("authorization", authorization.parse().unwrap());
    metadata.insert(EDGE_TOKEN, edge_token.parse().unwrap());
    let mut client = EdgeServiceClient::new(app.grpc.channel());
    Ok(client.check_credential(request).await?.into_inner())
}

async fn an_edge_learns_whose_a_credential_is_and_what_for(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let found = check(&app, &format!("Bearer {}", account.key))
        .await
        .unwrap();
    assert_eq!(found.account_id, account.id.to_string());
    assert_eq!(found.kind(), CredentialKind::ApiKey);
    let all: Vec<_> = Scope::ALL.iter().map(|scope| scope.name()).collect();
    assert_eq!(found.scopes, all);

    let few = app.key_for(&account, &[Grant::EventsRead]).await;
    let found = check(&app, &format!("Bearer {few}")).await.unwrap();
    assert_eq!(found.scopes, ["events:read"]);
}

async fn an_edge_learns_that_a_credential_is_not_valid(app: Arc<TestApp>) {
    let key = app.account(Plan::Free).await.key;
    for wrong in [format!("Bearer {key}x"), key, String::new()] {
        let status = check(&app, &wrong).await.unwrap_err();
        assert_eq!(status.code(), Code::Unauthenticated, "{wrong}");
    }
}

async fn a_credential_without_the_scope_that_is_asked_for_is_refused_as_at_a_call(
    app: Arc<TestApp>,
) {
    let account = app.account(Plan::Free).await;
    let key = app.key_for(&account, &[Grant::EventsRead]).await;
    let has = async |scope: &str| {
        let mut request = Request::new(CheckCredentialRequest {
            scope: Some(scope.to_owned()),
        });
        let metadata = request.metadata_mut();
        metadata.insert("authorization", format!("Bearer {key}").parse().unwrap());
        metadata.insert(EDGE_TOKEN, TestApp::EDGE_TOKEN.parse().unwrap());
        let mut client = EdgeServiceClient::new(app.grpc.channel());
        client.check_credential(request).await
    };
    assert!(has("events:read").await.is_ok());
    let refused = has("events:write").await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
    assert!(refused.message().contains("events:write"), "{refused}");
    // A later edge sees by the answer that this core knows nothing of its scope.
    let later = has("tickets:sell").await.unwrap().into_inner();
    assert_eq!(later.scopes, ["events:read"]);
    let long = has(&"x".repeat(65)).await.unwrap_err();
    assert_eq!(long.code(), Code::InvalidArgument);
}

async fn nobody_else_learns_it(app: Arc<TestApp>) {
    let right = format!("Bearer {}", app.account(Plan::Free).await.key);
    let status = check_as(&app, &right, "not-the-secret-of-any-edge").await;
    assert!(status.is_err(), "{status:?}");

    let mut request = Request::new(CheckCredentialRequest::default());
    let metadata = request.metadata_mut();
    metadata.insert("authorization", right.parse().unwrap());
    let mut client = EdgeServiceClient::new(app.grpc.channel());
    let status = client.check_credential(request).await.unwrap_err();
    assert_eq!(status.code(), Code::PermissionDenied);
}

tests::on_both_engines!(
    an_edge_learns_whose_a_credential_is_and_what_for,
    an_edge_learns_that_a_credential_is_not_valid,
    a_credential_without_the_scope_that_is_asked_for_is_refused_as_at_a_call,
    nobody_else_learns_it,
);
