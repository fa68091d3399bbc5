//! The SMTP client against a real server: what arrives, what failures mean, which connections are used again, and encryption.

use std::time::Duration;

use core_service::email::{Smtp, SmtpUrl, Undelivered, unchecked};
use lettre::Address;
use test_smtp::{Encryption, Reaction, Server, Step, authority};

/// A limit that tests wait for.
const SHORT: Duration = Duration::from_millis(100);

const CONTENT: &[u8] = b"Subject: Dots\r\n\r\n.\r\n..\r\nend\r\n";

fn address(text: &str) -> Address {
    text.parse().unwrap()
}

fn at(url: &str) -> Smtp {
    Smtp::new(&url.parse().unwrap(), "muster.example")
}

/// A client that trusts the authority of the server's certificate.
fn trusting(url: &str) -> Smtp {
    let authority = std::fs::read(authority()).unwrap();
    let url: SmtpUrl = url.parse().unwrap();
    Smtp::new(&url.trusting(&authority).unwrap(), "muster.example")
}

fn client(server: &Server) -> Smtp {
    at(&server.url())
}

async fn send(client: &Smtp, to: &str) -> Result<(), Undelivered> {
    let from = address("events@muster.example");
    client.send(&from, &address(to), CONTENT, &unchecked).await
}

fn recipients(server: &Server) -> Vec<String> {
    let mails = server.mails().into_iter();
    mails.flat_map(|mail| mail.recipients).collect()
}

#[tokio::test]
async fn mails_arrive_as_they_were_written_by_one_connection() {
    let server = Server::start();
    let client = client(&server);
    for to in ["a@example.org", "b@example.org", "c@example.org"] {
        send(&client, to).await.unwrap();
    }
    let expected = ["a@example.org", "b@example.org", "c@example.org"];
    assert_eq!(recipients(&server), expected);
    for mail in server.mails() {
        assert_eq!(mail.content.as_bytes(), CONTENT);
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn a_connection_that_hung_is_not_used_again() {
    let server = Server::start();
    let client = client(&server).with_limit(Duration::from_secs(1));
    send(&client, "before@example.org").await.unwrap();
    server.script(|step| match step {
        Step::Content("hangs@example.org") => Reaction::TakeAndHang,
        Step::Recipient("gone@example.org") => Reaction::Answer(550),
        _ => Reaction::Go,
    });
    let hung = send(&client, "hangs@example.org").await.unwrap_err();
    assert_eq!(
        hung,
        Undelivered::Temporary("the mail server took longer than 1s for this mail".to_owned())
    );
    // Were the connection used again, each answer would be read as that to the next command.
    let gone = send(&client, "gone@example.org").await.unwrap_err();
    assert!(matches!(gone, Undelivered::Refused(_)), "{gone:?}");
    send(&client, "after@example.org").await.unwrap();
    let expected = [
        "before@example.org",
        "hangs@example.org",
        "after@example.org",
    ];
    assert_eq!(recipients(&server), expected);
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn what_fails_before_the_mail_is_shown_is_the_servers_fault() {
    let server = Server::start();
    let (patient, client) = (client(&server), client(&server).with_limit(SHORT));
    let port = server.address();
    for (step, reaction, expected) in [
        (0, Reaction::Hang, "does not answer within 100ms"),
        (
            0,
            Reaction::Drop,
            "fails at connecting: incomplete response",
        ),
        (0, Reaction::Answer(421), "answers 421 at connecting"),
        (1, Reaction::Hang, "does not answer within 100ms"),
        (
            1,
            Reaction::Answer(451),
            "answers 451 at the sender's address",
        ),
        (
            1,
            Reaction::Answer(553),
            "answers 553 at the sender's address",
        ),
    ] {
        server.script(move |at| match (step, at) {
            (0, Step::Greeting) | (1, Step::Sender(_)) => reaction,
            _ => Reaction::Go,
        });
        let client = if reaction == Reaction::Hang {
            &client
        } else {
            &patient
        };
        let failed = send(client, "a@example.org").await.unwrap_err();
        let expected = Undelivered::Unreachable(format!("the mail server {port} {expected}"));
        assert_eq!(failed, expected);
    }
    server.leave().await;
    let failed = send(&patient, "a@example.org").await.unwrap_err();
    assert!(
        matches!(&failed, Undelivered::Unreachable(text) if text.contains("Connection refused")),
        "{failed:?}"
    );
}

#[tokio::test]
async fn what_fails_afterwards_is_about_the_mail_and_does_not_name_its_recipient() {
    let server = Server::start();
    let client = client(&server);
    server.script(|step| match step {
        Step::Recipient("gone@example.org") => Reaction::Answer(550),
        Step::Recipient("later@example.org") => Reaction::Answer(450),
        Step::Content("large@example.org") => Reaction::Answer(552),
        Step::Content("spam@example.org") => Reaction::Answer(451),
        Step::Recipient("login@example.org") => Reaction::Answer(530),
        Step::Content("breaks@example.org") => Reaction::Drop,
        _ => Reaction::Go,
    });
    let refused = |text: &str| Undelivered::Refused(text.to_owned());
    let put_off = |text: &str| Undelivered::Temporary(text.to_owned());
    for (to, expected) in [
        (
            "gone@example.org",
            refused("the mail server answers 550 as the script says"),
        ),
        (
            "later@example.org",
            put_off("the mail server answers 450 as the script says"),
        ),
        (
            "large@example.org",
            refused("the mail server answers 552 as the script says"),
        ),
        (
            "spam@example.org",
            put_off("the mail server answers 451 as the script says"),
        ),
        (
            "login@example.org",
            put_off("the mail server answers 530 as the script says"),
        ),
        (
            "breaks@example.org",
            put_off("the connection broke off: incomplete response"),
        ),
    ] {
        assert_eq!(send(&client, to).await.unwrap_err(), expected);
    }
    send(&client, "fine@example.org").await.unwrap();
    // A refusal leaves the connection as it was; only the one that broke off was replaced.
    assert_eq!(server.connections(), 2);
    assert_eq!(recipients(&server), ["fine@example.org"]);
}

#[tokio::test]
async fn connections_that_the_server_closed_meanwhile_are_replaced() {
    let server = Server::start();
    let client = client(&server);
    send(&client, "before@example.org").await.unwrap();
    server.leave().await;
    server.come_back();
    send(&client, "after@example.org").await.unwrap();
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn a_server_that_puts_every_mail_off_is_at_fault_and_one_domain_alone_is_not() {
    let server = Server::start();
    let client = client(&server);
    server.script(|step| match step {
        Step::Recipient(to) if !to.ends_with("@works.example") => Reaction::Answer(450),
        _ => Reaction::Go,
    });
    for _ in 0..20 {
        let put_off = send(&client, "a@away.example").await.unwrap_err();
        assert!(matches!(put_off, Undelivered::Temporary(_)), "{put_off:?}");
    }
    send(&client, "a@works.example").await.unwrap();
    let mut last = None;
    for number in 0..10 {
        last = send(&client, &format!("a@{number}.example")).await.err();
    }
    assert!(
        matches!(&last, Some(Undelivered::Unreachable(text)) if text.ends_with("defers every mail")),
        "{last:?}"
    );
}

#[tokio::test]
async fn with_smtps_the_certificate_must_fit() {
    let server = Server::start_with(Encryption::Always, Some(("muster", "p@ss")));
    let url = format!(
        "smtps://muster:p%40ss@localhost:{}",
        server.address().port()
    );
    let refused = send(&at(&url), "a@example.org").await.unwrap_err();
    assert!(
        matches!(&refused, Undelivered::Unreachable(text) if text.contains("UnknownIssuer")),
        "{refused:?}"
    );

    let client = trusting(&url);
    send(&client, "a@example.org").await.unwrap();
    let found = client.check().await.unwrap();
    assert!(
        found.ends_with("answers, encrypted, and accepts the login"),
        "{found}"
    );
}

#[tokio::test]
async fn starttls_is_used_when_offered_and_insisted_on_when_required() {
    let offering = Server::start_with(Encryption::Offered, None);
    let any = client(&offering);
    send(&any, "a@example.org").await.unwrap();
    assert!(any.check().await.unwrap().contains("answers, encrypted"));
    let required =
        |server: &Server| format!("smtp://localhost:{}?tls=required", server.address().port());
    let strict = at(&required(&offering));
    assert!(strict.check().await.unwrap_err().contains("UnknownIssuer"));
    let strict = trusting(&required(&offering));
    send(&strict, "b@example.org").await.unwrap();

    let plain = Server::start();
    assert!(
        client(&plain)
            .check()
            .await
            .unwrap()
            .contains("answers, not encrypted")
    );
    let refused = at(&required(&plain)).check().await.unwrap_err();
    assert!(refused.contains("at STARTTLS"), "{refused}");
}

#[tokio::test]
async fn a_login_that_is_refused_is_said_without_the_password() {
    let server = Server::start_with(Encryption::None, Some(("muster", "right")));
    let url = |password: &str| format!("smtp://muster:{password}@{}", server.address());
    let wrong = at(&url("wrong"));
    let refused = send(&wrong, "a@example.org").await.unwrap_err();
    let text = format!(
        "the mail server {} answers 535 at the login",
        server.address()
    );
    assert_eq!(refused, Undelivered::Unreachable(text));
    assert!(!format!("{wrong:?}").contains("wrong"));
    let right = at(&url("right"));
    send(&right, "a@example.org").await.unwrap();
}
