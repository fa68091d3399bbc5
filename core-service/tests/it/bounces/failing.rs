//! Mailboxes to which mails fail, and what is forgotten.

use core_service::{
    jobs::Maintenance,
    service::{LastOwner, Taken},
};
use domain::{email::mailbox_hash, mail::StopReason};
use storage::KeyUses;
use test_postgres::Database;

use super::{Outbox, far_off, registered};
use crate::fixtures::{HOUR, migrate};

const ADA: &str = "ada@example.org";

impl Outbox {
    /// Mails Ada about so many events of their own, of which each mail comes back.
    async fn bounce(&self, times: usize) {
        for _ in 0..times {
            let event = self.instance.create(&self.olga, far_off()).await;
            let (_, sender) = self.mail_about(&event, ADA).await;
            let taken = self.report("exim", &sender, ADA).await;
            assert_eq!(taken, Taken::Recorded);
            self.instance.clock.advance_seconds(24 * HOUR);
        }
    }
}

async fn three_failures_within_a_month_stop_messages_until_an_operator_allows_them(
    database: Database,
) {
    let outbox = Outbox::open(&database).await;
    outbox.bounce(1).await;
    outbox.instance.clock.advance_seconds(30 * 24 * HOUR);
    outbox.bounce(2).await;
    assert!(!outbox.is_stopped(ADA).await);
    outbox.bounce(1).await;
    assert!(outbox.is_stopped("Ada+x@example.org").await);
    // What they need to know is still tried.
    let before = outbox.server.mails().len();
    outbox.mail(ADA).await;
    assert_eq!(outbox.server.mails().len(), before + 1);

    let mails = &outbox.instance.mails;
    assert!(mails.allow(&ADA.parse().unwrap()).await.unwrap());
    assert!(!outbox.is_stopped(ADA).await);
    outbox.bounce(2).await;
    assert!(!outbox.is_stopped(ADA).await);
}

async fn refusals_of_the_mail_server_count_as_well(database: Database) {
    let outbox = Outbox::open(&database).await;
    outbox.refuse(Some(ADA));
    for is_last in [false, false, true] {
        assert!(!outbox.is_stopped(ADA).await);
        let event = outbox.instance.create(&outbox.olga, far_off()).await;
        outbox.mail_about(&event, ADA).await;
        outbox.instance.clock.advance_seconds(24 * HOUR);
        assert_eq!(outbox.is_stopped(ADA).await, is_last);
    }
    outbox.mail(ADA).await;
    assert_eq!(outbox.numbers().await, [("refused".to_owned(), 1)]);
    let mails = outbox.mails().await;
    let expected = "the mail server answers 550 as the script says";
    assert_eq!(mails.undelivered[0].mail.words.as_deref(), Some(expected));
}

async fn a_mail_that_is_sent_again_has_one_state(database: Database) {
    let outbox = Outbox::open(&database).await;
    outbox.refuse(Some(ADA));
    let (guest, _) = outbox.mail(ADA).await;
    assert_eq!(outbox.numbers().await, [("refused".to_owned(), 1)]);
    outbox.refuse(None);
    let mails = &outbox.instance.mails;
    assert!(mails.retry(&registered(guest)).await.unwrap());
    assert_eq!(outbox.numbers().await, [("waiting".to_owned(), 1)]);
    outbox.runner.drain().await.unwrap();
    assert_eq!(outbox.numbers().await, [("handed_over".to_owned(), 1)]);
}

async fn a_mail_to_a_blocked_address_is_withheld(database: Database) {
    let outbox = Outbox::open(&database).await;
    let mails = &outbox.instance.mails;
    mails.suppress(&ADA.parse().unwrap()).await.unwrap();
    outbox.senders.lock().unwrap().push(String::new());
    outbox.mail(ADA).await;
    assert!(outbox.server.mails().is_empty());
    assert_eq!(outbox.numbers().await, [("withheld".to_owned(), 1)]);
    assert!(outbox.mails().await.undelivered.is_empty());
}

async fn erasing_a_person_forgets_what_became_of_their_mails(database: Database) {
    let outbox = Outbox::open(&database).await;
    let (guest, sender) = outbox.mail(ADA).await;
    outbox.report("postfix", &sender, ADA).await;
    assert!(outbox.is_stopped(ADA).await);
    let people = &outbox.instance.people;
    people.erase(ADA, &LastOwner::Refuse).await.unwrap();
    assert!(outbox.mails().await.numbers.is_empty());
    assert!(!outbox.is_stopped(ADA).await);
    let store = &outbox.instance.store;
    let found = store.find_sent_mail(&registered(guest)).await.unwrap();
    assert_eq!(found, None);
    let again = outbox.report("postfix", &sender, ADA).await;
    assert_eq!(again, Taken::Unknown);
    // What they said themselves stays.
    let mut tx = store.begin().await.unwrap();
    let (mailbox, now) = (mailbox_hash(ADA), outbox.instance.clock.now());
    let reason = StopReason::Complained;
    tx.put_mail_stop(&mailbox, reason, now).await.unwrap();
    tx.commit().await.unwrap();
    people.erase(ADA, &LastOwner::Refuse).await.unwrap();
    assert!(outbox.is_stopped(ADA).await);
}

async fn what_became_of_a_mail_is_forgotten_after_ninety_days(database: Database) {
    let outbox = Outbox::open(&database).await;
    outbox.mail(ADA).await;
    let commands = outbox.instance.commands.clone();
    let maintenance = Maintenance::new(commands, KeyUses::default());
    for (days, left) in [(89, 1), (2, 0)] {
        outbox.instance.clock.advance_seconds(days * 24 * HOUR);
        maintenance.maintain_once().await.unwrap();
        assert_eq!(outbox.numbers().await.len(), left);
    }
}

async fn a_corrected_address_has_no_problem(database: Database) {
    let outbox = Outbox::open(&database).await;
    let (guest, sender) = outbox.mail(ADA).await;
    outbox.report("postfix", &sender, ADA).await;
    let registrations = &outbox.instance.registrations;
    let get = async || {
        let (_, failure) = registrations
            .get(&outbox.olga, outbox.event.id, guest)
            .await
            .unwrap();
        failure.map(|failure| failure.problem.unwrap().state.name())
    };
    assert_eq!(get().await, Some("bounced"));
    let mut tx = outbox.instance.store.begin().await.unwrap();
    let found = tx.find_registration(outbox.event.id, guest).await.unwrap();
    let corrected = domain::registration::Registration {
        email: "grace@example.org".to_owned(),
        ..found.unwrap()
    };
    tx.update_address(&corrected).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(get().await, None);
}

test_postgres::on_both_engines!(prepare: migrate;
    three_failures_within_a_month_stop_messages_until_an_operator_allows_them,
    refusals_of_the_mail_server_count_as_well,
    a_mail_that_is_sent_again_has_one_state,
    a_mail_to_a_blocked_address_is_withheld,
    erasing_a_person_forgets_what_became_of_their_mails,
    what_became_of_a_mail_is_forgotten_after_ninety_days,
    a_corrected_address_has_no_problem,
);
