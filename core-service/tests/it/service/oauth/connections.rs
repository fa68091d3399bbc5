//! What people have connected, and how it ends.

use core_service::service::{Asked, Error, LastOwner, Part, Records};
use domain::{ids::GrantId, oauth::Code};
use test_postgres::Database;

use super::{Scene, caller, code, refreshing, register};
use crate::{fixtures::migrate, service::signing_in::DAY};

async fn people_see_what_they_connected_and_end_it(database: Database) {
    let scene = Scene::open(&database).await;
    let (instance, ada) = (&scene.instance, &scene.ada);
    let replica = instance.replica();
    let one = scene.connect().await;
    instance.clock.advance_seconds(60);
    let two = scene.connect().await;
    instance.clock.advance_seconds(60);
    assert!(caller(instance, &one).await.is_ok());
    assert!(caller(&replica, &one).await.is_ok());
    instance.store_uses().await;
    let listed = instance.oauth.connections(&ada.by).await.unwrap();
    assert_eq!(listed.len(), 2, "one for each time that she agreed");
    let (first, second) = (&listed[0], &listed[1]);
    assert_eq!(second.grant.last_used_at, None, "it only got its tokens");
    assert_eq!(first.client.name(), "Claude Code");
    assert_eq!(first.grant.last_used_at, Some(instance.clock.now()));
    assert_eq!(first.account_name, "ada");
    let redirect = instance.oauth.redirect(first).unwrap();
    assert_eq!(redirect.shown_host(), "localhost:3118");

    // Nobody ends what another person agreed to.
    let mallory = instance.someone("mallory@example.org", 2).await;
    for id in [first.grant.id, GrantId::new(uuid::Uuid::nil())] {
        let foreign = instance.oauth.disconnect(&mallory.by, id, false).await;
        assert!(
            matches!(foreign, Err(Error::NotFound { .. })),
            "{foreign:?}"
        );
    }
    assert!(
        instance
            .oauth
            .connections(&mallory.by)
            .await
            .unwrap()
            .is_empty()
    );
    instance
        .oauth
        .disconnect(&ada.by, first.grant.id, false)
        .await
        .unwrap();
    let ended = caller(instance, &one).await;
    assert!(matches!(ended, Err(Error::Unauthorized)), "{ended:?}");
    instance.clock.advance_seconds(5);
    let ended = caller(&replica, &one).await;
    assert!(matches!(ended, Err(Error::Unauthorized)), "{ended:?}");
    assert_eq!(code(scene.refresh(&one).await), Code::InvalidGrant);
    assert!(caller(instance, &two).await.is_ok());
    scene.refresh(&two).await.unwrap();
    let listed = instance.oauth.connections(&ada.by).await.unwrap();
    assert_eq!(listed[0].grant.last_used_at, Some(instance.clock.now()));
    assert_eq!(instance.oauth.connections(&ada.by).await.unwrap().len(), 1);
    scene
        .logged("ada disconnected the app \"Claude Code\"")
        .await;
    // Again, it changes nothing.
    instance
        .oauth
        .disconnect(&ada.by, first.grant.id, false)
        .await
        .unwrap();
}

async fn what_people_connected_is_in_their_export_and_goes_with_the_audit_log(database: Database) {
    let scene = Scene::open(&database).await;
    let (instance, ada) = (&scene.instance, &scene.ada);
    scene.connect().await;
    let caller = instance.standing_of(ada).await;
    let exports = &instance.account_exports;
    let export = exports.start(&caller, Some(ada.by)).await.unwrap();
    assert!(export.parts().contains(&Part::Apps));
    let page = export.page(Part::Apps, None).await.unwrap();
    let (Records::Apps(apps), None) = page else {
        panic!("{page:?}");
    };
    assert_eq!(apps.len(), 1);
    assert_eq!(apps[0].client.name, "Claude Code");
    drop(export);
    // A key sees nothing of its person.
    let export = exports.start(&caller, None).await.unwrap();
    assert!(!export.parts().contains(&Part::Apps));

    let id = apps[0].grant.id;
    instance.oauth.disconnect(&ada.by, id, false).await.unwrap();
    instance.clock.advance_seconds(700 * DAY);
    instance.maintain().await;
    let kept = instance.store.find_grant(id).await.unwrap();
    assert!(kept.is_some_and(|grant| grant.revoked_at.is_some()));
    instance.clock.advance_seconds(100 * DAY);
    instance.maintain().await;
    assert_eq!(instance.store.find_grant(id).await.unwrap(), None);
}

async fn an_app_ends_what_is_its_own(database: Database) {
    let scene = Scene::open(&database).await;
    let (instance, client) = (&scene.instance, &*scene.client_id);
    let other = register(instance, "Cursor", &[super::REDIRECT]).await;
    let issued = scene.connect().await;
    let revoke = async |token: &str, client: &str| {
        instance
            .oauth
            .revoke_token(Some(token), Some(client), &[], None)
            .await
            .unwrap()
    };
    // Another client's token, and what is none, are answered in the same way.
    for token in [
        issued.access.expose(),
        issued.refresh.expose(),
        "none",
        "mus_rt_0",
    ] {
        assert!(revoke(token, &other).await.is_ok());
    }
    assert!(caller(instance, &issued).await.is_ok());
    let unknown = revoke(issued.access.expose(), "unknown").await;
    assert_eq!(unknown.unwrap_err().code, Code::InvalidClient);

    // An access token ends alone, a refresh token with everything.
    revoke(issued.access.expose(), client).await.unwrap();
    assert!(caller(instance, &issued).await.is_err());
    let next = scene.refresh(&issued).await.unwrap();
    assert!(caller(instance, &next).await.is_ok());
    revoke(next.refresh.expose(), client).await.unwrap();
    assert!(caller(instance, &next).await.is_err());
    assert_eq!(code(scene.refresh(&next).await), Code::InvalidGrant);
    scene
        .logged("The app \"Claude Code\" of ada disconnected itself")
        .await;
}

async fn the_least_recently_used_of_many_goes(database: Database) {
    let scene = Scene::open(&database).await;
    let oldest = scene.connect().await;
    scene.instance.clock.advance_seconds(30);
    let second = scene.connect().await;
    for _ in 0..18 {
        scene.instance.clock.advance_seconds(30);
        scene.connect().await;
    }
    scene.refresh(&oldest).await.unwrap();
    scene.instance.clock.advance_seconds(30);
    scene.connect().await;
    let listed = scene.instance.oauth.connections(&scene.ada.by).await;
    assert_eq!(listed.unwrap().len(), 20);
    assert_eq!(code(scene.refresh(&second).await), Code::InvalidGrant);
    assert!(scene.refresh(&oldest).await.is_ok());
}

async fn nothing_is_left_of_who_is_erased_or_of_what_is_removed(database: Database) {
    let scene = Scene::open(&database).await;
    let instance = &scene.instance;
    let issued = scene.connect().await;
    let owner = instance.standing_of(&scene.ada).await;
    let removed = instance
        .own_accounts
        .remove(&owner, &scene.ada.by, "ada")
        .await;
    removed.unwrap();
    instance.clock.advance_seconds(5);
    assert!(caller(instance, &issued).await.is_err());
    instance.maintain().await;

    let bob = instance.someone("bob@example.org", 2).await;
    let asked = instance
        .oauth
        .start(&bob.by, super::BROWSER, scene.asking())
        .await;
    let Asked::Fine(pending) = asked.unwrap() else {
        panic!("a right request");
    };
    let account = instance.standing_of(&bob).await.account;
    let choice = super::choice(account, &["events:read"]);
    let id = pending.authorization.id;
    let to = instance
        .oauth
        .decide(&bob.by, super::BROWSER, id, Some(choice))
        .await;
    let granted = super::answered(&to.unwrap())["code"].clone();
    let request = super::redeeming(&scene.client_id, &granted);
    let issued = scene.exchange(&request).await.unwrap();
    let heir = LastOwner::Named("olga@example.org".to_owned());
    instance
        .people
        .erase("bob@example.org", &heir)
        .await
        .unwrap();
    instance.clock.advance_seconds(5);
    assert!(caller(instance, &issued).await.is_err());
    let request = refreshing(&scene.client_id, &issued);
    assert_eq!(code(scene.exchange(&request).await), Code::InvalidGrant);
}

test_postgres::on_both_engines!(prepare: migrate;
    people_see_what_they_connected_and_end_it,
    what_people_connected_is_in_their_export_and_goes_with_the_audit_log,
    an_app_ends_what_is_its_own,
    the_least_recently_used_of_many_goes,
    nothing_is_left_of_who_is_erased_or_of_what_is_removed,
);
