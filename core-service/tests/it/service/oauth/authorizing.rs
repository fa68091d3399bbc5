//! Apps ask, and people decide.

use core_service::service::{Asked, Error};
use domain::{ids::AccountId, oauth::request::Parameters, person::Role, scope::Scope};
use test_postgres::Database;

use super::{CHALLENGE, MCP, REDIRECT, Scene, VERIFIER, answered, asking, choice, register, some};
use crate::{fixtures::migrate, service::people::Someone};

const MINUTE: i64 = 60;

async fn whoever_agrees_is_sent_back_with_a_code(database: Database) {
    let scene = Scene::open(&database).await;
    let pending = scene.pending(scene.asking()).await;
    assert_eq!(pending.client.name(), "Claude Code");
    assert_eq!(pending.client.verified_host(), None);
    assert_eq!(pending.redirect.shown_host(), "localhost:3118");
    assert_eq!(pending.accounts.len(), 1);
    assert_eq!(pending.accounts[0].membership.rights.role, Role::Owner);
    assert_eq!(pending.accounts[0].scopes.iter().count(), Scope::ALL.len());
    assert_eq!(pending.accounts[0].granted.iter().count(), 0);

    let answer = answered(&scene.agree(scene.asking(), &["events:read"]).await);
    assert_eq!(answer["to"], REDIRECT);
    assert!(answer["code"].starts_with("mus_ac_"));
    assert_eq!(answer["state"], "a state & more");
    assert_eq!(answer["iss"], "https://muster.example");
    assert_eq!(answer.len(), 4);
}

async fn whoever_refuses_is_sent_back_without_one(database: Database) {
    let scene = Scene::open(&database).await;
    let pending = scene.pending(scene.asking()).await;
    let (oauth, id) = (&scene.instance.oauth, pending.authorization.id);
    let browser = super::BROWSER;
    let answer = oauth
        .decide(&scene.ada.by, browser, id, None)
        .await
        .unwrap();
    let answer = answered(&answer);
    assert_eq!(answer["error"], "access_denied");
    assert_eq!(answer["state"], "a state & more");
    assert_eq!(answer["iss"], "https://muster.example");
    // It is decided once.
    let choice = choice(scene.account, &["events:read"]);
    let again = oauth.decide(&scene.ada.by, browser, id, Some(choice)).await;
    assert!(matches!(again, Err(Error::NotFound { .. })), "{again:?}");
}

async fn nobody_is_redirected_where_the_client_did_not_say_before(database: Database) {
    let scene = Scene::open(&database).await;
    let with = |change: fn(&mut Parameters)| {
        let mut parameters = scene.asking();
        change(&mut parameters);
        parameters
    };
    for wrong in [
        with(|it| it.client_id = None),
        with(|it| it.client_id = some("unknown")),
        with(|it| it.client_id = some("https://app.example/client.json")),
        with(|it| it.redirect_uri = None),
        with(|it| it.redirect_uri = some("https://evil.example/callback")),
        with(|it| it.redirect_uri = some("http://localhost:3118/callback/more")),
        with(|it| it.redirect_uri = some("http://localhost:3118/callback?x=1")),
        with(|it| it.redirect_uri = some("http://localhost:3118/callback#x")),
        with(|it| it.redirect_uri = some("http://evil@localhost:3118/callback")),
        with(|it| it.redirect_uri = some("http://localhost.evil.example/callback")),
        with(|it| it.redirect_uri = some("http://127.0.0.1:3118/callback")),
        with(|it| it.redirect_uri = some("https://localhost:3118/callback")),
        with(|it| it.redirect_uri = some("http://LOCALHOST:3118/callback")),
        with(|it| it.redirect_uri = some("http://localhost:3118/x/../callback")),
        with(|it| it.redirect_uri = some("http://localhost:3118/%63allback")),
        with(|it| it.bad_parameters = vec!["redirect_uri".to_owned()]),
        with(|it| it.bad_parameters = vec!["client_id".to_owned()]),
    ] {
        let begun = scene.begin(wrong.clone()).await.unwrap();
        assert!(matches!(begun, Asked::Problem(_)), "{wrong:?}: {begun:?}");
        let checked = scene.instance.oauth.check(&wrong, None).await.unwrap();
        assert!(matches!(checked, Asked::Problem(_)), "{checked:?}");
    }
    // Any port of a program on the person's computer is fine.
    let other = with(|it| it.redirect_uri = some("http://localhost:9/callback"));
    assert!(matches!(scene.begin(other).await.unwrap(), Asked::Fine(_)));
    let mut encrypted =
        asking(&register(&scene.instance, "Web", &["https://app.example/cb"]).await);
    encrypted.redirect_uri = some("https://app.example:8443/cb");
    let begun = scene.begin(encrypted.clone()).await.unwrap();
    assert!(matches!(begun, Asked::Problem(_)), "{begun:?}");
    encrypted.redirect_uri = some("https://app.example/cb");
    assert!(matches!(
        scene.begin(encrypted).await.unwrap(),
        Asked::Fine(_)
    ));
}

async fn the_client_is_told_what_else_is_wrong(database: Database) {
    let scene = Scene::open(&database).await;
    let with = |change: fn(&mut Parameters)| {
        let mut parameters = scene.asking();
        change(&mut parameters);
        parameters
    };
    for (wrong, error) in [
        (
            with(|it| it.response_type = some("token")),
            "unsupported_response_type",
        ),
        (with(|it| it.response_type = None), "invalid_request"),
        (with(|it| it.code_challenge = None), "invalid_request"),
        (
            with(|it| it.code_challenge = some(VERIFIER.get(1..).unwrap())),
            "invalid_request",
        ),
        (
            with(|it| it.code_challenge_method = None),
            "invalid_request",
        ),
        (
            with(|it| it.code_challenge_method = some("plain")),
            "invalid_request",
        ),
        (
            with(|it| it.resources = vec!["https://evil.example".to_owned()]),
            "invalid_target",
        ),
        (
            with(|it| it.bad_parameters = vec!["request".to_owned()]),
            "invalid_request",
        ),
    ] {
        let Asked::Redirect(uri) = scene.begin(wrong.clone()).await.unwrap() else {
            panic!("{wrong:?}");
        };
        let answer = answered(&uri);
        assert_eq!(answer["to"], REDIRECT);
        assert_eq!(answer["error"], error);
        assert_eq!(answer["state"], "a state & more");
        assert_eq!(answer["iss"], "https://muster.example");
        assert!(!answer.contains_key("code"));
        let checked = scene.instance.oauth.check(&wrong, None).await.unwrap();
        assert!(matches!(checked, Asked::Redirect(_)), "{checked:?}");
    }
}

async fn an_authorization_is_of_its_session_and_its_browser_for_ten_minutes(database: Database) {
    let scene = Scene::open(&database).await;
    let (instance, ada) = (&scene.instance, &scene.ada);
    let id = scene.pending(scene.asking()).await.authorization.id;
    let elsewhere = instance.someone("ada@example.org", 2).await;
    let mallory = instance.someone("mallory@example.org", 3).await;
    let of = async |who: &Someone, browser: &str| {
        let all = || Some(choice(scene.account, &["events:read"]));
        let got = instance.oauth.get(&who.by, browser, id).await;
        let Err(Error::NotFound { .. }) = got else {
            panic!("{got:?}");
        };
        let decided = instance.oauth.decide(&who.by, browser, id, all()).await;
        assert!(
            matches!(decided, Err(Error::NotFound { .. })),
            "{decided:?}"
        );
    };
    let other = "00000000000000000000000000000002";
    of(ada, other).await;
    of(&elsewhere, super::BROWSER).await;
    of(&mallory, super::BROWSER).await;
    assert!(
        instance
            .oauth
            .get(&ada.by, super::BROWSER, id)
            .await
            .is_ok()
    );
    instance.clock.advance_seconds(10 * MINUTE);
    of(ada, super::BROWSER).await;
}

async fn a_session_has_so_many_authorizations_that_wait(database: Database) {
    let scene = Scene::open(&database).await;
    let mut begun = Vec::new();
    for _ in 0..21 {
        begun.push(scene.pending(scene.asking()).await.authorization.id);
        scene.instance.clock.advance_seconds(2);
    }
    let get = async |id| {
        scene
            .instance
            .oauth
            .get(&scene.ada.by, super::BROWSER, id)
            .await
    };
    assert!(get(begun[0]).await.is_err());
    assert!(get(begun[1]).await.is_ok());
    assert!(get(begun[20]).await.is_ok());
    // Too many in a minute are refused.
    let mut refused = 0;
    for _ in 0..200 {
        let asked = scene.begin(scene.asking()).await;
        refused += usize::from(matches!(asked, Err(Error::RateLimited { .. })));
    }
    assert!(refused > 100, "{refused}");
}

async fn a_person_grants_only_what_was_asked_for_and_what_their_role_has(database: Database) {
    let scene = Scene::open(&database).await;
    let (instance, mut dora) = (
        &scene.instance,
        scene.instance.someone("dora@example.org", 2).await,
    );
    let account = instance
        .join(&scene.ada, &mut dora, "dora@example.org", Role::Door)
        .await;
    let own = instance.sessions.get(&dora.by).await.unwrap();
    assert_eq!(own.memberships.len(), 2);
    let asked = instance
        .oauth
        .start(&dora.by, super::BROWSER, scene.asking())
        .await;
    let Asked::Fine(pending) = asked.unwrap() else {
        panic!("a right request");
    };
    let shown = &pending.accounts[0];
    assert_eq!(
        shown.membership.account_id, account,
        "the session's own first"
    );
    let door = "events:read registrations:read registrations:check_in";
    assert_eq!(shown.scopes.joined(" "), door);
    let id = pending.authorization.id;
    let decide = async |choice| {
        instance
            .oauth
            .decide(&dora.by, super::BROWSER, id, Some(choice))
            .await
    };
    for (wrong, field) in [
        (choice(account, &[]), "scopes"),
        (choice(account, &["events:write", "account:read"]), "scopes"),
        (choice(account, &["members:write"]), "scopes"),
        (
            choice(AccountId::new(uuid::Uuid::nil()), &["events:read"]),
            "account_id",
        ),
    ] {
        let refused = decide(wrong).await;
        let Err(Error::Invalid(violations)) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(violations[0].field, field);
    }
    let agreed = decide(choice(account, &["events:read", "events:write"])).await;
    let code = &answered(&agreed.unwrap())["code"];
    let issued = scene
        .exchange(&super::redeeming(&scene.client_id, code))
        .await;
    assert_eq!(issued.unwrap().scopes.joined(" "), "events:read");
}

async fn what_was_granted_before_is_shown(database: Database) {
    let scene = Scene::open(&database).await;
    let code = scene
        .code(scene.asking(), &["events:read", "account:read"])
        .await;
    let request = super::redeeming(&scene.client_id, &code);
    scene.exchange(&request).await.unwrap();
    let again = scene.pending(scene.asking()).await;
    let granted = again.accounts[0].granted.joined(" ");
    assert_eq!(granted, "events:read account:read");
    // Of another client, nothing.
    let other = register(&scene.instance, "Cursor", &[REDIRECT]).await;
    let other = scene.pending(asking(&other)).await;
    assert_eq!(other.accounts[0].granted.iter().count(), 0);
}

async fn a_token_is_for_the_surfaces_that_were_asked_for(database: Database) {
    let scene = Scene::open(&database).await;
    let mut parameters = scene.asking();
    parameters.resources = vec![MCP.to_owned()];
    parameters.code_challenge = some(CHALLENGE);
    let pending = scene.pending(parameters).await;
    assert_eq!(pending.authorization.audience.surfaces(), ["mcp"]);
    let both = scene.pending(scene.asking()).await;
    assert_eq!(both.authorization.audience.surfaces(), ["api", "mcp"]);
}

test_postgres::on_both_engines!(prepare: migrate;
    whoever_agrees_is_sent_back_with_a_code,
    whoever_refuses_is_sent_back_without_one,
    nobody_is_redirected_where_the_client_did_not_say_before,
    the_client_is_told_what_else_is_wrong,
    an_authorization_is_of_its_session_and_its_browser_for_ten_minutes,
    a_session_has_so_many_authorizations_that_wait,
    a_person_grants_only_what_was_asked_for_and_what_their_role_has,
    what_was_granted_before_is_shown,
    a_token_is_for_the_surfaces_that_were_asked_for,
);
