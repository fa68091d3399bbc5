//! The commands on queued mails and on blocked addresses.

use core_service::email::read_report;
use domain::email::mailbox_hash;
use serde_json::json;
use test_postgres::Database;

use super::run;
use crate::{
    bounces::{Outbox, report},
    fixtures::migrate,
    mail::Mailbox,
    service::{
        Instance,
        guests::{guest, seats},
    },
};

async fn queued_mails_are_listed_held_released_and_dropped(database: Database) {
    let core = Instance::open(&database).await;
    let (olga, mailbox) = (core.olga().await, Mailbox::of(&core));
    let event = core.create(&olga, seats(9)).await;
    let none = run(&database, "mail queued").await.unwrap();
    assert_eq!(none.text, "there are no queued emails");
    let added = core.registrations.add(&olga, event.id, guest("ada"));
    added.await.unwrap();

    let held = run(&database, "mail hold --account OLGA@example.org").await;
    let expected = format!(
        "the emails of account {0} are held, 1 of them queued now; send them with: muster mail release --account {0}",
        olga.account
    );
    assert_eq!(held.unwrap().text, expected);
    assert!(mailbox.collect().await.is_empty());
    let queued = run(&database, "mail queued --account olga@example.org").await;
    let queued = queued.unwrap();
    let expected = format!(
        "KIND             TO               EVENT        QUEUED                STATE\n\
         registered_mail  ada@example.org  {}  2030-01-01T00:00:00Z  held",
        event.slug
    );
    assert_eq!(queued.text, expected);
    assert_eq!(queued.json["items"][0]["email"], "ada@example.org");
    let released = format!("mail release --account {}", olga.account);
    let released = run(&database, &released).await.unwrap();
    assert_eq!(released.json["released"], 1);
    assert_eq!(mailbox.collect().await.len(), 1);

    let added = core.registrations.add(&olga, event.id, guest("bob"));
    added.await.unwrap();
    let drop = "mail drop --account olga@example.org";
    let refused = run(&database, drop).await.unwrap_err();
    assert_eq!(refused.code(), 64);
    assert!(refused.to_string().starts_with("--yes is missing"));
    let plan = run(&database, &format!("{drop} --dry-run")).await.unwrap();
    let expected = format!(
        "1 queued email of account {} would be removed for good",
        olga.account
    );
    assert_eq!(plan.text, expected);
    let dropped = run(&database, &format!("{drop} --yes")).await.unwrap();
    assert_eq!(dropped.json["dropped"], 1);
    assert!(mailbox.collect().await.is_empty());
    let unknown = run(&database, "mail hold --account nobody@example.org").await;
    assert_eq!(unknown.unwrap_err().to_string(), "there is no such account");
}

async fn an_address_is_blocked_and_mailed_again(database: Database) {
    Instance::open(&database).await;
    let blocked = "mail suppress ada@example.org";
    let expected = "ada@example.org gets no more emails; allow them again with: muster mail allow ada@example.org";
    assert_eq!(run(&database, blocked).await.unwrap().text, expected);
    let again = run(&database, blocked).await.unwrap();
    assert_eq!(again.text, "ada@example.org was already blocked");
    let allowed = run(&database, "mail allow Ada+x@example.org")
        .await
        .unwrap();
    assert_eq!(allowed.json, json!({ "is_suppressed": false }));
    assert_eq!(allowed.text, "Ada+x@example.org gets emails again");
    let again = run(&database, "mail allow ada@example.org").await.unwrap();
    assert_eq!(again.text, "ada@example.org was not blocked");
}

async fn blocked_mailboxes_are_listed_with_what_is_known_of_them(database: Database) {
    let outbox = Outbox::open(&database).await;
    let listed = async || run(&database, "mail suppressed").await.unwrap();
    assert_eq!(listed().await.text, "no mailbox is blocked");
    let (_, sender) = outbox.mail("ada@example.org").await;
    let bounced = report("postfix", &sender, "ada@example.org");
    let bounced = read_report(bounced.as_bytes(), None).unwrap();
    outbox.instance.mail_reports.take(&[bounced]).await.unwrap();
    outbox.instance.clock.advance_seconds(1);
    // By another process, whose clock stands still.
    run(&database, "mail suppress eve@example.org")
        .await
        .unwrap();
    let hash = mailbox_hash("eve@example.org");
    let digits = hash[..6].iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    let start: String = digits
        .filter_map(|one| char::from_digit(one.into(), 16))
        .collect();
    let text = listed().await.text;
    for expected in [
        "ada@example.org                       emails came back: gets no messages and reminders  2030-01-01T00:00:00Z".to_owned(),
        format!("(unknown, SHA-256 {start}…)       blocked by an operator"),
    ] {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(&text).contains(&words(&expected)), "{text}");
    }
    let json = listed().await.json;
    let reasons: Vec<_> = json["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["reason"].clone())
        .collect();
    assert!(reasons.contains(&json!("bounced")) && reasons.contains(&json!("operator")));
    let allowed = run(&database, "mail allow ada@example.org").await.unwrap();
    assert_eq!(allowed.text, "ada@example.org gets emails again");
    assert_eq!(listed().await.json["items"].as_array().unwrap().len(), 1);
}

async fn a_suspended_account_is_removed_without_telling_anyone(database: Database) {
    let core = Instance::open(&database).await;
    let (olga, mailbox) = (core.olga().await, Mailbox::of(&core));
    let event = core.create(&olga, seats(9)).await;
    let added = core.registrations.add(&olga, event.id, guest("ada"));
    added.await.unwrap();
    let suspend = "account suspend --email olga@example.org";
    run(&database, suspend).await.unwrap();
    let which = format!("account remove --id {}", olga.account);
    let told = format!("{which} --yes --cancel-events Spam");
    let told = run(&database, &told).await.unwrap_err().to_string();
    assert!(told.contains("leave --cancel-events out"), "{told}");
    let plan = run(&database, &format!("{which} --dry-run")).await.unwrap();
    let warning = "people are registered for 1 upcoming event, and would get no email";
    assert!(plan.text.ends_with(warning), "{}", plan.text);
    let removed = run(&database, &format!("{which} --yes")).await.unwrap();
    assert_eq!(removed.json["removed"], true);
    assert!(mailbox.collect().await.is_empty());
}

test_postgres::on_both_engines!(prepare: migrate;
    queued_mails_are_listed_held_released_and_dropped,
    an_address_is_blocked_and_mailed_again,
    blocked_mailboxes_are_listed_with_what_is_known_of_them,
    a_suspended_account_is_removed_without_telling_anyone,
);
