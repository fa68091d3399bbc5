//! Covers are drawn for strangers, so one client gets only so many at a time, and no cover is drawn that its client has.

use std::time::Duration;

use core_service::{
    Core, Options,
    email::Mailer,
    service::{LimitSettings, Policy},
};
use domain::{
    clock::Clock,
    event::Event,
    rate::{Limit, Period},
};
use muster_api::{
    metadata::CLIENT_ADDRESS,
    v1::{GetCoverRequest, catalogue_service_client::CatalogueServiceClient},
};
use storage::Store;
use test_postgres::Database;
use tonic::{Code, Request, Status};
use tonic_types::StatusExt as _;

use crate::fixtures::{NOW, Rows, add_account, add_event, migrate, open};

const CLIENT: &str = "192.0.2.1";
const OTHER: &str = "192.0.2.2";

/// A core that draws so many covers a minute for a client.
async fn core(store: Store, clock: &Clock, covers: u32) -> Core {
    let limits = LimitSettings {
        covers: Limit::new(covers, Period::Minute),
        ..LimitSettings::OFF
    };
    let options = Options {
        clock: clock.clone(),
        policy: Policy {
            limits,
            ..Policy::default()
        },
        ..Options::default()
    };
    let sender = "events@muster.example".parse().unwrap();
    let mailer = Mailer::files(std::env::temp_dir(), sender);
    Core::compose(store, mailer, options).await.unwrap()
}

/// A core that draws two covers a minute for a client, with some events that have covers.
struct Gallery {
    core: Core,
    store: Store,
    clock: Clock,
    events: Vec<Event>,
}

impl Gallery {
    async fn open(database: &Database) -> Self {
        let (store, clock) = (open(database).await, Clock::manual(NOW));
        let rows = Rows::new();
        let account = add_account(&store, &rows).await;
        let mut events = Vec::new();
        for number in 0..4 {
            let mut event = rows.event(account.id, 24);
            event.slug = format!("crab-{number}");
            event.image_query = Some(format!("crab {number}"));
            add_event(&store, &event).await;
            events.push(event);
        }
        let core = core(store.clone(), &clock, 2).await;
        Self {
            core,
            store,
            clock,
            events,
        }
    }

    /// The image of an event and its tag, as the client at this address gets them, who has the image with the tag `known`.
    async fn get(
        &self,
        event: usize,
        client: &str,
        known: Option<&str>,
    ) -> Result<(Vec<u8>, String), Status> {
        let slug = self.events[event].slug.clone();
        let mut request = Request::new(GetCoverRequest { slug, text: None });
        let metadata = request.metadata_mut();
        metadata.insert(CLIENT_ADDRESS, client.parse().unwrap());
        if let Some(known) = known {
            metadata.insert("if-none-match", known.parse().unwrap());
        }
        let mut catalogue = CatalogueServiceClient::new(self.core.in_process());
        let answer = catalogue.get_cover(request).await?;
        let tag = answer.metadata().get("etag").unwrap().to_str().unwrap();
        let tag = tag.to_owned();
        let image = answer.into_inner().message().await?.unwrap();
        Ok((image.data.to_vec(), tag))
    }
}

async fn a_client_gets_so_many_drawings_and_those_that_were_drawn_lately(database: Database) {
    let gallery = Gallery::open(&database).await;
    let (first, tag) = gallery.get(0, CLIENT, None).await.unwrap();
    gallery.get(1, CLIENT, None).await.unwrap();
    let refused = gallery.get(2, CLIENT, None).await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted, "{refused:?}");
    let wait = refused.get_details_retry_info().unwrap().retry_delay;
    assert_eq!(wait, Some(Duration::from_secs(30)));
    assert_eq!(
        gallery.get(0, CLIENT, None).await.unwrap(),
        (first.clone(), tag)
    );

    // Another client has a limit of its own, and what was drawn for it is there for all.
    gallery.get(2, OTHER, None).await.unwrap();
    gallery.get(2, CLIENT, None).await.unwrap();
    gallery.clock.advance_seconds(30);
    gallery.get(3, CLIENT, None).await.unwrap();
}

async fn a_cover_that_the_client_has_is_not_drawn_again(database: Database) {
    let gallery = Gallery::open(&database).await;
    let (_, tag) = gallery.get(2, OTHER, None).await.unwrap();
    // Another core on the database has drawn nothing yet.
    let core = core(gallery.store.clone(), &gallery.clock, 1).await;
    let gallery = Gallery { core, ..gallery };
    gallery.get(0, CLIENT, None).await.unwrap();
    let known = format!("\"other\", W/{tag}");
    let (image, same) = gallery.get(2, CLIENT, Some(&known)).await.unwrap();
    assert!(image.is_empty());
    assert_eq!(same, tag);
    let changed = gallery.get(2, CLIENT, Some("\"other\"")).await.unwrap_err();
    assert_eq!(changed.code(), Code::ResourceExhausted);
}

test_postgres::on_both_engines!(
    prepare: migrate;
    a_client_gets_so_many_drawings_and_those_that_were_drawn_lately,
    a_cover_that_the_client_has_is_not_drawn_again,
);
