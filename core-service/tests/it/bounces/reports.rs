//! Reports that come to the bounce address.

use core_service::{
    email::{Ignored, read_report},
    service::Taken,
};
use domain::mail::{MailState, ReportedEvent};
use test_postgres::Database;

use super::{Outbox, report};
use crate::fixtures::migrate;

const BOUNCES: &str = "bounces+abcdefghijklmnopqrstuvwxy2@muster.example";

/// Servers, what they say of `ada@example.org`, and whether no mail will ever arrive there.
const SERVERS: [(&str, &str, bool); 5] = [
    (
        "postfix",
        "550 5.1.1 <ada@example.org>: Recipient address rejected: User unknown in virtual mailbox table",
        true,
    ),
    ("exim", "550 No such user here", false),
    (
        "exchange",
        "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ada@example.org not found by SMTP address lookup",
        true,
    ),
    (
        "gmail",
        "550-5.1.1 The email account that you tried to reach does not exist. Please try 550-5.1.1 double-checking the \
         recipient's email address for typos or 550-5.1.1 unnecessary spaces. For more information, go to 550 5.1.1 \
         https://support.google.com/mail/?p=NoSuchUser a14-v6si713919ocl",
        true,
    ),
    (
        "ses",
        "550-5.1.1 The email account that you tried to reach does not exist. 550 5.1.1 Please check the address.",
        true,
    ),
];

async fn reports_of_real_servers_say_what_became_of_a_mail(database: Database) {
    let outbox = Outbox::open(&database).await;
    for (server, words, is_gone) in SERVERS {
        outbox.instance.clock.advance_seconds(1);
        let address = format!("{server}@example.org");
        let (guest, sender) = outbox.mail(&address).await;
        assert!(sender.starts_with("bounces+"), "{sender}");
        let taken = outbox.report(server, &sender, &address).await;
        assert_eq!(taken, Taken::Recorded, "{server}");
        let again = outbox.report(server, &sender, &address).await;
        assert_eq!(again, Taken::Repeated, "{server}");
        let mails = outbox.mails().await;
        let mail = &mails.undelivered[0];
        assert_eq!(mail.registration, guest);
        assert_eq!(mail.mail.state, MailState::Bounced);
        let expected = words.replace("ada@example.org", &address);
        assert_eq!(mail.mail.words.as_deref(), Some(&*expected), "{server}");
        assert_eq!(outbox.is_stopped(&address).await, is_gone, "{server}");
    }
    assert_eq!(outbox.numbers().await, [("bounced".to_owned(), 5)]);
}

async fn a_report_names_nobody_whom_the_organizer_does_not_know(database: Database) {
    let outbox = Outbox::open(&database).await;
    let (_, sender) = outbox.mail("ada@example.org").await;
    let taken = outbox.report("postfix_forwarded", &sender, "ada@example.org");
    assert_eq!(taken.await, Taken::Recorded);
    let mails = outbox.mails().await;
    let expected = "552 5.2.2 <[address]>: mailbox of [address] is full (ada@example.org)";
    assert_eq!(mails.undelivered[0].mail.words.as_deref(), Some(expected));
}

async fn a_token_that_nobody_got_changes_nothing(database: Database) {
    let outbox = Outbox::open(&database).await;
    let (_, sender) = outbox.mail("ada@example.org").await;
    let taken = outbox.report("postfix", BOUNCES, "ada@example.org").await;
    assert_eq!(taken, Taken::Unknown);
    let handed_over = [("handed_over".to_owned(), 1)];
    assert_eq!(outbox.numbers().await, handed_over);
    assert!(!outbox.is_stopped("ada@example.org").await);
    // Upper case is the same: servers may change it.
    let upper = sender.to_uppercase();
    let taken = outbox.report("postfix", &upper, "ada@example.org").await;
    assert_eq!(taken, Taken::Recorded);
}

test_postgres::on_both_engines!(prepare: migrate;
    reports_of_real_servers_say_what_became_of_a_mail,
    a_report_names_nobody_whom_the_organizer_does_not_know,
    a_token_that_nobody_got_changes_nothing,
);

#[test]
fn everything_else_that_comes_to_the_address_is_ignored() {
    for (name, expected) in [
        ("postfix_delayed", Ignored::NoFailure),
        ("postfix_expired", Ignored::NoFailure),
        ("vacation", Ignored::NoReport),
        ("exchange_absence", Ignored::NoReport),
        ("read", Ignored::NoReport),
        ("spam", Ignored::NoReport),
        ("quoted", Ignored::NoReport),
    ] {
        let message = report(name, BOUNCES, "ada@example.org");
        let read = read_report(message.as_bytes(), None);
        assert_eq!(read, Err(expected), "{name}");
    }
    let other = report("postfix", "events@muster.example", "ada@example.org");
    let read = read_report(other.as_bytes(), None);
    assert_eq!(read, Err(Ignored::NoToken));
    // The mail server knows to whom it came.
    assert!(read_report(other.as_bytes(), Some(BOUNCES)).is_ok());
}

#[test]
fn a_report_that_is_cut_off_or_broken_is_read_as_far_as_it_goes() {
    let whole = report("exchange", BOUNCES, "ada@example.org");
    let end = whole.find("message/rfc822").unwrap();
    let cut = read_report(&whole.as_bytes()[..end], None).unwrap();
    assert!(matches!(cut.event, ReportedEvent::Bounced { .. }));
    for length in 0..whole.len() {
        let _ = read_report(&whole.as_bytes()[..length], None);
    }
    assert_eq!(read_report(b"", None), Err(Ignored::NoMail));
    assert_eq!(read_report(&[0xff; 300], None), Err(Ignored::NoReport));
}
