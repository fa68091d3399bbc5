//! The law of the catalogue's total: it is the number of events that a full count finds.

use domain::{clock::Clock, entropy::Entropy, event::Event, ids::AccountId};
use storage::Store;
use test_postgres::Database;
use tokio::task::JoinSet;

use crate::fixtures::{HOUR, NOW, Rows, add_account, event_time, migrate, open};

/// One owner who does things at random with events of their own, and remembers them.
struct Owner {
    store: Store,
    clock: Clock,
    rows: Rows,
    chance: Entropy,
    account: AccountId,
    events: Vec<Event>,
}

impl Owner {
    async fn new(store: &Store, clock: &Clock, seed: u64) -> Self {
        let rows = Rows::seeded(seed);
        Self {
            account: add_account(store, &rows).await.id,
            store: store.clone(),
            clock: clock.clone(),
            rows,
            chance: Entropy::seeded(seed),
            events: Vec::new(),
        }
    }

    async fn act(&mut self) {
        match self.chance.below(8) {
            0..=2 => self.create().await,
            3..=4 => self.update().await,
            5 => self.cancel().await,
            6 => self.sweep().await,
            _ => self.clock.advance_seconds(HOUR),
        }
    }

    async fn create(&mut self) {
        let event = self.changed(self.rows.event(self.account, 0));
        let mut tx = self.store.begin().await.unwrap();
        let live = event.is_live(self.clock.now());
        assert!(tx.insert_event(&event, live).await.unwrap());
        tx.commit().await.unwrap();
        self.events.push(event);
    }

    async fn update(&mut self) {
        let Some(index) = self.any() else { return };
        let event = self.changed(self.events[index].clone());
        let mut tx = self.store.begin().await.unwrap();
        tx.lock_counters(event.id).await.unwrap();
        let live = event.is_live(self.clock.now());
        tx.update_event(&event, live).await.unwrap();
        tx.commit().await.unwrap();
        self.events[index] = event;
    }

    async fn cancel(&mut self) {
        let Some(index) = self.any() else { return };
        let event = &mut self.events[index];
        let mut tx = self.store.begin().await.unwrap();
        tx.lock_counters(event.id).await.unwrap();
        let first = tx.mark_cancelled(event.id, None, NOW).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(first, !event.is_cancelled);
        event.is_cancelled = true;
    }

    async fn sweep(&self) {
        let mut tx = self.store.begin().await.unwrap();
        tx.unlist_ended_events(self.clock.now(), 3).await.unwrap();
        tx.commit().await.unwrap();
    }

    fn any(&self) -> Option<usize> {
        let count = u64::try_from(self.events.len()).unwrap();
        (count > 0).then(|| usize::try_from(self.chance.below(count)).unwrap())
    }

    /// Somewhere from three hours ago to eight hours ahead, mostly published and listed.
    fn changed(&self, mut event: Event) -> Event {
        let hours = i64::try_from(self.chance.below(12)).unwrap() - 3;
        event.schedule.start = event_time(self.clock.now().plus_seconds(hours * HOUR));
        event.is_published = self.chance.below(4) > 0;
        event.is_listed = self.chance.below(4) > 0;
        event
    }

    fn live(&self) -> usize {
        let now = self.clock.now();
        self.events
            .iter()
            .filter(|event| event.is_live(now))
            .count()
    }
}

async fn the_total_is_the_count_after_every_step(database: Database) {
    let store = open(&database).await;
    let clock = Clock::manual(NOW);
    let mut owner = Owner::new(&store, &clock, 1).await;
    for step in 0..150 {
        owner.act().await;
        let now = clock.now();
        let listed = store.list_live_events(now, 1_000, 0).await.unwrap().len();
        assert_eq!(listed, owner.live(), "listed after step {step}");
        let total = store.count_live_events(now).await.unwrap();
        assert_eq!(
            usize::try_from(total).unwrap(),
            listed,
            "total after step {step}"
        );
    }
}

async fn the_total_is_the_count_when_many_act_at_once(database: Database) {
    let store = open(&database).await;
    let clock = Clock::manual(NOW);
    let mut owners = JoinSet::new();
    for seed in 0..6 {
        let mut owner = Owner::new(&store, &clock, seed).await;
        owners.spawn(async move {
            for _ in 0..40 {
                owner.act().await;
            }
            owner
        });
    }
    let live: usize = owners.join_all().await.iter().map(Owner::live).sum();
    let now = clock.now();
    let total = store.count_live_events(now).await.unwrap();
    assert_eq!(usize::try_from(total).unwrap(), live);
    let listed = store.list_live_events(now, 1_000, 0).await.unwrap().len();
    assert_eq!(listed, live);
}

test_postgres::on_both_engines!(
    prepare: migrate;
    the_total_is_the_count_after_every_step,
    the_total_is_the_count_when_many_act_at_once,
);
