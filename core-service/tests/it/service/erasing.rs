//! Removing a person.

use core_service::{
    domain::{job, plan::Plan, registration::Status},
    service::{Erasure, Error},
};
use test_postgres::Database;

use super::{
    Desk,
    registering::{guest, seats},
};
use crate::fixtures::migrate;

async fn a_person_is_gone_everywhere_and_their_seats_are_given_on(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let full = desk.create(&olga, seats(1)).await;
    let other = desk.create(&olga, seats(5)).await;
    let add = async |event, name| {
        let added = desk.service.add_registration(&olga, event, guest(name));
        added.await.unwrap()
    };
    let ada = add(full.id, "ada").await;
    add(full.id, "bob").await;
    let gone = add(other.id, "ada").await;
    let cancel = desk.service.cancel_registration(&olga, other.id, gone.id);
    cancel.await.unwrap();
    add(other.id, "ada").await;

    let done = desk.service.erase_person("ADA@Example.org").await.unwrap();
    let expected = Erasure {
        registrations: 3,
        // Registered three times, and one of them cancelled.
        mails: 4,
        links: 3,
        promoted: 1,
        account: false,
        keys: 0,
    };
    assert_eq!(done, expected);
    assert_eq!(
        desk.standing(full.id).await,
        [("bob".to_owned(), Status::Confirmed)]
    );
    assert_eq!(desk.standing(other.id).await, []);
    assert_eq!(desk.mailed(full.id, job::PROMOTED_MAIL).await, ["bob"]);
    let token = ada.cancel_url.rsplit('/').next().unwrap();
    let followed = desk.service.get_registration_by_token(token).await;
    assert!(matches!(followed, Err(Error::NotFound { .. })));
    let audit = desk.audit(ada.id.uuid()).await;
    let last = audit
        .iter()
        .find(|entry| entry["action"] == "registration.erase");
    assert_eq!(last.unwrap()["actor"], "admin");
    let again = desk.service.erase_person("ada@example.org").await.unwrap();
    assert_eq!(again, Erasure::default());
}

async fn an_account_loses_name_address_and_keys_but_not_its_events(database: Database) {
    let desk = Desk::open(&database).await;
    let fay = desk.caller("fay@example.org", Plan::Free).await;
    let event = desk.create(&fay, seats(1)).await;
    let done = desk.service.erase_person("fay@example.org").await.unwrap();
    assert_eq!((done.account, done.keys), (true, 1));
    let account = desk.service.get_account(&fay).await.unwrap().account;
    assert_eq!(account.name, "erased");
    assert!(account.email.ends_with("@erased.invalid"));
    assert!(desk.service.get_event(&event.slug).await.is_ok());
    let keys = desk.service.list_keys().await.unwrap();
    assert!(keys.iter().all(|(key, _)| key.revoked_at.is_some()));
    assert!(keys.iter().all(|(key, _)| key.label == "erased"));
    // The address is free again.
    desk.caller("fay@example.org", Plan::Free).await;
    let wrong = desk.service.erase_person("fay").await;
    assert!(matches!(wrong, Err(Error::Invalid(_))));
}

test_postgres::on_both_engines!(prepare: migrate;
    a_person_is_gone_everywhere_and_their_seats_are_given_on,
    an_account_loses_name_address_and_keys_but_not_its_events,
);
