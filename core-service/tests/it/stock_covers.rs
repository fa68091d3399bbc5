//! From an event's words to its cover, on both databases.

use std::sync::Arc;

use core_service::{
    jobs::{Handler, Runner, StockCovers},
    service::{CoverView, Principal},
};
use covers::stock::{Provider, Stock, StockSettings};
use domain::{
    change::Change,
    event::{Event, EventPatch, NewEvent},
    job::JobKind,
};
use storage::{JobRecord, StoredCover};
use test_photos::{Reply, Server, answers, assert_is_cover, jpeg};
use test_postgres::Database;
use tokio::sync::Semaphore;

use crate::{
    fixtures::{HOUR, migrate},
    service::{Instance, public_event},
};

/// A Pexels that has a picture for everything, and an instance that asks it.
struct Scene {
    server: Server,
    instance: Instance,
    olga: Principal,
    runner: Runner,
}

impl Scene {
    async fn open(database: &Database) -> Self {
        let server = Server::start().await;
        let photos = answers::pexels(&[answers::pexels_photo(&server)]);
        server.on("/v1/search", Reply::json(&photos));
        server.on("/photos/", Reply::picture(jpeg(1200, 630)));
        let stock = Stock::new(StockSettings {
            provider: Provider::Pexels,
            key: Some("k3y-of-the-operator".into()),
            url: Some(server.url()),
        });
        let stock = stock.unwrap();
        let instance = Instance::open_with_covers(database).await;
        let olga = instance.olga().await;
        let (store, clock) = (instance.store.clone(), instance.clock.clone());
        let handler: Arc<dyn Handler> =
            Arc::new(StockCovers::new(instance.commands.clone(), stock));
        Self {
            runner: Runner::new(store, clock, vec![handler]),
            server,
            instance,
            olga,
        }
    }

    async fn create(&self, title: &str, words: &str) -> Event {
        self.instance.create(&self.olga, event(title, words)).await
    }

    async fn drain(&self) -> usize {
        self.runner.drain().await.unwrap()
    }

    async fn jobs(&self) -> Vec<JobRecord> {
        self.instance
            .store
            .list_jobs(JobKind::StockCover, 100)
            .await
            .unwrap()
    }

    async fn change_words(&self, event: &Event, image_query: Change<String>) -> Event {
        let patch = EventPatch {
            image_query,
            ..EventPatch::default()
        };
        let use_cases = &self.instance.use_cases;
        let updated = use_cases.events.update(&self.olga, event.id, patch).await;
        updated.unwrap().event
    }

    async fn photograph(&self, event: &Event) -> Option<StoredCover> {
        match self.instance.catalogue.cover(&event.slug).await.unwrap() {
            CoverView::Photo(cover) => Some(cover),
            CoverView::Drawn(_) => None,
        }
    }

    async fn credit(&self, event: &Event) -> Option<String> {
        let event = self
            .instance
            .catalogue
            .get(&event.slug)
            .await
            .unwrap()
            .event;
        event.image_credit.map(|credit| credit.to_string())
    }
}

fn event(title: &str, words: &str) -> NewEvent {
    NewEvent {
        image_query: Some(words.to_owned()),
        ..public_event(title)
    }
}

async fn a_photograph_takes_the_drawings_place(database: Database) {
    let scene = Scene::open(&database).await;
    let event = scene.create("Crabs", "crab").await;
    assert_eq!(scene.photograph(&event).await, None);
    assert_eq!(scene.credit(&event).await, None);

    assert_eq!(scene.drain().await, 1);
    assert!(scene.jobs().await.is_empty());
    let cover = scene.photograph(&event).await.unwrap();
    assert_is_cover(&cover.jpeg);
    assert_eq!(StoredCover::new(cover.jpeg.clone()), cover);
    let credit = scene.credit(&event).await.unwrap();
    assert!(credit.starts_with("Photo by Lukas Rodriguez"), "{credit}");

    let (event, _) = {
        let unpublished = scene.instance.events.unpublish(&scene.olga, event.id);
        unpublished.await.unwrap();
        let published = scene.instance.events.publish(&scene.olga, event.id);
        published.await.unwrap()
    };
    assert_eq!(scene.credit(&event).await.unwrap(), credit);
    assert!(scene.photograph(&event).await.is_some());
}

async fn without_words_nobody_is_asked(database: Database) {
    let scene = Scene::open(&database).await;
    scene
        .instance
        .create(&scene.olga, public_event("Plain"))
        .await;
    scene.create("Empty", "").await;
    assert!(scene.jobs().await.is_empty());

    assert!(scene.server.seen().is_empty());
}

async fn where_covers_are_drawn_no_job_is_left(database: Database) {
    let instance = Instance::open(&database).await;
    let olga = instance.olga().await;
    let event = instance.create(&olga, event("Drawn", "crab")).await;
    let jobs = instance
        .store
        .list_jobs(JobKind::StockCover, 10)
        .await
        .unwrap();
    assert!(jobs.is_empty());
    let drawn = instance.catalogue.cover(&event.slug).await.unwrap();
    assert!(matches!(drawn, CoverView::Drawn(_)));
}

async fn other_words_get_another_photograph(database: Database) {
    let scene = Scene::open(&database).await;
    let event = scene.create("Crabs", "crab").await;
    scene.drain().await;
    scene.instance.clock.advance_seconds(HOUR / 10);

    let changed = scene
        .change_words(&event, Change::Set("lobster".to_owned()))
        .await;
    assert_eq!(changed.image_credit, None);
    assert_eq!(
        scene.photograph(&event).await,
        None,
        "drawn, until there is another"
    );
    assert_eq!(scene.drain().await, 1);
    assert!(scene.photograph(&event).await.is_some());
    let asked: Vec<_> = scene
        .server
        .targets()
        .into_iter()
        .filter(|target| target.contains("search"))
        .collect();
    assert!(
        asked[0].contains("query=crab") && asked[1].contains("query=lobster"),
        "{asked:?}"
    );

    let same = scene
        .change_words(&event, Change::Set("lobster".to_owned()))
        .await;
    assert!(same.image_credit.is_some());
    assert!(scene.jobs().await.is_empty());

    let cleared = scene.change_words(&event, Change::Clear).await;
    assert_eq!(cleared.image_credit, None);
    assert!(scene.jobs().await.is_empty());
    let drawn = scene.instance.catalogue.cover(&event.slug).await.unwrap();
    let CoverView::Drawn(words) = drawn else {
        panic!("the photograph is still shown");
    };
    assert_eq!((&*words.image_query, words.title), ("", event.title));
    let kept = scene
        .instance
        .store
        .find_stock_cover(event.id)
        .await
        .unwrap();
    assert_eq!(kept, None, "nothing of the photograph is kept");
}

async fn words_that_change_while_a_photograph_is_fetched_win(database: Database) {
    let scene = Scene::open(&database).await;
    let event = scene.create("Crabs", "crab").await;
    let release = Arc::new(Semaphore::new(0));
    let picture = Box::new(Reply::picture(jpeg(1200, 630)));
    scene
        .server
        .on("/photos/", Reply::Held(Arc::clone(&release), picture));
    let runner = scene.runner.clone();
    let fetching = tokio::spawn(async move { runner.drain().await.unwrap() });
    while scene.server.seen().len() < 2 {
        tokio::task::yield_now().await;
    }
    scene
        .change_words(&event, Change::Set("lobster".to_owned()))
        .await;
    release.add_permits(10);
    fetching.await.unwrap();
    assert_eq!(scene.photograph(&event).await, None);

    scene.instance.clock.advance_seconds(60);
    scene.drain().await;
    assert!(scene.photograph(&event).await.is_some());
    assert!(scene.jobs().await.is_empty());
    let targets = scene.server.targets();
    let last = targets
        .iter()
        .rev()
        .find(|target| target.contains("search"));
    assert!(last.unwrap().contains("lobster"));
}

async fn an_event_that_is_over_or_cancelled_needs_no_photograph(database: Database) {
    let scene = Scene::open(&database).await;
    let event = scene.create("Cancelled", "crab").await;
    scene.create("Over", "crab").await;
    let cancelled = scene.instance.events.cancel(&scene.olga, event.id, None);
    cancelled.await.unwrap();
    scene.instance.clock.advance_seconds(3 * HOUR);
    assert_eq!(scene.drain().await, 2);
    assert!(scene.jobs().await.is_empty());
    assert!(scene.server.seen().is_empty());
}

async fn without_a_result_the_drawing_stays(database: Database) {
    let scene = Scene::open(&database).await;
    let none = answers::pexels(&[]);
    scene.server.on("/v1/search", Reply::json(&none));
    let event = scene.create("Crabs", "crab").await;
    assert_eq!(scene.drain().await, 1);
    assert!(scene.jobs().await.is_empty());
    assert_eq!(scene.photograph(&event).await, None);
}

async fn failures_that_may_pass_are_tried_again_and_others_are_not(database: Database) {
    let scene = Scene::open(&database).await;
    let event = scene.create("Crabs", "crab").await;
    scene.server.on("/v1/search", Reply::status(500));
    assert_eq!(scene.drain().await, 1);
    let job = scene.jobs().await.pop().unwrap();
    assert_eq!(job.failed_at, None);
    assert_eq!(
        job.last_error.as_deref(),
        Some("pexels did not answer: status 500")
    );

    scene.instance.clock.advance_seconds(60);
    scene.server.on("/v1/search", Reply::status(400));
    assert_eq!(scene.drain().await, 1);
    let job = scene.jobs().await.pop().unwrap();
    assert!(job.failed_at.is_some());
    assert_eq!(scene.photograph(&event).await, None);

    // New words are a new job, whatever became of the old one.
    let photos = answers::pexels(&[answers::pexels_photo(&scene.server)]);
    scene.server.on("/v1/search", Reply::json(&photos));
    scene
        .change_words(&event, Change::Set("lobster".to_owned()))
        .await;
    assert_eq!(scene.drain().await, 1);
    assert!(scene.photograph(&event).await.is_some());
}

async fn a_refused_key_loses_no_photograph(database: Database) {
    let scene = Scene::open(&database).await;
    let photos = answers::pexels(&[answers::pexels_photo(&scene.server)]);
    scene.server.on("/v1/search", Reply::status(401));
    let event = scene.create("Crabs", "crab").await;
    // Longer than a job is tried that fails for a reason of its own: nine times.
    for _ in 0..12 {
        assert_eq!(scene.drain().await, 1);
        let job = scene.jobs().await.pop().unwrap();
        let error = job.last_error.unwrap();
        assert!(error.contains("check --covers-key"), "{error}");
        assert_eq!(job.failed_at, None);
        scene.instance.clock.advance_seconds(361);
    }
    scene.server.on("/v1/search", Reply::json(&photos));
    scene.drain().await;
    assert!(scene.photograph(&event).await.is_some());
}

async fn a_provider_that_asks_to_wait_is_left_alone(database: Database) {
    let scene = Scene::open(&database).await;
    let limited = Reply::Full(429, vec![("retry-after", "100".to_owned())], vec![]);
    let photos = answers::pexels(&[answers::pexels_photo(&scene.server)]);
    scene.server.on("/v1/search", limited);
    let first = scene.create("Crabs", "crab").await;
    assert_eq!(scene.drain().await, 1);
    assert_eq!(scene.server.seen().len(), 1);

    scene.server.on("/v1/search", Reply::json(&photos));
    let second = scene.create("Lobsters", "lobster").await;
    for _ in 0..9 {
        scene.instance.clock.advance_seconds(10);
        scene.drain().await;
    }
    assert_eq!(scene.server.seen().len(), 1, "nobody asks before the time");

    scene.instance.clock.advance_seconds(400);
    assert_eq!(scene.drain().await, 2);
    assert!(scene.photograph(&first).await.is_some());
    assert!(scene.photograph(&second).await.is_some());
}

test_postgres::on_both_engines!(
    prepare: migrate;
    a_photograph_takes_the_drawings_place,
    without_words_nobody_is_asked,
    where_covers_are_drawn_no_job_is_left,
    other_words_get_another_photograph,
    words_that_change_while_a_photograph_is_fetched_win,
    an_event_that_is_over_or_cancelled_needs_no_photograph,
    without_a_result_the_drawing_stays,
    failures_that_may_pass_are_tried_again_and_others_are_not,
    a_refused_key_loses_no_photograph,
    a_provider_that_asks_to_wait_is_left_alone,
);
