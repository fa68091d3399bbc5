//! The catalogue's version: whoever keeps a copy of the catalogue asks for it, and reads again when it has grown.

use core_service::domain::{change::Change, event::EventPatch, registration::Status};
use test_postgres::Database;

use super::{Instance, guests::guest, new_event, public_event};
use crate::fixtures::migrate;

impl Instance {
    async fn version(&self) -> i64 {
        self.store.catalogue_version().await.unwrap()
    }
}

fn titled(title: &str) -> EventPatch {
    EventPatch {
        title: Change::Set(title.to_owned()),
        ..EventPatch::default()
    }
}

async fn the_version_grows_with_each_change_of_what_the_catalogue_shows(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let mut before = instance.version().await;
    let mut grown = async |what: &str| {
        let now = instance.version().await;
        assert!(now > before, "{what}: {before} and then {now}");
        before = now;
    };
    let first = instance.create(&olga, public_event("First")).await.id;
    grown("created in public").await;
    instance
        .events
        .update(&olga, first, titled("Renamed"))
        .await
        .unwrap();
    grown("changed").await;
    instance.events.unpublish(&olga, first).await.unwrap();
    grown("unpublished").await;
    instance.events.publish(&olga, first).await.unwrap();
    grown("published").await;
    let listed = |is_listed| EventPatch {
        is_listed: Change::Set(is_listed),
        ..EventPatch::default()
    };
    instance
        .events
        .update(&olga, first, listed(false))
        .await
        .unwrap();
    grown("unlisted").await;
    instance
        .events
        .update(&olga, first, listed(true))
        .await
        .unwrap();
    grown("listed").await;
    instance.events.cancel(&olga, first, None).await.unwrap();
    grown("cancelled").await;
}

async fn what_the_catalogue_does_not_show_leaves_the_version_as_it_is(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let public = instance.create(&olga, public_event("Public")).await;
    let before = instance.version().await;

    let new = guest("ada");
    let registered = instance.registrations.register(&public.slug, new, None);
    registered.await.unwrap();
    let added = instance
        .registrations
        .add(&olga, public.id, guest("bob"))
        .await;
    let added = added.unwrap();
    assert_eq!(added.status, Status::Confirmed);
    let cancel = instance.registrations.cancel(&olga, public.id, added.id);
    cancel.await.unwrap();
    instance.events.publish(&olga, public.id).await.unwrap();
    let same = instance.events.update(&olga, public.id, titled("Public"));
    same.await.unwrap();
    let draft = instance.create(&olga, new_event("Draft")).await.id;
    instance
        .events
        .update(&olga, draft, titled("Other"))
        .await
        .unwrap();
    instance.events.cancel(&olga, draft, None).await.unwrap();
    assert_eq!(instance.version().await, before);

    let refused = instance.events.publish(&olga, draft).await;
    assert!(refused.is_err());
    assert_eq!(instance.version().await, before);
}

test_postgres::on_both_engines!(prepare: migrate;
    the_version_grows_with_each_change_of_what_the_catalogue_shows,
    what_the_catalogue_does_not_show_leaves_the_version_as_it_is,
);
