//! The commands of administrators.

mod accounts;
mod clocks;
mod doctor;
mod mail;
mod sender;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use clap::Parser;
use core_service::{
    admin::{Command, Output},
    service::NewWebhook,
    settings::{DataSettings, MailSettings},
};
use domain::{
    account::ApiKey,
    clock::Clock,
    entropy::Entropy,
    ids::KeyId,
    job::{Destination, JobKind},
    plan::Plan,
    registration::Status,
    scope::Scope,
    webhook::{Content, Scheme, WebhookState},
};
use seal::SecretKeys;
use serde_json::json;
use server::Failure;
use storage::{self, Purpose, Store};
use test_postgres::Database;

use crate::{
    fixtures::{NOW, migrate},
    service::{
        Instance,
        guests::{guest, seats},
        public_event,
    },
};

/// As both binaries mount them.
#[derive(Debug, Parser)]
struct Program {
    #[command(flatten)]
    data: DataSettings,
    #[command(flatten)]
    mail: MailSettings,
    #[command(subcommand)]
    command: Command,
}

/// Where no name server is: tests ask nobody outside.
const NO_NAME_SERVER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 1);

async fn run_on(url: &str, arguments: &str) -> Result<Output, Failure> {
    run_asking(url, arguments, NO_NAME_SERVER).await
}

async fn run_asking(
    url: &str,
    arguments: &str,
    name_server: SocketAddr,
) -> Result<Output, Failure> {
    let words = ["muster", "--database-url", url];
    let program =
        Program::try_parse_from(words.into_iter().chain(arguments.split_whitespace())).unwrap();
    // The doctor compares clocks.
    let clock = match program.command {
        Command::Doctor(_) => Clock::system(),
        _ => Clock::manual(NOW),
    };
    let entropy = Entropy::system();
    let (data, mail) = (&program.data, &program.mail);
    let command = program.command.with_name_server(name_server);
    command.answer(data, mail, clock, entropy).await
}

/// What `doctor` finds with these keys in `MUSTER_SECRET_KEY`.
async fn examine_with_keys(database: &Database, keys: &SecretKeys) -> Output {
    let words = ["muster", "--database-url", database.url(), "doctor"];
    let program = Program::try_parse_from(words).unwrap();
    let command = program.command.with_name_server(NO_NAME_SERVER);
    let command = command.with_secret_keys(Some(keys.clone()));
    let (clock, entropy) = (Clock::system(), Entropy::system());
    let answer = command.answer(&program.data, &program.mail, clock, entropy);
    answer.await.unwrap()
}

async fn run(database: &Database, arguments: &str) -> Result<Output, Failure> {
    run_on(database.url(), arguments).await
}

async fn an_account_without_a_plan_lists_its_guests(database: Database) {
    let account = "account create --email fay@example.org --name Fay";
    let answer = run(&database, account).await.unwrap();
    assert_eq!(answer.json["plan"], "pro");
}

async fn an_account_and_a_key_are_made_beside_a_core_that_serves(database: Database) {
    let core = Instance::open(&database).await;
    let account = "account create --email fay@example.org --name Fay --plan premium";
    let answer = run(&database, account).await.unwrap();
    assert_eq!(answer.json["plan"], "premium");
    let answer = run(&database, "key create --email fay@example.org --name ci").await;
    let key = answer.unwrap().text;
    let header = format!("Bearer {key}");
    let caller = core
        .authenticator
        .authenticate(Some(&header))
        .await
        .unwrap();

    let business = "account set-plan --email FAY@example.org --plan business";
    run(&database, business).await.unwrap();
    let account = core.accounts.get(&caller).await.unwrap();
    assert_eq!(account.account.plan, Plan::Business);

    let answer = run(&database, "key list --json").await.unwrap();
    let id = caller.actor.key_id().unwrap().to_string();
    let expected = json!([{
        "id": id,
        "email": "fay@example.org",
        "name": "ci",
        "scopes": null,
        "created_at": "2030-01-01T00:00:00Z",
        "last_used_at": null,
        "expires_at": null,
        "revoked_at": null,
    }]);
    assert_eq!(answer.json, expected);
    assert_eq!(
        answer.text,
        format!(
            "ID                                    ACCOUNT          NAME  LAST USED  STATE  SCOPES\n\
             {id}  fay@example.org  ci    never      valid  all"
        )
    );

    run(&database, &format!("key revoke {id} --yes"))
        .await
        .unwrap();
    core.clock.advance_seconds(5);
    assert!(
        core.authenticator
            .authenticate(Some(&header))
            .await
            .is_err()
    );
}

async fn a_key_is_made_for_some_scopes_and_some_time(database: Database) {
    let core = Instance::open(&database).await;
    let account = "account create --email fay@example.org --name Fay --plan free";
    run(&database, account).await.unwrap();
    let create = "key create --email fay@example.org --name door --json";
    let terms = "--scope registrations:read --scope registrations:check_in --expires 12h";
    let made = run(&database, &format!("{create} {terms}")).await.unwrap();
    let scopes = json!(["registrations:read", "registrations:check_in"]);
    assert_eq!(made.json["scopes"], scopes);
    assert_eq!(made.json["expires_at"], "2030-01-01T12:00:00Z");

    let header = format!("Bearer {}", made.json["key"].as_str().unwrap());
    let caller = core
        .authenticator
        .authenticate(Some(&header))
        .await
        .unwrap();
    let granted: Vec<_> = caller.scopes.iter().map(Scope::name).collect();
    assert_eq!(json!(granted), scopes);
    core.clock.advance_seconds(12 * 60 * 60);
    assert!(
        core.authenticator
            .authenticate(Some(&header))
            .await
            .is_err()
    );

    let listed = run(&database, "key list").await.unwrap();
    assert_eq!(listed.json[0]["scopes"], scopes);
    assert_eq!(listed.json[0]["expires_at"], "2030-01-01T12:00:00Z");
    let line = "expires 2030-01-01T12:00:00Z  registrations:read registrations:check_in";
    assert!(listed.text.ends_with(line), "{}", listed.text);
    let audited = core.audit(caller.actor.key_id().unwrap().uuid()).await;
    let expected = json!({
        "label": "door",
        "scopes": "registrations:read registrations:check_in",
        "expires_at": "2030-01-01T12:00:00Z",
    });
    assert_eq!(
        (&audited[0]["action"], &audited[0]["after"]),
        (&json!("key.create"), &expected)
    );

    let until = format!("{create} --expires 2030-01-02");
    let until = run(&database, &until).await.unwrap();
    assert_eq!(until.json["expires_at"], "2030-01-02T00:00:00Z");
    assert_eq!(until.json["scopes"], json!(null));
    let past = format!("{create} --expires 2029-12-31");
    let past = run(&database, &past).await.unwrap_err();
    assert_eq!(
        (past.code(), past.to_string().as_str()),
        (64, "--expires must be in the future")
    );
    for (wrong, problem) in [
        (
            "--scope events:all",
            "must be one of events:read, events:write",
        ),
        ("--expires soon", "must be a time from now such as 90d"),
    ] {
        let words = format!("muster {create} {wrong}");
        let error = Program::try_parse_from(words.split(' ')).unwrap_err();
        assert!(error.to_string().contains(problem), "{error}");
    }
}

async fn erasing_says_what_it_did(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(1)).await;
    let added = instance.registrations.add(&olga, event.id, guest("ada"));
    added.await.unwrap();
    let answer = run(&database, "erase --email ada@example.org --yes")
        .await
        .unwrap();
    let expected = "registrations removed: 1\n\
        emails removed before they were sent: 1\n\
        emails removed from the mail folder: 0\n\
        private links removed: 1\n\
        waitlisted registrations that got a spot: 0\n\
        events from which name and address of the organizer were removed: 0";
    assert_eq!(answer.text, expected);
    let answer = run(&database, "erase --email ada@example.org --json --yes").await;
    let expected = json!({"registrations": 0, "mails": 0, "written_mails": 0, "links": 0, "promoted": 0, "events": 0, "person": false, "keys": 0, "passed_on": 0, "removed_accounts": 0});
    assert_eq!(answer.unwrap().json, expected);
    let refused = run(&database, "erase --email olga@example.org").await;
    let refused = refused.unwrap_err();
    assert_eq!(refused.code(), 1);
    assert!(
        refused.to_string().contains("--new-owner EMAIL"),
        "{refused}"
    );
    let answer = run(
        &database,
        "erase --email olga@example.org --new-owner otto@example.org --yes",
    );
    let answer = answer.await.unwrap();
    let expected = "keys revoked: 1, accounts with a new owner: 1, accounts removed: 0";
    assert!(answer.text.ends_with(expected), "{}", answer.text);
    let failure = run(&database, "erase --email ada").await.unwrap_err();
    assert_eq!(failure.code(), 64);
}

async fn what_cannot_be_undone_needs_a_yes(database: Database) {
    let core = Instance::open(&database).await;
    let olga = core.olga().await;
    let event = core.create(&olga, seats(1)).await;
    let added = core.registrations.add(&olga, event.id, guest("ada"));
    added.await.unwrap();
    let key = olga.actor.key_id().unwrap();
    for (command, plan) in [
        (
            "erase --email ada@example.org".to_owned(),
            "ada@example.org would be erased for good: 1 registration at 1 event, emails to them, and their name and address on events",
        ),
        (
            "erase --email olga@example.org --new-owner otto@example.org".to_owned(),
            "otto@example.org would own \"Olga Owner\"",
        ),
        (
            format!("key revoke {key}"),
            "of olga@example.org (never used) would be revoked for good",
        ),
        (
            "account remove --email olga@example.org".to_owned(),
            "would be removed for good, with 1 event, 1 registration, 1 key and 1 member",
        ),
    ] {
        let refused = run(&database, &command).await.unwrap_err();
        assert_eq!(refused.code(), 64, "{command}");
        let text = refused.to_string();
        assert!(text.starts_with("--yes is missing: "), "{text}");
        assert!(text.contains(plan), "{text}");
        let told = run(&database, &format!("{command} --dry-run")).await;
        let told = told.unwrap();
        assert!(told.text.contains(plan), "{}", told.text);
        assert_eq!(told.json["dry_run"], true, "{command}");
    }
    let still = core.store.list_registrations_of("ada@example.org", 10);
    assert_eq!(still.await.unwrap().len(), 1);
    let account = run(&database, "account show --email olga@example.org").await;
    assert_eq!(account.unwrap().json["keys"], 1);
    let listed = run(&database, "key list").await.unwrap();
    assert_eq!(listed.json[0]["revoked_at"], json!(null));
}

async fn revoking_a_key_lists_its_webhooks_and_keeps_them_if_that_is_wanted(database: Database) {
    let core = Instance::open(&database).await;
    for (email, option, state) in [
        ("olga@example.org", "", WebhookState::Disabled),
        ("otto@example.org", "--keep-webhooks", WebhookState::Active),
    ] {
        let caller = core.caller(email, Plan::Business).await;
        let new = NewWebhook {
            url: None,
            description: Some("Our CRM".to_owned()),
            types: Vec::new(),
            event: None,
            content: Content::Thin,
            scheme: Scheme::V1,
        };
        let made = core.webhooks.create(&caller, new).await.unwrap();
        let id = made.webhook.id;
        let command = format!("key revoke {} {option}", caller.actor.key_id().unwrap());
        let planned = run(&database, &format!("{command} --dry-run"))
            .await
            .unwrap();
        let would = match state {
            WebhookState::Disabled => {
                "would be disabled, unless you add --keep-webhooks: \"Our CRM\" (pulled)"
            }
            _ => "would go on: \"Our CRM\" (pulled)",
        };
        assert!(planned.text.ends_with(would), "{}", planned.text);
        let done = run(&database, &format!("{command} --yes")).await.unwrap();
        let expected = json!([{"id": id.to_string(), "description": "Our CRM", "host": null}]);
        assert_eq!(done.json["webhooks"], expected);
        let after = core.store.get_webhook(id).await.unwrap().unwrap();
        assert_eq!(after.state, state, "{email}");
        if state == WebhookState::Active {
            // It ends with the membership of the person for whom the key acted.
            let person = core
                .store
                .find_person_by_email(email)
                .await
                .unwrap()
                .unwrap();
            assert_eq!(after.created_by, Some(person.id.uuid()));
        }
    }
}

async fn a_key_that_acts_for_nobody_keeps_no_webhooks(database: Database) {
    let core = Instance::open(&database).await;
    let caller = core.caller("olga@example.org", Plan::Business).await;
    let id = caller.actor.key_id().unwrap();
    let (key, _) = core.store.find_key(id).await.unwrap().unwrap();
    let nobodys = ApiKey {
        id: KeyId::new(Entropy::system().uuid_v7(NOW)),
        hash: [7; 32],
        person_id: None,
        ..key
    };
    let mut tx = core.store.begin().await.unwrap();
    tx.insert_key(&nobodys).await.unwrap();
    tx.commit().await.unwrap();
    for consent in ["--dry-run", "--yes"] {
        let revoke = format!("key revoke {} --keep-webhooks {consent}", nobodys.id);
        let refused = run(&database, &revoke).await.unwrap_err();
        assert!(refused.to_string().contains("acts for nobody"), "{refused}");
    }
    let (key, _) = core.store.find_key(nobodys.id).await.unwrap().unwrap();
    assert_eq!(key.revoked_at, None);
    let revoke = format!("key revoke {} --yes", nobodys.id);
    run(&database, &revoke).await.unwrap();
}

async fn mails_that_failed_are_listed_and_sent_again(database: Database) {
    let core = Instance::open(&database).await;
    let olga = core.olga().await;
    let event = core.create(&olga, public_event("Rust Meetup")).await;
    let guests = core.register(event.id, &[Status::Confirmed; 3]).await;
    core.events.cancel(&olga, event.id, None).await.unwrap();
    let mut tx = core.store.begin().await.unwrap();
    let claimed = tx
        .claim_jobs(
            &Destination::MAIL,
            JobKind::CancellationMail,
            NOW,
            NOW.plus_seconds(60),
            10,
        )
        .await
        .unwrap();
    let gone = claimed
        .iter()
        .find(|job| job.key.subject_id == guests[0].id.uuid())
        .unwrap();
    let full = claimed
        .iter()
        .find(|job| job.key.subject_id == guests[1].id.uuid())
        .unwrap();
    assert!(tx.fail_job(gone, NOW, "answers 550").await.unwrap());
    assert!(
        tx.fail_job(full, NOW.plus_seconds(1), "answers\n552")
            .await
            .unwrap()
    );
    tx.commit().await.unwrap();

    let answer = run(&database, "mail failed --limit 1").await.unwrap();
    let (first, rest) = answer.text.split_once('\n').unwrap();
    assert!(
        first.starts_with("ID  ") && first.ends_with("FAILED                TRIES  WHY"),
        "{first}"
    );
    let expected = format!(
        "{}  {}  {} (cancelled)  2030-01-01T00:00:01Z  1      answers 552\nand 1 more; raise --limit",
        full.key, guests[1].email, event.slug
    );
    assert_eq!(rest, expected);
    // By its former name, too.
    let answer = run(&database, "mail dead --json").await.unwrap();
    assert_eq!(answer.json["count"], 2);
    let expected = json!({
        "id": gone.key.to_string(),
        "kind": "cancellation_mail",
        "registration_id": guests[0].id.to_string(),
        "email": guests[0].email,
        "event": { "slug": event.slug, "title": "Rust Meetup", "is_cancelled": true },
        "failed_at": "2030-01-01T00:00:00Z",
        "tries": 1,
        "last_error": "answers 550",
    });
    assert_eq!(answer.json["items"][1], expected);

    // The third did not fail, and the second is unknown only once it is retried.
    let third = claimed
        .iter()
        .find(|job| job.key != gone.key && job.key != full.key)
        .unwrap();
    let retry = format!("mail retry {} {}", full.key, third.key);
    let answer = run(&database, &retry).await.unwrap();
    assert!(!answer.succeeded);
    assert_eq!(
        answer.json,
        json!({ "retried": 1, "unknown": [third.key.to_string()] })
    );
    let answer = run(&database, "mail retry --all").await.unwrap();
    assert_eq!(answer.text, "1 email will be sent again");
    assert_eq!(
        run(&database, "mail failed").await.unwrap().text,
        "there are no failed emails"
    );

    // They begin anew, under leases that no earlier runner can mistake for its own.
    let mut tx = core.store.begin().await.unwrap();
    let again = tx
        .claim_jobs(
            &Destination::MAIL,
            JobKind::CancellationMail,
            NOW,
            NOW.plus_seconds(60),
            10,
        )
        .await
        .unwrap();
    assert_eq!(again.len(), 2);
    assert!(again.iter().all(|job| (job.attempt, job.tries) == (2, 1)));
    assert_eq!(tx.finish_jobs(&[gone, full]).await.unwrap(), 0);
    drop(tx);
    let audit = core.audit(guests[0].id.uuid()).await.pop().unwrap();
    assert_eq!(audit["action"], "mail.retry");
    assert_eq!(
        (&audit["actor"], &audit["after"]),
        (&json!("admin"), &json!({ "kind": "cancellation_mail" }))
    );
}

async fn what_is_wrong_is_said_in_a_line_each(database: Database) {
    let wrong = "account create --email fay --name \u{7} --timezone Mars";
    let failure = run(&database, wrong).await.unwrap_err();
    assert_eq!(failure.code(), 64);
    assert_eq!(
        failure.to_string(),
        "--email must be an email address, for example ada@example.org\n\
         --name must not have control characters, line breaks or marks that reorder text\n\
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

test_postgres::on_both_engines!(prepare: migrate;
    an_account_without_a_plan_lists_its_guests,
    an_account_and_a_key_are_made_beside_a_core_that_serves,
    a_key_is_made_for_some_scopes_and_some_time,
    erasing_says_what_it_did,
    what_cannot_be_undone_needs_a_yes,
    revoking_a_key_lists_its_webhooks_and_keeps_them_if_that_is_wanted,
    a_key_that_acts_for_nobody_keeps_no_webhooks,
    mails_that_failed_are_listed_and_sent_again,
    what_is_wrong_is_said_in_a_line_each,
);

#[tokio::test]
async fn a_database_without_a_schema_is_refused_until_it_is_migrated() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("new.db").display());
    let refused = run_on(&url, "key list").await.unwrap_err();
    assert!(refused.to_string().contains("migrate` first"));
    let answer = run_on(&url, "doctor").await.unwrap();
    assert!(answer.text.contains("ERROR  schema"), "{}", answer.text);

    let answer = run_on(&url, "migrate").await.unwrap();
    let names = "migrated the database: 0001_initial, 0002_registering, ";
    assert!(answer.text.starts_with(names), "{}", answer.text);
    assert_eq!(
        run_on(&url, "key list --json").await.unwrap().json,
        json!([])
    );
}

#[tokio::test]
async fn a_copy_is_made_while_core_serves_and_can_be_served_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let url = |name: &str| format!("sqlite://{}", path(name));
    let none = run_on(&url("muster.db"), &format!("backup {}", path("copy.db"))).await;
    assert!(
        none.unwrap_err()
            .to_string()
            .contains("there is no database")
    );

    run_on(&url("muster.db"), "migrate").await.unwrap();
    let options = storage::Options::new(url("muster.db"), Purpose::Serve);
    let serving = Store::open(&options).await.unwrap();
    let account = "account create --email fay@example.org --name Fay --plan free";
    run_on(&url("muster.db"), account).await.unwrap();
    // A change that is under way is not in it.
    let open = serving.begin().await.unwrap();
    let backup = format!("backup {}", path("copy.db"));
    let done = run_on(&url("muster.db"), &backup).await.unwrap();
    drop(open);
    assert!(done.json["bytes"].as_u64().unwrap() > 0);
    let again = run_on(&url("muster.db"), &backup).await.unwrap_err();
    assert!(again.to_string().contains("already exists"), "{again}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path("copy.db")).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o600);
    }

    let copy = storage::Options::new(url("copy.db"), Purpose::Serve);
    let copy = Store::open(&copy).await.unwrap();
    copy.require_schema().await.unwrap();
    let accounts = run_on(&url("copy.db"), "account list").await.unwrap();
    assert_eq!(accounts.json[0]["email"], "fay@example.org");
    let unfinished = std::fs::read_dir(folder.path()).unwrap();
    let mut paths = unfinished.map(|file| file.unwrap().path());
    assert!(paths.all(|path| path.extension().is_none_or(|kind| kind != "part")));
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
