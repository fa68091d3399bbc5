//! The numbers of a message: what left counts for good, whatever becomes of its people and of the records about its mails.

use std::{sync::Arc, time::Duration};

use core_service::service::LastOwner;
use domain::{plan::Plan, registration::Registration};
use muster_api::v1::bindings::{CancelMessage, CancelRegistration};
use serde_json::{Value, json};
use tests::{Account, Client, Created, Surface, TestApp};

use super::{GRACE, guests, now, reached, sent_to, which};

/// How many mails are recipients, wait, left and are withheld.
fn numbers(message: &Value) -> [i64; 4] {
    let names = ["recipients", "waiting", "left", "withheld"];
    names.map(|name| message[name].as_i64().unwrap())
}

/// A message that has begun, of which no mail has left.
struct Begun {
    app: Arc<TestApp>,
    account: Account,
    owner: Client,
    event: Created,
    people: Vec<Registration>,
    message: Value,
}

impl Begun {
    async fn to(app: Arc<TestApp>, count: usize) -> Self {
        let account = app.account(Plan::Pro).await;
        let owner = app.over(Surface::Http).as_owner(&account);
        let far = json!({"start_date": "2028-01-01T18:00:00Z"});
        let event = owner.publish_new(far).await;
        let people = guests(&app, &event, count).await;
        let message = sent_to(&owner, &event, json!({})).await;
        app.advance(GRACE);
        app.begin_messages().await;
        let begun = Self {
            app,
            account,
            owner,
            event,
            people,
            message,
        };
        let count = i64::try_from(count).unwrap();
        assert_eq!(begun.numbers().await, [count, count, 0, 0]);
        begun
    }

    async fn numbers(&self) -> [i64; 4] {
        numbers(&now(&self.owner, &self.event, &self.message).await)
    }

    /// Cancels the registration of a guest.
    async fn leaves(&self, guest: usize) {
        let id = self.people[guest].id.to_string();
        let request = json!({"id": self.event.id, "registration_id": id});
        self.owner.ok::<CancelRegistration>(request).await;
    }

    async fn erase(&self, guest: usize) {
        let people = &self.app.core.use_cases().people;
        let email = &self.people[guest].email;
        people.erase(email, &LastOwner::Refuse).await.unwrap();
    }
}

async fn what_left_stays_when_its_records_are_deleted(app: Arc<TestApp>) {
    let begun = Begun::to(app, 3).await;
    begun.leaves(0).await;
    begun.app.drain_jobs().await;
    assert_eq!(begun.numbers().await, [3, 0, 2, 1]);
    begun.app.advance(Duration::from_hours(24 * 91));
    begun.app.maintain().await;
    let records = begun.app.count_rows("mails").await;
    assert_eq!(records, 0);
    assert_eq!(begun.numbers().await, [3, 0, 2, 1]);
}

async fn mails_that_an_operator_drops_have_not_left(app: Arc<TestApp>) {
    let begun = Begun::to(app, 2).await;
    let mails = &begun.app.core.use_cases().mails;
    mails.drop_queued(begun.account.id).await.unwrap();
    begun.app.drain_jobs().await;
    assert_eq!(begun.numbers().await, [2, 0, 0, 2]);
}

async fn erasing_someone_changes_no_number_of_what_left(app: Arc<TestApp>) {
    let begun = Begun::to(app, 4).await;
    begun.leaves(0).await;
    // Their mail waits.
    begun.erase(1).await;
    begun.app.drain_jobs().await;
    assert_eq!(begun.numbers().await, [4, 0, 2, 2]);
    // Theirs was withheld, and theirs left.
    begun.erase(0).await;
    begun.erase(2).await;
    assert_eq!(begun.numbers().await, [4, 0, 2, 2]);
}

async fn what_left_before_the_upgrade_is_counted_by_it(app: Arc<TestApp>) {
    let begun = Begun::to(app, 4).await;
    begun.leaves(0).await;
    let late = begun.people[1].id.to_string();
    begun.app.postpone_mails_of(&late).await;
    begun.app.drain_jobs().await;
    // As a core of before deletes it.
    let lost = "mails SET kind = 'gone' WHERE subject_id = (SELECT id FROM registrations WHERE email = 'guest-3@example.org')";
    begun.app.update_all(lost).await;
    assert_eq!(begun.numbers().await, [4, 1, 1, 2]);
    begun.app.migrate_again(89).await;
    assert_eq!(begun.numbers().await, [4, 1, 2, 1]);
}

async fn cancelling_answers_with_the_numbers_that_reading_has(app: Arc<TestApp>) {
    let begun = Begun::to(app, 4).await;
    begun.leaves(0).await;
    let late = begun.people[1].id.to_string();
    begun.app.postpone_mails_of(&late).await;
    begun.app.drain_jobs().await;
    assert_eq!(begun.numbers().await, [4, 1, 2, 1]);
    let request = which(&begun.event, &begun.message);
    let cancelled = begun.owner.ok::<CancelMessage>(request.clone()).await;
    assert_eq!(numbers(&cancelled), [4, 0, 2, 2]);
    assert_eq!(begun.numbers().await, [4, 0, 2, 2]);
    let again = begun.owner.ok::<CancelMessage>(request).await;
    assert_eq!(numbers(&again), [4, 0, 2, 2]);
    assert_eq!(reached(&begun.app).len(), 2);
}

tests::on_both_engines!(
    what_left_stays_when_its_records_are_deleted,
    mails_that_an_operator_drops_have_not_left,
    erasing_someone_changes_no_number_of_what_left,
    what_left_before_the_upgrade_is_counted_by_it,
    cancelling_answers_with_the_numbers_that_reading_has,
);
