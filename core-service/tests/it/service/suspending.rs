//! What operators withdraw from the public.

use core_service::service::{ActivityFilter, Error};
use domain::{
    catalogue::{CatalogueFilter, FilterTexts},
    change::Change,
    event::{EventPatch, NewEvent},
    plan::Plan,
};
use test_postgres::Database;

use super::{
    Instance, assert_no_event,
    guests::{guest, seats},
    new_event,
};
use crate::fixtures::migrate;

impl Instance {
    /// The slugs that the catalogue, its search and its sitemaps have, after a look at the total.
    async fn shown(&self) -> Vec<String> {
        let listed = self.catalogue.list(100, 0).await.unwrap();
        let slugs: Vec<_> = listed
            .events
            .into_iter()
            .map(|one| one.event.slug)
            .collect();
        assert_eq!(usize::try_from(listed.count).unwrap(), slugs.len());
        let texts = FilterTexts {
            q: Some("meetup"),
            ..FilterTexts::default()
        };
        let filter = CatalogueFilter::read(texts).unwrap().unwrap();
        let found = self.catalogue.search(&filter, 100, 0).await.unwrap();
        let found: Vec<_> = found.events.into_iter().map(|one| one.event.slug).collect();
        assert_eq!(found, slugs);
        let addresses = self
            .store
            .list_event_addresses(self.clock.now(), None, 100, 0);
        assert_eq!(addresses.await.unwrap().len(), slugs.len());
        slugs
    }

    async fn assert_nobody_sees(&self, slug: &str) {
        assert_no_event(self.catalogue.get(slug).await);
        assert_no_event(self.catalogue.page(slug).await);
        assert_no_event(self.catalogue.cover(slug).await);
        let registered = self.registrations.register(slug, guest("eve"), None);
        assert_no_event(registered.await);
    }
}

async fn the_events_of_a_suspended_account_leave_the_public_until_it_is_resumed(
    database: Database,
) {
    let instance = Instance::open(&database).await;
    let fay = instance.caller("fay@example.org", Plan::Business).await;
    let olga = instance.olga().await;
    let stays = instance.create(&fay, seats(9)).await;
    let listed = instance.create(&olga, seats(9)).await;
    let unlisted = NewEvent {
        is_listed: false,
        ..seats(9)
    };
    let unlisted = instance.create(&olga, unlisted).await;
    let added = instance.registrations.add(&olga, listed.id, guest("ada"));
    let link = added.await.unwrap().cancel_url;
    let token = link.rsplit('/').next().unwrap();

    let suspend = async || {
        instance
            .suspensions
            .suspend(olga.account, Some("spam"))
            .await
    };
    assert!(suspend().await.unwrap());
    assert!(!suspend().await.unwrap(), "a second time nothing changes");
    for _ in 0..2 {
        assert_eq!(instance.shown().await, [&*stays.slug]);
        instance.assert_nobody_sees(&listed.slug).await;
        instance.assert_nobody_sees(&unlisted.slug).await;
        assert!(instance.own_registrations.get(token).await.is_ok());
        instance.maintain().await;
    }
    // A core that still trusts a credential does nothing with it that the public would see.
    let published = instance.events.publish(&olga, unlisted.id).await;
    assert!(published.unwrap().0.is_withdrawn());
    let created = instance.events.create(&olga, seats(9)).await;
    assert!(
        matches!(created, Err(Error::AccountSuspended)),
        "{created:?}"
    );
    let added = instance.registrations.add(&olga, listed.id, guest("bob"));
    assert!(matches!(added.await, Err(Error::NotAllowedNow(_))));
    assert_eq!(instance.shown().await, [&*stays.slug]);

    assert!(instance.suspensions.resume(olga.account).await.unwrap());
    let mut all = [stays.slug.clone(), listed.slug.clone()];
    let mut shown = instance.shown().await;
    all.sort();
    shown.sort();
    assert_eq!(shown, all);
    assert!(instance.catalogue.page(&unlisted.slug).await.is_ok());
    let registered = instance
        .registrations
        .register(&listed.slug, guest("eve"), None);
    registered.await.unwrap();
}

async fn who_is_suspended_is_refused_within_five_seconds(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.someone("olga@example.org", 1).await;
    let caller = instance.standing_of(&olga).await;
    let key = instance.make_key(&caller, &olga).await;
    assert!(instance.use_key(&key).await.is_ok());
    let suspended = instance.suspensions.suspend(caller.account, None).await;
    assert!(suspended.unwrap());
    instance.clock.advance_seconds(5);
    for _ in 0..2 {
        let refused = instance.use_key(&key).await;
        assert!(
            matches!(refused, Err(Error::AccountSuspended)),
            "{refused:?}"
        );
    }
    // The person can still sign in, and see that it is suspended.
    let session = instance.caller_of(&olga.session).await.unwrap();
    assert!(session.is_suspended);
    let view = instance.sessions.get(&olga.by).await.unwrap();
    assert!(view.memberships[0].is_suspended);
    instance.suspensions.resume(caller.account).await.unwrap();
    instance.clock.advance_seconds(5);
    assert!(instance.use_key(&key).await.is_ok());
}

async fn a_hidden_event_is_seen_by_its_owner_and_its_registrants_alone(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(9)).await;
    let added = instance.registrations.add(&olga, event.id, guest("ada"));
    let link = added.await.unwrap().cancel_url;
    let token = link.rsplit('/').next().unwrap();
    let hide = async |is_hidden| {
        let reason = Some("spam").filter(|_| is_hidden);
        instance
            .suspensions
            .hide(&event.slug, is_hidden, reason)
            .await
    };
    assert!(hide(true).await.unwrap().1);
    assert!(!hide(true).await.unwrap().1);
    instance.assert_nobody_sees(&event.slug).await;
    assert_eq!(instance.shown().await, [""; 0]);
    assert!(instance.own_registrations.get(token).await.is_ok());

    // Whatever the owner does, it stays hidden.
    let renamed = EventPatch {
        title: Change::Set("Rust Meetup again".to_owned()),
        ..EventPatch::default()
    };
    instance
        .events
        .update(&olga, event.id, renamed)
        .await
        .unwrap();
    instance.events.unpublish(&olga, event.id).await.unwrap();
    let (own, _) = instance.events.publish(&olga, event.id).await.unwrap();
    assert!(own.is_hidden);
    let added = instance.registrations.add(&olga, event.id, guest("bob"));
    assert!(matches!(added.await, Err(Error::NotAllowedNow(_))));
    instance.maintain().await;
    instance.assert_nobody_sees(&event.slug).await;
    assert_eq!(instance.shown().await, [""; 0]);
    let activity = instance
        .activity
        .list(&olga, &ActivityFilter::default(), None, 50)
        .await
        .unwrap();
    let told = activity.entries.iter().any(|entry| {
        entry.sentence() == "The operator hid \"Rust Meetup again\" from the public. Reason: spam"
    });
    assert!(told);

    assert!(hide(false).await.unwrap().1);
    assert_eq!(instance.shown().await, [&*event.slug]);
    assert!(instance.catalogue.page(&event.slug).await.is_ok());
    let unknown = instance.suspensions.hide("no-such-event", true, None).await;
    assert_no_event(unknown);
}

/// Hiding a draft changes nothing that anyone sees, until someone publishes it.
async fn a_draft_can_be_hidden_before_it_is_published(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let draft = instance.create(&olga, new_event("Rust Meetup")).await;
    instance
        .suspensions
        .hide(&draft.slug, true, None)
        .await
        .unwrap();
    instance.events.publish(&olga, draft.id).await.unwrap();
    instance.assert_nobody_sees(&draft.slug).await;
    assert_eq!(instance.shown().await, [""; 0]);
}

test_postgres::on_both_engines!(prepare: migrate;
    the_events_of_a_suspended_account_leave_the_public_until_it_is_resumed,
    who_is_suspended_is_refused_within_five_seconds,
    a_hidden_event_is_seen_by_its_owner_and_its_registrants_alone,
    a_draft_can_be_hidden_before_it_is_published,
);
