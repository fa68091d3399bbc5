//! The commands of administrators.

use clap::Parser;
use core_service::{
    admin::{Answer, Command},
    domain::{clock::Clock, entropy::Entropy, plan::Plan},
    settings::DataSettings,
};
use process::Failure;
use serde_json::json;
use test_postgres::Database;

use crate::{
    fixtures::{NOW, migrate},
    service::{
        Desk,
        registering::{guest, seats},
    },
};

/// As both binaries mount them.
#[derive(Debug, Parser)]
struct Program {
    #[command(flatten)]
    data: DataSettings,
    #[command(subcommand)]
    command: Command,
}

async fn run_on(url: &str, arguments: &str) -> Result<Answer, Failure> {
    let words = ["muster", "--database-url", url];
    let program = Program::try_parse_from(words.into_iter().chain(arguments.split(' '))).unwrap();
    let clock = Clock::manual(NOW);
    let entropy = Entropy::system();
    program.command.answer(&program.data, clock, entropy).await
}

async fn run(database: &Database, arguments: &str) -> Result<Answer, Failure> {
    run_on(database.url(), arguments).await
}

async fn an_account_and_a_key_are_made_beside_a_core_that_serves(database: Database) {
    let core = Desk::open(&database).await;
    let account = "account create --email fay@example.org --name Fay --plan premium";
    let answer = run(&database, account).await.unwrap();
    assert_eq!(answer.json["plan"], "premium");
    let answer = run(&database, "key create --email fay@example.org --name ci").await;
    let key = answer.unwrap().text;
    let header = format!("Bearer {key}");
    let caller = core.service.authenticate(Some(&header)).await.unwrap();

    let business = "account set-plan --email FAY@example.org --plan business";
    run(&database, business).await.unwrap();
    let account = core.service.get_account(&caller).await.unwrap();
    assert_eq!(account.account.plan, Plan::Business);

    let answer = run(&database, "key list --json").await.unwrap();
    let id = caller.key_id.to_string();
    let expected = json!([{
        "id": id,
        "email": "fay@example.org",
        "name": "ci",
        "created_at": "2030-01-01T00:00:00Z",
        "last_used_at": null,
        "expires_at": null,
        "revoked_at": null,
    }]);
    assert_eq!(answer.json, expected);
    assert_eq!(
        answer.text,
        format!(
            "ID                                    ACCOUNT          NAME  LAST USED  STATE\n\
             {id}  fay@example.org  ci    never      valid"
        )
    );

    run(&database, &format!("key revoke {id}")).await.unwrap();
    core.clock.advance_seconds(5);
    assert!(core.service.authenticate(Some(&header)).await.is_err());
}

async fn erasing_says_what_it_did(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let event = desk.create(&olga, seats(1)).await;
    let added = desk.service.add_registration(&olga, event.id, guest("ada"));
    added.await.unwrap();
    let answer = run(&database, "erase --email ada@example.org")
        .await
        .unwrap();
    assert_eq!(
        answer.text,
        "removed 1 registrations, 1 mails and 1 private links; 0 people got the seats"
    );
    let answer = run(&database, "erase --email ada@example.org --json").await;
    let expected = json!({"registrations": 0, "mails": 0, "links": 0, "promoted": 0, "account": false, "keys": 0});
    assert_eq!(answer.unwrap().json, expected);
    let answer = run(&database, "erase --email olga@example.org")
        .await
        .unwrap();
    assert!(answer.text.contains("revoked 1 keys"), "{}", answer.text);
    let failure = run(&database, "erase --email ada").await.unwrap_err();
    assert_eq!(failure.code(), 64);
}

async fn what_is_wrong_is_said_in_a_line_each(database: Database) {
    let wrong = "account create --email fay --name \u{7} --timezone Mars";
    let failure = run(&database, wrong).await.unwrap_err();
    assert_eq!(failure.code(), 64);
    assert_eq!(
        failure.to_string(),
        "--email must be an e-mail address, for example ada@example.org\n\
         --name must not contain control characters\n\
         --timezone must be the name of an IANA time zone, for example Europe/Berlin"
    );
    for (arguments, text) in [
        (
            "key create --email fay@example.org --name ci",
            "there is no such account",
        ),
        (
            "account set-plan --email fay@example.org --plan pro",
            "there is no such account",
        ),
        (
            "key revoke 00000000-0000-0000-0000-000000000000",
            "there is no such key",
        ),
    ] {
        let failure = run(&database, arguments).await.unwrap_err();
        assert_eq!((failure.code(), failure.to_string().as_str()), (1, text));
    }
}

async fn a_migrated_database_is_well(database: Database) {
    let answer = run(&database, "migrate").await.unwrap();
    assert_eq!(answer.json, json!({ "applied": [] }));
    let answer = run(&database, "doctor").await.unwrap();
    assert!(answer.is_well, "{}", answer.text);
}

test_postgres::on_both_engines!(prepare: migrate;
    an_account_and_a_key_are_made_beside_a_core_that_serves,
    erasing_says_what_it_did,
    what_is_wrong_is_said_in_a_line_each,
    a_migrated_database_is_well,
);

#[tokio::test]
async fn doctor_finds_a_database_that_is_missing_and_makes_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("none.db");
    let url = format!("sqlite://{}", path.display());
    let answer = run_on(&url, "doctor").await.unwrap();
    assert!(!answer.is_well);
    assert!(answer.text.contains("there is no file"), "{}", answer.text);
    assert!(!path.exists());
}

#[tokio::test]
async fn a_database_without_a_schema_is_refused_until_it_is_migrated() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("new.db").display());
    let refused = run_on(&url, "key list").await.unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("run the command migrate first")
    );
    let answer = run_on(&url, "doctor").await.unwrap();
    assert!(answer.text.contains("WRONG  schema"), "{}", answer.text);

    let answer = run_on(&url, "migrate").await.unwrap();
    assert_eq!(
        answer.text,
        "migrated the database: 0001_initial, 0002_registering"
    );
    assert_eq!(
        run_on(&url, "key list --json").await.unwrap().json,
        json!([])
    );
}

#[tokio::test]
async fn an_unreachable_server_is_one_clear_line_without_the_password() {
    let url = "postgres://muster:secret@127.0.0.1:1/muster";
    let failure = run_on(url, "key list").await.unwrap_err().to_string();
    assert!(
        failure.contains("postgres://127.0.0.1:1/muster"),
        "{failure}"
    );
    assert!(
        !failure.contains("secret") && !failure.contains('\n'),
        "{failure}"
    );
}
