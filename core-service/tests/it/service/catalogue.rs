//! What everybody may see.

use core_service::{
    domain::event::{Event, NewEvent},
    service::{CoverView, CoverWords, Error},
};
use test_postgres::Database;

use super::{Desk, assert_no_event, new_event, public_event};
use crate::fixtures::{HOUR, migrate};

async fn pages_put_together_are_the_catalogue(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let mut all: Vec<Event> = Vec::new();
    for hour in [5, 3, 4, 3, 9, 7, 3] {
        let new = NewEvent {
            start_date: format!("2030-01-01T0{hour}:00:00Z"),
            end_date: None,
            ..public_event("Rust Meetup")
        };
        all.push(desk.create(&olga, new).await);
        desk.create(&olga, new_event("A draft")).await;
    }
    all.sort_by_key(|event| (event.schedule.start.at, event.id));
    for limit in 1..=8 {
        let mut offset = Some(0);
        let mut paged = Vec::new();
        while let Some(start) = offset {
            let page = desk.catalogue.list(limit, start).await.unwrap();
            assert_eq!(page.count, 7);
            paged.extend(page.events);
            offset = page.next_offset;
        }
        assert_eq!(paged, all, "pages of {limit}");
    }
    let beyond = desk.catalogue.list(100, 7).await.unwrap();
    assert!(beyond.events.is_empty() && beyond.next_offset.is_none());
}

async fn an_event_leaves_the_catalogue_at_its_effective_end(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let slug = desk.create(&olga, public_event("Rust Meetup")).await.slug;
    desk.clock.advance_seconds(2 * HOUR - 1);
    assert!(desk.catalogue.get(&slug).await.is_ok());
    assert_eq!(desk.catalogue.list(50, 0).await.unwrap().count, 1);
    desk.clock.advance_seconds(1);
    assert_no_event(desk.catalogue.get(&slug).await);
    let page = desk.catalogue.list(50, 0).await.unwrap();
    assert_eq!((page.count, page.events.len()), (0, 0));
}

async fn what_cannot_be_a_slug_is_not_found(database: Database) {
    let desk = Desk::open(&database).await;
    for slug in [
        "",
        "\0",
        "Rust",
        "a b",
        "ü",
        "../x",
        "%00",
        &"x".repeat(100_000),
    ] {
        assert_no_event(desk.catalogue.get(slug).await);
        assert_no_event(desk.catalogue.cover(slug).await);
    }
}

async fn a_cover_is_for_what_is_published_and_has_words(database: Database) {
    let desk = Desk::open(&database).await;
    let olga = desk.olga().await;
    let with_words = |title: &str| NewEvent {
        image_query: Some("crab".to_owned()),
        ..new_event(title)
    };
    let draft = desk.create(&olga, with_words("Rust Meetup")).await;
    assert_no_event(desk.catalogue.cover(&draft.slug).await);

    let published = desk.events.publish(&olga, draft.id).await.unwrap().0;
    let drawn = CoverView::Drawn {
        words: CoverWords {
            title: "Rust Meetup".to_owned(),
            image_query: "crab".to_owned(),
            starts: draft.schedule.start.local,
            city: None,
        },
        is_provisional: false,
    };
    assert_eq!(desk.catalogue.cover(&published.slug).await.unwrap(), drawn);
    desk.events.cancel(&olga, draft.id, None).await.unwrap();
    desk.clock.advance_seconds(3 * HOUR);
    assert_eq!(desk.catalogue.cover(&published.slug).await.unwrap(), drawn);

    let later = NewEvent {
        end_date: None,
        start_date: "2031-01-01T00:00Z".to_owned(),
        ..public_event("No words")
    };
    let plain = desk.create(&olga, later).await;
    let outcome = desk.catalogue.cover(&plain.slug).await;
    assert!(
        matches!(outcome, Err(Error::NotFound { what: "cover" })),
        "{outcome:?}"
    );
}

test_postgres::on_both_engines!(prepare: migrate;
    pages_put_together_are_the_catalogue,
    an_event_leaves_the_catalogue_at_its_effective_end,
    what_cannot_be_a_slug_is_not_found,
    a_cover_is_for_what_is_published_and_has_words,
);
