//! Codes for tokens, and what a token is worth.

use core_service::service::{Asked, Error, TokenRequest};
use domain::{
    audit::Actor,
    oauth::{Audience, Code},
    person::Role,
};
use test_postgres::Database;

use super::{API, MCP, REDIRECT, Scene, caller, code, redeeming, register, some};
use crate::{fixtures::migrate, mail::Mailbox, service::signing_in::browser};

async fn a_code_gives_tokens_that_act_for_the_person(database: Database) {
    let scene = Scene::open(&database).await;
    let granted = scene
        .code(scene.asking(), &["events:read", "events:write"])
        .await;
    let issued = scene
        .exchange(&redeeming(&scene.client_id, &granted))
        .await
        .unwrap();
    assert!(issued.access.expose().starts_with("mus_at_"));
    assert!(issued.refresh.expose().starts_with("mus_rt_"));
    assert_eq!(issued.expires_in_seconds, 3_600);
    assert_eq!(issued.scopes.joined(" "), "events:read events:write");

    let who = caller(&scene.instance, &issued).await.unwrap();
    let (principal, app) = (who.principal.unwrap(), who.app.unwrap());
    assert_eq!(principal.account, scene.account);
    assert_eq!(principal.scopes.joined(" "), "events:read events:write");
    assert!(matches!(principal.actor, Actor::App(_, person) if person == scene.ada.by.person));
    assert_eq!((app.audience, who.person), (Audience::Both, None));
    scene.logged("ada connected the app \"Claude Code\"").await;
    // A refresh token is no credential, nor is a code.
    for other in [issued.refresh.expose(), &granted] {
        let header = format!("Bearer {other}");
        let refused = scene
            .instance
            .authenticator
            .authenticate(Some(&header))
            .await;
        assert!(matches!(refused, Err(Error::Unauthorized)), "{refused:?}");
    }
}

async fn what_an_app_does_is_told_as_done_by_it_for_its_person(database: Database) {
    let scene = Scene::open(&database).await;
    let issued = scene.connect().await;
    let app = caller(&scene.instance, &issued)
        .await
        .unwrap()
        .principal
        .unwrap();
    scene
        .instance
        .create(&app, crate::service::new_event("Talks"))
        .await;
    scene
        .logged("The app \"Claude Code\" of ada created \"Talks\"")
        .await;
}

async fn a_code_that_is_used_twice_ends_what_it_was_exchanged_for(database: Database) {
    let scene = Scene::open(&database).await;
    let mailbox = Mailbox::of(&scene.instance);
    let granted = scene.code(scene.asking(), &["events:read"]).await;
    let request = redeeming(&scene.client_id, &granted);
    let issued = scene.exchange(&request).await.unwrap();
    assert!(caller(&scene.instance, &issued).await.is_ok());
    mailbox.collect().await;

    assert_eq!(code(scene.exchange(&request).await), Code::InvalidGrant);
    let ended = caller(&scene.instance, &issued).await;
    assert!(matches!(ended, Err(Error::Unauthorized)), "{ended:?}");
    assert_eq!(code(scene.refresh(&issued).await), Code::InvalidGrant);
    let mails = mailbox.collect().await;
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].to.1, "ada@example.org");
    assert!(
        mails[0]
            .subject
            .starts_with("We disconnected the app \"Claude Code\"")
    );
    assert!(
        mails[0]
            .text
            .contains("https://muster.example/dashboard/apps")
    );
    scene
        .logged("Muster disconnected the app \"Claude Code\", since its code was used twice and may have been stolen")
        .await;
    // A third use tells nobody again.
    assert_eq!(code(scene.exchange(&request).await), Code::InvalidGrant);
    assert!(mailbox.collect().await.is_empty());
}

async fn a_code_is_worth_nothing_to_whoever_did_not_ask_for_it(database: Database) {
    let scene = Scene::open(&database).await;
    let granted = scene.code(scene.asking(), &["events:read"]).await;
    let fine = redeeming(&scene.client_id, &granted);
    let other = register(&scene.instance, "Cursor", &[REDIRECT]).await;
    let with = |change: &dyn Fn(&mut TokenRequest)| {
        let mut request = fine.clone();
        change(&mut request);
        request
    };
    for (wrong, expected) in [
        (with(&|it| it.code_verifier = None), Code::InvalidRequest),
        (
            with(&|it| it.code_verifier = some(super::CHALLENGE)),
            Code::InvalidGrant,
        ),
        (
            with(&|it| it.code_verifier = some(&"a".repeat(43))),
            Code::InvalidGrant,
        ),
        (with(&|it| it.client_id = some(&other)), Code::InvalidGrant),
        (with(&|it| it.client_id = None), Code::InvalidClient),
        (
            with(&|it| it.client_id = some("unknown")),
            Code::InvalidClient,
        ),
        (
            with(&|it| it.redirect_uri = some("http://localhost:3119/callback")),
            Code::InvalidGrant,
        ),
        (with(&|it| it.code = None), Code::InvalidGrant),
        (with(&|it| it.code = some("mus_ac_0")), Code::InvalidGrant),
        (with(&|it| it.grant_type = None), Code::InvalidRequest),
        (
            with(&|it| it.grant_type = some("password")),
            Code::UnsupportedGrantType,
        ),
        (
            with(&|it| it.resources = vec!["https://evil.example".to_owned()]),
            Code::InvalidTarget,
        ),
        (
            with(&|it| it.bad_parameters = vec!["code".to_owned()]),
            Code::InvalidRequest,
        ),
    ] {
        let answer = scene.exchange(&wrong).await;
        assert_eq!(code(answer), expected, "{wrong:?}");
    }
    // None of them used it up.
    assert!(scene.exchange(&fine).await.is_ok());
}

async fn a_code_is_valid_for_a_minute(database: Database) {
    let scene = Scene::open(&database).await;
    let granted = scene.code(scene.asking(), &["events:read"]).await;
    scene.instance.clock.advance_seconds(60);
    let request = redeeming(&scene.client_id, &granted);
    assert_eq!(code(scene.exchange(&request).await), Code::InvalidGrant);
}

async fn an_access_token_is_valid_for_an_hour(database: Database) {
    let scene = Scene::open(&database).await;
    let issued = scene.connect().await;
    scene.instance.clock.advance_seconds(3_599);
    assert!(caller(&scene.instance, &issued).await.is_ok());
    scene.instance.clock.advance_seconds(1);
    let ended = caller(&scene.instance, &issued).await;
    assert!(matches!(ended, Err(Error::Unauthorized)), "{ended:?}");
}

async fn a_token_is_for_no_other_surface_than_the_authorization(database: Database) {
    let scene = Scene::open(&database).await;
    let mut parameters = scene.asking();
    parameters.resources = vec![MCP.to_owned()];
    let granted = scene.code(parameters.clone(), &["events:read"]).await;
    let mut request = redeeming(&scene.client_id, &granted);
    request.resources = vec![API.to_owned()];
    assert_eq!(code(scene.exchange(&request).await), Code::InvalidTarget);
    request.resources = vec!["https://muster.example/mcp/".to_owned()];
    let issued = scene.exchange(&request).await.unwrap();
    let app = caller(&scene.instance, &issued).await.unwrap().app.unwrap();
    assert_eq!(app.audience, Audience::Mcp);
    // For both surfaces, and then only for one.
    let both = scene.code(scene.asking(), &["events:read"]).await;
    let mut request = redeeming(&scene.client_id, &both);
    request.resources = vec![API.to_owned()];
    let issued = scene.exchange(&request).await.unwrap();
    let app = caller(&scene.instance, &issued).await.unwrap().app.unwrap();
    assert_eq!(app.audience, Audience::Api);
}

/// A person's role counts at the time of the call.
async fn a_token_is_worth_what_its_person_is_now(database: Database) {
    let scene = Scene::open(&database).await;
    let instance = &scene.instance;
    let mut otto = instance.someone("otto@example.org", 2).await;
    let account = instance
        .join(&scene.ada, &mut otto, "otto@example.org", Role::Organizer)
        .await;
    let asked = instance
        .oauth
        .start(&otto.by, super::BROWSER, scene.asking())
        .await;
    let Asked::Fine(pending) = asked.unwrap() else {
        panic!("a right request");
    };
    let choice = super::choice(account, &["events:read", "events:write"]);
    let id = pending.authorization.id;
    let to = instance
        .oauth
        .decide(&otto.by, super::BROWSER, id, Some(choice))
        .await;
    let granted = super::answered(&to.unwrap())["code"].clone();
    let issued = scene
        .exchange(&redeeming(&scene.client_id, &granted))
        .await
        .unwrap();

    let owner = instance.standing_of(&scene.ada).await;
    let demote = instance
        .members
        .change_role(&owner, otto.by.person, Role::Door);
    demote.await.unwrap();
    instance.clock.advance_seconds(5);
    let who = caller(instance, &issued).await.unwrap();
    assert_eq!(who.principal.unwrap().scopes.joined(" "), "events:read");
    let refreshed = scene.refresh(&issued).await.unwrap();
    assert_eq!(refreshed.scopes.joined(" "), "events:read");

    let removed = instance
        .members
        .remove(&owner, &scene.ada.by, otto.by.person, Some(0));
    removed.await.unwrap();
    instance.clock.advance_seconds(5);
    for token in [&issued, &refreshed] {
        let who = caller(instance, token).await;
        assert!(matches!(who, Err(Error::Unauthorized)), "{who:?}");
        assert_eq!(code(scene.refresh(token).await), Code::InvalidGrant);
    }
    // Nor does anything come back with them.
    Mailbox::of(instance).collect().await;
    let again = instance.sign_in("otto@example.org", &browser(2)).await;
    otto.session = again;
    otto.by = instance.person_of(&otto.session).await;
    instance
        .join(&scene.ada, &mut otto, "otto@example.org", Role::Organizer)
        .await;
    assert!(caller(instance, &refreshed).await.is_err());
    assert_eq!(code(scene.refresh(&refreshed).await), Code::InvalidGrant);
}

async fn a_code_of_someone_who_was_removed_meanwhile_is_worth_nothing(database: Database) {
    let scene = Scene::open(&database).await;
    let instance = &scene.instance;
    let mut otto = instance.someone("otto@example.org", 2).await;
    let account = instance
        .join(&scene.ada, &mut otto, "otto@example.org", Role::Organizer)
        .await;
    let asked = instance
        .oauth
        .start(&otto.by, super::BROWSER, scene.asking())
        .await;
    let Asked::Fine(pending) = asked.unwrap() else {
        panic!("a right request");
    };
    let choice = super::choice(account, &["events:read"]);
    let id = pending.authorization.id;
    let to = instance
        .oauth
        .decide(&otto.by, super::BROWSER, id, Some(choice))
        .await;
    let owner = instance.standing_of(&scene.ada).await;
    let removed = instance
        .members
        .remove(&owner, &scene.ada.by, otto.by.person, None);
    removed.await.unwrap();
    let granted = super::answered(&to.unwrap())["code"].clone();
    let answer = scene.exchange(&redeeming(&scene.client_id, &granted)).await;
    assert_eq!(code(answer), Code::InvalidGrant);
}

async fn signing_out_everywhere_ends_apps_and_what_they_were_about_to_get(database: Database) {
    let scene = Scene::open(&database).await;
    let instance = &scene.instance;
    let granted = scene.code(scene.asking(), &["events:read"]).await;
    let issued = scene.exchange(&redeeming(&scene.client_id, &granted)).await;
    let issued = issued.unwrap();
    let pending = scene.code(scene.asking(), &["events:read"]).await;
    let ended = instance.sessions.end_all(&scene.ada.by, true).await;
    ended.unwrap();
    let who = caller(instance, &issued).await;
    assert!(matches!(who, Err(Error::Unauthorized)), "{who:?}");
    assert_eq!(code(scene.refresh(&issued).await), Code::InvalidGrant);
    let answer = scene.exchange(&redeeming(&scene.client_id, &pending)).await;
    assert_eq!(code(answer), Code::InvalidGrant);
}

async fn guessing_codes_and_tokens_is_refused_after_a_while(database: Database) {
    let scene = Scene::open(&database).await;
    let (oauth, guesser) = (&scene.instance.oauth, "192.0.2.1".parse().ok());
    let granted = scene.code(scene.asking(), &["events:read"]).await;
    let guess = redeeming(&scene.client_id, "mus_ac_0");
    let mut refused = 0;
    for _ in 0..1_000 {
        match oauth.exchange(&guess, guesser).await {
            Ok(answer) => assert_eq!(code(answer), Code::InvalidGrant),
            Err(Error::RateLimited { .. }) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(refused, 1_000 - 120);
    // Others, and whoever has a code, are not in the way of that.
    let request = redeeming(&scene.client_id, &granted);
    let other = "192.0.2.2".parse().ok();
    assert!(oauth.exchange(&request, other).await.unwrap().is_ok());
}

test_postgres::on_both_engines!(prepare: migrate;
    a_code_gives_tokens_that_act_for_the_person,
    what_an_app_does_is_told_as_done_by_it_for_its_person,
    a_code_that_is_used_twice_ends_what_it_was_exchanged_for,
    signing_out_everywhere_ends_apps_and_what_they_were_about_to_get,
    a_code_is_worth_nothing_to_whoever_did_not_ask_for_it,
    a_code_is_valid_for_a_minute,
    an_access_token_is_valid_for_an_hour,
    a_token_is_for_no_other_surface_than_the_authorization,
    a_token_is_worth_what_its_person_is_now,
    a_code_of_someone_who_was_removed_meanwhile_is_worth_nothing,
    guessing_codes_and_tokens_is_refused_after_a_while,
);
