//! A replica that answers reads of the catalogue: a real standby, which falls behind, dies, comes back, and is promoted.

use std::time::Duration;

use core_service::{
    domain::catalogue::{CatalogueFilter, FilterTexts},
    service::Principal,
};
use rustix::process::Signal;
use sqlx::{Connection as _, PgConnection};
use test_postgres::{Database, Server};
use tokio::time::{Instant, timeout};

use super::{
    Instance,
    guests::{guest, seats},
    outage::{postmaster, signal_all},
    public_event,
};
use crate::fixtures::migrate;

/// Far above what a standby needs to catch up on a busy machine, and longer than one that was away is left alone.
const TIMEOUT: Duration = Duration::from_mins(1);

/// How long a call may take at most while the replica dies: its one try there, and its read on the primary, on a busy machine.
const LONGEST_CALL: Duration = Duration::from_millis(1_500);

/// Who looks at a server, and changes its state.
struct Observer(PgConnection);

impl Observer {
    async fn of(url: &str) -> Self {
        Self(PgConnection::connect(url).await.unwrap())
    }

    async fn execute(&mut self, statement: &'static str) {
        sqlx::raw_sql(statement).execute(&mut self.0).await.unwrap();
    }

    /// How many of Muster's connections to this server read events last.
    async fn readers(&mut self) -> i64 {
        let text = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'muster' \
                    AND datname = current_database() AND query LIKE 'SELECT e.id, e.account_id%'";
        sqlx::query_scalar(text)
            .fetch_one(&mut self.0)
            .await
            .unwrap()
    }
}

struct Cluster {
    primary: Server,
    standby: Server,
    database: Database,
    replica_url: String,
}

impl Cluster {
    async fn start() -> Option<Self> {
        let primary = Server::start()?;
        let database = Database::on(&primary, migrate).await;
        let standby = Server::standby_of(&primary);
        let replica_url = standby.url(database.name().unwrap());
        Some(Self {
            primary,
            standby,
            database,
            replica_url,
        })
    }
}

/// Lists until the replica is seen to answer.
async fn await_the_replica(instance: &Instance, url: &str) {
    let used = timeout(TIMEOUT, async {
        let mut observer = Observer::of(url).await;
        loop {
            let mut reads = instance.store.catalogue_reads(None).await.unwrap();
            if reads.is_on_replica() {
                reads
                    .list_live_events(instance.clock.now(), None, 10, 0)
                    .await
                    .unwrap();
                drop(reads);
                if observer.readers().await > 0 {
                    return;
                }
            }
        }
    });
    used.await.expect("the replica is used");
}

/// Each change is seen by whoever reads afterwards, in lists, by its slug and by searches.
async fn changes_are_seen_at_once(instance: &Instance, olga: &Principal, name: &str) {
    for number in 0..20 {
        let title = format!("{name} {number}");
        let event = instance.create(olga, public_event(&title)).await;
        let listed = instance.catalogue.list(100, 0).await.unwrap();
        assert!(
            listed.events.iter().any(|one| one.id == event.id),
            "{title}"
        );
        assert_eq!(
            instance.catalogue.get(&event.slug).await.unwrap().title,
            title
        );
        let filter = CatalogueFilter::read(FilterTexts {
            q: Some(&title),
            city: None,
            from: None,
            to: None,
        });
        let found = instance
            .catalogue
            .search(&filter.unwrap().unwrap(), 10, 0)
            .await
            .unwrap();
        assert!(found.events.iter().any(|one| one.id == event.id), "{title}");
        instance
            .registrations
            .register(&event.slug, guest("ada"), None)
            .await
            .unwrap();
        let (_, left) = instance
            .catalogue
            .get_with_seats(&event.slug)
            .await
            .unwrap();
        assert_eq!(left, event.max_capacity - 1);
        instance.events.unpublish(olga, event.id).await.unwrap();
        super::assert_no_event(instance.catalogue.get(&event.slug).await);
    }
}

/// The longest of some lists.
async fn longest_list(instance: &Instance) -> Duration {
    let mut longest = Duration::ZERO;
    for _ in 0..20 {
        let began = Instant::now();
        instance.catalogue.list(10, 0).await.unwrap();
        longest = longest.max(began.elapsed());
    }
    longest
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_answers_while_it_has_everything_and_never_anything_old() {
    let Some(cluster) = Cluster::start().await else {
        return;
    };
    let (database, url) = (&cluster.database, &cluster.replica_url);
    let instance = Instance::open_with_replica(database, url.clone()).await;
    let olga = instance.olga().await;
    instance.create(&olga, seats(5)).await;
    await_the_replica(&instance, url).await;
    changes_are_seen_at_once(&instance, &olga, "Following").await;

    // Who knows the state of the primary asks the primary nothing.
    await_the_replica(&instance, url).await;
    let state = instance.catalogue.state().await.unwrap();
    let server = postmaster(database.url());
    signal_all(server, Signal::STOP);
    let reads = instance.store.catalogue_reads(Some(&state.version)).await;
    let is_on_replica = reads.map(|reads| reads.is_on_replica());
    signal_all(server, Signal::CONT);
    assert!(matches!(is_on_replica, Ok(true)), "{is_on_replica:?}");

    // It falls behind: it is seen to, and the primary answers.
    let mut observer = Observer::of(url).await;
    observer.execute("SELECT pg_wal_replay_pause()").await;
    let late = instance.create(&olga, public_event("Late")).await;
    for _ in 0..20 {
        assert_eq!(
            instance.catalogue.get(&late.slug).await.unwrap().id,
            late.id
        );
        let reads = instance.store.catalogue_reads(None).await.unwrap();
        assert!(!reads.is_on_replica());
    }
    changes_are_seen_at_once(&instance, &olga, "Behind").await;
    observer.execute("SELECT pg_wal_replay_resume()").await;
    await_the_replica(&instance, url).await;

    // It freezes in the middle of a call, which goes on with the primary, and later calls know it.
    let mut reads = instance.store.catalogue_reads(None).await.unwrap();
    assert!(reads.is_on_replica());
    let postmaster = postmaster(url);
    signal_all(postmaster, Signal::STOP);
    let began = Instant::now();
    let count = reads.count_live_events(instance.clock.now()).await;
    let waited = began.elapsed().max(longest_list(&instance).await);
    signal_all(postmaster, Signal::CONT);
    assert!(waited < LONGEST_CALL, "{waited:?}");
    assert!(count.unwrap() > 0);
    assert!(!reads.is_on_replica());
    drop(reads);
    await_the_replica(&instance, url).await;

    // It dies, and comes back.
    cluster.standby.kill();
    let longest = longest_list(&instance).await;
    assert!(longest < LONGEST_CALL, "{longest:?}");
    changes_are_seen_at_once(&instance, &olga, "Alone").await;
    cluster.standby.start_again();
    await_the_replica(&instance, url).await;

    // It becomes a primary of its own, with another history that looks newer.
    cluster.standby.promote();
    let mut observer = Observer::of(url).await;
    observer
        .execute(
            "UPDATE events SET title = 'Another history'; \
             UPDATE catalogue_totals SET version = version + 1000; UPDATE seat_versions SET version = version + 1000",
        )
        .await;
    for _ in 0..20 {
        let listed = instance.catalogue.list(100, 0).await.unwrap();
        assert!(
            listed
                .events
                .iter()
                .all(|one| one.title != "Another history")
        );
    }
    changes_are_seen_at_once(&instance, &olga, "Promoted").await;
    drop(cluster.primary);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_that_is_not_there_costs_nothing_but_a_try() {
    let Some(server) = Server::start() else {
        return;
    };
    let database = Database::on(&server, migrate).await;
    // Nobody listens there, and the primary is no replica.
    for replica in [
        "postgres://muster@127.0.0.1:1/muster".to_owned(),
        database.url().to_owned(),
    ] {
        let instance = Instance::open_with_replica(&database, replica).await;
        assert!(longest_list(&instance).await < LONGEST_CALL);
        let reads = instance.store.catalogue_reads(None).await.unwrap();
        assert!(!reads.is_on_replica());
        drop(reads);
        instance.store.close().await;
    }
}
