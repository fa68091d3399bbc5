//! Accounts as their members manage them, and removing one.

use core_service::service::{AccountPatch, Error, Policy, SignUp};
use domain::{change::Change, person::Role, plan::Plan};
use test_postgres::Database;

use super::{
    Instance,
    guests::{guest, seats},
    people::{Someone, to},
    policy,
};
use crate::{fixtures::migrate, mail::Mailbox};

async fn an_account_is_removed_when_everyone_has_been_told(database: Database) {
    let instance = Instance::open(&database).await;
    let mailbox = Mailbox::of(&instance);
    let mut olga = instance.someone("olga@example.org", 1).await;
    let caller = instance.standing_of(&olga).await;
    let key = instance.make_key(&caller, &olga).await;
    let event = instance.create(&caller, seats(9)).await;
    let draft = instance.create(&caller, super::new_event("Draft")).await;
    let added = instance.registrations.add(&caller, event.id, guest("ada"));
    let link = added.await.unwrap().cancel_url;
    mailbox.collect().await;
    let remove = async |name: &str| instance.own_accounts.remove(&caller, &olga.by, name).await;

    let wrong = remove("Olga").await;
    let Err(Error::Invalid(violations)) = wrong else {
        panic!("{wrong:?}");
    };
    assert_eq!(violations[0].field, "name");
    let contents = instance.own_accounts.contents(&caller).await.unwrap();
    assert_eq!((contents.events, contents.registrations), (2, 1));
    assert_eq!((contents.members, contents.keys), (1, 1));
    assert_eq!((contents.awaited_events, contents.waiting_mails), (1, 0));
    let awaited = remove("olga").await;
    assert!(matches!(awaited, Err(Error::Conflict(_))), "{awaited:?}");
    assert!(instance.catalogue.get(&event.slug).await.is_ok());

    let cancelled = instance.events.cancel(&caller, event.id, None).await;
    assert_eq!(cancelled.unwrap().registrants_notified, 1);
    let untold = remove("olga").await;
    assert!(matches!(untold, Err(Error::Conflict(_))), "{untold:?}");
    assert_eq!(mailbox.collect().await[0].to.1, "ada@example.org");
    let token = remove(" olga ").await.unwrap();
    instance.renewed(&mut olga, token).await;

    // At once for what people see, within 5 seconds for who acts, and then for good.
    assert!(instance.catalogue.page(&event.slug).await.is_err());
    let session = instance.caller_of(&olga.session).await.unwrap();
    assert_eq!(session.principal, None, "the person remains");
    instance.clock.advance_seconds(5);
    assert!(instance.use_key(&key).await.is_err());
    instance.maintain().await;
    for gone in [event.id, draft.id] {
        assert_eq!(instance.store.find_event(gone).await.unwrap(), None);
    }
    let token = link.rsplit('/').next().unwrap();
    let own = instance.own_registrations.get(token).await;
    assert!(matches!(own, Err(Error::NotFound { .. })), "{own:?}");
    let left = instance.store.list_removed_accounts(10).await.unwrap();
    assert_eq!(left, []);
    let audit = instance.audit(caller.account.uuid()).await;
    let actions: Vec<_> = audit.iter().map(|entry| &entry["action"]).collect();
    assert!(
        actions.iter().any(|action| **action == "account.remove"),
        "{actions:?}"
    );
    // She can have another one.
    instance
        .own_accounts
        .create(&olga.by, "Again".to_owned(), "")
        .await
        .unwrap();
}

async fn what_nobody_registered_for_leaves_the_catalogue_with_its_account(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.someone("olga@example.org", 1).await;
    let other = instance.caller("fay@example.org", Plan::Free).await;
    let caller = instance.standing_of(&olga).await;
    let gone = instance.create(&caller, seats(9)).await;
    let stays = instance.create(&other, seats(9)).await;
    let remove = instance.own_accounts.remove(&caller, &olga.by, "olga");
    remove.await.unwrap();
    for _ in 0..2 {
        let listed = instance.catalogue.list(10, 0).await.unwrap();
        let slugs: Vec<_> = listed.events.iter().map(|one| &*one.event.slug).collect();
        assert_eq!((listed.count, &*slugs), (1, &[&*stays.slug][..]));
        assert!(instance.catalogue.cover(&gone.slug).await.is_err());
        let registered = instance
            .registrations
            .register(&gone.slug, guest("ada"), None);
        assert!(registered.await.is_err());
        instance.maintain().await;
    }
}

async fn a_session_is_about_another_account_of_its_person_after_one_is_removed(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.someone("olga@example.org", 1).await;
    let mut otto = instance.someone("otto@example.org", 2).await;
    let own = instance.standing_of(&otto).await.account;
    let shared = instance
        .join(&olga, &mut otto, "otto@example.org", Role::Organizer)
        .await;
    assert_eq!(instance.standing_of(&otto).await.account, shared);
    let caller = instance.standing_of(&olga).await;
    let remove = instance.own_accounts.remove(&caller, &olga.by, "olga");
    remove.await.unwrap();
    instance.clock.advance_seconds(5);
    assert_eq!(instance.standing_of(&otto).await.account, own);
}

async fn whoever_owns_no_account_can_have_one(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.someone("olga@example.org", 1).await;
    let create = async |who: &Someone| {
        let name = "Rust Berlin".to_owned();
        instance.own_accounts.create(&who.by, name, "").await
    };
    let second = create(&olga).await;
    assert!(matches!(second, Err(Error::Conflict(_))), "{second:?}");

    let caller = instance.standing_of(&olga).await;
    let new = to("dora@example.org", Role::Door);
    let invitation = instance
        .members
        .invite(&caller, &olga.by, new)
        .await
        .unwrap();
    Mailbox::of(&instance).collect().await;
    let mut dora = instance.someone("dora@example.org", 2).await;
    let accepted = instance.members.accept(&dora.by, invitation.invitation.id);
    let (theirs, token) = accepted.await.unwrap();
    instance.renewed(&mut dora, token).await;
    assert_eq!(instance.standing_of(&dora).await.account, theirs, "at once");
    let (own, token) = create(&dora).await.unwrap();
    instance.renewed(&mut dora, token).await;
    let standing = instance.standing_of(&dora).await;
    assert_eq!(
        (standing.account, standing.scopes),
        (own, Role::Owner.scopes())
    );
    let account = instance.accounts.get(&standing).await.unwrap().account;
    assert_eq!((&*account.name, account.plan), ("Rust Berlin", Plan::Free));
}

async fn nobody_makes_an_account_where_sign_up_is_closed(database: Database) {
    let sign_up = SignUp {
        is_open: false,
        ..SignUp::default()
    };
    let closed = Policy {
        sign_up,
        ..policy()
    };
    let instance = Instance::open_under(&database, closed).await;
    instance.olga().await;
    let olga = instance.someone("olga@example.org", 1).await;
    let refused = instance
        .own_accounts
        .create(&olga.by, "More".to_owned(), "")
        .await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
}

async fn name_and_time_zone_of_an_account_change(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.someone("olga@example.org", 1).await;
    let caller = instance.standing_of(&olga).await;
    let update = async |name: Option<&str>, timezone: Change<&str>| {
        let patch = AccountPatch {
            name: name.map(str::to_owned),
            timezone: match timezone {
                Change::Set(zone) => Change::Set(zone.to_owned()),
                Change::Clear => Change::Clear,
                Change::Keep => Change::Keep,
            },
            ..AccountPatch::default()
        };
        instance.own_accounts.update(&caller, patch).await
    };
    for wrong in [
        update(Some(" "), Change::Keep).await,
        update(None, Change::Set("Mars")).await,
    ] {
        assert!(matches!(wrong, Err(Error::Invalid(_))), "{wrong:?}");
    }
    let now = async || instance.accounts.get(&caller).await.unwrap().account;
    update(Some("Rust Berlin"), Change::Set("europe/berlin"))
        .await
        .unwrap();
    let account = now().await;
    assert_eq!(account.name, "Rust Berlin");
    assert_eq!(account.timezone.as_deref(), Some("Europe/Berlin"));
    update(None, Change::Clear).await.unwrap();
    let account = now().await;
    assert_eq!((&*account.name, account.timezone), ("Rust Berlin", None));
    let audit = instance.audit(caller.account.uuid()).await;
    assert!(audit.iter().any(|one| one["action"] == "account.update"));
    assert!(!format!("{audit:?}").contains("Rust Berlin"));
}

test_postgres::on_both_engines!(prepare: migrate;
    an_account_is_removed_when_everyone_has_been_told,
    what_nobody_registered_for_leaves_the_catalogue_with_its_account,
    a_session_is_about_another_account_of_its_person_after_one_is_removed,
    whoever_owns_no_account_can_have_one,
    nobody_makes_an_account_where_sign_up_is_closed,
    name_and_time_zone_of_an_account_change,
);
