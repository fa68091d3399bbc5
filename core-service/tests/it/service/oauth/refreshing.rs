//! Refresh tokens: what is exchanged, what is forgiven, and what is a theft.

use std::sync::Arc;

use core_service::service::{Error, Issued, OAuthPolicy, Policy};
use domain::oauth::{Code, Refusal};
use test_postgres::Database;
use tokio::{sync::Barrier, task::JoinSet};

use super::{API, MCP, Scene, caller, code, exchange, redeeming, refreshing, register};
use crate::{
    fixtures::migrate,
    mail::Mailbox,
    service::{Instance, policy, signing_in::DAY, until_served},
};

/// The default of `--oauth-refresh-grace`.
const GRACE: i64 = 60;

async fn is_refused(scene: &Scene, token: &Issued) -> bool {
    matches!(
        caller(&scene.instance, token).await,
        Err(Error::Unauthorized)
    )
}

async fn each_refresh_gives_new_tokens(database: Database) {
    let scene = Scene::open(&database).await;
    let first = scene.connect().await;
    let second = scene.refresh(&first).await.unwrap();
    assert_ne!(second.access.expose(), first.access.expose());
    assert_ne!(second.refresh.expose(), first.refresh.expose());
    assert_eq!(second.scopes, first.scopes);
    assert!(caller(&scene.instance, &second).await.is_ok());
    // A month without a refresh ends it, and a year in any case.
    scene.instance.clock.advance_seconds(29 * DAY);
    let mut latest = scene.refresh(&second).await.unwrap();
    for _ in 0..11 {
        scene.instance.clock.advance_seconds(29 * DAY);
        latest = scene.refresh(&latest).await.unwrap();
    }
    scene.instance.clock.advance_seconds(17 * DAY);
    assert_eq!(code(scene.refresh(&latest).await), Code::InvalidGrant);
}

async fn a_token_is_exchanged_again_in_the_grace(database: Database) {
    let scene = Scene::open(&database).await;
    let first = scene.connect().await;
    let mut siblings = Vec::new();
    for _ in 0..5 {
        siblings.push(scene.refresh(&first).await.unwrap());
        scene.instance.clock.advance_seconds(1);
    }
    // Four that nobody used are kept; the fifth ended the oldest, which is no theft.
    assert_eq!(code(scene.refresh(&siblings[0]).await), Code::InvalidGrant);
    for sibling in &siblings[1..] {
        scene.refresh(sibling).await.unwrap();
    }
    // Now those are used, and there is room for others.
    scene.refresh(&first).await.unwrap();
}

async fn a_lost_answer_is_repeated_after_the_grace_and_ends_what_was_lost(database: Database) {
    let scene = Scene::open(&database).await;
    let first = scene.connect().await;
    let lost = scene.refresh(&first).await.unwrap();
    scene.instance.clock.advance_seconds(GRACE);
    let found = scene.refresh(&first).await.unwrap();
    assert_eq!(code(scene.refresh(&lost).await), Code::InvalidGrant);
    assert!(scene.refresh(&found).await.is_ok());
}

async fn a_token_whose_successor_was_used_is_stolen(database: Database) {
    let scene = Scene::open(&database).await;
    let mailbox = Mailbox::of(&scene.instance);
    let first = scene.connect().await;
    let second = scene.refresh(&first).await.unwrap();
    let third = scene.refresh(&second).await.unwrap();
    scene.instance.clock.advance_seconds(GRACE);
    mailbox.collect().await;

    assert_eq!(code(scene.refresh(&first).await), Code::InvalidGrant);
    for token in [&first, &second, &third] {
        assert!(is_refused(&scene, token).await);
        assert_eq!(code(scene.refresh(token).await), Code::InvalidGrant);
    }
    let mails = mailbox.collect().await;
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].to.1, "ada@example.org");
    scene
        .logged("Muster disconnected the app \"Claude Code\", since one of its tokens was used twice and may have been stolen")
        .await;
    // Others of the same app are not touched by that.
    let other = scene.connect().await;
    assert!(scene.refresh(&other).await.is_ok());
}

/// Whoever copied a token and exchanged it in the grace, beside the app.
async fn two_that_go_on_with_one_token_after_the_grace_end_the_grant(database: Database) {
    let scene = Scene::open(&database).await;
    let mailbox = Mailbox::of(&scene.instance);
    let first = scene.connect().await;
    let another = scene.connect().await;
    let of_app = scene.refresh(&first).await.unwrap();
    let of_thief = scene.refresh(&first).await.unwrap();
    scene.instance.clock.advance_seconds(3_000);
    let next = scene.refresh(&of_thief).await.unwrap();
    scene.instance.clock.advance_seconds(600);
    mailbox.collect().await;
    assert_eq!(code(scene.refresh(&of_app).await), Code::InvalidGrant);
    assert!(is_refused(&scene, &next).await);
    assert_eq!(code(scene.refresh(&next).await), Code::InvalidGrant);
    let mails = mailbox.collect().await;
    assert_eq!(mails.len(), 1);
    assert!(mails[0].text.contains("used from two places"));

    // An app that refreshed twice at once and goes on with one of the two.
    scene.refresh(&another).await.unwrap();
    let mut latest = scene.refresh(&another).await.unwrap();
    for _ in 0..3 {
        scene.instance.clock.advance_seconds(3_000);
        latest = scene.refresh(&latest).await.unwrap();
    }
}

async fn a_refresh_asks_for_no_more_than_was_granted(database: Database) {
    let scene = Scene::open(&database).await;
    let mut parameters = scene.asking();
    parameters.resources = vec![MCP.to_owned()];
    let granted = scene
        .code(parameters, &["events:read", "events:write"])
        .await;
    let issued = scene
        .exchange(&redeeming(&scene.client_id, &granted))
        .await
        .unwrap();
    let mut request = refreshing(&scene.client_id, &issued);
    request.scope = super::some("events:read account:read");
    assert_eq!(code(scene.exchange(&request).await), Code::InvalidScope);
    request.scope = None;
    request.resources = vec![API.to_owned()];
    assert_eq!(code(scene.exchange(&request).await), Code::InvalidTarget);
    request.resources = Vec::new();
    let other = register(&scene.instance, "Cursor", &[super::REDIRECT]).await;
    request.client_id = Some(other);
    assert_eq!(code(scene.exchange(&request).await), Code::InvalidGrant);
    request.client_id = Some(scene.client_id.clone());
    // Less is fine, and is for this access token alone.
    request.scope = super::some("events:read openid");
    let less = scene.exchange(&request).await.unwrap();
    let principal = caller(&scene.instance, &less).await.unwrap().principal;
    assert_eq!(principal.unwrap().scopes.joined(" "), "events:read");
    let all = scene.refresh(&less).await.unwrap();
    assert_eq!(all.scopes.joined(" "), "events:read events:write");
}

/// Eight processes of one app, on two cores, that refresh the token that they share at the same time.
async fn refresh_together(scene: &Scene, first: &Issued) -> Vec<Result<Issued, Refusal>> {
    const PROCESSES: usize = 8;
    let barrier = Arc::new(Barrier::new(PROCESSES));
    let mut processes = JoinSet::new();
    for number in 0..PROCESSES {
        let barrier = Arc::clone(&barrier);
        let use_cases = match number % 2 {
            0 => scene.instance.use_cases.clone(),
            _ => scene.replica.use_cases.clone(),
        };
        let request = refreshing(&scene.client_id, first);
        processes.spawn(async move {
            barrier.wait().await;
            let ask = || use_cases.oauth.exchange(&request, None);
            until_served(ask).await.unwrap()
        });
    }
    processes.join_all().await
}

async fn processes_that_refresh_at_the_same_time_all_get_tokens(database: Database) {
    let scene = Scene::open(&database).await;
    let first = scene.connect().await;
    let outcomes = refresh_together(&scene, &first).await;
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    // Four of them go on with what they got; the others find the shared token as it was.
    let mut went_on = 0;
    for issued in outcomes.into_iter().flatten() {
        went_on += usize::from(scene.refresh(&issued).await.is_ok());
    }
    assert_eq!(went_on, 4);
    assert!(scene.refresh(&first).await.is_ok());
    assert!(!is_refused(&scene, &first).await, "the grant goes on");
}

/// One process goes on before the eight others come with the token that all of them had.
async fn come_late(scene: &Scene) -> (Issued, Vec<Result<Issued, Refusal>>) {
    let first = scene.connect().await;
    let next = scene.refresh(&first).await.unwrap();
    let own = scene.refresh(&next).await.unwrap();
    (own, refresh_together(scene, &first).await)
}

async fn processes_that_come_late_all_get_tokens_in_the_grace(database: Database) {
    let scene = Scene::open(&database).await;
    let (own, outcomes) = come_late(&scene).await;
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    assert!(scene.refresh(&own).await.is_ok());
}

/// The negative control: without a grace, the same processes are taken for thieves, and the grant ends for all of them.
async fn without_a_grace_the_same_processes_end_the_grant(database: Database) {
    let oauth = OAuthPolicy {
        refresh_grace_seconds: 0,
        ..OAuthPolicy::default()
    };
    let strict = || Policy {
        oauth: oauth.clone(),
        ..policy()
    };
    let instance = Instance::open_under(&database, strict()).await;
    let mut scene = Scene::of(Box::new(instance)).await;
    let (store, clock) = (scene.instance.store.clone(), scene.instance.clock.clone());
    *scene.replica = Instance::under(store, 9, clock, false, strict());
    let (own, outcomes) = come_late(&scene).await;
    assert!(outcomes.iter().all(Result::is_err), "{outcomes:?}");
    assert_eq!(code(scene.refresh(&own).await), Code::InvalidGrant);
    assert!(is_refused(&scene, &own).await);
}

async fn what_was_exchanged_is_forgotten_when_it_has_expired(database: Database) {
    let scene = Scene::open(&database).await;
    let first = scene.connect().await;
    let second = scene.refresh(&first).await.unwrap();
    scene.instance.clock.advance_seconds(31 * DAY);
    scene.instance.maintain().await;
    let request = refreshing(&scene.client_id, &second);
    assert_eq!(
        code(exchange(&scene.instance, &request).await),
        Code::InvalidGrant
    );
    let listed = scene.instance.oauth.connections(&scene.ada.by).await;
    assert!(listed.unwrap().is_empty());
}

test_postgres::on_both_engines!(prepare: migrate;
    each_refresh_gives_new_tokens,
    a_token_is_exchanged_again_in_the_grace,
    a_lost_answer_is_repeated_after_the_grace_and_ends_what_was_lost,
    a_token_whose_successor_was_used_is_stolen,
    two_that_go_on_with_one_token_after_the_grace_end_the_grant,
    a_refresh_asks_for_no_more_than_was_granted,
    processes_that_refresh_at_the_same_time_all_get_tokens,
    processes_that_come_late_all_get_tokens_in_the_grace,
    without_a_grace_the_same_processes_end_the_grant,
    what_was_exchanged_is_forgotten_when_it_has_expired,
);
