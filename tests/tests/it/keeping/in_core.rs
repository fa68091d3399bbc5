//! What core itself keeps is what it would read.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use core_service::domain::plan::Plan;
use muster_api::v1::{
    Event, GetEventRequest, ListEventsRequest,
    bindings::{RegisterAttendee, UpdateEvent},
};
use process::CancellationToken;
use serde_json::json;
use tests::{Client, Created, Surface, TestApp};
use tokio::task::JoinSet;

/// Changes of the title, and readers who look for them.
const CHANGES: u32 = 60;
const READERS: usize = 6;

async fn organizer(app: &Arc<TestApp>) -> (Client, Created) {
    let account = app.account(Plan::Business).await;
    let owner = app.over(Surface::Http).as_owner(&account);
    let event = owner.publish_new(json!({"max_capacity": 5})).await;
    (owner, event)
}

/// The event by itself and in the list, by gRPC.
async fn read(app: &TestApp, slug: &str) -> [Option<Event>; 2] {
    let mut catalogue = app.grpc.catalogue();
    let slug = slug.to_owned();
    let found = catalogue.get_event(GetEventRequest { slug: slug.clone() });
    let found = found.await.ok().map(tonic::Response::into_inner);
    let list = catalogue.list_events(ListEventsRequest::default()).await;
    let mut items = list.unwrap().into_inner().items.into_iter();
    [found, items.find(|event| event.slug == slug)]
}

async fn titles(app: &TestApp, slug: &str) -> [String; 2] {
    read(app, slug).await.map(|event| event.unwrap().title)
}

async fn an_answer_is_made_once_until_the_catalogue_or_its_seats_change(app: Arc<TestApp>) {
    let (owner, event) = organizer(&app).await;
    let is = |title: &str| [title.to_owned(), title.to_owned()];
    assert_eq!(titles(&app, &event.slug).await, is("Rust Meetup"));

    app.retitle_behind_core(&event.id, "Changed by hand").await;
    assert_eq!(titles(&app, &event.slug).await, is("Rust Meetup"), "kept");

    let guest = json!({"slug": event.slug, "name": "Grace", "email": "grace@example.org"});
    owner.ok::<RegisterAttendee>(guest).await;
    for read in read(&app, &event.slug).await {
        let read = read.unwrap();
        assert_eq!(read.title, "Changed by hand", "read again");
        assert_eq!(read.seats_left, 4);
    }

    app.retitle_behind_core(&event.id, "Again").await;
    assert_eq!(titles(&app, &event.slug).await, is("Changed by hand"));
    owner.publish_new(json!({})).await;
    assert_eq!(titles(&app, &event.slug).await, is("Again"));

    app.advance(Duration::from_hours(10_000));
    assert_eq!(read(&app, &event.slug).await, [None, None], "ended");
}

/// Whoever asks after a change was answered sees it, or a later one.
async fn no_reader_sees_what_was_before_a_change_that_is_answered(app: Arc<TestApp>) {
    let (owner, event) = organizer(&app).await;
    let title = |number: u32| format!("Title {number:04}");
    let answered = Arc::new(AtomicU32::new(0));
    let stop = CancellationToken::new();
    let change = async |number: u32| {
        let change = json!({"id": event.id, "title": title(number)});
        owner.ok::<UpdateEvent>(change).await;
        answered.store(number, Ordering::SeqCst);
    };
    change(1).await;
    let mut readers = JoinSet::new();
    for _ in 0..READERS {
        let (app, slug) = (app.clone(), event.slug.clone());
        let (answered, stop) = (answered.clone(), stop.clone());
        readers.spawn(async move {
            let mut late = Vec::new();
            while !stop.is_cancelled() {
                let least = title(answered.load(Ordering::SeqCst));
                let read = titles(&app, &slug).await;
                late.extend(read.into_iter().filter(|title| *title < least));
            }
            late
        });
    }
    for number in 2..=CHANGES {
        change(number).await;
    }
    stop.cancel();
    let late = readers.join_all().await.concat();
    assert_eq!(late, Vec::<String>::new());
}

tests::on_both_engines!(
    an_answer_is_made_once_until_the_catalogue_or_its_seats_change,
    no_reader_sees_what_was_before_a_change_that_is_answered,
);
