//! Sessions: how they end, and how they step up.

use core_service::{
    domain::ids::SessionId,
    service::{Error, NewSession},
};
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
    assert_eq!(instance.sessions.end_all(&ada).await.unwrap(), 1);
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
    a_session_ends_when_it_is_idle_and_after_thirty_days,
);
