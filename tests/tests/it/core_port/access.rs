//! Who is let in: every rpc's access, and keys that are wrong, expired or revoked.

use std::sync::Arc;

use domain::{
    account::ApiKey,
    api_key::PlainKey,
    entropy::Entropy,
    ids::KeyId,
    plan::Plan,
    scope::{Scope, Scopes},
};
use http::uri::PathAndQuery;
use muster_api::{
    Reason,
    binding::{Access, PublicRpc, RpcVisitor},
    v1::{GetAccountRequest, ListUseCasesRequest},
};
use storage::Store;
use tests::{Account, TestApp};
use tonic::{Code, Request, Status, metadata::AsciiMetadataValue};
use tonic_prost::ProstCodec;
use tonic_types::StatusExt as _;

/// The path of every public rpc.
#[derive(Default)]
struct Rpcs(Vec<&'static str>);

impl RpcVisitor for Rpcs {
    fn visit<R: PublicRpc>(&mut self, _: R) {
        self.0.push(R::GRPC_PATH);
    }
}

/// Calls any rpc with an empty message.
async fn call(
    app: &TestApp,
    path: &'static str,
    authorization: Option<&str>,
) -> Result<(), Status> {
    let mut client = tonic::client::Grpc::new(app.grpc.channel());
    client.ready().await.unwrap();
    let mut request = Request::new(());
    if let Some(value) = authorization {
        let value = AsciiMetadataValue::try_from(value.as_bytes()).unwrap();
        request.metadata_mut().insert("authorization", value);
    }
    let (path, codec) = (
        PathAndQuery::from_static(path),
        ProstCodec::<(), ()>::default(),
    );
    // A streaming call takes the answers of both kinds of rpcs.
    let answer = client.server_streaming(request, path, codec).await?;
    answer.into_inner().message().await?;
    Ok(())
}

fn code(answer: Result<(), Status>) -> Code {
    answer.err().map_or(Code::Ok, |status| status.code())
}

async fn check_account(app: &TestApp, authorization: Option<&str>) -> Code {
    code(call(app, "/muster.v1.AccountService/GetAccount", authorization).await)
}

async fn check_key(app: &TestApp, key: &str) -> Code {
    check_account(app, Some(&format!("Bearer {key}"))).await
}

async fn every_rpc_is_for_those_whose_credential_has_its_scope(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let mut keys = Vec::new();
    for scope in Scope::ALL.iter().copied() {
        let others = Scope::ALL.iter().copied().filter(|one| *one != scope);
        let others: Vec<_> = others.collect();
        let lacking = app.key_for(&account, &others).await;
        keys.push((scope.name(), app.key_for(&account, &[scope]).await, lacking));
    }
    let mut rpcs = Rpcs::default();
    muster_api::visit_rpcs(&mut rpcs);
    let mut public = 0;
    for path in rpcs.0 {
        let with = async |key: &str| call(&app, path, Some(&format!("Bearer {key}"))).await;
        let strangers = [call(&app, path, None).await, with("wrong").await].map(code);
        let rule = muster_api::access(path).unwrap();
        if rule.access == Access::Public {
            public += 1;
            assert!(!strangers.contains(&Code::Unauthenticated), "{path}");
            continue;
        }
        assert_eq!(strangers, [Code::Unauthenticated; 2], "{path}");
        let needed = rule.scope.expect("every rpc needs a scope").name();
        let (_, fitting, lacking) = keys.iter().find(|(name, ..)| *name == needed).unwrap();
        let refused = with(lacking).await.unwrap_err();
        assert_eq!(refused.code(), Code::PermissionDenied, "{path}");
        assert!(refused.message().contains(needed), "{path}: {refused}");
        let details = refused.get_error_details();
        let info = details.error_info().unwrap();
        assert_eq!(info.reason, Reason::InsufficientScope.code(), "{path}");
        assert_eq!(info.metadata["scope"], needed, "{path}");
        // Whatever is said of the empty message, it is not that the key may not.
        let answer = code(with(fitting).await);
        let refusals = [Code::Unauthenticated, Code::PermissionDenied];
        assert!(!refusals.contains(&answer), "{path}: {answer:?}");
    }
    assert!(public >= 6, "{public} are public");
}

async fn a_path_that_is_no_rpc_is_refused_to_everyone(app: Arc<TestApp>) {
    let key = format!("Bearer {}", app.account(Plan::Free).await.key);
    for path in [
        "/muster.v1.EventService/Nothing",
        "/muster.v2.EventService/CreateEvent",
        "/muster.v1.EventService/CreateEvent/more",
        "/grpc.health.v2.Health/Check",
        "/CreateEvent",
    ] {
        for authorization in [None, Some(&*key)] {
            let answer = code(call(&app, path, authorization).await);
            assert_eq!(answer, Code::Unimplemented, "{path}");
        }
    }
}

async fn a_credential_of_any_other_form_is_refused(app: Arc<TestApp>) {
    let key = app.account(Plan::Free).await.key;
    assert_eq!(check_account(&app, None).await, Code::Unauthenticated);
    for wrong in [
        String::new(),
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        key.clone(),
        format!("Basic {key}"),
        format!("Bearer{key}"),
        format!("Bearer {key}x"),
        format!("Bearer {}", key.to_uppercase()),
        format!("Bearer {key},Bearer {key}"),
        format!("Bearer \u{e9}{key}"),
        format!("Bearer {}", "x".repeat(5_000)),
    ] {
        let code = check_account(&app, Some(&wrong)).await;
        assert_eq!(code, Code::Unauthenticated, "{wrong}");
    }
    for right in ["Bearer", "bearer", "BEARER"] {
        let code = check_account(&app, Some(&format!("{right} {key}"))).await;
        assert_eq!(code, Code::Ok, "{right}");
    }
}

/// A key that nobody was given.
fn unknown_key() -> String {
    let key = PlainKey::generate(&Entropy::seeded(9_999));
    key.expose().to_owned()
}

async fn a_wrong_checksum_costs_no_look_up(app: Arc<TestApp>) {
    let unknown = unknown_key();
    let mut wrong = unknown.clone();
    let last = wrong.pop().unwrap();
    wrong.push(if last == '0' { '1' } else { '0' });
    assert_eq!(check_key(&app, &unknown).await, Code::Unauthenticated);

    // Without a database a look-up cannot succeed, and whoever is refused all the same was not looked up. What was refused is
    // remembered for a moment.
    app.store.close().await;
    app.clock.advance_seconds(2);
    assert_eq!(check_key(&app, &unknown).await, Code::Unavailable);
    assert_eq!(check_key(&app, &wrong).await, Code::Unauthenticated);
    assert_eq!(check_account(&app, None).await, Code::Unauthenticated);
    // Nor do pages that stand still want a database.
    let listed = app
        .grpc
        .catalogue()
        .list_use_cases(ListUseCasesRequest {})
        .await;
    assert!(listed.is_ok());
}

async fn add_expiring_key(store: &Store, account: &Account, seconds: i64) -> String {
    let plain = PlainKey::generate(&Entropy::seeded(4));
    let owner = store.find_person_by_email(&account.email).await.unwrap();
    let key = ApiKey {
        id: KeyId::new(uuid::Uuid::from_u128(4)),
        account_id: account.id,
        person_id: owner.map(|owner| owner.id),
        label: "expiring".to_owned(),
        hash: plain.hash(),
        created_at: TestApp::START,
        last_used_at: None,
        scopes: Scopes::All,
        expires_at: Some(TestApp::START.plus_seconds(seconds)),
        revoked_at: None,
    };
    let mut tx = store.begin().await.unwrap();
    tx.insert_key(&key).await.unwrap();
    tx.commit().await.unwrap();
    plain.expose().to_owned()
}

async fn a_key_is_refused_from_its_expiry_on(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let key = add_expiring_key(&app.store, &account, 60).await;
    app.clock.advance_seconds(59);
    assert_eq!(check_key(&app, &key).await, Code::Ok);
    // Also by a core that has just looked it up.
    app.clock.advance_seconds(1);
    assert_eq!(check_key(&app, &key).await, Code::Unauthenticated);
    assert_eq!(check_key(&app, &account.key).await, Code::Ok);
}

async fn a_revoked_key_is_refused_at_once_where_it_was_revoked(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    assert_eq!(check_key(&app, &account.key).await, Code::Ok);
    app.core
        .use_cases()
        .keys
        .revoke(account.key_id)
        .await
        .unwrap();
    assert_eq!(check_key(&app, &account.key).await, Code::Unauthenticated);
    let again = app
        .core
        .use_cases()
        .keys
        .create(&account.email, "new")
        .await
        .unwrap();
    assert_eq!(check_key(&app, again.plain.expose()).await, Code::Ok);
}

/// On SQLite there is one core, and what the command revokes beside it is tested with the command.
async fn a_revoked_key_is_refused_by_another_core_within_five_seconds(app: Arc<TestApp>) {
    let account = app.account(Plan::Free).await;
    let other = TestApp::start(Arc::clone(&app.database)).await;
    assert_eq!(check_key(&other, &account.key).await, Code::Ok);
    app.core
        .use_cases()
        .keys
        .revoke(account.key_id)
        .await
        .unwrap();
    assert_eq!(check_key(&app, &account.key).await, Code::Unauthenticated);

    other.clock.advance_seconds(5);
    assert_eq!(check_key(&other, &account.key).await, Code::Unauthenticated);
}

async fn a_key_acts_on_its_account_alone(app: Arc<TestApp>) {
    let (one, two) = (app.account(Plan::Free).await, app.account(Plan::Pro).await);
    for account in [one, two] {
        let answer = app
            .grpc
            .account(&account.key)
            .get_account(GetAccountRequest {})
            .await;
        assert_eq!(answer.unwrap().into_inner().email, account.email);
    }
}

tests::on_both_engines!(
    every_rpc_is_for_those_whose_credential_has_its_scope,
    a_path_that_is_no_rpc_is_refused_to_everyone,
    a_credential_of_any_other_form_is_refused,
    a_wrong_checksum_costs_no_look_up,
    a_key_is_refused_from_its_expiry_on,
    a_revoked_key_is_refused_at_once_where_it_was_revoked,
    a_key_acts_on_its_account_alone;
    on_postgres: a_revoked_key_is_refused_by_another_core_within_five_seconds,
);
