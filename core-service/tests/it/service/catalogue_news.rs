//! The news of the catalogue, by which edges learn which answers hold no longer.

use std::time::Duration;

use core_service::{
    domain::{change::Change, event::EventPatch},
    service::{Change as News, Listener, Told},
};
use test_postgres::Database;

use super::{
    Instance,
    guests::{guest, seats},
    new_event,
};
use crate::fixtures::{HOUR, migrate};

const EVERY: Duration = Duration::from_millis(300);

/// What the next news say has changed; those that say nothing are left out.
async fn heard(listener: &mut Listener) -> Told {
    loop {
        let told = listener.next().await.unwrap();
        if told.change != News::default() {
            return told;
        }
    }
}

async fn assert_everything(listener: &mut Listener, what: &str) {
    let told = heard(listener).await;
    assert!(told.change.everything, "{what}: {told:?}");
}

/// The same events in any number and order: what comes together is told together.
async fn assert_seats(listener: &mut Listener, slug: &str, what: &str) {
    let told = heard(listener).await;
    assert!(!told.change.everything, "{what}: {told:?}");
    assert!(
        told.change.seats_of.iter().all(|seats| seats == slug),
        "{what}: {told:?}"
    );
}

/// Begins to listen; what was before is not news.
async fn listen(instance: &Instance) -> Listener {
    let mut listener = instance.catalogue_news.listen(EVERY);
    let first = listener.next().await.unwrap();
    assert_eq!(first.change, News::default());
    listener
}

async fn each_change_is_told_with_what_it_changes(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let other = instance.create(&olga, seats(9)).await;
    let mut news = listen(&instance).await;

    let event = instance.create(&olga, seats(2)).await;
    assert_everything(&mut news, "published").await;
    let unlisted = EventPatch {
        is_listed: Change::Set(false),
        ..EventPatch::default()
    };
    let update = instance.events.update(&olga, other.id, unlisted);
    update.await.unwrap();
    assert_everything(&mut news, "unlisted").await;

    let registered = instance
        .registrations
        .register(&event.slug, guest("ada"), None);
    registered.await.unwrap();
    assert_seats(&mut news, &event.slug, "registered").await;
    let added = instance.registrations.add(&olga, event.id, guest("bob"));
    let added = added.await.unwrap();
    assert_seats(&mut news, &event.slug, "added").await;
    let cancelled = instance.registrations.cancel(&olga, event.id, added.id);
    cancelled.await.unwrap();
    assert_seats(&mut news, &event.slug, "cancelled").await;

    instance.events.cancel(&olga, event.id, None).await.unwrap();
    assert_everything(&mut news, "cancelled").await;
}

async fn what_another_core_or_a_command_changes_is_told_too(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(2)).await;
    let mut news = listen(&instance).await;

    let beside = Instance::open_beside_at(&database, instance.clock.clone()).await;
    let registered = beside
        .registrations
        .register(&event.slug, guest("ada"), None);
    registered.await.unwrap();
    assert_seats(&mut news, &event.slug, "registered").await;
    beside
        .suspensions
        .hide(&event.slug, true, None)
        .await
        .unwrap();
    assert_everything(&mut news, "taken down").await;
}

async fn the_end_of_an_event_is_told_before_and_when_it_comes(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let first = instance.create(&olga, seats(2)).await;
    let end = first.schedule.effective_end();
    let mut news = instance.catalogue_news.listen(EVERY);
    let left = end.micros() - instance.clock.now().micros();
    assert_eq!(news.next().await.unwrap().ends_in_micros, Some(left));

    instance.clock.advance_seconds(left / 1_000_000 - HOUR);
    let told = news.next().await.unwrap();
    assert_eq!(told.ends_in_micros, Some(HOUR * 1_000_000));
    assert_eq!(told.change, News::default());
    instance.clock.advance_seconds(HOUR);
    let told = heard(&mut news).await;
    assert!(told.change.everything);
    assert_eq!(told.ends_in_micros, None);
}

async fn what_nobody_sees_is_no_news(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(2)).await;
    let added = instance.registrations.add(&olga, event.id, guest("ada"));
    let added = added.await.unwrap();
    let mut news = listen(&instance).await;
    let version = news.next().await.unwrap().version;

    let draft = instance.create(&olga, new_event("Draft")).await;
    instance.events.cancel(&olga, draft.id, None).await.unwrap();
    let check_in = instance.registrations.check_in(&olga, event.id, added.id);
    check_in.await.unwrap();
    // Those under way may be from before.
    for _ in 0..3 {
        let told = news.next().await.unwrap();
        assert_eq!(told.change, News::default());
        assert_eq!(told.version, version);
    }
}

async fn changes_that_come_together_are_told_together(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, seats(1_000)).await;
    let mut news = listen(&instance).await;
    let start = tokio::time::Instant::now();
    let changing = async {
        for number in 0..100 {
            let guest = guest(&format!("guest{number}"));
            let registered = instance.registrations.register(&event.slug, guest, None);
            registered.await.unwrap();
        }
    };
    let mut count = 0;
    tokio::pin!(changing);
    loop {
        tokio::select! {
            () = &mut changing => break,
            told = news.next() => count += u64::from(told.unwrap().change != News::default()),
        }
    }
    let fifths = u64::try_from(start.elapsed().as_millis()).unwrap() / 200 + 1;
    assert!(
        count <= fifths,
        "{count} news in {fifths} fifths of a second"
    );
}

async fn listeners_are_let_go_when_core_stops(database: Database) {
    let instance = Instance::open(&database).await;
    let mut news = listen(&instance).await;
    instance.catalogue_news.close();
    while news.next().await.is_some() {}
}

test_postgres::on_both_engines!(prepare: migrate;
    each_change_is_told_with_what_it_changes,
    what_another_core_or_a_command_changes_is_told_too,
    the_end_of_an_event_is_told_before_and_when_it_comes,
    what_nobody_sees_is_no_news,
    changes_that_come_together_are_told_together,
    listeners_are_let_go_when_core_stops,
);
