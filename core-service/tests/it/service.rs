//! The use cases, as the layers above call them.

mod accounts;
mod at_the_door;
mod changing;
mod colliding;
mod creating;
mod deep_pages;
mod erasing;
mod exporting;
mod forgetting;
pub(crate) mod guests;
mod limits_of_cores;
mod mail_budgets;
mod managing;
mod members;
mod noticing;
mod oauth;
mod outage;
pub(crate) mod people;
mod private_links;
mod registering;
mod removing;
mod seats;
mod sessions;
pub(crate) mod signing_in;
mod some_events;
mod suspending;
mod taking_back;
mod trespassing;
mod trusting;
mod unknown_keys;

use std::ops::Deref;

use core_service::{
    jobs::Maintenance,
    service::{Commands, Error, LimitSettings, Links, NewAccount, Policy, Principal, UseCases},
};
use domain::{
    clock::Clock,
    entropy::Entropy,
    event::{Event, NewEvent, Reminders},
    ids::EventId,
    plan::Plan,
    registration::{Registration, Status},
};
use storage::{KeyUses, Options, Purpose, Store};
use test_postgres::Database;

use crate::fixtures::{NOW, Rows, add_registrations, open};

/// The use cases on a database of their own, at a time that stands still.
pub(crate) struct Instance {
    pub(crate) use_cases: UseCases,
    pub(crate) store: Store,
    pub(crate) clock: Clock,
}

impl Deref for Instance {
    type Target = UseCases;

    fn deref(&self) -> &UseCases {
        &self.use_cases
    }
}

impl Instance {
    pub(crate) async fn open(database: &Database) -> Self {
        Self::on(open(database).await, 7, Clock::manual(NOW))
    }

    /// The use cases by another clock, beside a core that serves the database or is about to.
    pub(crate) async fn open_beside_at(database: &Database, clock: Clock) -> Self {
        let options = Options::new(database.url(), Purpose::Administer);
        Self::on(Store::open(&options).await.unwrap(), 7, clock)
    }

    /// The use cases of a second core on the same database, whose ids are others.
    pub(crate) async fn open_beside(database: &Database) -> Self {
        Self::on(open(database).await, 8, Clock::manual(NOW))
    }

    /// The use cases of an instance that has photographs for covers.
    pub(crate) async fn open_with_covers(database: &Database) -> Self {
        Self::with(open(database).await, 7, Clock::manual(NOW), true)
    }

    fn on(store: Store, seed: u64, clock: Clock) -> Self {
        Self::with(store, seed, clock, false)
    }

    /// The use cases with rate limits.
    pub(crate) async fn open_with_limits(database: &Database, limits: LimitSettings) -> Self {
        let limited = Policy { limits, ..policy() };
        Self::open_under(database, limited).await
    }

    /// The use cases with other settings.
    pub(crate) async fn open_under(database: &Database, policy: Policy) -> Self {
        let store = open(database).await;
        Self::under(store, 7, Clock::manual(NOW), false, policy)
    }

    fn with(store: Store, seed: u64, clock: Clock, fetches_covers: bool) -> Self {
        Self::under(store, seed, clock, fetches_covers, policy())
    }

    pub(crate) fn under(
        store: Store,
        seed: u64,
        clock: Clock,
        fetches_covers: bool,
        policy: Policy,
    ) -> Self {
        let entropy = Entropy::seeded(seed);
        let commands = Commands::new(store.clone(), clock.clone(), entropy);
        Self {
            use_cases: UseCases::new(commands.with_covers(fetches_covers), policy),
            store,
            clock,
        }
    }

    /// Someone with an account of their own.
    pub(crate) async fn caller(&self, email: &str, plan: Plan) -> Principal {
        let account = NewAccount {
            email: email.to_owned(),
            name: "Olga Owner".to_owned(),
            plan,
            timezone: None,
        };
        self.accounts.create(account).await.unwrap();
        // Of which nobody is mailed.
        let key = self.keys.create_for_demo(email, "laptop").await.unwrap();
        let header = format!("Bearer {}", key.plain.expose());
        self.authenticator
            .authenticate(Some(&header))
            .await
            .unwrap()
    }

    pub(crate) async fn olga(&self) -> Principal {
        self.caller("olga@example.org", Plan::Business).await
    }

    pub(crate) async fn create(&self, caller: &Principal, new: NewEvent) -> Event {
        self.events.create(caller, new).await.unwrap()
    }

    /// Does what maintenance does every half minute.
    pub(crate) async fn maintain(&self) {
        let maintenance = Maintenance::new(self.commands.clone(), KeyUses::default());
        maintenance.maintain_once().await.unwrap();
    }

    /// Stores what maintenance stores when it runs.
    pub(crate) async fn store_uses(&self) {
        let (keys, sessions) = (
            self.authenticator.key_uses(),
            self.authenticator.session_uses(),
        );
        let maintenance = Maintenance::new(self.commands.clone(), keys);
        let maintenance = maintenance
            .with_session_uses(sessions)
            .with_grant_uses(self.authenticator.grant_uses());
        maintenance.maintain_once().await.unwrap();
    }

    pub(crate) async fn register(&self, event: EventId, statuses: &[Status]) -> Vec<Registration> {
        add_registrations(&self.store, &Rows::new(), event, statuses).await
    }

    /// What the audit log says of a subject: actor, action, before, after, reason.
    pub(crate) async fn audit(&self, subject: uuid::Uuid) -> Vec<serde_json::Value> {
        let records = self.store.list_audit(subject, 100).await.unwrap();
        let shown = records.into_iter().map(|record| {
            serde_json::json!({
                "actor": record.actor,
                "action": record.action,
                "before": record.before,
                "after": record.after,
                "reason": record.reason,
            })
        });
        shown.collect()
    }
}

/// The default settings, without rate limits.
pub(crate) fn policy() -> Policy {
    Policy {
        links: Links::new("https://muster.example"),
        limits: LimitSettings::OFF,
        ..Policy::default()
    }
}

/// Asks until the database has room for it, as clients do: of many at once some wait too long for a connection, and are told to
/// come again.
pub(crate) async fn until_served<T, F>(ask: impl Fn() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    loop {
        match ask().await {
            Err(Error::Unavailable(_)) => {}
            answer => return answer,
        }
    }
}

/// A draft, an hour from [`NOW`], for an hour.
pub(crate) fn new_event(title: &str) -> NewEvent {
    NewEvent {
        title: title.to_owned(),
        description: "Talks.".to_owned(),
        location: "Hall".to_owned(),
        city: None,
        start_date: "2030-01-01T01:00:00Z".to_owned(),
        end_date: Some("2030-01-01T02:00:00Z".to_owned()),
        timezone: None,
        max_capacity: 100,
        is_public: false,
        is_listed: true,
        requires_approval: false,
        confirm_by_email: None,
        allows_answer_changes: false,
        max_party: 1,
        is_location_private: false,
        window: domain::event::WindowChange::default(),
        attendee_info: None,
        image_query: None,
        image_variant: 1,
        custom_fields: Vec::new(),
        organizer_name: None,
        reminders: Reminders::default(),
        contact_email: None,
    }
}

/// As [`new_event`], published.
pub(crate) fn public_event(title: &str) -> NewEvent {
    NewEvent {
        is_public: true,
        ..new_event(title)
    }
}

#[track_caller]
#[expect(
    clippy::needless_pass_by_value,
    reason = "reads better around the call that it judges"
)]
pub(crate) fn assert_no_event<T: std::fmt::Debug>(outcome: Result<T, Error>) {
    assert!(
        matches!(outcome, Err(Error::NotFound { what: "event" })),
        "{outcome:?}"
    );
}
