//! The commands on accounts, and take-downs of events.

use clap::{CommandFactory as _, Parser as _};
use serde_json::json;
use test_postgres::Database;

use super::{Program, run};
use crate::{
    fixtures::migrate,
    mail::Mailbox,
    service::{
        Instance,
        guests::{guest, seats},
        signing_in::browser,
    },
};

async fn accounts_are_listed_and_shown(database: Database) {
    let core = Instance::open(&database).await;
    let olga = core.olga().await;
    let event = core.create(&olga, seats(2)).await;
    let added = core.registrations.add(&olga, event.id, guest("ada"));
    added.await.unwrap();
    let listed = run(&database, "account list").await.unwrap();
    let expected = format!(
        "ID                                    OWNER             PLAN      STATE   CREATED               NAME\n\
         {}  olga@example.org  business  active  2030-01-01T00:00:00Z  Olga Owner",
        olga.account
    );
    assert_eq!(listed.text, expected);
    assert_eq!(listed.json[0]["is_suspended"], false);

    for which in [
        "--email OLGA@example.org".to_owned(),
        format!("--id {}", olga.account),
    ] {
        let shown = run(&database, &format!("account show {which}"))
            .await
            .unwrap();
        let expected = "registrations  1\n\
                        keys           1\n\
                        owner          olga@example.org (Olga Owner)";
        assert!(shown.text.ends_with(expected), "{}", shown.text);
        assert_eq!(
            (&shown.json["events"], &shown.json["keys"]),
            (&json!(1), &json!(1))
        );
        assert_eq!(shown.json["members"][0]["role"], "owner");
    }
    for (wrong, text) in [
        (
            "account show --email nobody@example.org",
            "there is no such account",
        ),
        (
            "account resume --id 00000000-0000-0000-0000-000000000000",
            "there is no such account",
        ),
        ("event hide nothing", "there is no such event"),
    ] {
        let failure = run(&database, wrong).await.unwrap_err();
        assert_eq!((failure.code(), failure.to_string().as_str()), (1, text));
    }
    for (wrong, text) in [
        ("muster account show", "<--email <EMAIL>|--id <ID>>"),
        (
            "muster account suspend --id 7",
            "from `muster account list`",
        ),
        ("muster event hide", "<EVENT>"),
    ] {
        let error = Program::try_parse_from(wrong.split(' ')).unwrap_err();
        assert!(error.to_string().contains(text), "{error}");
    }
}

async fn who_owns_several_accounts_is_asked_which(database: Database) {
    let core = Instance::open(&database).await;
    let olga = core.someone("olga@example.org", 1).await;
    let mut otto = core.someone("otto@example.org", 2).await;
    let role = domain::person::Role::Owner;
    let own = core.standing_of(&otto).await.account;
    let shared = core.join(&olga, &mut otto, "otto@example.org", role).await;
    let which = [
        "account set-plan --plan pro",
        "account show",
        "account suspend",
        "account trust",
        "account resume",
        "account remove --yes",
        "key create --name ci",
    ];
    assert_eq!(take_an_account(), which.map(first_two_words));
    for command in which {
        let unclear = run(&database, &format!("{command} --email otto@example.org")).await;
        let unclear = unclear.unwrap_err();
        assert_eq!(unclear.code(), 1, "{command}");
        assert_eq!(
            unclear.to_string(),
            format!(
                "this person owns several accounts: choose one with --id: {shared} (\"olga\"), {own} (\"otto\")"
            ),
            "{command}"
        );
    }
    let plans = async || {
        let all = core.accounts.list().await.unwrap();
        let plan = |id| all.iter().find(|one| one.id == id).unwrap().plan.name();
        [plan(own), plan(shared)]
    };
    assert_eq!(plans().await, ["free", "free"], "nothing was guessed");
    for command in which {
        let chosen = format!("{command} --id {own}");
        let done = run(&database, &chosen).await;
        assert!(done.is_ok(), "{chosen}: {done:?}");
        if command.starts_with("account set-plan") {
            assert_eq!(plans().await, ["pro", "free"]);
        }
        if command.starts_with("account remove") {
            break;
        }
    }
    let key = run(&database, &format!("key create --name ci --id {shared}")).await;
    let header = format!("Bearer {}", key.unwrap().text);
    let caller = core.authenticator.authenticate(Some(&header)).await;
    assert_eq!(caller.unwrap().account, shared);
}

fn first_two_words(command: &str) -> String {
    let words: Vec<_> = command.split(' ').take(2).collect();
    words.join(" ")
}

/// The commands to which an account is named by its owner's address.
fn take_an_account() -> Vec<String> {
    let mut found = Vec::new();
    for group in Program::command().get_subcommands() {
        for command in group.get_subcommands() {
            let name = format!("{} {}", group.get_name(), command.get_name());
            let takes = |long: &str| {
                command
                    .get_arguments()
                    .any(|one| one.get_long() == Some(long))
            };
            // These two take a person.
            let is_about_people = matches!(&*name, "account create" | "account sign-in-link");
            if takes("email") && !is_about_people {
                assert!(takes("id"), "{name}");
                found.push(name);
            }
        }
    }
    found
}

async fn a_link_signs_in_once(database: Database) {
    let core = Instance::open(&database).await;
    core.olga().await;
    let link =
        "account sign-in-link --email olga@example.org --public-url https://events.example.org";
    let link = run(&database, link).await.unwrap().text;
    let token = link.strip_prefix("https://events.example.org/sign-in/link/");
    let token = token.unwrap();
    let new = core.sign_in.use_link(token, &browser(1)).await.unwrap();
    assert!(core.caller_of(&new).await.unwrap().principal.is_some());
    assert!(core.sign_in.use_link(token, &browser(2)).await.is_err());
    let unknown = run(&database, "account sign-in-link --email nobody@example.org").await;
    let unknown = unknown.unwrap_err().to_string();
    assert!(
        unknown.contains("account create --email nobody@example.org"),
        "{unknown}"
    );
}

async fn an_account_is_suspended_and_resumed_beside_a_core_that_serves(database: Database) {
    let core = Instance::open(&database).await;
    let olga = core.olga().await;
    let event = core.create(&olga, seats(2)).await;
    let suspend = "account suspend --email olga@example.org --reason spam";
    let done = run(&database, suspend).await.unwrap();
    let resume = format!("account resume --id {}", olga.account);
    assert!(done.text.ends_with(&resume), "{}", done.text);
    assert!(core.catalogue.page(&event.slug).await.is_err());
    let again = run(&database, suspend).await.unwrap();
    assert!(
        again.text.ends_with("was suspended already"),
        "{}",
        again.text
    );
    let listed = run(&database, "account list").await.unwrap();
    assert!(listed.text.contains("  suspended  "), "{}", listed.text);
    let audit = core.audit(olga.account.uuid()).await;
    let entry = audit.iter().find(|one| one["action"] == "account.suspend");
    assert_eq!(entry.unwrap()["reason"], "spam");

    run(&database, &resume).await.unwrap();
    assert!(core.catalogue.page(&event.slug).await.is_ok());
    let again = run(&database, &resume).await.unwrap();
    assert!(again.text.ends_with("was not suspended"), "{}", again.text);
}

async fn the_operator_trusts_an_account_that_signed_itself_up(database: Database) {
    let core = Instance::open(&database).await;
    core.someone("nora@example.org", 1).await;
    let state = async || {
        let shown = run(&database, "account show --email nora@example.org").await;
        shown.unwrap().json["is_trusted"].clone()
    };
    assert_eq!(state().await, false);
    let trust = "account trust --email nora@example.org";
    let done = run(&database, trust).await.unwrap();
    let expected = "may mail as many people a day as its plan allows";
    assert!(done.text.ends_with(expected), "{}", done.text);
    assert_eq!(state().await, true);
    let again = run(&database, trust).await.unwrap();
    assert!(
        again.text.ends_with("was trusted already"),
        "{}",
        again.text
    );
    // Whom an operator gives an account need not earn it.
    core.olga().await;
    let shown = run(&database, "account show --email olga@example.org").await;
    assert_eq!(shown.unwrap().json["is_trusted"], true);
}

async fn an_account_is_removed_once_everyone_was_told(database: Database) {
    let core = Instance::open(&database).await;
    let mailbox = Mailbox::of(&core);
    let olga = core.olga().await;
    let event = core.create(&olga, seats(2)).await;
    let added = core.registrations.add(&olga, event.id, guest("ada"));
    added.await.unwrap();
    mailbox.collect().await;
    let remove = "account remove --email olga@example.org";
    let unconfirmed = run(&database, remove).await.unwrap_err();
    assert_eq!(unconfirmed.code(), 64);
    let what = "1 event, 1 registration, 1 key and 1 member";
    assert!(unconfirmed.to_string().ends_with(what), "{unconfirmed}");
    let remove = format!("{remove} --yes");
    let unheard = run(&database, &remove).await.unwrap_err().to_string();
    assert!(unheard.contains("--cancel-events REASON"), "{unheard}");

    let cancel = format!("{remove} --cancel-events closing");
    let cancelled = run(&database, &cancel).await.unwrap();
    assert_eq!(cancelled.json["removed"], false);
    assert_eq!(
        (
            &cancelled.json["cancelled_events"],
            &cancelled.json["mails"]
        ),
        (&json!(1), &json!(1))
    );
    let too_early = run(&database, &remove).await.unwrap_err().to_string();
    assert!(too_early.contains("still to be sent"), "{too_early}");
    let mail = mailbox.collect().await.remove(0);
    assert!(mail.text.contains("closing"), "{}", mail.text);

    let removed = run(&database, &remove).await.unwrap();
    assert_eq!(
        (&removed.json["removed"], &removed.json["events"]),
        (&json!(true), &json!(1))
    );
    assert_eq!(core.store.find_event(event.id).await.unwrap(), None);
    assert_eq!(
        run(&database, "account list").await.unwrap().json,
        json!([])
    );
}

async fn an_event_is_taken_down_by_its_url_and_shown_again(database: Database) {
    let core = Instance::open(&database).await;
    let olga = core.olga().await;
    let event = core.create(&olga, seats(2)).await;
    let hide = format!(
        "event hide https://muster.example/events/{} --reason spam",
        event.slug
    );
    let hidden = run(&database, &hide).await.unwrap();
    let show = format!("event show {}", event.slug);
    assert!(hidden.text.ends_with(&show), "{}", hidden.text);
    assert!(core.catalogue.page(&event.slug).await.is_err());
    let again = run(&database, &hide).await.unwrap();
    assert!(again.text.ends_with("was hidden already"), "{}", again.text);
    run(&database, &show).await.unwrap();
    assert!(core.catalogue.page(&event.slug).await.is_ok());
    let again = run(&database, &show).await.unwrap();
    assert!(again.text.ends_with("was not hidden"), "{}", again.text);
}

test_postgres::on_both_engines!(prepare: migrate;
    accounts_are_listed_and_shown,
    who_owns_several_accounts_is_asked_which,
    a_link_signs_in_once,
    an_account_is_suspended_and_resumed_beside_a_core_that_serves,
    the_operator_trusts_an_account_that_signed_itself_up,
    an_account_is_removed_once_everyone_was_told,
    an_event_is_taken_down_by_its_url_and_shown_again,
);
