//! People who try what is not theirs to do.

use core_service::service::{Error, Policy, SignUp};
use domain::{job::JobKind, person::Role, plan::Plan};
use test_postgres::Database;

use super::{Instance, people::to, policy, signing_in::browser};
use crate::fixtures::migrate;

async fn nobody_acts_on_an_account_that_is_not_theirs(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.someone("olga@example.org", 1).await;
    let mallory = instance.someone("mallory@example.org", 2).await;
    let foreign = instance.standing_of(&olga).await.account;
    let caller = instance.standing_of(&mallory).await;
    let invited = to("dora@example.org", Role::Door);
    let owner = instance.standing_of(&olga).await;
    let invitation = instance.members.invite(&owner, &olga.by, invited).await;
    let invitation = invitation.unwrap().invitation.id;

    let (members, sessions) = (&instance.members, &instance.sessions);
    for answer in [
        sessions.switch(&mallory.by, foreign).await.map(drop),
        members.leave(&mallory.by, foreign).await.map(drop),
        members.withdraw(&caller, invitation).await,
        members.accept(&mallory.by, invitation).await.map(drop),
        members
            .change_role(&caller, olga.by.person, Role::Door)
            .await
            .map(drop),
        // In her own account there is no such member.
        members
            .remove(&caller, &mallory.by, olga.by.person, None)
            .await
            .map(drop),
    ] {
        assert!(matches!(answer, Err(Error::NotFound { .. })), "{answer:?}");
    }
    assert_eq!(instance.standing_of(&mallory).await, caller);
    let (still, waiting) = members.list(&owner).await.unwrap();
    assert_eq!((still.len(), still[0].rights.role), (1, Role::Owner));
    assert_eq!(waiting.len(), 1);
}

/// What an address is worth must not show in what is done when someone asks for a code.
async fn does_the_same_for_everyone(database: Database, is_open: bool) {
    let sign_up = SignUp {
        is_open,
        plan: Plan::Free,
    };
    let instance = Instance::open_under(
        &database,
        Policy {
            sign_up,
            ..policy()
        },
    )
    .await;
    instance.olga().await;
    let mut answers = Vec::new();
    for (number, address) in (1..).zip(["olga@example.org", "nobody@example.org"]) {
        let browser = browser(number);
        instance.sign_in.start(address, &browser).await.unwrap();
        let waiting = instance.store.list_jobs(JobKind::CodeMail, 100).await;
        let waiting = waiting.unwrap();
        assert_eq!(waiting.len(), usize::from(number), "{address}");
        let now = instance.clock.now();
        assert!(waiting.iter().all(|job| job.due_at == now), "{address}");
        let wrong = instance.sign_in.finish("00000000", &browser).await;
        answers.push(format!("{:?}", wrong.unwrap_err()));
    }
    assert_eq!(answers[0], answers[1]);
}

async fn the_same_is_done_for_known_and_unknown_addresses(database: Database) {
    does_the_same_for_everyone(database, true).await;
}

async fn the_same_is_done_for_them_where_sign_up_is_closed(database: Database) {
    does_the_same_for_everyone(database, false).await;
}

/// Signing in always gives a new token, so that one that someone planted before is worth nothing.
async fn no_token_of_before_counts_after_signing_in_or_out(database: Database) {
    let instance = Instance::open(&database).await;
    let first = instance.someone("ada@example.org", 1).await;
    let second = instance.someone("ada@example.org", 1).await;
    assert_ne!(
        first.session.token.expose(),
        second.session.token.expose(),
        "in the same browser"
    );
    instance.sessions.end_all(&second.by, false).await.unwrap();
    instance.clock.advance_seconds(5);
    for who in [&first, &second] {
        let ended = instance.caller_of(&who.session).await;
        assert!(matches!(ended, Err(Error::Unauthorized)), "{ended:?}");
    }
}

/// A member's role counts at the time of the call, not at that of signing in.
async fn a_session_is_worth_what_its_person_is_now(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.someone("olga@example.org", 1).await;
    let mut otto = instance.someone("otto@example.org", 2).await;
    let account = instance
        .join(&olga, &mut otto, "otto@example.org", Role::Owner)
        .await;
    assert_eq!(
        instance.standing_of(&otto).await.scopes,
        Role::Owner.scopes()
    );
    let caller = instance.standing_of(&olga).await;
    let demote = instance
        .members
        .change_role(&caller, otto.by.person, Role::Door);
    demote.await.unwrap();
    instance.clock.advance_seconds(5);
    let standing = instance.standing_of(&otto).await;
    assert_eq!(
        (standing.account, standing.scopes),
        (account, Role::Door.scopes())
    );
}

test_postgres::on_both_engines!(prepare: migrate;
    nobody_acts_on_an_account_that_is_not_theirs,
    the_same_is_done_for_known_and_unknown_addresses,
    the_same_is_done_for_them_where_sign_up_is_closed,
    no_token_of_before_counts_after_signing_in_or_out,
    a_session_is_worth_what_its_person_is_now,
);
