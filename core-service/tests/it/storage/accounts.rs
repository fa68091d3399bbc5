//! Accounts, keys and the audit log.

use domain::{
    account::ApiKey,
    audit::AuditEntry,
    ids::{AccountId, GrantId, KeyId, PersonId},
    person::{Person, Rights, Role, Standing},
    plan::Plan,
};
use serde_json::json;
use test_postgres::Database;
use uuid::Uuid;

use crate::fixtures::{HOUR, NOW, Rows, add_account, insert_account, migrate, open, owner_of};

async fn an_account_is_found_by_id_and_by_address_in_any_case(database: Database) {
    let store = open(&database).await;
    let account = add_account(&store, &Rows::new()).await;

    assert_eq!(
        store.find_account(account.id).await.unwrap(),
        Some(account.clone())
    );
    let shouted = account.email.to_uppercase();
    assert_eq!(
        store.find_account_by_email(&shouted).await.unwrap(),
        Some(account.clone())
    );
    assert_eq!(
        store
            .find_account(AccountId::new(Uuid::nil()))
            .await
            .unwrap(),
        None
    );

    let mut tx = store.begin().await.unwrap();
    assert_eq!(
        tx.lock_account(account.id).await.unwrap(),
        Some(account.clone())
    );
    assert_eq!(
        tx.find_account_by_email(&shouted).await.unwrap(),
        Some(account)
    );
}

async fn an_address_has_one_person_and_the_transaction_goes_on(database: Database) {
    let store = open(&database).await;
    let rows = Rows::new();
    let first = add_account(&store, &rows).await;
    let owner = store
        .find_person(owner_of(first.id))
        .await
        .unwrap()
        .unwrap();
    let second = Person {
        id: PersonId::new(Uuid::from_u128(2)),
        email: first.email.to_lowercase(),
        ..owner.clone()
    };
    let third = rows.account();

    let mut tx = store.begin().await.unwrap();
    assert!(!tx.insert_person(&second).await.unwrap());
    insert_account(&mut tx, &third).await;
    tx.commit().await.unwrap();

    let shouted = first.email.to_uppercase();
    let found = store.find_person_by_email(&shouted).await.unwrap();
    assert_eq!(found, Some(owner));
    assert_eq!(store.find_account(third.id).await.unwrap(), Some(third));
}

async fn the_address_of_an_account_is_its_first_owners(database: Database) {
    let store = open(&database).await;
    let rows = Rows::new();
    let account = add_account(&store, &rows).await;
    let other = add_account(&store, &rows).await;
    let mut tx = store.begin().await.unwrap();
    tx.put_membership(
        account.id,
        owner_of(other.id),
        Role::Owner,
        NOW.plus_seconds(1),
    )
    .await
    .unwrap();
    tx.commit().await.unwrap();
    let email = async |id| store.find_account(id).await.unwrap().unwrap().email;
    assert_eq!(email(account.id).await, account.email);

    let mut tx = store.begin().await.unwrap();
    tx.delete_person(owner_of(account.id)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(email(account.id).await, other.email);
    let found = store.find_account_by_email(&other.email).await.unwrap();
    assert_eq!(
        found.map(|found| found.id),
        Some(other.id),
        "owned for longer"
    );
}

async fn a_plan_can_be_changed(database: Database) {
    let store = open(&database).await;
    let account = add_account(&store, &Rows::new()).await;

    let mut tx = store.begin().await.unwrap();
    assert!(tx.set_plan(account.id, Plan::Pro).await.unwrap());
    assert!(
        !tx.set_plan(AccountId::new(Uuid::nil()), Plan::Pro)
            .await
            .unwrap()
    );
    tx.commit().await.unwrap();

    let found = store.find_account(account.id).await.unwrap().unwrap();
    assert_eq!(found.plan, Plan::Pro);
}

async fn a_key_is_found_by_its_hash_with_the_standing_of_its_person(database: Database) {
    let store = open(&database).await;
    let rows = Rows::new();
    let account = add_account(&store, &rows).await;
    let key = rows.key(account.id);
    let mut tx = store.begin().await.unwrap();
    tx.insert_key(&key).await.unwrap();
    tx.commit().await.unwrap();

    let standing = Standing {
        rights: Rights::everywhere(Role::Owner),
        is_suspended: false,
    };
    let found = Some((key.clone(), standing));
    assert_eq!(store.find_key_by_hash(&key.hash).await.unwrap(), found);
    let found = Some((key.clone(), account.clone()));
    assert_eq!(store.find_key(key.id).await.unwrap(), found);
    assert_eq!(store.list_keys(10).await.unwrap(), vec![(key, account)]);
    assert_eq!(store.find_key_by_hash(&[9; 32]).await.unwrap(), None);
}

async fn a_key_is_revoked_once(database: Database) {
    let store = open(&database).await;
    let rows = Rows::new();
    let key = rows.key(add_account(&store, &rows).await.id);
    let later = NOW.plus_seconds(HOUR);
    let mut tx = store.begin().await.unwrap();
    tx.insert_key(&key).await.unwrap();
    assert!(tx.revoke_key(key.id, NOW).await.unwrap());
    assert!(!tx.revoke_key(key.id, later).await.unwrap());
    assert!(!tx.revoke_key(KeyId::new(Uuid::nil()), NOW).await.unwrap());
    tx.commit().await.unwrap();

    let (found, _) = store.find_key(key.id).await.unwrap().unwrap();
    assert_eq!(found.revoked_at, Some(NOW));
}

async fn the_last_use_of_a_key_only_moves_forward(database: Database) {
    let store = open(&database).await;
    let rows = Rows::new();
    let account = add_account(&store, &rows).await.id;
    let keys: Vec<ApiKey> = (0..3).map(|_| rows.key(account)).collect();
    let later = NOW.plus_seconds(1);
    let mut tx = store.begin().await.unwrap();
    for key in &keys {
        tx.insert_key(key).await.unwrap();
    }
    tx.touch_keys(&[(keys[1].id, later), (keys[0].id, NOW)])
        .await
        .unwrap();
    tx.touch_keys(&[(keys[0].id, later), (keys[1].id, NOW)])
        .await
        .unwrap();
    tx.commit().await.unwrap();

    let last_used: Vec<_> = store
        .list_keys(10)
        .await
        .unwrap()
        .into_iter()
        .map(|(key, _)| (key.id, key.last_used_at))
        .collect();
    for expected in [
        (keys[0].id, Some(later)),
        (keys[1].id, Some(later)),
        (keys[2].id, None),
    ] {
        assert!(
            last_used.contains(&expected),
            "{expected:?} in {last_used:?}"
        );
    }
}

async fn the_audit_log_says_who_changed_what_and_why(database: Database) {
    let store = open(&database).await;
    let subject = Uuid::from_u128(7);
    let entry = |id, actor, before, after| AuditEntry {
        id: Uuid::from_u128(id),
        at: NOW,
        account_id: Some(AccountId::new(Uuid::from_u128(1))),
        actor,
        key_id: (actor == "key").then_some(KeyId::new(Uuid::from_u128(2))),
        person_id: ["app", "person"]
            .contains(&actor)
            .then_some(PersonId::new(Uuid::from_u128(3))),
        grant_id: (actor == "app").then_some(GrantId::new(Uuid::from_u128(4))),
        action: "event.update",
        subject_id: subject,
        event_id: None,
        before,
        after,
        reason: Some("because".to_owned()),
        is_counted: false,
    };
    let mut tx = store.begin().await.unwrap();
    let changed = Some(json!({"title": "é\u{1f389}"}));
    tx.insert_audits(&[entry(1, "key", changed.clone(), None)])
        .await
        .unwrap();
    tx.insert_audits(&[entry(2, "admin", None, changed.clone())])
        .await
        .unwrap();
    tx.insert_audits(&[entry(3, "person", None, None)])
        .await
        .unwrap();
    tx.insert_audits(&[entry(4, "app", None, None)])
        .await
        .unwrap();
    tx.commit().await.unwrap();

    let log = store.list_audit(subject, 10).await.unwrap();
    let actors: Vec<_> = log.iter().map(|record| record.actor.as_str()).collect();
    assert_eq!(actors, ["key", "admin", "person", "app"]);
    assert_eq!(log[0].key_id, Some(KeyId::new(Uuid::from_u128(2))));
    assert_eq!((log[1].key_id, log[1].person_id), (None, None));
    let person = Some(PersonId::new(Uuid::from_u128(3)));
    assert_eq!((log[2].key_id, log[2].person_id), (None, person));
    let grant = Some(GrantId::new(Uuid::from_u128(4)));
    assert_eq!((log[3].person_id, log[3].grant_id), (person, grant));
    assert_eq!((&log[0].before, &log[0].after), (&changed, &None));
    assert_eq!((&log[1].before, &log[1].after), (&None, &changed));
    assert_eq!(log[0].reason.as_deref(), Some("because"));
    assert_eq!((log[0].at, log[0].subject_id), (NOW, subject));
    assert_eq!(log[0].account_id, Some(AccountId::new(Uuid::from_u128(1))));
    assert!(store.list_audit(Uuid::nil(), 10).await.unwrap().is_empty());
}

test_postgres::on_both_engines!(
    prepare: migrate;
    an_account_is_found_by_id_and_by_address_in_any_case,
    an_address_has_one_person_and_the_transaction_goes_on,
    the_address_of_an_account_is_its_first_owners,
    a_plan_can_be_changed,
    a_key_is_found_by_its_hash_with_the_standing_of_its_person,
    a_key_is_revoked_once,
    the_last_use_of_a_key_only_moves_forward,
    the_audit_log_says_who_changed_what_and_why,
);
