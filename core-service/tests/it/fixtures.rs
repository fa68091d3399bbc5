//! Rows for tests, and a store to put them into.

use domain::{
    account::{Account, ApiKey},
    entropy::Entropy,
    event::{Event, Reminders},
    ids::{AccountId, EventId, KeyId, PersonId, RegistrationId},
    instant::Instant,
    person::{Person, Role},
    plan::Plan,
    registration::{CheckInCode, Party, Registration, Status},
    schedule::{EventTime, Schedule},
    scope::Scopes,
};
use jiff::{Timestamp, tz::TimeZone};
use sqlx::Connection as _;
use storage::{Options, Purpose, Store, Tx};
use test_postgres::Database;

/// The present in tests: 2030-01-01T00:00:00Z.
pub(crate) const NOW: Instant = Instant::from_micros(1_893_456_000_000_000);

pub(crate) const HOUR: i64 = 3_600;

/// What [`test_postgres::on_both_engines`] prepares databases with.
pub(crate) async fn migrate(url: String) {
    let store = Store::open(&Options::new(url, Purpose::Administer))
        .await
        .unwrap();
    store.migrate().await.unwrap();
    store.close().await;
}

pub(crate) async fn open(database: &Database) -> Store {
    Store::open(&Options::new(database.url(), Purpose::Serve))
        .await
        .unwrap()
}

/// Makes rows that differ, the same ones in every run.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    entropy: Entropy,
}

impl Rows {
    pub(crate) fn new() -> Self {
        Self::seeded(0)
    }

    /// Rows that differ from those of other seeds.
    pub(crate) fn seeded(seed: u64) -> Self {
        Self {
            entropy: Entropy::seeded(seed),
        }
    }

    pub(crate) fn account(&self) -> Account {
        let id = AccountId::new(self.entropy.uuid_v7(NOW));
        Account {
            id,
            email: format!("Owner-{}@Example.org", self.entropy.base62(8)),
            name: "Olga Owner".to_owned(),
            plan: Plan::Free,
            timezone: Some("Europe/Berlin".to_owned()),
            is_suspended: false,
            is_trusted: true,
            handle: None,
            about: None,
            website: None,
            created_at: NOW,
        }
    }

    pub(crate) fn key(&self, account: AccountId) -> ApiKey {
        let mut hash = [0; 32];
        hash[..16].copy_from_slice(self.entropy.uuid_v7(NOW).as_bytes());
        ApiKey {
            id: KeyId::new(self.entropy.uuid_v7(NOW)),
            account_id: account,
            person_id: Some(owner_of(account)),
            label: "laptop".to_owned(),
            hash,
            created_at: NOW,
            last_used_at: None,
            scopes: Scopes::All,
            expires_at: Some(NOW.plus_seconds(HOUR)),
            revoked_at: None,
        }
    }

    /// A published, listed event that starts `start_hours` from [`NOW`] and has no end.
    pub(crate) fn event(&self, account: AccountId, start_hours: i64) -> Event {
        let id = EventId::new(self.entropy.uuid_v7(NOW));
        Event {
            id,
            account_id: account,
            series: None,
            slug: format!("event-{}", self.entropy.base62(12)),
            title: "Größe \u{1f389} ' \" $1".to_owned(),
            description: "line\nline".to_owned(),
            location: "Hall".to_owned(),
            city: Some("Köln".to_owned()),
            schedule: Schedule {
                start: event_time(NOW.plus_seconds(start_hours * HOUR)),
                end: None,
                timezone: "Etc/UTC".to_owned(),
            },
            max_capacity: 100,
            is_published: true,
            is_listed: true,
            requires_approval: false,
            confirm_by_email: false,
            allows_answer_changes: false,
            max_party: 1,
            is_location_private: false,
            window: domain::event::Window::default(),
            attendee_info: None,
            is_cancelled: false,
            cancel_reason: None,
            cancelled_at: None,
            image_query: None,
            image_variant: 1,
            image_credit: None,
            has_own_cover: false,
            custom_fields: Vec::new(),
            organizer_name: None,
            reminders: Reminders::default(),
            reminders_missed: Reminders::default(),
            contact_email: None,
            is_hidden: false,
            is_account_suspended: false,
            published_start: None,
            sequence: 0,
            version: 1,
            zone_release: String::new(),
            created_at: NOW,
            updated_at: NOW,
        }
    }

    pub(crate) fn registration(&self, event: EventId, seq: i64, status: Status) -> Registration {
        Registration {
            id: RegistrationId::new(self.entropy.uuid_v7(NOW)),
            event_id: event,
            seq,
            name: format!("Guest {seq}"),
            email: format!("Guest{seq}@example.org"),
            status,
            confirmation: None,
            answers: Vec::new(),
            check_in_code: CheckInCode::generate(&self.entropy),
            is_added: false,
            party: Party::default(),
            arrived: i32::from(status == Status::Confirmed),
            checked_in_at: (status == Status::Confirmed).then_some(NOW),
            checked_in_by: None,
            checked_in_by_name: None,
            refuses_reminders: false,
            registered_at: NOW.plus_seconds(seq),
            updated_at: NOW.plus_seconds(seq),
        }
    }
}

pub(crate) fn event_time(at: Instant) -> EventTime {
    let timestamp = Timestamp::from_microsecond(at.micros()).unwrap();
    EventTime {
        at,
        local: TimeZone::UTC.to_datetime(timestamp),
    }
}

/// Adds an account of its own.
pub(crate) async fn add_account(store: &Store, rows: &Rows) -> Account {
    let account = rows.account();
    let mut tx = store.begin().await.unwrap();
    insert_account(&mut tx, &account).await;
    tx.commit().await.unwrap();
    account
}

/// Adds an account with its owner, whose id is [`owner_of`] it.
pub(crate) async fn insert_account(tx: &mut Tx, account: &Account) {
    let owner = Person {
        id: owner_of(account.id),
        email: account.email.clone(),
        name: account.name.clone(),
        created_at: account.created_at,
    };
    assert!(tx.insert_person(&owner).await.unwrap());
    tx.insert_account(account).await.unwrap();
    tx.put_membership(account.id, owner.id, Role::Owner, NOW)
        .await
        .unwrap();
}

/// The owner of an account that these functions made.
pub(crate) const fn owner_of(account: AccountId) -> PersonId {
    PersonId::new(account.uuid())
}

/// Adds an event, live when it has not ended at [`NOW`].
pub(crate) async fn add_event(store: &Store, event: &Event) {
    let live = event.is_published && event.is_listed && event.schedule.effective_end() > NOW;
    let mut tx = store.begin().await.unwrap();
    assert!(tx.insert_event(event, live).await.unwrap());
    tx.commit().await.unwrap();
}

/// Adds registrations of these statuses, in this order.
pub(crate) async fn add_registrations(
    store: &Store,
    rows: &Rows,
    event: EventId,
    statuses: &[Status],
) -> Vec<Registration> {
    let registrations: Vec<Registration> = (1..)
        .zip(statuses)
        .map(|(seq, status)| rows.registration(event, seq, *status))
        .collect();
    let mut tx = store.begin().await.unwrap();
    for registration in &registrations {
        tx.insert_registration(registration).await.unwrap();
    }
    tx.commit().await.unwrap();
    registrations
}

/// Runs a statement past core.
pub(crate) async fn execute(database: &Database, statement: &'static str) {
    let (url, statement) = (database.direct_url(), sqlx::raw_sql(statement));
    if database.is_postgres() {
        let mut connection = sqlx::PgConnection::connect(&url).await.unwrap();
        statement.execute(&mut connection).await.unwrap();
    } else {
        let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
        statement.execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }
}
