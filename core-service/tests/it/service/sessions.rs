//! Sessions: how they end, and how they step up.

use core_service::service::{Error, NewSession};
use domain::{ids::SessionId, person::Role};
use test_postgres::Database;

use super::{
    Instance,
    signing_in::{DAY, MINUTE, another, browser, is_wrong, must_ask_again},
};
use crate::{fixtures::migrate, mail::Mailbox};

async fn a_session_that_was_ended_is_unknown_everywhere(database: Database) {
    let instance = Instance::open(&database).await;
    let replica = instance.replica();
    let one = instance.sign_in("ada@example.org", &browser(1)).await;
    let other = instance.sign_in("ada@example.org", &browser(2)).await;
    let person = instance.person_of(&one).await;
    assert!(replica.caller_of(&one).await.is_ok());
    instance
        .sessions
        .end(&person, person.session)
        .await
        .unwrap();
    let ended = instance.caller_of(&one).await;
    assert!(matches!(ended, Err(Error::Unauthorized)), "{ended:?}");
    instance.clock.advance_seconds(5);
    let ended = replica.caller_of(&one).await;
    assert!(matches!(ended, Err(Error::Unauthorized)), "{ended:?}");

    // Nobody ends another person's session.
    let bob = instance.sign_in("bob@example.org", &browser(3)).await;
    let (bob, ada) = (
        instance.person_of(&bob).await,
        instance.person_of(&other).await,
    );
    for session in [ada.session, SessionId::new(uuid::Uuid::nil())] {
        let foreign = instance.sessions.end(&bob, session).await;
        assert!(
            matches!(foreign, Err(Error::NotFound { .. })),
            "{foreign:?}"
        );
    }
    assert_eq!(instance.sessions.end_all(&ada, false).await.unwrap(), 1);
    assert!(instance.caller_of(&other).await.is_err());
    assert_eq!(instance.sessions.list(&bob).await.unwrap().len(), 1);
}

async fn a_step_up_gives_a_new_token_and_the_old_one_is_unknown(database: Database) {
    let instance = Instance::open(&database).await;
    let (replica, mailbox) = (instance.replica(), Mailbox::of(&instance));
    let session = instance.sign_in("ada@example.org", &browser(1)).await;
    let before = instance.person_of(&session).await;
    assert!(replica.caller_of(&session).await.is_ok());
    instance.clock.advance_seconds(20 * MINUTE);
    let shown = instance.sessions.get(&before).await.unwrap();
    assert_eq!(shown.stepped_up_until, None);

    let address = instance.sessions.start_step_up(&before).await.unwrap();
    assert_eq!(address, "ada@example.org");
    let code = instance.mailed_code(&mailbox).await;
    let wrong = another(&code);
    let wrong = instance.sessions.finish_step_up(&before, &wrong).await;
    assert!(is_wrong(wrong.map(|_| ())));
    // Another session of hers cannot use it, and neither can signing in.
    assert!(must_ask_again(
        &instance.sign_in.finish(&code, &browser(1)).await
    ));
    let other = instance.sign_in("ada@example.org", &browser(2)).await;
    let other = instance.person_of(&other).await;
    let foreign = instance.sessions.finish_step_up(&other, &code).await;
    assert!(must_ask_again(&foreign), "{foreign:?}");

    let after = instance
        .sessions
        .finish_step_up(&before, &code)
        .await
        .unwrap();
    assert!(instance.caller_of(&session).await.is_err());
    // Another core remembers the old token for reading. It changes nothing there, nor does it become a new one.
    let write = replica.writer_of(&session).await;
    assert!(matches!(write, Err(Error::Unauthorized)), "{write:?}");
    let account = replica.sessions.get(&before).await.unwrap().memberships;
    let stolen = replica
        .sessions
        .switch(&before, account[0].account_id)
        .await;
    assert!(matches!(stolen, Err(Error::Unauthorized)), "{stolen:?}");
    instance.clock.advance_seconds(5);
    assert!(replica.caller_of(&session).await.is_err());
    let renewed = NewSession {
        token: after.token,
        ..session
    };
    let person = replica.person_of(&renewed).await;
    assert_eq!(person.session, before.session);
    assert_eq!(person.stepped_up_until, after.until);
}

/// The clock stands still here, so that whatever a core remembers of a session it never looks up again by itself.
async fn every_core_knows_at_once_which_account_a_session_is_about(database: Database) {
    let instance = Instance::open(&database).await;
    let replica = instance.replica();
    let olga = instance.someone("olga@example.org", 1).await;
    let mut otto = instance.someone("otto@example.org", 2).await;
    let own = instance.standing_of(&otto).await.account;
    let mut shared = own;
    for step in ["accept", "switch", "leave", "remove", "create"] {
        let before = otto.session.clone();
        for core in [&instance, &replica] {
            assert!(core.caller_of(&before).await.is_ok());
        }
        let caller = instance.caller_of(&before).await.unwrap().principal;
        let (members, accounts) = (&instance.members, &instance.own_accounts);
        let (expected, token) = match step {
            "accept" => {
                shared = instance
                    .join(&olga, &mut otto, "otto@example.org", Role::Organizer)
                    .await;
                (Some(shared), None)
            }
            "switch" => {
                let token = instance.sessions.switch(&otto.by, own).await;
                (Some(own), Some(token))
            }
            "leave" => {
                let token = members.leave(&otto.by, shared).await;
                (Some(own), Some(token))
            }
            "remove" => {
                let token = accounts.remove(&caller.unwrap(), &otto.by, "otto").await;
                (None, Some(token))
            }
            _ => {
                let created = accounts.create(&otto.by, "Again".to_owned(), "").await;
                let (account, token) = created.unwrap();
                (Some(account), Some(Ok(token)))
            }
        };
        if let Some(token) = token {
            instance.renewed(&mut otto, token.unwrap()).await;
        }
        for core in [&instance, &replica] {
            let now = core.caller_of(&otto.session).await.unwrap();
            let now = now.principal.map(|one| one.account);
            assert_eq!(now, expected, "{step}");
            let late = core.writer_of(&before).await;
            assert!(matches!(late, Err(Error::Unauthorized)), "{step}: {late:?}");
        }
        let late = instance.caller_of(&before).await;
        assert!(matches!(late, Err(Error::Unauthorized)), "{step}: {late:?}");
    }
}

/// Two tabs send forms at the same time: one has the session then, and the other one has to look at the page again.
async fn of_two_new_tokens_at_once_one_is_given(database: Database) {
    let instance = Instance::open(&database).await;
    let replica = instance.replica();
    let olga = instance.someone("olga@example.org", 1).await;
    let mut otto = instance.someone("otto@example.org", 2).await;
    let own = instance.standing_of(&otto).await.account;
    let shared = instance
        .join(&olga, &mut otto, "otto@example.org", Role::Organizer)
        .await;
    let (here, there) = tokio::join!(
        instance.sessions.switch(&otto.by, own),
        replica.sessions.switch(&otto.by, shared)
    );
    let (expected, token) = match (here, there) {
        (Ok(token), Err(Error::Unauthorized)) => (own, token),
        (Err(Error::Unauthorized), Ok(token)) => (shared, token),
        both => panic!("{both:?}"),
    };
    instance.renewed(&mut otto, token).await;
    assert_eq!(instance.standing_of(&otto).await.account, expected);
}

/// A session that was ended, or whose person has another role now, changes nothing more, even on a core that remembers it.
async fn what_is_remembered_of_a_session_is_for_reading_alone(database: Database) {
    let instance = Instance::open(&database).await;
    let replica = instance.replica();
    let olga = instance.someone("olga@example.org", 1).await;
    let mut otto = instance.someone("otto@example.org", 2).await;
    instance
        .join(&olga, &mut otto, "otto@example.org", Role::Owner)
        .await;
    assert!(replica.caller_of(&otto.session).await.is_ok());
    let caller = instance.standing_of(&olga).await;
    let demoted = instance
        .members
        .change_role(&caller, otto.by.person, Role::Door);
    demoted.await.unwrap();
    let writer = replica.writer_of(&otto.session).await.unwrap().principal;
    assert_eq!(writer.unwrap().scopes, Role::Door.scopes());
    // What was found counts from then on.
    assert_eq!(replica.standing_of(&otto).await.scopes, Role::Door.scopes());
    instance.sessions.end_all(&otto.by, false).await.unwrap();
    let ended = replica.writer_of(&otto.session).await;
    assert!(matches!(ended, Err(Error::Unauthorized)), "{ended:?}");
}

async fn a_session_ends_when_it_is_idle_and_after_thirty_days(database: Database) {
    let instance = Instance::open(&database).await;
    let idle = instance.sign_in("ada@example.org", &browser(1)).await;
    let used = instance.sign_in("ada@example.org", &browser(2)).await;
    for _ in 0..5 {
        assert!(instance.caller_of(&used).await.is_ok());
        instance.store_uses().await;
        instance.clock.advance_seconds(6 * DAY);
    }
    assert!(
        instance.caller_of(&idle).await.is_err(),
        "not used for 7 days"
    );
    assert!(instance.caller_of(&used).await.is_err(), "30 days old");
    instance.maintain().await;
    let listed = instance.store.find_session(used.session.id).await.unwrap();
    assert_eq!(listed, None);
}

test_postgres::on_both_engines!(prepare: migrate;
    a_session_that_was_ended_is_unknown_everywhere,
    a_step_up_gives_a_new_token_and_the_old_one_is_unknown,
    every_core_knows_at_once_which_account_a_session_is_about,
    of_two_new_tokens_at_once_one_is_given,
    what_is_remembered_of_a_session_is_for_reading_alone,
    a_session_ends_when_it_is_idle_and_after_thirty_days,
);
