//! Sessions at core's gate: where they count, and what each role may do with them.

use std::sync::Arc;

use core_service::service::Browser;
use domain::{
    person::{Position, Role},
    plan::Plan,
};
use http::uri::PathAndQuery;
use muster_api::{
    Reason,
    binding::{Access, AccessRule, InternalVisitor, PublicRpc, Rpc, RpcVisitor},
    metadata::{EDGE_TOKEN, SURFACE},
};
use tests::{Account, TestApp};
use tonic::{Code, Request, Status};
use tonic_prost::ProstCodec;
use tonic_types::StatusExt as _;

/// The paths of all rpcs.
#[derive(Default)]
struct Paths(Vec<&'static str>);

impl RpcVisitor for Paths {
    fn visit<R: PublicRpc>(&mut self, _rpc: R) {
        self.0.push(R::GRPC_PATH);
    }
}

impl InternalVisitor for Paths {
    fn visit<R: Rpc>(&mut self, _rpc: R) {
        self.0.push(R::GRPC_PATH);
    }
}

fn internal() -> Vec<(&'static str, AccessRule)> {
    let mut paths = Paths::default();
    muster_api::visit_internal_rpcs(&mut paths);
    with_rules(paths)
}

fn every() -> Vec<(&'static str, AccessRule)> {
    let mut paths = Paths::default();
    muster_api::visit_rpcs(&mut paths);
    muster_api::visit_internal_rpcs(&mut paths);
    with_rules(paths)
}

fn with_rules(paths: Paths) -> Vec<(&'static str, AccessRule)> {
    let rule = |path| (path, muster_api::access(path).unwrap());
    paths.0.into_iter().map(rule).collect()
}

const PROOF: Option<&str> = Some(TestApp::EDGE_TOKEN);

/// A call with an empty message, of an edge that has this proof and serves this surface.
async fn call(
    app: &TestApp,
    path: &'static str,
    credential: &str,
    proof: Option<&str>,
    surface: &str,
) -> Result<(), Status> {
    let mut client = tonic::client::Grpc::new(app.grpc.channel());
    client.ready().await.unwrap();
    let mut request = Request::new(());
    let metadata = request.metadata_mut();
    let authorization = format!("Bearer {credential}");
    metadata.insert("authorization", authorization.parse().unwrap());
    metadata.insert(SURFACE, surface.parse().unwrap());
    if let Some(proof) = proof {
        metadata.insert(EDGE_TOKEN, proof.parse().unwrap());
    }
    let (path, codec) = (
        PathAndQuery::from_static(path),
        ProstCodec::<(), ()>::default(),
    );
    let answer = client.server_streaming(request, path, codec).await?;
    answer.into_inner().message().await?;
    Ok(())
}

fn code(answer: Result<(), Status>) -> Code {
    answer.err().map_or(Code::Ok, |status| status.code())
}

/// Why a call was refused.
fn reason(answer: Result<(), Status>) -> Option<String> {
    let details = answer.err()?.get_error_details();
    Some(details.error_info()?.reason.clone())
}

/// The token of a new session of the account's owner.
async fn session_of(app: &TestApp, account: &Account) -> String {
    let sign_in = &app.core.use_cases().sign_in;
    let link = sign_in.new_link(&account.email).await.unwrap();
    let browser = Browser::new("a-secret-of-a-browser-in-tests-00", None, "Test");
    let new = sign_in.use_link(link.expose(), &browser).await.unwrap();
    new.token.expose().to_owned()
}

/// Makes the owner of an account a member with another role.
async fn change_role(app: &TestApp, account: &Account, role: impl Into<Position<'_>>) {
    let person = app.store.find_person_by_email(&account.email).await;
    let person = person.unwrap().unwrap().id;
    let mut tx = app.store.begin().await.unwrap();
    tx.put_membership(account.id, person, role, TestApp::START)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    app.clock.advance_seconds(5);
}

const ACCOUNT: &str = "/muster.v1.AccountService/GetAccount";
const SESSION: &str = "/muster.internal.v1.SessionService/GetSession";

async fn a_session_counts_on_the_site_alone(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let token = session_of(&app, &account).await;
    let ask = async |proof, surface| code(call(&app, ACCOUNT, &token, proof, surface).await);
    for surface in ["api", "mcp", "nowhere", "Site"] {
        assert_eq!(
            ask(PROOF, surface).await,
            Code::Unauthenticated,
            "{surface}"
        );
    }
    // Whoever is no edge may say what they want.
    assert_eq!(ask(None, "site").await, Code::Unauthenticated);
    assert_eq!(ask(PROOF, "site").await, Code::Ok);
    // Not even after core has seen that it is valid.
    assert_eq!(ask(PROOF, "api").await, Code::Unauthenticated);
    assert_eq!(ask(None, "site").await, Code::Unauthenticated);
}

async fn what_is_for_sessions_is_for_no_key_and_no_stranger(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let for_sessions: Vec<_> = internal()
        .into_iter()
        .filter(|(_, rule)| rule.access == Access::Session)
        .collect();
    assert!(for_sessions.len() > 20, "{}", for_sessions.len());
    for (path, _) in for_sessions {
        let by_key = call(&app, path, &account.key, PROOF, "site").await;
        assert_eq!(code(by_key), Code::Unauthenticated, "{path}");
        let by_stranger = call(&app, path, &account.key, None, "site").await;
        assert_eq!(code(by_stranger), Code::PermissionDenied, "{path}");
    }
}

async fn each_role_may_do_what_its_scopes_say_on_every_rpc(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    for role in Role::ALL {
        change_role(&app, &account, role).await;
        let token = session_of(&app, &account).await;
        for (path, rule) in every() {
            let Some(needed) = rule.scope else {
                continue;
            };
            let by_session = call(&app, path, &token, PROOF, "site").await;
            let may = role.scopes().contain(needed);
            let refusal = reason(by_session);
            let lacks = Some(Reason::InsufficientScope.code().to_owned());
            assert_eq!(refusal == lacks, !may, "{role} on {path}: {refusal:?}");
            if rule.internal {
                continue;
            }
            // A key of theirs can do no more.
            let by_key = call(&app, path, &account.key, PROOF, "api").await;
            let refusal = reason(by_key);
            assert_eq!(
                refusal == lacks,
                !may,
                "key of {role} on {path}: {refusal:?}"
            );
        }
    }
}

/// What is about the account as a whole is refused by the gate, whatever the role and the message are.
async fn a_member_for_some_events_may_do_what_is_declared_and_nothing_else(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    for role in [Role::Organizer, Role::Door] {
        let position = Position {
            role,
            events: Some(&[]),
        };
        change_role(&app, &account, position).await;
        let token = session_of(&app, &account).await;
        let (mut open, mut shut) = (0, 0);
        for (path, rule) in every() {
            let Some(needed) = rule.scope else {
                continue;
            };
            let may = rule.some_events && position.rights().scopes().contain(needed);
            let lacks = Some(Reason::InsufficientScope.code().to_owned());
            let refusal = reason(call(&app, path, &token, PROOF, "site").await);
            assert_eq!(refusal == lacks, !may, "{role} on {path}: {refusal:?}");
            if !rule.internal {
                let refusal = reason(call(&app, path, &account.key, PROOF, "api").await);
                assert_eq!(
                    refusal == lacks,
                    !may,
                    "key of {role} on {path}: {refusal:?}"
                );
            }
            *if may { &mut open } else { &mut shut } += 1;
        }
        assert!(open >= 8 && shut >= 15, "{role}: {open} {shut}");
    }
}

async fn what_needs_a_step_up_is_refused_a_quarter_of_an_hour_later(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let token = session_of(&app, &account).await;
    let needing: Vec<_> = internal()
        .into_iter()
        .filter(|(_, rule)| rule.step_up)
        .map(|(path, _)| path)
        .collect();
    assert!(needing.len() >= 7, "{needing:?}");
    let refused = Some(Reason::StepUpRequired.code().to_owned());
    for path in &needing {
        let answer = call(&app, path, &token, PROOF, "site").await;
        assert_ne!(reason(answer), refused, "{path}");
    }
    app.clock.advance_seconds(15 * 60);
    for path in &needing {
        let answer = call(&app, path, &token, PROOF, "site").await;
        assert_eq!(reason(answer), refused, "{path}");
    }
    let other = call(&app, ACCOUNT, &token, PROOF, "site").await;
    assert_eq!(code(other), Code::Ok);
}

async fn nothing_is_done_for_a_suspended_account(app: Arc<TestApp>) {
    let account = app.account(Plan::Business).await;
    let token = session_of(&app, &account).await;
    let suspensions = &app.core.use_cases().suspensions;
    assert!(suspensions.suspend(account.id, None).await.unwrap());
    app.clock.advance_seconds(5);
    let refused = Some(Reason::AccountSuspended.code().to_owned());
    for (path, rule) in every() {
        if rule.scope.is_none() {
            continue;
        }
        let by_session = call(&app, path, &token, PROOF, "site").await;
        assert_eq!(reason(by_session), refused, "{path}");
        if !rule.internal {
            let by_key = call(&app, path, &account.key, None, "api").await;
            assert_eq!(reason(by_key), refused, "{path}");
        }
    }
    // Who is signed in can see why, and go to another account.
    let session = call(&app, SESSION, &token, PROOF, "site").await;
    assert_eq!(code(session), Code::Ok);
    let over_http = app.http.get("/me").bearer(&account.key).send().await;
    assert_eq!(over_http.status, 403);
    assert!(suspensions.resume(account.id).await.unwrap());
    app.clock.advance_seconds(5);
    let again = call(&app, ACCOUNT, &token, PROOF, "site").await;
    assert_eq!(code(again), Code::Ok);
}

tests::on_both_engines!(
    nothing_is_done_for_a_suspended_account,
    a_session_counts_on_the_site_alone,
    what_is_for_sessions_is_for_no_key_and_no_stranger,
    each_role_may_do_what_its_scopes_say_on_every_rpc,
    a_member_for_some_events_may_do_what_is_declared_and_nothing_else,
    what_needs_a_step_up_is_refused_a_quarter_of_an_hour_later,
);
