//! Clients that register.

use core_service::service::{Asked, Error, Policy};
use domain::{
    instant::Instant,
    oauth::Code,
    rate::{Limit, LimitSettings, Period},
};
use serde_json::{Value, json};
use sqlx::Connection as _;
use test_postgres::Database;

use super::{REDIRECT, Scene, asking, register};
use crate::{
    fixtures::migrate,
    service::{Instance, policy, signing_in::DAY},
};

async fn answer(instance: &Instance, metadata: &Value) -> Result<Value, Code> {
    let answer = instance.oauth.register(&metadata.to_string(), None).await;
    let answer = answer.unwrap().map_err(|refusal| refusal.code)?;
    Ok(serde_json::from_str(&answer).unwrap())
}

async fn the_same_client_is_the_same_again(database: Database) {
    let instance = Instance::open(&database).await;
    let metadata = json!({
        "client_name": "Claude Code",
        "redirect_uris": ["http://localhost:3118/callback"],
        "token_endpoint_auth_method": "client_secret_basic",
        "software_id": "junk",
    });
    let first = answer(&instance, &metadata).await.unwrap();
    assert_eq!(first["redirect_uris"], metadata["redirect_uris"]);
    assert_eq!(first["token_endpoint_auth_method"], "none");
    for field in ["client_secret", "software_id", "client_uri"] {
        assert!(first.get(field).is_none(), "{field}");
    }
    instance.clock.advance_seconds(DAY);
    let mut again = metadata.clone();
    again["redirect_uris"] = json!(["http://localhost:4000/callback"]);
    let again = answer(&instance.replica(), &again).await.unwrap();
    assert_eq!(again["client_id"], first["client_id"]);
    assert_eq!(again["client_id_issued_at"], first["client_id_issued_at"]);
}

async fn what_cannot_be_registered_is_not(database: Database) {
    let instance = Instance::open(&database).await;
    for (metadata, code) in [
        (json!([]), Code::InvalidClientMetadata),
        (json!({}), Code::InvalidRedirectUri),
        (
            json!({ "redirect_uris": ["javascript:alert(1)"] }),
            Code::InvalidRedirectUri,
        ),
        (
            json!({ "redirect_uris": ["http://app.example/cb"] }),
            Code::InvalidRedirectUri,
        ),
        (
            json!({ "redirect_uris": [REDIRECT], "client_name": "a".repeat(6_000) }),
            Code::InvalidClientMetadata,
        ),
    ] {
        assert_eq!(
            answer(&instance, &metadata).await.unwrap_err(),
            code,
            "{metadata}"
        );
    }
}

async fn registering_is_no_store_for_junk(database: Database) {
    let scene = Scene::open(&database).await;
    let instance = &scene.instance;
    scene.connect().await;
    let unused = register(instance, "Junk", &["https://junk.example/cb"]).await;
    let asked = scene.begin(asking_web(&unused)).await.unwrap();
    assert!(matches!(asked, Asked::Fine(_)), "{asked:?}");
    instance.clock.advance_seconds(31 * DAY);
    instance.maintain().await;
    // Whoever a person agreed to is kept, since its copies go on using the identifier.
    let ada = instance.someone("ada@example.org", 1).await;
    let begin = async |parameters| {
        instance
            .oauth
            .start(&ada.by, super::BROWSER, parameters)
            .await
    };
    let asked = begin(asking_web(&unused)).await.unwrap();
    assert!(matches!(asked, Asked::Problem(_)), "{asked:?}");
    let asked = begin(scene.asking()).await.unwrap();
    assert!(matches!(asked, Asked::Fine(_)), "{asked:?}");
}

/// More clients than may wait for someone to agree, which a stranger has registered one after the other before `now`.
async fn fill(database: &Database, now: Instant, count: i64) {
    const COLUMNS: &str =
        "INSERT INTO oauth_clients (id, client_id, metadata, name, created_at, seen_at)";
    let last = count - 1;
    let begun = now.micros() - count;
    let values = format!("'junk-' || n, '{{\"redirect_uris\":[]}}', 'Junk', {begun}, {begun} + n");
    if database.is_postgres() {
        let insert = format!(
            "{COLUMNS} SELECT gen_random_uuid(), {values} FROM generate_series(0, {last}) AS n"
        );
        let mut connection = sqlx::PgConnection::connect(database.url()).await.unwrap();
        let insert = sqlx::query(sqlx::AssertSqlSafe(insert));
        insert.execute(&mut connection).await.unwrap();
    } else {
        let insert = format!(
            "WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < {last}) \
             {COLUMNS} SELECT randomblob(16), {values} FROM numbers"
        );
        let connection = sqlx::SqliteConnection::connect(database.url());
        let mut connection = connection.await.unwrap();
        let insert = sqlx::query(sqlx::AssertSqlSafe(insert));
        insert.execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }
}

async fn ten_thousand_clients_wait_at_most_and_the_oldest_go(database: Database) {
    const MAX_CLIENTS: i64 = 10_000;
    let scene = Scene::open(&database).await;
    let instance = &scene.instance;
    // One to which someone agreed, and which is older than all.
    scene.connect().await;
    instance.clock.advance_seconds(60);
    fill(&database, instance.clock.now(), MAX_CLIENTS).await;
    let is_known = async |id: &str| {
        let found = instance.store.find_client(id).await;
        found.unwrap().is_some()
    };
    let newest = register(instance, "Newest", &["https://newest.example/cb"]).await;
    assert!(!is_known("junk-0").await, "it made room");
    assert!(is_known("junk-1").await);
    assert!(is_known("junk-9999").await && is_known(&newest).await);
    assert!(is_known(&scene.client_id).await);
    // However many come, there are never more.
    for number in 0..5 {
        instance.clock.advance_seconds(1);
        register(instance, &format!("{number}"), &["https://more.example/cb"]).await;
    }
    assert!(!is_known("junk-5").await && is_known("junk-6").await);
    assert!(scene.begin(scene.asking()).await.is_ok());
}

fn asking_web(client_id: &str) -> domain::oauth::request::Parameters {
    let mut parameters = asking(client_id);
    parameters.redirect_uri = super::some("https://junk.example/cb");
    parameters
}

async fn an_address_registers_and_asks_only_so_often(database: Database) {
    let limits = LimitSettings {
        per_address: Limit::new(3, Period::Minute),
        ..LimitSettings::OFF
    };
    let limited = Policy { limits, ..policy() };
    let instance = Instance::open_under(&database, limited).await;
    let (one, other) = ("192.0.2.1".parse().ok(), "192.0.2.2".parse().ok());
    let oauth = &instance.oauth;
    let metadata = |number: usize| {
        json!({ "client_name": format!("{number}"), "redirect_uris": [REDIRECT] }).to_string()
    };
    let mut taken = 0;
    for number in 0..100 {
        match oauth.register(&metadata(number), one).await {
            Ok(answer) => taken += usize::from(answer.is_ok()),
            Err(Error::RateLimited { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(taken, 3);
    let checked = oauth.check(&asking("unknown"), one).await;
    assert!(
        matches!(checked, Err(Error::RateLimited { .. })),
        "{checked:?}"
    );
    assert!(oauth.register(&metadata(0), other).await.unwrap().is_ok());
    let checked = oauth.check(&asking("unknown"), other).await;
    assert!(matches!(checked, Ok(Asked::Problem(_))), "{checked:?}");
}

test_postgres::on_both_engines!(prepare: migrate;
    the_same_client_is_the_same_again,
    what_cannot_be_registered_is_not,
    registering_is_no_store_for_junk,
    ten_thousand_clients_wait_at_most_and_the_oldest_go,
    an_address_registers_and_asks_only_so_often,
);
