//! `mail bounce`, as a mail server runs it.

use std::{io::Write as _, process::Stdio};

use test_postgres::Database;

use super::{Outbox, report};
use crate::{
    binary::{core, wait},
    fixtures::migrate,
};

/// The exit code, and what was printed.
fn bounce(url: &str, message: &str) -> (i32, String) {
    let mut command = core(&["--database-url", url, "mail", "bounce"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(message.as_bytes()).unwrap();
    drop(input);
    let code = wait(&mut child).code().unwrap();
    let output = child.wait_with_output().unwrap();
    (code, String::from_utf8(output.stdout).unwrap())
}

async fn a_mail_server_pipes_a_report_and_an_automatic_reply(database: Database) {
    let outbox = Outbox::open(&database).await;
    let (_, sender) = outbox.mail("ada@example.org").await;
    let url = database.url().to_owned();
    let message = |name| report(name, &sender, "ada@example.org");
    let reply = bounce(&url, &message("vacation"));
    let expected = "ignored: it is not a delivery report (RFC 3464)\n";
    assert_eq!(reply, (0, expected.to_owned()));
    let first = bounce(&url, &message("postfix"));
    let expected = "recorded that the email came back\n";
    assert_eq!(first, (0, expected.to_owned()));
    let second = bounce(&url, &message("postfix"));
    let expected = "ignored: the email was reported before\n";
    assert_eq!(second, (0, expected.to_owned()));
    assert_eq!(outbox.numbers().await, [("bounced".to_owned(), 1)]);
}

test_postgres::on_both_engines!(prepare: migrate; a_mail_server_pipes_a_report_and_an_automatic_reply);

#[test]
fn a_report_that_cannot_be_recorded_now_is_to_come_again() {
    let message = report(
        "postfix",
        "bounces+abcdefghijklmnopqrstuvwxy2@muster.example",
        "ada@example.org",
    );
    let away = "postgres://nobody@127.0.0.1:1/none";
    assert_eq!(bounce(away, &message).0, 75);
}
