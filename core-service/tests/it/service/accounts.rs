//! Accounts and keys.

use core_service::service::{Error, NewAccount};
use domain::{
    api_key::PlainKey,
    audit::Actor,
    entropy::Entropy,
    ids::{AccountId, KeyId},
    plan::Plan,
};
use serde_json::json;
use test_postgres::Database;

use super::Instance;
use crate::fixtures::{HOUR, Rows, migrate};

pub(super) fn fay() -> NewAccount {
    NewAccount {
        email: "Fay@example.org".to_owned(),
        name: "Fay Free".to_owned(),
        plan: Plan::Free,
        timezone: None,
    }
}

async fn an_address_has_one_account(database: Database) {
    let instance = Instance::open(&database).await;
    instance.accounts.create(fay()).await.unwrap();
    let shouted = NewAccount {
        email: "FAY@EXAMPLE.ORG".to_owned(),
        ..fay()
    };
    let refused = instance.accounts.create(shouted).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
}

async fn what_is_wrong_with_an_account_is_said_at_once(database: Database) {
    let instance = Instance::open(&database).await;
    let wrong = NewAccount {
        email: "fay".to_owned(),
        name: " \t".to_owned(),
        plan: Plan::Free,
        timezone: Some("Mars".to_owned()),
    };
    let Err(Error::Invalid(violations)) = instance.accounts.create(wrong).await else {
        panic!("it was created");
    };
    let fields: Vec<_> = violations.iter().map(|one| one.field.as_str()).collect();
    assert_eq!(fields, ["email", "name", "name", "timezone"]);
}

async fn a_change_of_plan_takes_effect_and_is_audited(database: Database) {
    let instance = Instance::open(&database).await;
    let fay = instance.caller("fay@example.org", Plan::Free).await;
    for _ in 0..2 {
        instance
            .accounts
            .set_plan(fay.account, Plan::Pro)
            .await
            .unwrap();
    }
    let account = instance.accounts.get(&fay).await.unwrap();
    assert_eq!(account.account.plan, Plan::Pro);
    assert_eq!(account.active_events_limit, Some(100));
    let audit = instance.audit(fay.account.uuid()).await;
    let expected = json!({
        "actor": "admin",
        "action": "account.set_plan",
        "before": {"plan": "free"},
        "after": {"plan": "pro"},
        "reason": null,
    });
    assert_eq!(audit[1..], [expected]);

    let unknown = instance
        .accounts
        .set_plan(AccountId::new(uuid::Uuid::nil()), Plan::Pro)
        .await;
    assert!(matches!(unknown, Err(Error::NotFound { what: "account" })));
}

async fn only_a_valid_key_is_recognised(database: Database) {
    let instance = Instance::open(&database).await;
    instance.accounts.create(fay()).await.unwrap();
    let key = instance
        .keys
        .create("fay@example.org", "laptop")
        .await
        .unwrap();
    let plain = key.plain.expose();
    let other = PlainKey::generate(&Entropy::seeded(99));
    for header in [
        None,
        Some(""),
        Some("Bearer"),
        Some("Bearer "),
        Some(plain),
        Some(&format!("Basic {plain}")),
        Some(&format!("Bearer {}", other.expose())),
        Some(&format!("Bearer {plain}x")),
        Some(&format!("Bearer {plain} {plain}")),
    ] {
        let outcome = instance.authenticator.authenticate(header).await;
        assert!(matches!(outcome, Err(Error::Unauthorized)), "{header:?}");
    }
    for header in [format!("Bearer {plain}"), format!("bEARER   {plain}")] {
        let caller = instance
            .authenticator
            .authenticate(Some(&header))
            .await
            .unwrap();
        assert_eq!(caller.actor, Actor::Key(key.key.id));
    }
}

async fn a_key_that_cannot_be_one_is_not_looked_up(database: Database) {
    let instance = Instance::open(&database).await;
    instance.store.close().await;
    let well_formed = PlainKey::generate(&Entropy::seeded(99));
    let header = format!("Bearer {}", well_formed.expose());
    let looked_up = instance.authenticator.authenticate(Some(&header)).await;
    assert!(
        matches!(looked_up, Err(Error::Unavailable(_))),
        "{looked_up:?}"
    );
    let wrong_checksum = format!("{}!", &header[..header.len() - 1]);
    let refused = instance
        .authenticator
        .authenticate(Some(&wrong_checksum))
        .await;
    assert!(matches!(refused, Err(Error::Unauthorized)), "{refused:?}");
}

/// A SQLite file has one core.
async fn a_revocation_takes_effect_within_five_seconds_on_another_core(database: Database) {
    let here = Instance::open(&database).await;
    let there = Instance::open(&database).await;
    here.accounts.create(fay()).await.unwrap();
    let key = here.keys.create("fay@example.org", "laptop").await.unwrap();
    let header = format!("Bearer {}", key.plain.expose());
    for instance in [&here, &there] {
        instance
            .authenticator
            .authenticate(Some(&header))
            .await
            .unwrap();
    }
    here.keys.revoke(key.key.id).await.unwrap();
    let refused = here.authenticator.authenticate(Some(&header)).await;
    assert!(matches!(refused, Err(Error::Unauthorized)), "{refused:?}");
    there.clock.advance_seconds(5);
    let refused = there.authenticator.authenticate(Some(&header)).await;
    assert!(matches!(refused, Err(Error::Unauthorized)), "{refused:?}");
}

async fn a_key_is_revoked_once_and_audited_once(database: Database) {
    let instance = Instance::open(&database).await;
    instance.accounts.create(fay()).await.unwrap();
    let key = instance
        .keys
        .create("fay@example.org", "laptop")
        .await
        .unwrap();
    for _ in 0..2 {
        instance.clock.advance_seconds(1);
        instance.keys.revoke(key.key.id).await.unwrap();
    }
    let audit = instance.audit(key.key.id.uuid()).await;
    let actions: Vec<_> = audit.iter().map(|row| row["action"].clone()).collect();
    assert_eq!(actions, ["key.create", "key.revoke"]);
    let keys = instance.keys.list().await.unwrap();
    assert!(keys[0].0.revoked_at.is_some());

    let unknown = instance.keys.revoke(KeyId::new(uuid::Uuid::nil())).await;
    assert!(matches!(unknown, Err(Error::NotFound { what: "key" })));
}

async fn an_expired_key_is_refused(database: Database) {
    let instance = Instance::open(&database).await;
    let account = instance.accounts.create(fay()).await.unwrap();
    let owner = instance.store.find_person_by_email(&account.email);
    let owner = owner.await.unwrap();
    let plain = PlainKey::generate(&Entropy::seeded(5));
    let key = domain::account::ApiKey {
        hash: plain.hash(),
        person_id: owner.map(|owner| owner.id),
        ..Rows::new().key(account.id)
    };
    let mut tx = instance.store.begin().await.unwrap();
    tx.insert_key(&key).await.unwrap();
    tx.commit().await.unwrap();
    let header = format!("Bearer {}", plain.expose());
    instance.clock.advance_seconds(HOUR - 1);
    assert!(
        instance
            .authenticator
            .authenticate(Some(&header))
            .await
            .is_ok()
    );
    instance.clock.advance_seconds(1);
    let refused = instance.authenticator.authenticate(Some(&header)).await;
    assert!(matches!(refused, Err(Error::Unauthorized)), "{refused:?}");
}

test_postgres::on_both_engines!(prepare: migrate;
    an_address_has_one_account,
    what_is_wrong_with_an_account_is_said_at_once,
    a_change_of_plan_takes_effect_and_is_audited,
    only_a_valid_key_is_recognised,
    a_key_that_cannot_be_one_is_not_looked_up,
    a_key_is_revoked_once_and_audited_once,
    an_expired_key_is_refused;
    on_postgres: a_revocation_takes_effect_within_five_seconds_on_another_core,
);
