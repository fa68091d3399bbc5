//! An address that someone else changed is taken back from the old one.

use core_service::service::Error;
use domain::email_change::EmailChange;
use test_postgres::Database;
use uuid::Uuid;

use super::{
    Instance,
    people::Someone,
    signing_in::{DAY, browser},
};
use crate::{fixtures::migrate, mail::Mailbox};

impl Instance {
    /// Changes someone's address, by the code that goes to the new one.
    async fn change_address(&self, mailbox: &Mailbox, who: &Someone, address: &str) {
        let started = self.profile.start_email_change(&who.by, address).await;
        started.unwrap();
        let code = self.mailed_code(mailbox).await;
        let changed = self.profile.finish_email_change(&who.by, &code, true).await;
        assert_eq!(changed.unwrap().email, address);
    }
}

async fn a_changed_address_is_taken_back_with_what_was_made_since(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let ada = instance.someone("ada@example.org", 1).await;
    let hers = instance.standing_of(&ada).await;
    let own_key = instance.make_key(&hers, &ada).await;
    instance.clock.advance_seconds(DAY);
    let thief = instance.someone("ada@example.org", 2).await;
    instance
        .change_address(&mailbox, &thief, "mallory@evil.example")
        .await;
    // The change ends her other sessions, at once.
    assert!(instance.caller_of(&ada.session).await.is_err());
    let notices = mailbox.collect().await;
    let notice = notices.iter().find(|mail| mail.to.1 == "ada@example.org");
    let page = "https://muster.example/sign-in/take-back";
    assert!(notice.unwrap().text.contains(page));
    let stolen = instance.make_key(&hers, &thief).await;
    instance
        .change_address(&mailbox, &thief, "mallory@other.example")
        .await;

    // The address between has nothing to take back, by which the thief could keep her out.
    mailbox.collect().await;
    let between = "mallory@evil.example";
    let asked = instance.take_back.start(between, &browser(2)).await;
    asked.unwrap();
    assert!(mailbox.collect().await.is_empty());

    // Who signs in by the old address meanwhile gets no new account, which would be in the way.
    mailbox.collect().await;
    let sign_in = instance.sign_in.start("ada@example.org", &browser(3)).await;
    sign_in.unwrap();
    let code = instance.mailed_code(&mailbox).await;
    let refused = instance.sign_in.finish(&code, &browser(3)).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");

    instance.clock.advance_seconds(6 * DAY);
    let asked = instance
        .take_back
        .start("Ada@example.org", &browser(3))
        .await;
    asked.unwrap();
    let code = instance.mailed_code(&mailbox).await;
    let foreign = instance.take_back.finish(&code, &browser(4)).await;
    assert!(matches!(foreign, Err(Error::Conflict(_))), "{foreign:?}");
    let new = instance.take_back.finish(&code, &browser(3)).await.unwrap();
    let by = instance.person_of(&new).await;
    assert_eq!(by.person, ada.by.person);
    let view = instance.sessions.get(&by).await.unwrap();
    assert_eq!(view.person.email, "ada@example.org");
    assert!(instance.caller_of(&thief.session).await.is_err());
    assert!(instance.use_key(&stolen).await.is_err());
    assert!(instance.use_key(&own_key).await.is_ok());

    // It is over: neither the thief nor she can take anything back again.
    mailbox.collect().await;
    for address in ["mallory@evil.example", "ada@example.org"] {
        let asked = instance.take_back.start(address, &browser(5)).await;
        asked.unwrap();
    }
    assert!(mailbox.collect().await.is_empty());
    let stranger = instance.sign_in("mallory@other.example", &browser(6)).await;
    assert!(stranger.is_new_person);
}

async fn after_seven_days_it_is_too_late(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let ada = instance.someone("ada@example.org", 1).await;
    instance
        .change_address(&mailbox, &ada, "ada@new.example")
        .await;
    mailbox.collect().await;
    instance.clock.advance_seconds(7 * DAY - 1);
    let asked = instance
        .take_back
        .start("ada@example.org", &browser(2))
        .await;
    asked.unwrap();
    let code = instance.mailed_code(&mailbox).await;
    instance.clock.advance_seconds(1);
    let late = instance.take_back.finish(&code, &browser(2)).await;
    assert!(matches!(late, Err(Error::Conflict(_))), "{late:?}");
    let asked = instance
        .take_back
        .start("ada@example.org", &browser(2))
        .await;
    asked.unwrap();
    assert!(mailbox.collect().await.is_empty());
    instance.maintain().await;
    let again = instance.sign_in("ada@example.org", &browser(3)).await;
    assert!(again.is_new_person, "the address is free");
}

/// A company that took an account over keeps it.
async fn what_another_owner_changed_stays(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let ada = instance.someone("ada@new.example", 1).await;
    let owner = instance.someone("olga@example.org", 2).await;
    let now = instance.clock.now();
    let change = EmailChange {
        id: Uuid::from_u128(7),
        person_id: ada.by.person,
        email: "ada@example.org".to_owned(),
        changed_by: owner.by.person,
        changed_at: now,
        expires_at: now.plus_seconds(DAY),
    };
    let mut tx = instance.store.begin().await.unwrap();
    tx.insert_email_change(&change).await.unwrap();
    tx.commit().await.unwrap();
    let asked = instance
        .take_back
        .start("ada@example.org", &browser(3))
        .await;
    asked.unwrap();
    let code = instance.mailed_code(&mailbox).await;
    let refused = instance.take_back.finish(&code, &browser(3)).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    let view = instance.sessions.get(&ada.by).await.unwrap();
    assert_eq!(view.person.email, "ada@new.example");
}

test_postgres::on_both_engines!(prepare: migrate;
    a_changed_address_is_taken_back_with_what_was_made_since,
    after_seven_days_it_is_too_late,
    what_another_owner_changed_stays,
);
