//! Clients that register.

use core_service::{
    domain::{
        oauth::Code,
        rate::{Limit, LimitSettings, Period},
    },
    service::{Asked, Error, Policy},
};
use serde_json::{Value, json};
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
    let ada = instance.somebody("ada@example.org", 1).await;
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

fn asking_web(client_id: &str) -> core_service::domain::oauth::request::Parameters {
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
    an_address_registers_and_asks_only_so_often,
);
