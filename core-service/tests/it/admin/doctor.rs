//! The command `doctor`.

use std::sync::Arc;

use clap::Parser as _;
use core_service::{
    admin::Output,
    jobs::Maintenance,
    service::{NewWebhook, Policy, UseCases, WebhookPolicy, Webhooks},
};
use domain::{
    clock::Clock,
    entropy::Entropy,
    job::{Destination, JobKind},
    registration::Status,
    webhook::{Content, Scheme},
};
use seal::SecretKeys;
use serde_json::json;
use server::exposure::Exposure;
use storage::KeyUses;
use test_postgres::Database;
use test_smtp::{Encryption, Reaction, Server, Step};

use super::{NO_NAME_SERVER, Program, examine_with_keys, run, run_on};
use crate::{
    fixtures::{NOW, migrate},
    service::{Instance, public_event},
};

async fn a_migrated_database_has_no_errors(database: Database) {
    let answer = run(&database, "migrate").await.unwrap();
    assert_eq!(answer.json, json!({ "applied": [] }));
    let answer = run(&database, "doctor").await.unwrap();
    assert!(answer.succeeded, "{}", answer.text);
    assert!(answer.text.ends_with("\nno errors"), "{}", answer.text);
    let expected = "note   mail            no email is sent: without --smtp-url (MUSTER_SMTP_URL), emails are written to ./data/mail";
    if database.is_postgres() {
        assert!(answer.text.contains(expected), "{}", answer.text);
        let expected = "ok     database clock  agrees with this machine's";
        assert!(answer.text.contains(expected), "{}", answer.text);
    }
}

async fn doctor_says_what_others_can_reach(database: Database) {
    let found = async |exposure: Exposure| {
        let words = ["muster", "--database-url", database.url(), "doctor"];
        let program = Program::try_parse_from(words).unwrap();
        let command = program.command.with_name_server(NO_NAME_SERVER);
        let command = command.exposed(exposure);
        let (clock, entropy) = (Clock::system(), Entropy::system());
        let answer = command.answer(&program.data, &program.mail, clock, entropy);
        let answer = answer.await.unwrap();
        // A network may make up for it.
        assert!(answer.succeeded, "{}", answer.text);
        let lines = answer
            .text
            .lines()
            .filter(|line| line.contains(" exposure "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let local = Exposure {
        http: Some("127.0.0.1:8080".parse().unwrap()),
        ..Exposure::default()
    };
    let fine = found(local).await;
    assert_eq!(fine.len(), 1, "{fine:?}");
    assert!(fine[0].starts_with("ok "), "{fine:?}");
    assert!(fine[0].contains("is as it should be"), "{fine:?}");
    let open = |public_url: &str| Exposure {
        public_url: Some(public_url.to_owned()),
        http: Some("127.0.0.1:8080".parse().unwrap()),
        has_proxies: false,
        grpc: Some(("0.0.0.0:50051".parse().unwrap(), false)),
    };
    let told = found(open("http://muster.invalid")).await;
    for words in [
        "is plain http",
        "the gRPC port 0.0.0.0:50051",
        "/healthz does not answer from here",
    ] {
        let is_told = |line: &String| line.starts_with("note ") && line.contains(words);
        assert!(told.iter().any(is_told), "{words}: {told:?}");
    }
    let told = found(open("https://muster.invalid")).await;
    assert!(told[1].contains("--trusted-proxies"), "{told:?}");
}

async fn doctor_tries_the_mail_server(database: Database) {
    let server = Server::start_with(Encryption::None, Some(("muster", "right")));
    let address = server.address();
    let doctor = |password: &str, more: &str| {
        format!(
            "doctor --smtp-url smtp://muster:{password}@{address} --mail-from events@muster.example{more}"
        )
    };
    let mail = |answer: Output| {
        let checks = answer.json["checks"].as_array().unwrap().clone();
        let found = checks.into_iter().find(|check| check["name"] == "mail");
        (
            answer.succeeded,
            found.unwrap()["message"].as_str().unwrap().to_owned(),
        )
    };
    let answers =
        format!("the mail server {address} answers, not encrypted, and accepts the login");
    let answer = run(&database, &doctor("right", "")).await.unwrap();
    let expected = format!("{answers}; --mail-to ADDRESS sends a test email");
    assert_eq!(mail(answer), (true, expected));
    assert!(server.mails().is_empty());

    let answer = run(&database, &doctor("right", " --mail-to ada@example.org")).await;
    let expected = format!(
        "{answers}, and accepted the test email; check that it arrives, and that it is not marked as spam"
    );
    assert_eq!(mail(answer.unwrap()), (true, expected));
    let sent = server.mails().pop().unwrap();
    assert_eq!(sent.recipients, ["ada@example.org"]);
    assert_eq!(sent.header("Subject"), Some("A test email from Muster"));

    let mend = "check --smtp-url (MUSTER_SMTP_URL), --mail-from and the server's log";
    let answer = run(&database, &doctor("wrong", "")).await.unwrap();
    assert!(answer.text.ends_with("\n1 error"), "{}", answer.text);
    let expected = format!("the mail server {address} answers 535 at the login; {mend}");
    assert_eq!(mail(answer), (false, expected));
    server.script(|step| match step {
        Step::Recipient(_) => Reaction::Answer(554),
        _ => Reaction::Go,
    });
    let answer = run(&database, &doctor("right", " --mail-to ada@example.org")).await;
    let expected = format!("the mail server answers 554 as the script says; {mend}");
    assert_eq!(mail(answer.unwrap()), (false, expected));
    server.leave().await;
    let (succeeded, found) = mail(run(&database, &doctor("right", "")).await.unwrap());
    assert!(
        !succeeded && found.contains("Connection refused"),
        "{found}"
    );
}

async fn doctor_says_which_mails_wait_and_which_failed(database: Database) {
    let core = Instance::open(&database).await;
    let olga = core.olga().await;
    let event = core.create(&olga, public_event("Rust Meetup")).await;
    core.register(event.id, &[Status::Confirmed; 3]).await;
    core.events.cancel(&olga, event.id, None).await.unwrap();
    let answer = run(&database, "doctor").await.unwrap();
    let expected = "3 waiting, the oldest since 2030-01-01T00:00:00Z, none failed";
    assert!(answer.text.contains(expected), "{}", answer.text);
    let mut tx = core.store.begin().await.unwrap();
    let claimed = tx
        .claim_jobs(
            &Destination::MAIL,
            JobKind::CancellationMail,
            NOW,
            NOW.plus_seconds(60),
            1,
        )
        .await
        .unwrap();
    assert!(tx.fail_job(&claimed[0], NOW, "answers 550").await.unwrap());
    tx.commit().await.unwrap();
    let answer = run(&database, "doctor").await.unwrap();
    assert!(answer.succeeded);
    let expected = "1 failed; `muster mail failed` says why, `muster mail retry` sends them again";
    assert!(answer.text.contains(expected), "{}", answer.text);
}

/// Webhooks of a core with these keys.
fn webhooks(core: &Instance, keys: &SecretKeys) -> Webhooks {
    let webhooks = WebhookPolicy {
        keys: Arc::new(keys.clone()),
        egress: None,
    };
    let policy = Policy {
        webhooks,
        ..Policy::default()
    };
    UseCases::new(core.commands.clone(), policy).webhooks
}

async fn doctor_says_which_secrets_the_keys_of_this_core_do_not_open(database: Database) {
    let core = Instance::open(&database).await;
    let olga = core.olga().await;
    let (old, new): (SecretKeys, SecretKeys) = (
        "07".repeat(32).parse().unwrap(),
        "08".repeat(32).parse().unwrap(),
    );
    let both = SecretKeys::new(new.current().clone(), vec![old.current().clone()]);
    for keys in [&old, &old, &new] {
        let pulled = NewWebhook {
            url: None,
            description: None,
            types: Vec::new(),
            event: None,
            content: Content::Thin,
            scheme: Scheme::V1,
        };
        webhooks(&core, keys).create(&olga, pulled).await.unwrap();
    }
    let [old_print, new_print] = [&old, &new].map(|keys| keys.current().fingerprint());

    let found = examine_with_keys(&database, &new).await;
    assert!(!found.succeeded, "{}", found.text);
    let expected = format!(
        "this is {new_print}, but secrets of webhooks are sealed under others: 2 under {old_print};"
    );
    assert!(found.text.contains(&expected), "{}", found.text);
    let found = examine_with_keys(&database, &old).await;
    assert!(
        found.text.contains(&format!("1 under {new_print};")),
        "{}",
        found.text
    );

    let found = examine_with_keys(&database, &both).await;
    let expected = format!("{new_print} seals; 2 secrets are sealed under the keys behind it");
    assert!(
        found.succeeded && found.text.contains(&expected),
        "{}",
        found.text
    );

    let maintenance = Maintenance::new(core.commands.clone(), KeyUses::default());
    let maintenance = maintenance.with_webhooks(webhooks(&core, &both));
    maintenance.maintain_once().await.unwrap();
    let found = examine_with_keys(&database, &both).await;
    assert!(
        found.text.contains("are not needed any more"),
        "{}",
        found.text
    );
    let found = examine_with_keys(&database, &new).await;
    let expected = format!("{new_print} opens every secret");
    assert!(
        found.succeeded && found.text.contains(&expected),
        "{}",
        found.text
    );
}

test_postgres::on_both_engines!(prepare: migrate;
    doctor_says_which_secrets_the_keys_of_this_core_do_not_open,
    a_migrated_database_has_no_errors,
    doctor_says_what_others_can_reach,
    doctor_tries_the_mail_server,
    doctor_says_which_mails_wait_and_which_failed,
);

#[tokio::test]
async fn doctor_finds_a_database_that_is_missing_and_makes_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.db");
    let url = format!("sqlite://{}", path.display());
    let answer = run_on(&url, "doctor").await.unwrap();
    assert!(!answer.succeeded);
    assert!(answer.text.contains("does not exist"), "{}", answer.text);
    assert!(!path.exists());
}
