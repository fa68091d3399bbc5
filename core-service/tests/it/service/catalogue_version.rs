//! The catalogue's version: whoever keeps a copy of the catalogue asks for it, and reads again when it has grown.

use core_service::domain::{change::Change, event::EventPatch, registration::Status};
use test_postgres::Database;

use super::{Desk, guests::guest, new_event, public_event};
use crate::fixtures::migrate;

impl Desk {
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
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let mut before = desk.version().await;
    let mut grown = async |what: &str| {
        let now = desk.version().await;
        assert!(now > before, "{what}: {before} and then {now}");
        before = now;
    };
    let first = desk.create(&olga, public_event("First")).await.id;
    grown("created in public").await;
    desk.events
        .update(&olga, first, titled("Renamed"))
        .await
        .unwrap();
    grown("changed").await;
    desk.events.unpublish(&olga, first).await.unwrap();
    grown("unpublished").await;
    desk.events.publish(&olga, first).await.unwrap();
    grown("published").await;
    let listed = |is_listed| EventPatch {
        is_listed: Change::Set(is_listed),
        ..EventPatch::default()
    };
    desk.events
        .update(&olga, first, listed(false))
        .await
        .unwrap();
    grown("unlisted").await;
    desk.events
        .update(&olga, first, listed(true))
        .await
        .unwrap();
    grown("listed").await;
    desk.events.cancel(&olga, first, None).await.unwrap();
    grown("cancelled").await;
}

async fn what_the_catalogue_does_not_show_leaves_the_version_as_it_is(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let public = desk.create(&olga, public_event("Public")).await;
    let before = desk.version().await;

    let new = guest("ada");
    let registered = desk.registrations.register(&public.slug, new, None);
    registered.await.unwrap();
    let added = desk.registrations.add(&olga, public.id, guest("bob")).await;
    let added = added.unwrap();
    assert_eq!(added.status, Status::Confirmed);
    let cancel = desk.registrations.cancel(&olga, public.id, added.id);
    cancel.await.unwrap();
    desk.events.publish(&olga, public.id).await.unwrap();
    let same = desk.events.update(&olga, public.id, titled("Public"));
    same.await.unwrap();
    let draft = desk.create(&olga, new_event("Draft")).await.id;
    desk.events
        .update(&olga, draft, titled("Other"))
        .await
        .unwrap();
    desk.events.cancel(&olga, draft, None).await.unwrap();
    assert_eq!(desk.version().await, before);

    let refused = desk.events.publish(&olga, draft).await;
    assert!(refused.is_err());
    assert_eq!(desk.version().await, before);
}

test_postgres::on_both_engines!(prepare: migrate;
    the_version_grows_with_each_change_of_what_the_catalogue_shows,
    what_the_catalogue_does_not_show_leaves_the_version_as_it_is,
);
