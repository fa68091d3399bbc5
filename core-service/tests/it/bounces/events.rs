//! What mail providers report by HTTP.

use core_service::{email::read_events, service::Taken};
use domain::mail::MailState;
use serde_json::{Value, json};
use test_postgres::Database;

use super::{Outbox, registered};
use crate::fixtures::migrate;

const ADA: &str = "ada@example.org";

impl Outbox {
    /// Takes events, and returns what each report changed.
    async fn take(&self, body: &Value) -> Vec<Taken> {
        let events = read_events(&body.to_string()).unwrap();
        let take = self.instance.mail_reports.take(&events.reports);
        take.await.unwrap()
    }
}

/// An event of Amazon SES, as `EventBridge` sends it.
fn ses(id: &str, kind: &str, what: &Value) -> Value {
    json!({
        "version": "0",
        "detail-type": "Email Bounced",
        "source": "aws.ses",
        "detail": {
            "eventType": kind,
            kind.to_lowercase(): what,
            "mail": {
                "timestamp": "2030-01-01T00:00:00.000Z",
                "messageId": "010101860d89bc12-7ce77242-b9cf-492d-a880-7f5401590119-000000",
                "destination": [ADA],
                "headersTruncated": false,
                "headers": [
                    {"name": "From", "value": "Muster <events@muster.example>"},
                    {"name": "Message-ID", "value": id},
                ],
                "commonHeaders": {"messageId": "010101860d89bc12-7ce77242-b9cf-492d-a880-7f5401590119-000000"},
            },
        },
    })
}

/// A permanent failure, as each provider reports it. Postmark does not know our Message-ID, but the metadata that the mail had.
fn failures(id: &str) -> [Value; 4] {
    let words = "550 5.1.1 <ada@example.org>: no such user of grace@example.org";
    let ses_bounce = json!({
        "bounceType": "Permanent",
        "bounceSubType": "General",
        "bouncedRecipients": [{
            "emailAddress": ADA, "action": "failed", "status": "5.1.1", "diagnosticCode": format!("smtp; {words}"),
        }],
        "feedbackId": "010101860d89be0a-ea93e0f8-8612-4af4-a5f6-af05cb09aca8-000000",
    });
    [
        json!({"events": [{"kind": "bounced", "message_id": id, "status": "5.1.1", "words": words}]}),
        ses(id, "Bounce", &ses_bounce),
        json!({
            "RecordType": "Bounce", "ID": 42, "Type": "HardBounce", "TypeCode": 1, "Name": "Hard bounce",
            "MessageID": "d12c2f1c-60f3-4258-b163-d17052546ae4", "Details": format!("smtp;{words}"), "Email": ADA,
            "BouncedAt": "2030-01-01T00:00:00Z", "Inactive": true, "MessageStream": "outbound",
            "Metadata": {"muster": id.trim_start_matches('<').split('@').next()},
        }),
        json!({
            "signature": {"timestamp": "1893456000", "token": "a", "signature": "b"},
            "event-data": {
                "event": "failed", "severity": "permanent", "reason": "bounce", "recipient": ADA,
                "delivery-status": {"code": 550, "enhanced-code": "5.1.1", "message": words, "description": ""},
                "message": {"headers": {"to": ADA, "message-id": id.trim_matches(['<', '>']), "from": "events@muster.example"}},
                "user-variables": [],
            },
        }),
    ]
}

async fn every_provider_says_that_a_mail_came_back(database: Database) {
    let outbox = Outbox::open(&database).await;
    let mut rounds = 0;
    for index in 0..4 {
        let (guest, _) = outbox.mail(ADA).await;
        let id = format!("<{}@muster.example>", registered(guest));
        let body = &failures(&id)[index];
        assert_eq!(outbox.take(body).await, [Taken::Recorded], "{body}");
        assert_eq!(outbox.take(body).await, [Taken::Repeated], "{body}");
        let mails = outbox.mails().await;
        let mail = &mails.undelivered[0].mail;
        assert_eq!(mail.state, MailState::Bounced);
        let expected = "550 5.1.1 <ada@example.org>: no such user of [address]";
        assert_eq!(mail.words.as_deref(), Some(expected));
        assert!(outbox.is_stopped(ADA).await);
        // Away with the guest, so that the next one may have the address.
        let people = &outbox.instance.people;
        let refuse = core_service::service::LastOwner::Refuse;
        people.erase(ADA, &refuse).await.unwrap();
        rounds += 1;
    }
    assert_eq!(rounds, 4);
}

async fn a_complaint_is_the_last_word(database: Database) {
    let outbox = Outbox::open(&database).await;
    let (guest, sender) = outbox.mail(ADA).await;
    outbox.report("postfix", &sender, ADA).await;
    let id = format!("<{}@muster.example>", registered(guest));
    let complained = json!({
        "complainedRecipients": [{"emailAddress": ADA}], "complaintFeedbackType": "abuse", "feedbackId": "x",
    });
    let body = ses(&id, "Complaint", &complained);
    assert_eq!(outbox.take(&body).await, [Taken::Recorded]);
    assert_eq!(outbox.take(&body).await, [Taken::Repeated]);
    let again = outbox.report("postfix", &sender, ADA).await;
    assert_eq!(again, Taken::Repeated);
    assert_eq!(outbox.numbers().await, [("complained".to_owned(), 1)]);
    let store = &outbox.instance.store;
    let blocked = store.list_blocked_mailboxes(10).await.unwrap();
    let shown: Vec<_> = blocked
        .iter()
        .map(|one| (&*one.reason, one.email.as_deref()))
        .collect();
    assert_eq!(shown, [("complained", Some(ADA))]);
}

async fn a_report_that_names_no_mail_stops_the_mailbox_and_blames_none(database: Database) {
    let outbox = Outbox::open(&database).await;
    let (guest, _) = outbox.mail(ADA).await;
    let mails = outbox.server.mails();
    let metadata = mails[0].header("X-PM-Metadata-muster");
    assert_eq!(metadata, Some(&*registered(guest).to_string()));
    let report = |address: &str, status: &str| {
        let event = json!({"kind": "bounced", "address": address, "status": status});
        json!({"events": [event]})
    };
    // It may be about that mail alone.
    let full = report(ADA, "5.2.2");
    assert_eq!(outbox.take(&full).await, [Taken::Ignored]);
    assert!(!outbox.is_stopped(ADA).await);
    let gone = report(ADA, "5.1.1");
    assert_eq!(outbox.take(&gone).await, [Taken::Recorded]);
    assert_eq!(outbox.take(&gone).await, [Taken::Repeated]);
    assert!(outbox.is_stopped(ADA).await);
    assert_eq!(outbox.numbers().await, [("handed_over".to_owned(), 1)]);
    let complained = json!({"RecordType": "SpamComplaint", "Email": ADA});
    assert_eq!(outbox.take(&complained).await, [Taken::Recorded]);
    assert_eq!(outbox.numbers().await, [("handed_over".to_owned(), 1)]);
    // Nothing was sent to them.
    let other = report("grace@example.org", "5.1.1");
    assert_eq!(outbox.take(&other).await, [Taken::Unknown]);
    assert!(!outbox.is_stopped("grace@example.org").await);
}

async fn a_code_that_came_back_says_nothing_of_another_mail(database: Database) {
    let outbox = Outbox::open(&database).await;
    outbox.mail(ADA).await;
    let id = "<code_mail.00000000-0000-0000-0000-000000000007.0@muster.example>";
    let event = json!({"kind": "bounced", "message_id": id, "address": ADA, "status": "5.1.1"});
    let body = json!({"events": [event]});
    assert_eq!(outbox.take(&body).await, [Taken::Unknown]);
    assert_eq!(outbox.numbers().await, [("handed_over".to_owned(), 1)]);
}

test_postgres::on_both_engines!(prepare: migrate;
    a_code_that_came_back_says_nothing_of_another_mail,
    a_report_that_names_no_mail_stops_the_mailbox_and_blames_none,
    every_provider_says_that_a_mail_came_back,
    a_complaint_is_the_last_word,
);

#[test]
fn what_may_pass_or_does_not_matter_is_ignored() {
    let transient =
        json!({"bounceType": "Transient", "bouncedRecipients": [{"emailAddress": ADA}]});
    let taken_back = json!({"complainedRecipients": [{"emailAddress": ADA}], "complaintFeedbackType": "not-spam"});
    for body in [
        ses("<a@b>", "Bounce", &transient),
        ses("<a@b>", "Complaint", &taken_back),
        ses("<a@b>", "Delivery", &json!({"recipients": [ADA]})),
        json!({"RecordType": "Delivery", "Recipient": ADA}),
        json!({"RecordType": "Bounce", "Type": "SoftBounce", "Email": ADA}),
        json!({"RecordType": "Bounce", "Type": "AutoResponder", "Email": ADA}),
        json!({"event-data": {"event": "delivered", "recipient": ADA}}),
        json!({"event-data": {"event": "failed", "severity": "temporary", "recipient": ADA}}),
        json!({"events": [{"kind": "bounced", "address": ADA, "status": "4.2.2"}]}),
    ] {
        let events = read_events(&body.to_string()).unwrap();
        assert_eq!((events.reports.len(), events.ignored), (0, 1), "{body}");
    }
}
